"""The published stages: per priority, most pods placed and then fewest running ones moved or evicted."""

from itertools import product

import builders
import pytest
import tiny
from kubestow.model.errors import BadInput
from kubestow.model.final import FinalState
from kubestow.model.verify import verify, violations
from kubestow.solver.compare import compare
from kubestow.solver.greedy import schedule
from kubestow.solver.result import Limits, Status
from kubestow.solver.solve import solve

OWNER = {"kind": "ReplicaSet", "name": "r", "controller": True, "apiVersion": "apps/v1"}
LIMITS = Limits(time=20, workers=1)


def small(name, cpu, on=None, **spec):
    """A pod of a ReplicaSet that requests `cpu` milli."""
    container = {"name": "main", "resources": {"requests": {"cpu": f"{cpu}m"}}}
    return builders.pod(name, on, metadata={"ownerReferences": [OWNER]}, containers=[container], **spec)


def machine(name, cpu):
    status = {"allocatable": {"cpu": f"{cpu}m", "pods": "10"}}
    return builders.node(name).model_copy(
        update={"status": type(builders.node(name).status).model_validate(status)}
    )


def running(seed, *, relational=False):
    """A tiny cluster in which kube-scheduler has placed what it could, all of it by ReplicaSets."""
    cluster = tiny.tiny_cluster(seed, nodes=2 + seed % 2, pods=4 - seed % 2, relational=relational)
    placed = schedule(cluster, tiny.CONFIGURATION, preemption="off").placement
    pods = []
    for pod in cluster.pods:
        metadata = pod.metadata.model_copy(update={"owner_references": (owner_of(pod),)})
        pods.append(
            pod.model_copy(update={"metadata": metadata, "node_name": placed.get(pod.key, pod.node_name)})
        )
    return cluster.with_changes(pods=tuple(pods))


def owner_of(pod):
    return type(pod.metadata).model_validate({"ownerReferences": [OWNER]}).owner_references[0]


def best(cluster, keys):
    """Stage values, all the smaller the better, of the best placement of pods that breaks nothing."""
    nodes = [None, *(node.name for node in cluster.nodes)]
    tiers = sorted({cluster.pod_by_key[key].priority for key in keys}, reverse=True)
    found, before = [], violations(FinalState(cluster, {}, configuration=tiny.CONFIGURATION))
    for places in product(nodes, repeat=len(keys)):
        placement = dict(zip(keys, places, strict=True))
        final = FinalState(cluster, placement, configuration=tiny.CONFIGURATION)
        if verify(final, before=before).ok:
            found.append(tuple(part for tier in tiers for part in values(cluster, placement, tier)))
    return min(found)


def values(cluster, placement, tier):
    pods = (cluster.pod_by_key[key] for key in placement)
    mine = [pod for pod in pods if pod.priority == tier]
    placed = sum(placement[pod.key] is not None for pod in mine)
    moves = sum(pod.node_name is not None and placement[pod.key] != pod.node_name for pod in mine)
    return -placed, moves


def reached(result):
    return tuple(-stage.value if stage.sense == "max" else stage.value for stage in result.stages)


@pytest.mark.parametrize("seed", range(24))
def test_the_optimum_is_that_of_brute_force(seed):
    """Every stage is proven and equals the best of all valid placements."""
    cluster = running(seed)
    result = solve(cluster, tiny.CONFIGURATION, stages="published", limits=LIMITS)
    assert result.status is Status.OPTIMAL
    assert reached(result) == best(cluster, result.placement)


@pytest.mark.parametrize("seed", range(100, 115))
def test_rules_that_relate_nodes_are_kept(seed):
    """With affinity and spread no stage is better than brute force, and a proven one is as good."""
    cluster = running(seed, relational=True)
    result = solve(cluster, tiny.CONFIGURATION, stages="published", limits=LIMITS)
    assert reached(result) >= best(cluster, result.placement)
    assert result.status is not Status.OPTIMAL or reached(result) == best(cluster, result.placement)


