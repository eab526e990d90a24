"""`solve`: the best placement of a cluster's free pods, checked and with a bound."""

from __future__ import annotations

import math
import time
from collections import defaultdict
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ..model.cluster import Cluster
from ..model.errors import Disagreement
from ..model.evaluate import Score, evaluate
from ..model.final import FinalState
from ..model.profile import SchedulerConfiguration
from ..model.reasons import Violation
from ..model.verify import verify
from .assign import counts_of, placement_of
from .cpsat.encode import feasible
from .cuts import Cut
from .instance import Instance
from .progress import Watch
from .replay import Replay, replay
from .result import Limits, Result, StageResult, Status
from .search.search import Search
from .stages import key
from .task import Placement, Task, pose

Ints = NDArray[np.int64]
_GREEDY_WORK = 50_000
"""Free pods times nodes up to which kube-scheduler's own placement is computed as a start."""
_ORDERING = 0.05
"""Share of the time that is left for finding an order, where one has to be searched for."""
_CHECKING = 1.2
"""Seconds to leave for the check of the answer, as a multiple of what building the problem took."""
CUTS = 60
"""How many placements without an order are cut off before the best with one is taken."""


def solve(
    cluster: Cluster,
    configuration: SchedulerConfiguration,
    *,
    question: str = "pending",
    preset: str = "spread",
    stages: str = "default",
    profile: str | None = None,
    limits: Limits | None = None,
    greedy: Placement | None = None,
    watch: Watch | None = None,
) -> Result:
    """Place the free pods of a cluster as well as possible, all at once.

    Parameters
    ----------
    cluster : Cluster
        After admission (`model.admission.admit`).
    configuration : SchedulerConfiguration
    question : str
        ``pending``: running pods stay. ``preempt``: those of lower priority may give way. ``scratch``: all
        that can move is placed anew.
    preset : str
        ``spread`` or ``pack``.
    stages : str
        ``default``, or ``published``: per priority, most pods placed and then fewest running ones moved or
        evicted. All that may move may do so, whether the question is ``pending`` or ``scratch``.
    profile : str, optional
        ``schedulerName`` of the profile whose weights count; default the first.
    limits : Limits, optional
    greedy : mapping, optional
        A placement by kube-scheduler's rules to start from; computed when the cluster is small.
    watch : callable, optional
        Told of progress, see `Progress`.

    Returns
    -------
    Result
        Verified, replayed and evaluated independently of the solver.

    Raises
    ------
    BadInput
        For an unknown question, preset, stage list or profile.
    Disagreement
        When the independent check contradicts the solver: a bug in kubestow.
    """
    task = pose(cluster, configuration, question=question, preset=preset, stages=stages, profile=profile)
    return solve_task(task, limits or Limits(), greedy, watch)


def solve_task(
    task: Task, limits: Limits, greedy: Placement | None = None, watch: Watch | None = None
) -> Result:
    """Solve, then verify, evaluate and replay; arguments as for `solve`."""
    return _Attempts(task, limits, watch).run(_start(task, greedy))


def _start(task: Task, greedy: Placement | None) -> Ints | None:
    """kube-scheduler's own placement, where it is known or cheap, and breaks no rule in the end."""
    problem = task.instance.problem
    if greedy is None and len(problem.free) * len(problem.nodes) <= _GREEDY_WORK:
        greedy = task.greedy()
    counts = None if greedy is None else counts_of(problem, greedy)
    return counts if counts is not None and feasible(task.instance, counts) else None


@dataclass(frozen=True, eq=False)
class Attempt:
    """One search and what became of its placement."""

    counts: Ints
    results: tuple[StageResult, ...]
    placement: dict[str, str | None]
    admitted: Replay


