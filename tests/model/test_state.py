from builders import cluster, node, pod
from kubestow.model.api import Node
from kubestow.model.profile import SchedulerConfiguration
from kubestow.model.state import ClusterState, NodeInfo


def test_which_pods_count_where():
    """Running, terminating and foreign pods do, by name; completed ones and those on unknown nodes do not."""
    terminating = {"deletionTimestamp": "2026-01-01T00:00:00Z"}
    pods = [
        pod("running", "n"),
        pod("terminating", "n", metadata=terminating),
        pod("foreign", "n", schedulerName="other"),
        pod("done", "n", status={"phase": "Succeeded"}),
        pod("failed", "n", status={"phase": "Failed"}),
        pod("lost", "gone"),
        pod("pending"),
    ]
    state = ClusterState.of(cluster([node("n"), node("m")], pods), SchedulerConfiguration())
    found = {name: list(info.pods) for name, info in state.nodes.items()}
    assert found == {"n": ["default/foreign", "default/running", "default/terminating"], "m": []}
    assert next((one.name, info.name) for one, info in state.placed()) == ("foreign", "n")
    assert state.node_of(pods[0]) is state.nodes["n"]
    assert state.node_of(pods[5]) is None


def test_a_node_without_allocatable_offers_its_capacity():
    """An empty allocatable is a statement, an absent one is not."""
    absent = Node.model_validate(
        {"metadata": {"name": "n"}, "status": {"capacity": {"cpu": "2", "memory": "1Ki"}}}
    )
    empty = Node.model_validate(
        {"metadata": {"name": "n"}, "status": {"capacity": {"cpu": "2"}, "allocatable": {}}}
    )
    assert NodeInfo.of(absent).allocatable == {"cpu": 2000, "memory": 1024}
    assert NodeInfo.of(empty).allocatable == {}