def test_an_evicted_pod_has_no_node():
    """A pod of lower priority gives way, and says so."""
    low, high = small("low", 900, "n", priority=1), small("high", 900, priority=2)
    cluster = builders.cluster([machine("n", 1000)], [low, high])
    result = solve(cluster, tiny.CONFIGURATION, stages="published", limits=LIMITS)
    assert result.placement == {"default/low": None, "default/high": "n"}
    assert [(stage.name, stage.value) for stage in result.stages] == [
        ("placed 2", 1), ("moves 2", 0), ("placed 1", 0), ("moves 1", 1),
    ]  # fmt: skip


def test_a_running_pod_makes_room_elsewhere():
    """One move instead of a pending pod; only the moved and the new pod are admitted."""
    pods = [small("a", 600, "n1"), small("b", 600, "n2"), small("c", 300, "n1"), small("d", 400)]
    cluster = builders.cluster([machine("n1", 1000), machine("n2", 900)], pods)
    result = solve(cluster, tiny.CONFIGURATION, stages="published", limits=LIMITS)
    assert result.placement["default/d"] == "n1"
    assert result.placement["default/c"] == "n2"
    assert sorted(result.order) == ["default/c", "default/d"]


@pytest.mark.parametrize("owned", [False, True])
def test_pods_that_may_not_move_stay(owned):
    """A pod without a controller is not moved, whatever it would gain."""
    stays = small("c", 300, "n1")
    if not owned:
        stays = stays.model_copy(
            update={"metadata": stays.metadata.model_copy(update={"owner_references": ()})}
        )
    pods = [small("a", 600, "n1"), small("b", 600, "n2"), stays, small("d", 400)]
    cluster = builders.cluster([machine("n1", 1000), machine("n2", 900)], pods)
    result = solve(cluster, tiny.CONFIGURATION, stages="published", limits=LIMITS)
    assert (result.placement["default/d"] is not None) == owned
    assert ("default/c" in result.excluded) == (not owned)


def test_what_is_broken_already_is_left_alone():
    """Pods on an overcommitted node stay; the others are placed and moved around them."""
    pods = [small("a", 700, "n1"), small("b", 700, "n1"), small("c", 300, "n2"), small("d", 800)]
    cluster = builders.cluster([machine(f"n{i}", 1000) for i in (1, 2, 3)], pods)
    result = solve(cluster, tiny.CONFIGURATION, stages="published", limits=LIMITS)
    assert result.status is Status.OPTIMAL
    assert result.placement == {"default/c": "n2", "default/d": "n3"}
    assert [violation.node for violation in result.violations] == ["n1"]


def test_compare_takes_the_current_placement_as_greedy_leaves_it():
    """kube-scheduler moves nothing; the comparison counts running pods on all sides."""
    pods = [small("a", 600, "n1"), small("b", 600, "n2"), small("c", 300, "n1"), small("d", 400)]
    cluster = builders.cluster([machine("n1", 1000), machine("n2", 1000)], pods)
    found = compare(cluster, tiny.CONFIGURATION, stages="published", limits=LIMITS)
    assert found.current.values == (3, 0)
    assert found.greedy.values == (4, 0)
    assert found.optimal.values == (4, 0)
    assert found.verdict == "proven-equal"


@pytest.mark.parametrize("seed", range(6))
def test_counted_work_gives_the_same_placement_again(seed):
    """With a deterministic limit, the same input and seed give the same placement."""
    cluster = running(seed)
    limits = Limits(seed=seed, deterministic=0.2)
    first, second = (
        solve(cluster, tiny.CONFIGURATION, stages="published", limits=limits).placement for _ in range(2)
    )
    assert first == second


@pytest.mark.parametrize(
    ("arguments", "says"),
    [({"stages": "best"}, "default, published"), ({"stages": "published", "question": "preempt"}, "pending")],
)
def test_unknown_combinations_are_bad_input(arguments, says):
    """The message names what there is."""
    with pytest.raises(BadInput, match=says):
        solve(builders.cluster([machine("n", 1000)], []), tiny.CONFIGURATION, **arguments)
