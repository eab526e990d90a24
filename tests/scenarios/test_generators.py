from collections import Counter

import pytest
from kubestow.scenarios import generators

ALL = [generators.spread, generators.relational, generators.soft, generators.random]
ZONE, HOST = "topology.kubernetes.io/zone", "kubernetes.io/hostname"


def specs(cluster):
    return list({id(pod.spec): pod.spec for pod in cluster.pods}.values())


def request(pod, resource):
    return pod.spec.containers[0].resources.requests[resource]


@pytest.mark.parametrize("make", ALL)
def test_a_seed_decides_everything(make):
    """The same arguments give equal clusters, another seed a different one."""
    assert make(10, 60, 6, seed=1) == make(10, 60, 6, seed=1)
    assert make(10, 60, 6, seed=1) != make(10, 60, 6, seed=2)


@pytest.mark.parametrize("make", ALL)
@pytest.mark.parametrize("resource", ["cpu", "memory"])
def test_requests_add_up_to_the_load(make, resource):
    """Requests over allocatable is the load that was asked for, for both resources."""
    cluster = make(50, 600, 30, load=0.6, seed=5)
    requested = sum(request(pod, resource) for pod in cluster.pods)
    assert requested / sum(node.status.allocatable[resource] for node in cluster.nodes) == pytest.approx(
        0.6, abs=0.01
    )


@pytest.mark.parametrize("make", ALL)
def test_every_pod_fits_some_node(make):
    """No request exceeds half of the smallest machine, even with few large pods."""
    cluster = make(8, 10, 5, load=1.0)
    for resource in ("cpu", "memory"):
        smallest = min(node.status.allocatable[resource] for node in cluster.nodes)
        assert max(request(pod, resource) for pod in cluster.pods) <= smallest


@pytest.mark.parametrize("make", ALL)
@pytest.mark.parametrize(("nodes", "pods", "classes"), [(1, 1, 1), (3, 3, 3), (2, 50, 7)])
def test_tiny_sizes_are_exact(make, nodes, pods, classes):
    """The numbers asked for are the numbers made."""
    cluster = make(nodes, pods, classes)
    assert (len(cluster.nodes), len(cluster.pods), len(specs(cluster))) == (nodes, pods, classes)
    assert len({pod.key for pod in cluster.pods}) == pods


def test_shares_of_relational_rules():
    """A third of the classes spreads over zones, 10 % keep apart on hosts, 5 % share a zone; disjointly."""
    found = Counter()
    for spec in specs(generators.relational(100, 1000, 60)):
        found["spread"] += any(
            c.when_unsatisfiable == "DoNotSchedule" for c in spec.topology_spread_constraints
        )
        found["apart"] += any(t.topology_key == HOST for t in spec.affinity.pod_anti_affinity.required)
        found["together"] += any(t.topology_key == ZONE for t in spec.affinity.pod_affinity.required)
    assert found == {"spread": 20, "apart": 6, "together": 3}


def test_pods_that_keep_apart_have_enough_hosts():
    """A class with required host anti-affinity never has more pods than half the nodes."""
    cluster = generators.relational(20, 1000, 30)
    apart = Counter(id(pod.spec) for pod in cluster.pods if pod.spec.affinity.pod_anti_affinity.required)
    assert apart
    assert max(apart.values()) <= 10


def test_shares_of_soft_rules():
    """A third of the classes has exactly one kind of soft relation, and no hard one."""
    soft = 0
    for spec in specs(generators.soft(100, 1000, 60)):
        affinity = spec.affinity
        soft += bool(affinity.pod_affinity.preferred)
        soft += bool(affinity.pod_anti_affinity.preferred)
        soft += bool(spec.topology_spread_constraints)
        assert not affinity.pod_affinity.required
        assert not affinity.pod_anti_affinity.required
        assert all(c.when_unsatisfiable == "ScheduleAnyway" for c in spec.topology_spread_constraints)
    assert soft == 20


def test_static_rules_are_in_every_mix():
    """Taints, tolerations, required and preferred node affinity and pulled images occur everywhere."""
    cluster = generators.spread(100, 1000, 50)
    assert Counter(node.labels["disk"] for node in cluster.nodes) == {"ssd": 70, "hdd": 30}
    assert Counter(taint.effect for node in cluster.nodes for taint in node.spec.taints) == {
        "NoSchedule": 10,
        "PreferNoSchedule": 10,
    }
    assert sum(spec.affinity.node_affinity.required is not None for spec in specs(cluster)) == 10
    assert sum(bool(spec.affinity.node_affinity.preferred) for spec in specs(cluster)) == 10
    assert {spec.containers[0].image for spec in specs(cluster)} & {
        name for node in cluster.nodes for image in node.status.images for name in image.names
    }


def test_priorities_have_their_classes():
    """Pods of the random mix are in three tiers that exist as PriorityClasses."""
    cluster = generators.random()
    values = {tier.name: tier.value for tier in cluster.priority_classes}
    assert {pod.priority for pod in cluster.pods} == set(values.values())
    assert all(values[pod.spec.priority_class_name] == pod.priority for pod in cluster.pods)
