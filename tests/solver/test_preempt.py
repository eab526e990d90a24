"""Question ``preempt`` beside brute force: who is kept, who is placed, what evictions cost."""

from __future__ import annotations

import random
from itertools import product

import builders
import pytest
import tiny
from kubestow.model.api import Node, PodDisruptionBudget
from kubestow.model.evaluate import evaluate, stage_coefficients
from kubestow.model.verify import verify
from kubestow.solver.compare import compare
from kubestow.solver.result import Limits, Status
from kubestow.solver.solve import solve
from storage_builders import claim, storage_class, uses

DELETION_COST = "controller.kubernetes.io/pod-deletion-cost"


def _pod(draw, name, on, priority):
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "set", "uid": "set", "controller": True}
    metadata = {"ownerReferences": [owner]} if draw.random() < 0.6 else {}
    if draw.random() < 0.5:
        metadata["annotations"] = {DELETION_COST: str(draw.choice([1, 5, 20]))}
    requests = {"cpu": f"{draw.choice([500, 700, 1000])}m", "memory": "1Mi"}
    spec = {"containers": [{"name": "main", "resources": {"requests": requests}}], "priority": priority}
    if draw.random() < 0.2:
        spec["preemptionPolicy"] = "Never"
    if draw.random() < 0.3:
        spec["affinity"] = {draw.choice(["podAffinity", "podAntiAffinity"]): _required(draw.choice("ab"))}
    return builders.pod(name, on, {"app": draw.choice("ab")}, metadata=metadata, **spec)


def _required(app):
    term = {"topologyKey": builders.HOSTNAME, "labelSelector": {"matchLabels": {"app": app}}}
    return {"requiredDuringSchedulingIgnoredDuringExecution": [term]}


def _node(name):
    size = {"cpu": "2", "memory": "1Gi", "pods": "4"}
    made = builders.node(name).model_dump(by_alias=True)
    return Node.model_validate({**made, "status": {"allocatable": size, "capacity": size}})


def crowded(seed):
    """Two nodes full, or too full, of pods of low priority, and pods of higher priority that want in."""
    draw = random.Random(seed)
    nodes = [_node(f"n{i}") for i in range(2)]
    room = draw.choice([2000, 2000, 2500, 5000])
    running, used = [], [0, 0]
    for i in range(5):
        pod = _pod(draw, f"r{i}", f"n{i % 2}", draw.choice([0, 0, 5]))
        need = pod.spec.containers[0].resources.requests["cpu"] // 10**6
        if used[i % 2] + need <= room:
            used[i % 2] += need
            running.append(pod)
    waiting = [_pod(draw, f"p{i}", None, draw.choice([3, 10, 10])) for i in range(2)]
    budget = {
        "metadata": {"name": "b", "namespace": "default"},
        "spec": {"selector": {"matchLabels": {"app": "a"}}},
        "status": {"disruptionsAllowed": draw.choice([0, 1])},
    }
    budgets = (PodDisruptionBudget.model_validate(budget),)
    return builders.cluster(nodes, [*running, *waiting], pod_disruption_budgets=budgets)


def _cost(pod):
    return max(1, int(pod.metadata.annotations.get(DELETION_COST, "1")))


def _legal(cluster, placement):
    """Victims only where somebody of higher priority arrives that may preempt; bare victims are gone."""
    arrivals = [
        (cluster.pod_by_key[key], node)
        for key, node in placement.items()
        if node and cluster.pod_by_key[key].node_name != node
    ]
    for key, node in placement.items():
        pod = cluster.pod_by_key[key]
        if pod.node_name is None or node == pod.node_name:
            continue
        if node and not pod.metadata.owner_references:
            return False
        if not any(
            other.priority > pod.priority and at == pod.node_name and other.spec.preemption_policy != "Never"
            for other, at in arrivals
        ):
            return False
    return True


def _value(cluster, placement, final, tiers, names):
    """Stage values, smaller is better."""
    pods = cluster.pod_by_key
    moved = [pods[key] for key, node in placement.items() if pods[key].node_name not in (None, node)]
    values = {"budget violations": 0, "disruption": sum(map(_cost, moved))}
    for tier in tiers:
        running = [key for key in placement if pods[key].node_name and pods[key].priority == tier]
        values[f"kept {tier}"] = sum(pod.priority == tier for pod in moved) - len(running)
        placed = [key for key, node in placement.items() if node and pods[key].priority == tier]
        values[f"placed {tier}"] = -len(placed)
    for budget in cluster.pod_disruption_budgets:
        lost = sum(pod.labels["app"] == "a" for pod in moved)
        values["budget violations"] += max(0, lost - budget.status.disruptions_allowed)
    values["cost"] = tiny.weighted_cost(final, dict(stage_coefficients(evaluate(final).terms)))
    return tuple(values[name] for name in names)


