"""The benchmark ``priority-matters``: full clusters on which kube-scheduler leaves pods pending.

Instances and categories are those of arXiv 2511.08373. ReplicaSets are created one after
another, and each pod is scheduled before the next ReplicaSet comes: so pods come in the order of
creation whatever their priority, and nobody is preempted. Then all pods may move.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from itertools import product
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from ...model.admission import admit
from ...model.api import PodSpec, PodStatus
from ...model.cluster import Cluster
from ...model.profile import SchedulerConfiguration
from ...scenarios.priority_matters import priority_matters
from .environment import processor_seconds
from .registry import Benchmark, Row, Run
from .report import grouped, mean, most, table

if TYPE_CHECKING:
    from ...solver.problem import Problem
    from ...solver.task import Task

NODES, DENSITIES, PRIORITIES = (4, 8, 16, 32, 64), (4, 8), (1, 2, 4)
UTILIZATIONS = (0.9, 0.95, 1.0, 1.05)
METHODS = ("kubestow", "naive")
BEST, BETTER, CERTIFIED, FAILED, NO_CALL = (
    "better and optimal",
    "better",
    "default certified optimal",
    "failure",
    "no call",
)
_CONFIGURATION = SchedulerConfiguration()
_KEYS = ("nodes", "density", "priorities", "utilization", "method")


def instance(nodes: int, density: int, priorities: int, utilization: float, seed: int) -> Cluster:
    """A cluster after kube-scheduler has placed what it could, in the order of creation."""
    from ...solver.greedy import schedule

    cluster = admit(priority_matters(nodes, density, priorities, utilization, seed))
    placed = schedule(_equals(cluster), _CONFIGURATION, preemption="off", detail=False).placement
    running = PodStatus(phase="Running")
    pods = tuple(
        pod.model_copy(update={"node_name": placed[pod.key], "status": running}) if placed[pod.key] else pod
        for pod in cluster.pods
    )
    return cluster.with_changes(pods=pods)


def _equals(cluster: Cluster) -> Cluster:
    """The same pods, all of one priority: they queue in the order of creation."""
    specs: dict[int, PodSpec] = {}

    def spec_of(spec: PodSpec) -> PodSpec:
        return specs.setdefault(id(spec), spec.model_copy(update={"priority": 0}))

    pods = tuple(pod.model_copy(update={"spec": spec_of(pod.spec)}) for pod in cluster.pods)
    return cluster.with_changes(pods=pods)


def run(wanted: Run) -> Row:
    """One instance by one method: its category, and what was placed and moved."""
    case = wanted.case
    shape = int(case["nodes"]), int(case["density"]), int(case["priorities"]), float(case["utilization"])
    cluster = instance(*shape, wanted.seed)
    pending = sum(pod.node_name is None for pod in cluster.pods)
    if not pending:
        return {"category": NO_CALL, "pending": 0}
    solve = _solved if case["method"] == "kubestow" else _solved_naively
    return {"pending": pending, **solve(cluster, wanted)}


def _solved(cluster: Cluster, wanted: Run) -> Row:
    from ...solver.result import Limits, Status
    from ...solver.solve import solve

    limits = Limits(time=wanted.time_limit, seed=wanted.seed, workers=wanted.workers)
    wall, cpu = time.monotonic(), processor_seconds()
    result = solve(cluster, _CONFIGURATION, stages="published", limits=limits)
    spent = _spent(wall, cpu)
    values = [stage.value for stage in result.stages]
    bounds = [stage.bound for stage in result.stages]
    return {**_row(cluster, values, optimal=result.status is Status.OPTIMAL), "bounds": bounds, **spent}


def _solved_naively(cluster: Cluster, wanted: Run) -> Row:
    from ...solver.cpsat.naive import naive
    from ...solver.task import pose

    task = pose(cluster, _CONFIGURATION, stages="published")
    wall, cpu = time.monotonic(), processor_seconds()
    problem = task.instance.problem
    found = naive(problem, wanted.time_limit, seed=wanted.seed, workers=wanted.workers)
    spent = _spent(wall, cpu)
    values = _values(task, problem, found.counts)
    return {**_row(cluster, values, optimal=found.optimal), "bounds": None, **spent}


def _values(task: Task, problem: Problem, counts: Any) -> list[int]:
    """The stages' values; those of the current placement where the model gave nothing."""
    known = problem.origin if counts is None else np.asarray(counts)
    return [stage.value(task.instance, known) for stage in task.stages]


