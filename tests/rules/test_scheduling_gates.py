from builders import node, pod
from cycles import verdict


def test_a_gated_pod_waits_and_names_its_gates():
    """Every gate is named; no node can help."""
    gated = pod("p", schedulingGates=[{"name": "a.example/one"}, {"name": "a.example/two"}])
    found = verdict("SchedulingGates", gated, node("n"))
    assert found.reasons == ("waiting for scheduling gates: [a.example/one a.example/two]",)
    assert found.code == "UnschedulableAndUnresolvable"


def test_a_pod_without_gates_enters_the_queue():
    """Only gates hold back."""
    assert verdict("SchedulingGates", pod("p"), node("n")) is None
