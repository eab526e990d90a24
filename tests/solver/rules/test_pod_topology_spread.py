"""PodTopologySpread: the encoding against the checker on all placements of tiny clusters."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import pytest
from builders import HOSTNAME, ZONE, cluster, node, pod
from encoder_checks import (
    Case,
    check_bite,
    check_moves,
    check_relaxation,
    check_scopes,
    check_sets,
    check_standing,
    check_term,
)
from kubestow.model.api import Service
from kubestow.model.profile import Profile, SchedulerConfiguration
from kubestow.solver.rules.pod_topology_spread import PodTopologySpread

RACK = "rack"
SEEDS = range(40)
HARD, SOFT = "DoNotSchedule", "ScheduleAnyway"
TAINT = {"key": "t", "effect": "NoSchedule"}
SERVICE = {"metadata": {"name": "s", "namespace": "default"}, "spec": {"selector": {"app": "x"}}}
Template = tuple[dict[str, str], dict[str, Any]]


@cache
def drawn(seed: int, action: str) -> Case:
    """Two or three nodes, some tainted, two or three free pods and up to three pinned ones."""
    draw = random.Random(seed)
    nodes = [_node(draw, f"n{i}") for i in range(draw.choice([2, 3, 3]))]
    templates = [_template(draw, action) for _ in range(draw.choice([1, 2, 3]))]
    pods = [_made(draw, f"p{i}", None, templates) for i in range(draw.choice([2, 3, 3]))]
    plain = [*templates, ({"app": "x"}, {})]
    pods += [
        _made(draw, f"q{i}", draw.choice([*(n.name for n in nodes), None]), plain)
        for i in range(draw.choice([0, 1, 2, 3]))
    ]
    services = (Service.model_validate(SERVICE),) if draw.random() < 0.5 else ()
    return Case(cluster(nodes, pods, services=services), PodTopologySpread(), LAX)


LAX = SchedulerConfiguration((Profile(), Profile("lax", filters=("NodeName",))))
"""A second profile that does not run the filter."""


def _node(draw: random.Random, name: str):
    rack = {RACK: draw.choice("pq")} if draw.random() < 0.7 else None
    taints = [TAINT] if draw.random() < 0.2 else []
    return node(name, draw.choice(["", "a", "b", "b"]), rack, taints=taints)


def _made(draw: random.Random, name: str, on: str | None, templates: list[Template]):
    labels, spec = draw.choice(templates)
    spec = {**spec, "schedulerName": "lax"} if draw.random() < 0.1 else spec
    dying = {"deletionTimestamp": "2024-01-01T00:00:00Z"} if on and draw.random() < 0.2 else {}
    return pod(name, on, labels, metadata=dying, **spec)


def _template(draw: random.Random, action: str) -> Template:
    spec: dict[str, Any] = {}
    if draw.random() < 0.8:
        spec["topologySpreadConstraints"] = [_constraint(draw, action) for _ in range(draw.choice([1, 1, 2]))]
    if draw.random() < 0.3:
        spec["nodeSelector"] = {RACK: "p"}
    if draw.random() < 0.3:
        spec["tolerations"] = [{"key": "t", "operator": "Exists"}]
    return {"app": draw.choice("xy")}, spec


def _constraint(draw: random.Random, action: str) -> dict[str, Any]:
    constraint: dict[str, Any] = {
        "topologyKey": draw.choice([HOSTNAME, ZONE, ZONE, RACK]),
        "labelSelector": {"matchLabels": {"app": draw.choice("xy")}} if draw.random() < 0.9 else {},
        "maxSkew": draw.choice([1, 1, 2]),
        "whenUnsatisfiable": action,
    }
    if action == HARD and draw.random() < 0.3:
        constraint["minDomains"] = draw.choice([2, 3])
    for policy in ("nodeAffinityPolicy", "nodeTaintsPolicy"):
        if draw.random() < 0.3:
            constraint[policy] = draw.choice(["Honor", "Ignore"])
    return constraint


@pytest.mark.parametrize("seed", SEEDS)
def test_admits_what_the_checker_accepts(seed):
    """Hard constraints: the encoder's set of placements is the checker's."""
    check_sets(drawn(seed, HARD))


@pytest.mark.parametrize("seed", SEEDS)
def test_scopes_moves_and_relaxation(seed):
    """Frozen counts count, coupled moves stay within the set, and the relaxation contains the set."""
    case = drawn(seed, HARD)
    check_scopes(case, seed)
    check_moves(case)
    check_relaxation(case, seed)


@pytest.mark.parametrize("seed", SEEDS)
def test_term_is_the_cost(seed):
    """Soft constraints and system defaults: value, prices, expression and bound are the documented cost's."""
    case = drawn(1000 + seed, SOFT)
    check_term(case, seed)
    check_relaxation(case, seed)


@pytest.mark.parametrize("seed", SEEDS)
def test_running_pods_may_stay(seed):
    """Preemption asks filters for arrivals alone; some pods have a profile that leaves this one out."""
    check_standing(drawn(seed, HARD), seed)


def test_the_cases_bite():
    """The drawn clusters hold many placements that are accepted and many that are not."""
    check_bite(drawn(seed, HARD) for seed in SEEDS)


def _spread(**fields: Any) -> list[dict[str, Any]]:
    selector = {"matchLabels": {"app": "x"}}
    return [
        {"topologyKey": ZONE, "labelSelector": selector, "maxSkew": 1, "whenUnsatisfiable": HARD, **fields}
    ]


def _rows(*pods: Any, zones: str = "ab") -> set[tuple[int, ...]]:
    nodes = [node(f"n{i}", zone) for i, zone in enumerate(zones)]
    case = Case(cluster(nodes, pods), PodTopologySpread())
    return {tuple(case.counts(key).reshape(-1).tolist()) for key in case.admitted}


def test_counts_differ_by_the_skew():
    """Three pods over two zones with a skew of one: never two more here than there."""
    pods = [pod(f"p{i}", None, {"app": "x"}, topologySpreadConstraints=_spread()) for i in range(3)]
    assert _rows(*pods) == {(0, 0), (1, 0), (0, 1), (1, 1), (2, 1), (1, 2)}


def test_too_few_domains_count_as_an_empty_one():
    """With fewer zones than minDomains the minimum is 0, so each zone takes one pod."""
    constraint = _spread(minDomains=3)
    pods = [pod(f"p{i}", None, {"app": "x"}, topologySpreadConstraints=constraint) for i in range(3)]
    assert _rows(*pods) == {(0, 0), (1, 0), (0, 1), (1, 1)}


def test_pods_without_the_constraint_may_exceed_it():
    """A pod that matches but does not state the constraint may come last, wherever it likes."""
    pods = [pod("p0", None, {"app": "x"}, topologySpreadConstraints=_spread()), pod("p1", None, {"app": "x"})]
    assert len(_rows(*pods)) == 9