@pytest.mark.parametrize("seed", range(32))
def test_the_optimum_is_that_of_brute_force(seed):
    """Over all placements of running and pending pods whose victims are legal."""
    cluster = crowded(seed)
    found = solve(cluster, tiny.CONFIGURATION, question="preempt", limits=Limits(time=20, workers=1))
    assert found.status is Status.OPTIMAL
    names = [stage.name for stage in found.stages]
    tiers = sorted({pod.priority for pod in cluster.pods}, reverse=True)
    keys = list(found.placement)
    best = None
    for nodes in product([None, "n0", "n1"], repeat=len(keys)):
        placement = dict(zip(keys, nodes, strict=True))
        final = tiny.final_state(cluster, placement)
        if _legal(cluster, placement) and verify(final, may_move=frozenset(keys)).ok:
            value = _value(cluster, placement, final, tiers, names)
            best = value if best is None else min(best, value)
    assert tuple(-s.value if s.sense == "max" else s.value for s in found.stages) == best
    final = tiny.final_state(cluster, dict(found.placement))
    assert _value(cluster, found.placement, final, tiers, names) == best


def _node_of(cpu):
    made = builders.node("n0", labels={"disk": "hdd"}).model_dump(by_alias=True)
    return Node.model_validate(
        {**made, "status": {"allocatable": {"cpu": cpu, "memory": "1Gi", "pods": "4"}}}
    )


def _asking(name, on, cpu, **spec):
    container = {"name": "main", "resources": {"requests": {"cpu": cpu}}}
    status = {"phase": "Running"} if on else {}
    return builders.pod(name, on, status=status, containers=[container], **spec)


@pytest.mark.parametrize(("cpu", "stays"), [("2", None), ("4", "n0")])
def test_a_pod_where_it_could_not_arrive_stays_or_is_a_victim(cpu, stays):
    """Node affinity is ignored during execution: greedy evicts such a pod, and so may the optimum."""
    old = _asking("old", "n0", "1500m", nodeSelector={"disk": "ssd"})
    new = _asking("new", None, "1500m", priority=10)
    crowd = builders.cluster([_node_of(cpu)], [old, new])
    found = compare(crowd, tiny.CONFIGURATION, question="preempt", limits=Limits(time=5, workers=1))
    assert found.verdict == "proven-equal"
    assert found.optimal.placement == found.greedy.placement == {"default/old": stays, "default/new": "n0"}


def test_pods_of_an_overcommitted_node_are_victims():
    """A node may stay overcommitted; where a pod is to arrive, enough of the others leave."""
    running = [_asking("r1", "n0", "1500m"), _asking("r2", "n0", "1")]
    crowd = builders.cluster([_node_of("2")], [*running, _asking("new", None, "1", priority=10)])
    found = compare(crowd, tiny.CONFIGURATION, question="preempt", limits=Limits(time=5, workers=1))
    assert found.verdict == "proven-equal"
    assert found.optimal.placement == {"default/new": "n0", "default/r1": None, "default/r2": "n0"}


@pytest.mark.parametrize("how", ["mirror", "forced"])
def test_pods_that_no_scheduler_placed_are_victims(how):
    """kube-scheduler looks at priorities alone, and so does the optimum."""
    mirror = {"annotations": {"kubernetes.io/config.mirror": "x"}} if how == "mirror" else {}
    old = _asking("old", "n0", "1500m", metadata=mirror)
    if how == "forced":
        old = old.model_copy(update={"status": type(old.status)()})
    crowd = builders.cluster([_node_of("2")], [old, _asking("new", None, "1500m", priority=10)])
    found = compare(crowd, tiny.CONFIGURATION, question="preempt", limits=Limits(time=5, workers=1))
    assert found.verdict == "proven-equal"
    assert found.optimal.placement == {"default/new": "n0", "default/old": None}


def test_what_greedy_gains_by_evicting_in_vain_is_said():
    """A preemptor evicts a pod and does not fit after all; another one, elsewhere, is the better for it."""
    claimed = {"volumes": uses("c")}
    running = [_asking(f"r{i}", f"n{i}", "1m", **claimed) for i in range(2)]
    waiting = [_asking(f"p{i}", None, "1m", priority=5 + 15 * i, **claimed) for i in range(2)]
    single = claim("c", modes=("ReadWriteOncePod",))
    crowd = builders.cluster(
        [builders.node("n0"), builders.node("n1")],
        [*running, *waiting],
        persistent_volume_claims=(single,),
        storage_classes=(storage_class(provisioner="csi.example"),),
    )
    found = compare(crowd, tiny.CONFIGURATION, question="preempt", limits=Limits(time=5, workers=1))
    assert found.verdict == "greedy-evicts-in-vain"
    assert found.result.status is Status.OPTIMAL
