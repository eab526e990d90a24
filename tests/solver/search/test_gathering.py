"""Gathering moves whole classes into the domain where they want to be together."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from builders import ZONE, cluster, node, pod
from kubestow.model.profile import SchedulerConfiguration
from kubestow.solver.build import build_problem
from kubestow.solver.instance import Instance
from kubestow.solver.search.gathering import Gathering

NODES = [node(f"n{i}", "ab"[i // 2]) for i in range(4)]


def _wants(app: str) -> dict[str, Any]:
    term = {"topologyKey": ZONE, "labelSelector": {"matchLabels": {"app": app}}}
    preferred = [{"weight": 100, "podAffinityTerm": term}]
    return {"podAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": preferred}}


def _gathered(**of_y: Any) -> tuple[Instance, np.ndarray, np.ndarray]:
    """Four pods that want to be near four others; all start with two pods in each zone."""
    pods = [
        *(pod(f"x{i}", None, {"app": "x"}, affinity=_wants("y")) for i in range(4)),
        *(pod(f"y{i}", None, {"app": "y"}, **of_y) for i in range(4)),
    ]
    read = cluster(NODES, pods)
    instance = Instance(
        build_problem(read, SchedulerConfiguration(), frozenset(each.key for each in read.pods))
    )
    before = np.ones((2, 4), dtype=np.int64)
    gathering = Gathering(instance, before, np.random.default_rng(0))
    assert gathering.run(time.monotonic() + 60)
    assert gathering.cost == instance.cost(gathering.counts) < instance.cost(before)
    return instance, before, gathering.counts


def test_both_sides_end_up_in_one_zone():
    """Where nothing else matters, all pods of both classes share a zone, and none is lost."""
    _, before, counts = _gathered()
    assert (counts.sum(axis=1) == before.sum(axis=1)).all()
    of_x, of_y = counts.reshape(2, 2, 2).sum(axis=2).tolist()
    assert of_x == of_y
    assert sorted(of_x) == [0, 4]


def test_classes_under_hard_rules_stay():
    """A class that must spread by zone is left alone; the other one may still move."""
    selector = {"matchLabels": {"app": "y"}}
    spread = {
        "topologyKey": ZONE,
        "labelSelector": selector,
        "maxSkew": 2,
        "whenUnsatisfiable": "DoNotSchedule",
    }
    pods = [pod("x0", None, {"app": "x"}, affinity=_wants("y"))]
    pods += [pod(f"y{i}", None, {"app": "y"}, topologySpreadConstraints=[spread]) for i in range(3)]
    built = cluster(NODES, pods)
    instance = Instance(
        build_problem(built, SchedulerConfiguration(), frozenset(each.key for each in built.pods))
    )
    x = next(c.index for c in instance.problem.classes if c.count == 1)
    before = np.zeros((2, 4), dtype=np.int64)
    before[x, 3] = 1
    before[1 - x] = [1, 1, 1, 0]
    gathering = Gathering(instance, before, np.random.default_rng(0))
    assert gathering.run(time.monotonic() + 60)
    assert (gathering.counts[1 - x] == before[1 - x]).all()
    assert gathering.counts[x, :2].sum() == 1
