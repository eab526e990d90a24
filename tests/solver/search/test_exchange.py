"""The exchange moves pods between domains as far as hard topology spread lets it, and never further."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from builders import ZONE, cluster, node, pod
from kubestow.model.cluster import Cluster
from kubestow.model.profile import SchedulerConfiguration
from kubestow.scenarios.generators import relational, soft
from kubestow.solver.build import build_problem
from kubestow.solver.cpsat.encode import feasible
from kubestow.solver.instance import Instance
from kubestow.solver.search.exchange import Exchange
from kubestow.solver.search.start import Builder

NODES = [node(f"n{i}", "ab"[i // 2]) for i in range(4)]


def _instance(read: Cluster) -> Instance:
    return Instance(build_problem(read, SchedulerConfiguration(), frozenset(each.key for each in read.pods)))


def _spread(most: int) -> dict[str, Any]:
    return {
        "topologyKey": ZONE,
        "labelSelector": {"matchLabels": {"app": "y"}},
        "maxSkew": most,
        "whenUnsatisfiable": "DoNotSchedule",
    }


def _in_a() -> dict[str, Any]:
    here = {"matchExpressions": [{"key": ZONE, "operator": "In", "values": ["a"]}]}
    preferred = [{"weight": 100, "preference": here}]
    return {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": preferred}}


def _by_zone(counts: np.ndarray) -> list[int]:
    return counts.reshape(2, 2).sum(axis=1).tolist()


def _exchanged(instance: Instance, counts: np.ndarray) -> np.ndarray:
    exchange = Exchange(instance, counts, seed=1)
    exchange.run(math.inf, lambda gain: False, rounds=60)
    assert instance.cost(exchange.counts) <= instance.cost(counts)
    return exchange.counts


@pytest.mark.parametrize(("most", "expected"), [(1, [2, 2]), (2, [3, 1]), (3, [3, 1]), (4, [4, 0])])
def test_pods_move_as_far_as_the_skew_lets_them(most, expected):
    """All want zone a; so many may be there that its surplus keeps within maxSkew."""
    pods = [
        pod(f"y{i}", None, {"app": "y"}, affinity=_in_a(), topologySpreadConstraints=[_spread(most)])
        for i in range(4)
    ]
    counts = _exchanged(_instance(cluster(NODES, pods)), np.ones((1, 4), dtype=np.int64))
    assert _by_zone(counts[0]) == expected


def test_company_keeps_a_pod():
    """A pod that others need in their zone stays, though it would rather be elsewhere."""
    term = {"topologyKey": ZONE, "labelSelector": {"matchLabels": {"app": "y"}}}
    company = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    spread = _spread(4)
    pods = [
        *(
            pod(f"y{i}", None, {"app": "y"}, affinity=_in_a(), topologySpreadConstraints=[spread])
            for i in range(4)
        ),
        pod("x0", None, {"app": "x"}, affinity=company),
    ]
    instance = _instance(cluster(NODES, pods))
    x = next(c for c, cls in enumerate(instance.problem.classes) if cls.pod.labels["app"] == "x")
    before = np.ones((2, 4), dtype=np.int64)
    before[x] = [0, 0, 0, 1]
    counts = _exchanged(instance, before)
    assert _by_zone(counts[1 - x]) == [3, 1]
    assert feasible(instance, counts)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("made", [relational, soft])
def test_an_exchange_breaks_no_rule_and_costs_nothing(made, seed):
    """Random clusters with spread, anti-affinity and affinity, required or preferred, stay valid."""
    instance = _instance(made(9, 60, 12, 0.5, seed=seed))
    builder = Builder(instance)
    nowhere = np.zeros(9)
    gated = sorted(range(len(instance.problem.classes)), key=lambda c: -len(instance.gates_of(c)))
    for _ in range(2):
        for c in gated:
            left = int(instance.problem.count[c] - builder.counts[c].sum())
            if instance.gates_of(c):
                builder.place_gated(c, instance.gates_of(c), nowhere)
            else:
                builder.place(c, np.arange(9), left)
    if not feasible(instance, builder.counts):
        pytest.skip("the start is not valid")
    assert feasible(instance, _exchanged(instance, builder.counts))
