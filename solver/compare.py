"""Current, greedy and optimal placement of one cluster, side by side."""

from __future__ import annotations

import time
from dataclasses import dataclass

from ..model.cluster import Cluster
from ..model.evaluate import Score, evaluate
from ..model.metrics import Metrics, measure
from ..model.profile import SchedulerConfiguration
from ..model.reasons import Violation
from ..model.verify import violations
from .assign import counts_of
from .progress import Watch
from .relations.preempting import legal
from .result import Limits, Result, Status
from .solve import solve_task
from .task import Placement, Task, pose


@dataclass(frozen=True)
class Side:
    """One placement in a comparison.

    Parameters
    ----------
    placement : mapping of str to (str or None)
        Of the question's pods.
    values : tuple of int
        Value of every stage, in the order of ``Comparison.optimal.stages``.
    score : Score
    metrics : Metrics
    violations : tuple of Violation
        Everything that is broken in this final state.
    seconds : float
        Time it took to find.
    """

    placement: Placement
    values: tuple[int, ...]
    score: Score
    metrics: Metrics
    violations: tuple[Violation, ...]
    seconds: float = 0.0


@dataclass(frozen=True)
class Comparison:
    """Current, greedy and optimal.

    Parameters
    ----------
    question : str
    current, greedy, optimal : Side
    result : Result
        What is proven about `optimal`.
    verdict : str
        ``better`` (than greedy), ``equal``, ``proven-equal``, ``worse``, ``greedy-violates``, or
        ``greedy-evicts-in-vain``: pods on whose node no preemptor arrives in the end.
    first_difference : str or None
        Name of the first stage in which greedy and optimal differ.
    """

    question: str
    current: Side
    greedy: Side
    optimal: Side
    result: Result
    verdict: str
    first_difference: str | None


def compare(
    cluster: Cluster,
    configuration: SchedulerConfiguration,
    *,
    question: str = "pending",
    preset: str = "spread",
    stages: str = "default",
    profile: str | None = None,
    limits: Limits | None = None,
    watch: Watch | None = None,
) -> Comparison:
    """Compare what is, what kube-scheduler would do, and the best there is.

    Arguments and errors as for `solve.solve`. Greedy repeats its pass until one places nothing.
    """
    limits = limits or Limits()
    task = pose(cluster, configuration, question=question, preset=preset, stages=stages, profile=profile)
    began = time.monotonic()
    greedy = task.greedy()
    greedy_seconds = time.monotonic() - began
    began = time.monotonic()
    result = solve_task(task, limits, greedy, watch)
    solve_seconds = task.seconds + time.monotonic() - began
    now = {key: cluster.pod_by_key[key].node_name for key in result.placement}
    sides = (
        _side(task, now, 0.0),
        _side(task, greedy, greedy_seconds),
        _side(task, result.placement, solve_seconds),
    )
    problem = task.instance.problem
    in_vain = question == "preempt" and not legal(problem, counts_of(problem, greedy))
    verdict, first = _verdict(sides[1], sides[2], result, in_vain=in_vain)
    return Comparison(question, *sides, result, verdict, first)


def _side(task: Task, placement: Placement, seconds: float) -> Side:
    final = task.final(placement)
    return Side(
        placement,
        task.values(placement),
        evaluate(final, preset=task.preset, profile=task.profile),
        measure(final),
        tuple(violations(final, may_move=frozenset(placement))),
        seconds,
    )


def _verdict(greedy: Side, optimal: Side, result: Result, *, in_vain: bool) -> tuple[str, str | None]:
    for stage, left, right in zip(result.stages, greedy.values, optimal.values, strict=True):
        if left == right:
            continue
        better = (right > left) == (stage.sense == "max")
        if better:
            return "better", stage.name
        if len(greedy.violations) > len(result.violations):
            return "greedy-violates", stage.name
        return ("greedy-evicts-in-vain" if in_vain else "worse"), stage.name
    return ("proven-equal" if result.status is Status.OPTIMAL else "equal"), None