@dataclass(eq=False)
class _Attempts:
    """Searches, each after a cut for what the one before found, until kube-scheduler admits the placement."""

    task: Task
    limits: Limits
    watch: Watch | None
    seconds: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))

    def __post_init__(self) -> None:
        self._instance = self.task.instance
        self._timed = self.limits.deterministic is None
        left = self.limits.time - (1 + _CHECKING) * self.task.seconds
        self._deadline = time.monotonic() + max(0.1, left) if self._timed else math.inf

    def run(self, start: Ints | None) -> Result:
        """Search, replay and cut; what has an order is best, else the start, else what was found last."""
        inexact, first = False, None
        while True:
            attempt = self._search(start)
            stuck = attempt.admitted.stuck
            first = first or attempt.results
            if not stuck or len(self._instance.cuts) == CUTS or time.monotonic() > self._deadline:
                break
            inexact |= not attempt.admitted.exhausted
            self._instance.cuts.append(self._cut(attempt))
        if start is not None and (stuck or self._better(start, attempt.counts)):
            attempt = self._attempt(self._new(0.1), start)
        return self._finish(attempt, _bounded(first, attempt.results, inexact=inexact))

    def _better(self, one: Ints, other: Ints) -> bool:
        """Whether cuts have kept out a placement that kube-scheduler itself found."""
        return key(self._instance, self.task.stages, one) < key(self._instance, self.task.stages, other)

    def _search(self, start: Ints | None) -> Attempt:
        left = self._deadline - time.monotonic() if self._timed else self.limits.time
        ordering = _ORDERING if len(self._instance.ordered) else 0.0
        search = self._new(max(0.1, left * (1 - ordering)))
        if start is not None:
            search.offer(start)
        search.run()
        for phase, seconds in search.seconds.items():
            self.seconds[phase] += seconds
        return self._attempt(search, search.counts)

    def _new(self, seconds: float) -> Search:
        origin = self._instance.problem.origin.copy()
        return Search(
            self._instance, self.task.stages, replace(self.limits, time=seconds), origin, self.watch
        )

    def _attempt(self, search: Search, counts: Ints) -> Attempt:
        search.counts = counts
        placement = placement_of(self._instance.problem, counts)
        began = time.monotonic()
        admitted = replay(self._instance, counts, placement, self._deadline)
        self.seconds["replay"] += time.monotonic() - began
        return Attempt(counts, search.results(), placement, admitted)

    def _cut(self, attempt: Attempt) -> Cut:
        """Where gates explain why pods are stuck, their counts per cell; else the whole placement."""
        instance = self._instance
        if attempt.admitted.exhausted:
            return Cut.of(instance.ordered, instance.cells, attempt.counts)
        classes, nodes = (np.arange(size, dtype=np.int64) for size in attempt.counts.shape)
        return Cut.of(classes, nodes, attempt.counts)

    def _finish(self, attempt: Attempt, results: tuple[StageResult, ...]) -> Result:
        task, placement = self.task, attempt.placement
        began = time.monotonic()
        final = task.final(placement)
        inherited = _checked(final, frozenset(placement))
        score = evaluate(final, preset=task.preset, profile=task.profile)
        _compare(self._instance, attempt.counts, score)
        seconds = {"build": task.seconds, **self.seconds, "check": time.monotonic() - began}
        return Result(
            question=task.question,
            status=_status(results, attempt.admitted),
            stages=results,
            placement=placement,
            order=attempt.admitted.order,
            score=score,
            violations=inherited,
            unadmitted=attempt.admitted.stuck,
            excluded={k: str(why) for k, why in task.free.excluded.items() if k not in placement},
            seconds=seconds,
        )


def _checked(final: FinalState, free: frozenset[str]) -> tuple[Violation, ...]:
    verification = verify(final, may_move=free)
    if not verification.ok:
        first = verification.broken[0]
        raise Disagreement(
            f"the solver's placement breaks {first.rule} {'/'.join(first.key)}: {first.message};"
            " this is a bug in kubestow, please report it with the input"
        )
    return verification.inherited


def _bounded(
    first: tuple[StageResult, ...], last: tuple[StageResult, ...], *, inexact: bool
) -> tuple[StageResult, ...]:
    """The last results with every bound that holds for them.

    Bounds from before any cut always hold, as long as all earlier stages have the same values; bounds after
    a cut only where every cut was proven to have no order.
    """
    found: list[StageResult] = []
    for before, now in zip(first, last, strict=True):
        same = all(f.value == n.value for f, n in zip(first, found, strict=False))
        known = [before.bound if same else None, None if inexact else now.bound]
        bounds = [bound for bound in known if bound is not None]
        bound = (min if now.sense == "max" else max)(bounds) if bounds else None
        status = Status.OPTIMAL if bound == now.value else Status.FEASIBLE
        found.append(replace(now, bound=bound, status=status))
    return tuple(found)


def _compare(instance: Instance, counts: Ints, score: Score) -> None:
    """Claim == evaluation, term by term, to the last digit."""
    claimed = instance.costs(counts)
    worst = {term.name: term.worst for term, _ in instance.terms}
    found = {term.name: term.cost for term in score.terms}
    found_worst = {term.name: term.worst for term in score.terms}
    if claimed != found or worst != found_worst:
        raise Disagreement(
            f"the solver claims costs {claimed} of {worst}, the evaluation finds {found} of {found_worst};"
            " this is a bug in kubestow, please report it with the input"
        )


def _status(results: tuple[StageResult, ...], admitted: Replay) -> Status:
    proven = all(result.status is Status.OPTIMAL for result in results)
    return Status.OPTIMAL if proven and not admitted.stuck else Status.FEASIBLE
