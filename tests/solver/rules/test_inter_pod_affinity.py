"""InterPodAffinity: the encoding against the checker on all placements of tiny clusters."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import pytest
from builders import HOSTNAME, ZONE, cluster, namespace, node, pod
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
from kubestow.model.profile import Profile, SchedulerConfiguration
from kubestow.solver.rules.inter_pod_affinity import InterPodAffinity

RACK = "rack"
SEEDS = range(24)
REQUIRED, PREFERRED = (
    f"{strength}DuringSchedulingIgnoredDuringExecution" for strength in ("required", "preferred")
)


@cache
def drawn(seed: int, *kinds: str) -> Case:
    """Two or three nodes, two or three free pods and up to two pinned ones, with terms of `kinds`."""
    draw = random.Random(seed)
    nodes = [
        node(f"n{i}", draw.choice(["", "a", "b"]), {RACK: draw.choice("pq")} if draw.random() < 0.7 else None)
        for i in range(draw.choice([2, 3, 3]))
    ]
    templates = [_template(draw, kinds) for _ in range(draw.choice([1, 2, 3]))]
    pods = [_made(draw, f"p{i}", None, templates) for i in range(draw.choice([2, 3, 3]))]
    plain: list[tuple[dict[str, str], dict[str, Any]]] = [*templates, ({"app": "x"}, {})]
    pods += [
        _made(draw, f"q{i}", draw.choice([*(n.name for n in nodes), None]), plain)
        for i in range(draw.choice([0, 0, 1, 2]))
    ]
    return Case(cluster(nodes, pods, namespaces=(namespace("other", team="b"),)), InterPodAffinity(), LAX)


LAX = SchedulerConfiguration((Profile(), Profile("lax", filters=("NodeName",))))
"""A second profile that does not run the filter."""


def _made(
    draw: random.Random, name: str, on: str | None, templates: list[tuple[dict[str, str], dict[str, Any]]]
):
    labels, spec = draw.choice(templates)
    dying = {"deletionTimestamp": "2024-01-01T00:00:00Z"} if on and draw.random() < 0.2 else {}
    where = "other/" if draw.random() < 0.1 else ""
    spec = {**spec, "schedulerName": "lax"} if draw.random() < 0.1 else spec
    return pod(where + name, on, labels, metadata=dying, **spec)


def _template(draw: random.Random, kinds: tuple[str, ...]) -> tuple[dict[str, str], dict[str, Any]]:
    affinity: dict[str, Any] = {}
    for kind in kinds:
        name, _, strength = kind.partition(" ")
        terms = [_term(draw) for _ in range(draw.choice([0, 1, 1, 2]))]
        if terms and strength == "preferred":
            weighted = [{"weight": draw.choice([1, 10, 100]), "podAffinityTerm": term} for term in terms]
            affinity.setdefault(name, {})[PREFERRED] = weighted
        elif terms:
            affinity.setdefault(name, {})[REQUIRED] = terms
    return {"app": draw.choice("xy")}, {"affinity": affinity} if affinity else {}


def _term(draw: random.Random) -> dict[str, Any]:
    selector = {"matchLabels": {"app": draw.choice("xy")}} if draw.random() < 0.9 else {}
    among = {"namespaceSelector": {"matchLabels": {"team": "b"}}} if draw.random() < 0.1 else {}
    return {"topologyKey": draw.choice([HOSTNAME, ZONE, ZONE, RACK]), "labelSelector": selector, **among}


KINDS = [("podAffinity",), ("podAntiAffinity",), ("podAffinity", "podAntiAffinity")]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kinds", KINDS, ids="+".join)
def test_admits_what_the_checker_accepts(seed, kinds):
    """Required terms: the encoder's set of placements is the checker's."""
    check_sets(drawn(seed, *kinds))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kinds", KINDS, ids="+".join)
def test_scopes_moves_and_relaxation(seed, kinds):
    """Frozen counts count, coupled moves stay within the set, and the relaxation contains the set."""
    case = drawn(seed, *kinds)
    check_scopes(case, seed)
    check_moves(case)
    check_relaxation(case, seed)


@pytest.mark.parametrize("seed", SEEDS)
def test_term_is_the_cost(seed):
    """Preferred terms: value, prices, CP-SAT expression and bound belong to the documented cost."""
    case = drawn(1000 + seed, "podAffinity preferred", "podAntiAffinity preferred")
    check_term(case, seed)
    check_relaxation(case, seed)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kinds", KINDS, ids="+".join)
def test_running_pods_may_stay(seed, kinds):
    """Preemption asks filters for arrivals alone; some pods have a profile that leaves this one out."""
    check_standing(drawn(seed, *kinds), seed)


@pytest.mark.parametrize("kinds", KINDS, ids="+".join)
def test_the_cases_bite(kinds):
    """The drawn clusters hold many placements that are accepted and many that are not."""
    check_bite(drawn(seed, *kinds) for seed in SEEDS)


def _together(selector: str, key: str = ZONE) -> dict[str, Any]:
    term = {"topologyKey": key, "labelSelector": {"matchLabels": {"app": selector}}}
    return {"podAffinity": {REQUIRED: [term]}}


def test_no_circular_company():
    """Two pods that need each other's company and nobody else cannot start at all."""
    pods = [
        pod("p0", None, {"app": "a"}, affinity=_together("b")),
        pod("p1", None, {"app": "b"}, affinity=_together("a")),
    ]
    case = Case(cluster([node("n0", "z"), node("n1", "z")], pods), InterPodAffinity())
    assert case.admitted == {case.nothing.tobytes()}


def test_first_pod_starts_once():
    """Pods that gather with their own kind start in one zone, and where a pinned one is if there is one."""
    nodes = [node("n0", "a"), node("n1", "b")]
    pods = [pod(f"p{i}", None, {"app": "a"}, affinity=_together("a")) for i in range(2)]
    free = Case(cluster(nodes, pods), InterPodAffinity())
    assert {tuple(free.counts(key)[0]) for key in free.admitted} == {(0, 0), (1, 0), (0, 1), (2, 0), (0, 2)}
    led = Case(cluster(nodes, [*pods, pod("q", "n1", {"app": "a"})]), InterPodAffinity())
    assert {tuple(led.counts(key)[0]) for key in led.admitted} == {(0, 0), (0, 1), (0, 2)}


def test_hard_weight_makes_required_affinity_cost():
    """Required affinity costs with the profile's hardPodAffinityWeight."""
    pods = [pod("p0", None, {"app": "a"}, affinity=_together("a")), pod("q", "n0", {"app": "a"})]
    case = Case(cluster([node("n0", "a"), node("n1", "b")], pods), InterPodAffinity())
    term = case.encoder.term(case.problem)
    assert term is not None
    assert term.worst == 2**10
    check_term(case, 0)
