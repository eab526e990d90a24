"""The benchmarks ``spread``, ``relational`` and ``soft``: how close to the bound after a few seconds.

All pods are pending on empty nodes of mixed types; the objective is that of kube-scheduler's default profile.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from ...model.admission import admit
from ...model.cluster import Cluster
from ...model.profile import SchedulerConfiguration
from ...scenarios import generators
from ...scenarios.generators import SIZES
from .environment import processor_seconds
from .registry import Benchmark, Case, Row, Run
from .report import averages

if TYPE_CHECKING:
    from ...solver.result import Result
    from ...solver.task import Task

LIMITS = {
    "spread": {"small": 1.0, "medium": 5.0, "large": 30.0},
    "relational": {"small": 2.0, "medium": 10.0, "large": 60.0},
    "soft": {"small": 10.0, "medium": 60.0, "large": 300.0},
}
_GREEDY = ("small", "medium")
"""Sizes of which greedy is computed as well: outside the time that is measured."""
_NAIVE = {"spread": ("small",)}
"""What the published model can state, and sizes at which it is worth a try."""
_CONFIGURATION = SchedulerConfiguration()


def cluster_of(name: str, size: str, seed: int) -> Cluster:
    """The cluster of a benchmark, admitted."""
    nodes, pods, classes = SIZES[size]
    return admit(getattr(generators, name)(nodes, pods, classes, seed=seed))


def run(name: str, wanted: Run) -> Row:
    """Solve once; the costs of greedy and of the published model are compared with the same bound."""
    from ...solver.result import Limits
    from ...solver.solve import solve
    from ...solver.task import pose

    size = str(wanted.case["size"])
    cluster = cluster_of(name, size, wanted.seed)
    limits = Limits(time=wanted.time_limit, seed=wanted.seed, workers=wanted.workers)
    wall, cpu = time.monotonic(), processor_seconds()
    result = solve(cluster, _CONFIGURATION, limits=limits)
    row: Row = {
        "seconds": round(time.monotonic() - wall, 2),
        "cpuSeconds": round(processor_seconds() - cpu, 2),
        **_reached(result),
    }
    if size in _GREEDY:
        row |= _greedy(pose(cluster, _CONFIGURATION), result)
    if size in _NAIVE.get(name, ()):
        row |= _naive(pose(cluster, _CONFIGURATION), result, wanted)
    return {**row, "phases": {phase: round(seconds, 2) for phase, seconds in result.seconds.items()}}


def _reached(result: Result) -> Row:
    cost = result.stages[-1]
    placed = result.stages[:-1]
    return {
        "status": str(result.status),
        "placed": sum(stage.value for stage in placed),
        "placedBound": sum(stage.bound or stage.worst for stage in placed),
        "gapPercent": None if cost.gap is None else round(100 * cost.gap, 4),
        "gapPoints": None if cost.gap_points is None else round(cost.gap_points, 4),
        "unadmitted": len(result.unadmitted),
    }


def _greedy(task: Task, result: Result) -> Row:
    """kube-scheduler's placement."""
    wall = time.monotonic()
    values = task.values(task.greedy())
    seconds = round(time.monotonic() - wall, 2)
    return {
        "greedyPlaced": sum(values[:-1]),
        "greedyGapPercent": _gap(values, result),
        "greedySeconds": seconds,
    }


def _naive(task: Task, result: Result, wanted: Run) -> Row:
    """What the published model places in the same time; it knows no cost, and often nothing is ready."""
    from ...solver.cpsat.naive import naive

    wall, problem = time.monotonic(), task.instance.problem
    found = naive(problem, wanted.time_limit, seed=wanted.seed, workers=wanted.workers)
    seconds = round(time.monotonic() - wall, 2)
    counts = problem.origin if found.counts is None else found.counts
    values = [stage.value(task.instance, counts) for stage in task.stages]
    return {"naivePlaced": sum(values[:-1]), "naiveGapPercent": _gap(values, result), "naiveSeconds": seconds}


def _gap(values: Sequence[int], result: Result) -> float | None:
    """The gap of a placement's cost to the result's bound, where it places as many pods."""
    cost, bound = values[-1], result.stages[-1].bound
    same = all(value == stage.value for value, stage in zip(values[:-1], result.stages[:-1], strict=True))
    return round(100 * (cost - bound) / max(cost, 1), 4) if same and bound is not None else None


def _limit(name: str, case: Case) -> float:
    return LIMITS[name][str(case["size"])]


BENCHMARKS = {
    name: Benchmark(
        name=name,
        cases=tuple({"size": size} for size in SIZES),
        run=partial(run, name),
        time_limit=partial(_limit, name),
        summary=averages("size", "timeLimit", ranges=("gapPercent", "seconds")),
        apart=True,
    )
    for name in LIMITS
}
