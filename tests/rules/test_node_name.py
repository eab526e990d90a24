from builders import node, pod
from cycles import verdict


def test_a_pod_that_names_its_node_fits_no_other():
    """``spec.nodeName`` is an order."""
    named = pod("p", on="here")
    assert verdict("NodeName", named, node("here")) is None
    found = verdict("NodeName", named, node("there"))
    assert (found.code, found.reasons) == (
        "UnschedulableAndUnresolvable",
        ("node(s) didn't match the requested node name",),
    )


def test_a_pod_that_names_none_fits_everywhere():
    """No name, no opinion."""
    assert verdict("NodeName", pod("p"), node("there")) is None
