import pytest
from builders import node, pod
from cycles import verdict


def listening(name, on=None, **port):
    return pod(name, on, containers=[{"name": "main", "ports": [{"containerPort": 80, **port}]}])


@pytest.mark.parametrize(
    ("one", "other", "conflict"),
    [
        ({"hostPort": 80}, {"hostPort": 80}, True),
        ({"hostPort": 80}, {"hostPort": 81}, False),
        ({"hostPort": 80}, {"hostPort": 80, "protocol": "UDP"}, False),
        ({"hostPort": 80}, {"hostPort": 80, "hostIP": "127.0.0.1"}, True),
        ({"hostPort": 80, "hostIP": "127.0.0.1"}, {"hostPort": 80, "hostIP": "0.0.0.0"}, True),
        ({"hostPort": 80, "hostIP": "127.0.0.1"}, {"hostPort": 80, "hostIP": "127.0.0.2"}, False),
        ({"hostPort": 80, "hostIP": "::"}, {"hostPort": 80, "hostIP": "127.0.0.1"}, False),
        ({"hostPort": 80, "hostIP": "::"}, {"hostPort": 80}, True),
        ({}, {}, False),
    ],
)
def test_a_port_is_taken_once_per_address_and_protocol(one, other, conflict):
    """``0.0.0.0`` and no address are every address; ``::`` is not."""
    for wanted, used in ((one, other), (other, one)):
        found = verdict("NodePorts", listening("p", **wanted), node("n"), [listening("r", "n", **used)])
        assert (found is not None) == conflict
        if found is not None:
            assert found.code == "Unschedulable"
            assert found.reasons == ("node(s) didn't have free ports for the requested pod ports",)


def test_with_host_network_container_ports_are_host_ports():
    """The API server fills them in."""
    ports = [{"name": "main", "ports": [{"containerPort": 80}]}]
    networked = [pod(name, on, hostNetwork=True, containers=ports) for name, on in (("p", None), ("r", "n"))]
    assert verdict("NodePorts", networked[0], node("n"), networked[1:]) is not None


def test_ports_of_init_containers_count_only_for_sidecars():
    """Only a sidecar still runs when the containers do."""
    init = {"name": "init", "ports": [{"containerPort": 80, "hostPort": 80}]}
    used = [listening("r", "n", hostPort=80)]
    main = [{"name": "main"}]
    once = pod("p", containers=main, initContainers=[init])
    sidecar = pod("p", containers=main, initContainers=[{**init, "restartPolicy": "Always"}])
    assert verdict("NodePorts", once, node("n"), used) is None
    assert verdict("NodePorts", sidecar, node("n"), used) is not None
