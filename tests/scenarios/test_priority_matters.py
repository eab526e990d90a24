from collections import Counter

import pytest
from kubestow import scenarios
from kubestow.model.errors import BadInput
from kubestow.model.resources import pod_requests
from kubestow.scenarios.priority_matters import priority_matters

SHAPES = [(4, 4, 1, 0.9), (8, 4, 2, 0.95), (5, 8, 4, 1.0), (16, 8, 3, 1.05)]


def total(cluster, resource):
    return sum(pod_requests(pod)[resource] for pod in cluster.pods)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_seed_decides_everything(shape):
    """The same arguments give equal clusters, another seed a different one."""
    assert priority_matters(*shape, seed=3) == priority_matters(*shape, seed=3)
    assert priority_matters(*shape, seed=3) != priority_matters(*shape, seed=4)


@pytest.mark.parametrize("shape", SHAPES)
def test_requests_over_capacity_are_the_utilization(shape):
    """Nodes are equal, and the smallest of whole units that keep the utilization."""
    nodes, density, _, utilization = shape
    cluster = priority_matters(*shape, seed=1)
    assert len(cluster.nodes) == nodes
    assert len(cluster.pods) == nodes * density
    assert len({str(node.status.allocatable) for node in cluster.nodes}) == 1
    for resource, unit in (("cpu", 10**6), ("memory", 10**15)):
        offered = nodes * cluster.nodes[0].status.allocatable[resource] // unit
        wanted = total(cluster, resource) // (1 if resource == "cpu" else 10**6) / utilization
        assert wanted <= offered < wanted + 1 + nodes


def test_replicas_requests_and_priorities_stay_in_their_ranges():
    """1 to 4 replicas, 100 to 1000 milli-CPU and MB, priority 1 to 4, and all of it occurs."""
    cluster = priority_matters(64, 8, 4, 0.95, seed=2)
    replicas = Counter(pod.metadata.controller.name for pod in cluster.pods)
    assert set(replicas.values()) == {1, 2, 3, 4}
    assert {workload.metadata.name: workload.spec.replicas for workload in cluster.workloads} == replicas
    assert {pod.priority for pod in cluster.pods} == {1, 2, 3, 4}
    for resource, unit in (("cpu", 1), ("memory", 10**6)):
        amounts = [pod_requests(pod)[resource] for pod in cluster.pods]
        assert all(amount % unit == 0 for amount in amounts)
        assert 100 * unit <= min(amounts) < 150 * unit
        assert 950 * unit < max(amounts) <= 1000 * unit


def test_the_largest_pod_fits_a_node():
    """However few pods there are per node."""
    cluster = priority_matters(8, 1, 1, 1.0, seed=0)
    for resource, unit in (("cpu", 10**6), ("memory", 10**9)):
        offered = cluster.nodes[0].status.allocatable[resource] // unit
        assert max(pod_requests(pod)[resource] for pod in cluster.pods) <= offered


def test_the_name_has_a_hyphen():
    """As every scenario's name, and parameters reach the generator."""
    assert len(scenarios.load("priority-matters,nodes=3,density=2").pods) == 6


@pytest.mark.parametrize(
    ("reference", "says"),
    [
        ("nodes=0", "nodes=0: give 1 to"),
        ("density=101", "density=101: give 1 to"),
        ("priorities=0", "priorities=0"),
        ("utilization=nan", "above 0"),
        ("size=small", "nodes, density, priorities, utilization, seed"),
    ],
)
def test_values_out_of_range_are_bad_input(reference, says):
    """The message names the parameter and what it may be."""
    with pytest.raises(BadInput, match=says):
        scenarios.load(f"priority-matters,{reference}")