def _spent(wall: float, cpu: float) -> Row:
    return {
        "seconds": round(time.monotonic() - wall, 3),
        "cpuSeconds": round(processor_seconds() - cpu, 3),
    }


def _row(cluster: Cluster, values: Sequence[int], *, optimal: bool) -> Row:
    running = Counter(pod.priority for pod in cluster.pods if pod.node_name)
    tiers = sorted({pod.priority for pod in cluster.pods}, reverse=True)
    default, placed = [running[tier] for tier in tiers], list(values[::2])
    moves = sum(values[1::2])
    return {
        "category": _category(placed > default, placed == default, optimal=optimal),
        "default": default,
        "placed": placed,
        "moves": moves,
        "movedPercent": round(100 * moves / max(1, sum(default)), 2),
    }


def _category(better: bool, equal: bool, *, optimal: bool) -> str:
    if better:
        return BEST if optimal else BETTER
    return CERTIFIED if optimal and equal else FAILED


def summary(rows: Sequence[Row]) -> list[str]:
    """Shares of the categories by number of nodes, and moves beside those of longer runs."""
    called = [row for row in rows if row["category"] != NO_CALL]
    lines = [f"{len(called)} runs were called, {len(rows) - len(called)} were not: no pod was pending.", ""]
    lines += _shares(called, ("method", "timeLimit", "nodes"))
    small = [row for row in called if row["nodes"] <= 32]
    if small:
        lines += ["", "All cells of 4 to 32 nodes:", "", *_shares(small, ("method", "timeLimit"))]
    return lines + _against_longer(called)


def detail(rows: Sequence[Row]) -> list[str]:
    """The same cell by cell."""
    called = [row for row in rows if row["category"] != NO_CALL]
    return ["Cell by cell:", "", *_shares(called, (*_KEYS, "timeLimit"))]


def _against_longer(rows: Sequence[Row]) -> list[str]:
    """Moves beside those of the longest run of the same instance, cell by cell; nothing where there is none.

    The ratio is of the moves, and once more of the runs only that place as many pods of each priority:
    whoever places fewer has less to move.
    """
    cells: dict[tuple[Any, ...], list[tuple[Row, Row]]] = {}
    for mine in grouped(rows, *_KEYS, "seed").values():
        longest = max(mine, key=itemgetter("timeLimit"))
        for row in mine:
            if row["timeLimit"] < longest["timeLimit"]:
                limits = row["timeLimit"], longest["timeLimit"]
                cells.setdefault((*(row[key] for key in _KEYS), *limits), []).append((row, longest))
    lines = [[*cell, len(pairs), *_moves(pairs)] for cell, pairs in sorted(cells.items())]
    header = [*_KEYS, "timeLimit", "longer", "runs", "moves", "longer: moves", "ratio"]
    header += ["as many placed", "ratio of these"]
    return ["", "Against longer runs:", "", *table(header, lines)] if lines else []


def _moves(pairs: Sequence[tuple[Row, Row]]) -> list[float | None]:
    same = [pair for pair in pairs if pair[0]["placed"] == pair[1]["placed"]]
    sums = [[sum(pair[which]["moves"] for pair in some) for which in (0, 1)] for some in (pairs, same)]
    ratios = [mine / theirs if theirs else None for mine, theirs in sums]
    return [*sums[0], ratios[0], len(same), ratios[1]]


def _shares(rows: Sequence[Row], keys: tuple[str, ...]) -> list[str]:
    header = [*keys, "called", *(f"{name} %" for name in (BEST, BETTER, CERTIFIED, FAILED))]
    header += ["proven %", "moves", "moved %", "s", "most s", "cpu s"]
    lines: list[list[object]] = []
    for values, mine in sorted(grouped(rows, *keys).items()):
        shares = [100.0 * sum(row["category"] == name for row in mine) / len(mine) for name in _ORDER]
        figures = [mean(mine, "moves"), mean(mine, "movedPercent"), mean(mine, "seconds")]
        figures += [most(mine, "seconds"), mean(mine, "cpuSeconds")]
        lines.append([*values, len(mine), *shares, shares[0] + shares[2], *figures])
    return table(header, lines)


_ORDER = (BEST, BETTER, CERTIFIED, FAILED)
BENCHMARKS = {
    "priority-matters": Benchmark(
        name="priority-matters",
        cases=tuple(
            dict(zip(_KEYS, values, strict=True))
            for values in product(NODES, DENSITIES, PRIORITIES, UTILIZATIONS, METHODS)
        ),
        run=run,
        time_limit=lambda _: 1.0,
        summary=summary,
        detail=detail,
    )
}
