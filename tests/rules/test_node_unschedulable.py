import pytest
from builders import node, pod
from cycles import verdict

TAINT = "node.kubernetes.io/unschedulable"


def test_a_cordoned_node_takes_no_new_pod():
    """A cordon rejects, and evicting pods does not lift it."""
    found = verdict("NodeUnschedulable", pod("p"), node("n", unschedulable=True))
    assert (found.code, found.reasons) == ("UnschedulableAndUnresolvable", ("node(s) were unschedulable",))
    assert verdict("NodeUnschedulable", pod("p"), node("n")) is None


@pytest.mark.parametrize(
    ("toleration", "forgives"),
    [
        ({"key": TAINT, "operator": "Exists", "effect": "NoSchedule"}, True),
        ({"key": TAINT, "operator": "Exists"}, True),
        ({"operator": "Exists"}, True),
        ({"key": TAINT}, True),
        ({"key": TAINT, "value": "x"}, False),
        ({"key": TAINT, "operator": "Exists", "effect": "NoExecute"}, False),
        ({"key": "other", "operator": "Exists"}, False),
    ],
)
def test_tolerating_the_taint_of_a_cordon_forgives_it(toleration, forgives):
    """The toleration counts, although the node does not bear the taint."""
    found = verdict("NodeUnschedulable", pod("p", tolerations=[toleration]), node("n", unschedulable=True))
    assert (found is None) == forgives
