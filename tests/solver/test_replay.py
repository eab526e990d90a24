"""Orders of arrival: batches through the gates, and all orders where batches fail."""

import itertools
import math

import builders
import numpy as np
import pytest
import tiny
from kubestow.solver import replay
from kubestow.solver.assign import counts_of
from kubestow.solver.build import build_problem, without_nodes
from kubestow.solver.instance import Instance
from kubestow.solver.relations import orders
from kubestow.solver.relations.orders import TooMany, components, search_orders

ZONES = ("a", "b", "c")


def spreading(name, app, *selected, skew=1):
    """A pod that spreads the pods of some apps over the zones."""
    constraint = {
        "maxSkew": skew,
        "topologyKey": builders.ZONE,
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchExpressions": [{"key": "app", "operator": "In", "values": list(selected)}]},
    }
    return builders.pod(name, None, {"app": app}, topologySpreadConstraints=[constraint])


def instance_of(cluster):
    """The instance whose free pods are all pending ones."""
    free = frozenset(pod.key for pod in cluster.pods if pod.node_name is None)
    return Instance(build_problem(cluster, tiny.CONFIGURATION, free))


def three_zones(pods):
    return builders.cluster([builders.node(f"n{zone}", zone) for zone in ZONES], pods)


def test_a_class_spreads_level_by_level(monkeypatch):
    """The gates alone find the order, above the first level as on it."""
    monkeypatch.setattr(replay, "WALK", 0)
    cluster = three_zones([spreading(f"p{i}", "p", "p") for i in range(14)])
    placement = {pod.key: f"n{ZONES[i % 3]}" for i, pod in enumerate(cluster.pods)}
    instance = instance_of(cluster)
    found = replay.replay(instance, counts_of(instance.problem, placement), placement)
    assert not found.stuck
    assert sorted(found.order) == sorted(placement)


def test_components_are_what_gates_relate():
    """Two apps that spread together are one component, a third one is another, the rest is in none."""
    pods = [
        spreading("p", "p", "p", "q"),
        spreading("q", "q", "q"),
        spreading("r", "r", "r"),
        builders.pod("s"),
    ]
    instance = instance_of(three_zones(pods))
    label = {
        cls.pod.metadata.name: n
        for cls, n in zip(instance.problem.classes, components(instance), strict=True)
    }
    assert label["p"] == label["q"] != label["r"] >= 0
    assert label["s"] == -1


def test_a_search_gives_up_aloud(monkeypatch):
    """Beyond the limit of states nothing is known."""
    monkeypatch.setattr(orders, "STATES", 1)
    cluster = three_zones([spreading(f"p{i}", "p", "p") for i in range(6)])
    placement = {pod.key: f"n{ZONES[i % 3]}" for i, pod in enumerate(cluster.pods)}
    instance = instance_of(cluster)
    counts = counts_of(instance.problem, placement)
    with pytest.raises(TooMany):
        search_orders(instance, np.zeros_like(counts), counts, np.array([0]), math.inf)


def admissible(cluster, placement):
    """Whether some order of the placed pods passes kube-scheduler's filters, by trying them all."""
    placed = [key for key, node in placement.items() if node]
    start = without_nodes(cluster, frozenset(placed))
    for order in itertools.permutations(placed):
        walker = replay._Walker(start, tiny.CONFIGURATION)
        if all(walker.place(cluster.pod_by_key[key], placement[key]) for key in order):
            return True
    return False


@pytest.mark.parametrize("seed", [*range(6), 15, 51])
def test_all_orders_are_tried(seed, monkeypatch):
    """Beside brute force: an order, or a proof that there is none, as in clusters 15 and 51."""
    monkeypatch.setattr(replay, "WALK", 0)
    cluster = tiny.tiny_cluster(seed, nodes=3, pods=4, relational=True)
    instance = instance_of(cluster)
    stuck = False
    for placement, _ in itertools.islice(tiny.valid(cluster), 0, None, 3):
        found = replay.replay(instance, counts_of(instance.problem, placement), placement)
        assert admissible(cluster, placement) == (not found.stuck), placement
        assert bool(found.stuck) == found.exhausted
        stuck |= bool(found.stuck)
    assert stuck == (seed in {15, 51})
