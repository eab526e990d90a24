"""Tiny random clusters, and everything that can be done with them by brute force."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product
from typing import Any

import builders
from kubestow.model.api import Node, Pod
from kubestow.model.cluster import Cluster
from kubestow.model.evaluate import evaluate
from kubestow.model.final import FinalState
from kubestow.model.profile import SchedulerConfiguration
from kubestow.model.verify import verify

CONFIGURATION = SchedulerConfiguration()
APPS = ("a", "b")


def tiny_cluster(seed: int, *, nodes: int = 2, pods: int = 4, relational: bool = False) -> Cluster:
    """A few nodes and pods with a little of every rule."""
    draw = random.Random(seed)
    made = [_node(draw, f"n{i}") for i in range(nodes)]
    running = [_pod(draw, f"r{i}", f"n{draw.randrange(nodes)}", False) for i in range(draw.randrange(2))]
    waiting = [_pod(draw, f"p{i}", None, relational) for i in range(pods)]
    return builders.cluster(made, [*running, *waiting])


def _node(draw: random.Random, name: str) -> Node:
    node = builders.node(
        name, draw.choice(["x", "y"]), {"disk": draw.choice(["ssd", "hdd"])}, **_taints(draw)
    )
    amounts = {
        "cpu": f"{draw.choice([1000, 2000, 3000])}m",
        "memory": f"{draw.choice([1, 2, 4])}Gi",
        "pods": "3",
    }
    images = [{"names": ["registry.example/app:1"], "sizeBytes": 500 * 2**20}] if draw.random() < 0.5 else []
    status = {"allocatable": amounts, "capacity": amounts, "images": images}
    return Node.model_validate({**node.model_dump(by_alias=True), "status": status})


def _taints(draw: random.Random) -> dict[str, Any]:
    effect = draw.choice(["", "", "PreferNoSchedule", "NoSchedule"])
    return {"taints": [{"key": "k", "value": "v", "effect": effect}]} if effect else {}


def _pod(draw: random.Random, name: str, on: str | None, relational: bool) -> Pod:
    spec: dict[str, Any] = {"containers": [_container(draw)], "priority": draw.choice([0, 0, 10])}
    if draw.random() < 0.4:
        spec["tolerations"] = [{"key": "k", "operator": "Exists"}]
    if draw.random() < 0.4:
        spec["affinity"] = {"nodeAffinity": _preference(draw)}
    app = draw.choice(APPS)
    if relational:
        _relate(draw, spec, app)
    return builders.pod(name, on, {"app": app}, **spec)


def _container(draw: random.Random) -> dict[str, Any]:
    container: dict[str, Any] = {"name": "main", "image": "registry.example/app:1"}
    if draw.random() < 0.85:
        cpu, memory = draw.choice([100, 500, 700, 1000]), draw.choice([128, 512, 900])
        requests = {"cpu": f"{cpu}m", "memory": f"{memory}Mi"}
        container["resources"] = {"requests": requests}
    if draw.random() < 0.2:
        container["ports"] = [{"containerPort": 80, "hostPort": 80}]
    return container


def _preference(draw: random.Random) -> dict[str, Any]:
    expression = {"key": "disk", "operator": draw.choice(["In", "NotIn"]), "values": ["ssd"]}
    terms = [{"weight": draw.choice([1, 50, 100]), "preference": {"matchExpressions": [expression]}}]
    return {"preferredDuringSchedulingIgnoredDuringExecution": terms}


def _relate(draw: random.Random, spec: dict[str, Any], app: str) -> None:
    selector = {"matchLabels": {"app": draw.choice([app, draw.choice(APPS)])}}
    key = draw.choice([builders.HOSTNAME, builders.ZONE])
    kind = draw.choice(["", "podAffinity", "podAntiAffinity", "spread"])
    strength = draw.choice(["required", "preferred"])
    if kind == "spread":
        when = "DoNotSchedule" if strength == "required" else "ScheduleAnyway"
        constraint = {"maxSkew": 1, "topologyKey": key, "whenUnsatisfiable": when, "labelSelector": selector}
        spec["topologySpreadConstraints"] = [constraint]
    elif kind:
        term: dict[str, Any] = {"topologyKey": key, "labelSelector": selector}
        if strength == "preferred":
            term = {"weight": draw.choice([1, 100]), "podAffinityTerm": term}
        path = f"{strength}DuringSchedulingIgnoredDuringExecution"
        spec.setdefault("affinity", {})[kind] = {path: [term]}


def placements(cluster: Cluster) -> Iterator[dict[str, str | None]]:
    """Every way to put the pending pods on nodes or nowhere."""
    pending = [pod.key for pod in cluster.pods if pod.node_name is None]
    for nodes in product([None, *(node.name for node in cluster.nodes)], repeat=len(pending)):
        yield dict(zip(pending, nodes, strict=True))


def final_state(cluster: Cluster, placement: dict[str, str | None]) -> FinalState:
    """The final state that a placement gives."""
    return FinalState(cluster, placement, configuration=CONFIGURATION)


def valid(cluster: Cluster) -> Iterator[tuple[dict[str, str | None], FinalState]]:
    """The placements that break nothing, with their final states."""
    for placement in placements(cluster):
        final = final_state(cluster, placement)
        if verify(final).ok:
            yield placement, final


def placed_by_tier(cluster: Cluster, placement: dict[str, str | None]) -> tuple[int, ...]:
    """Pending pods placed, per priority, highest first."""
    pods = [cluster.pod_by_key[key] for key in placement]
    tiers = sorted({pod.priority for pod in pods}, reverse=True)
    placed = [pod.priority for pod in pods if placement[pod.key] is not None]
    return tuple(placed.count(tier) for tier in tiers)


def weighted_cost(final: FinalState, coefficients: dict[str, int]) -> int:
    """The cost stage's value, from the rules' own costs."""
    return sum(coefficients[term.name] * term.cost for term in evaluate(final).terms)
