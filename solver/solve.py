"""`solve`: the best placement of a cluster's free pods, checked and with a bound."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..model.cluster import Cluster
from ..model.errors import BadInput, Disagreement
from ..model.evaluate import Score, evaluate, preset_profile, profile_named
from ..model.final import FinalState
from ..model.movable import Free, free_pods, movable_pods
from ..model.profile import SchedulerConfiguration
from ..model.reasons import Violation
from ..model.verify import verify, violations
from .assign import counts_of, placement_of
from .build import build_problem, without_nodes
from .cuts import Cut
from .encode import feasible
from .greedy import schedule
from .instance import Instance
from .replay import Replay, replay
from .result import Limits, Result, StageResult, Status
from .search import Search
from .stages import STAGE_LISTS, Moves, Stage, published_stages
from .stages import stages as default_stages

Ints = NDArray[np.int64]
Placement = Mapping[str, str | None]
_GREEDY_WORK = 10_000
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
    return task.solve(limits or Limits(), greedy)


@dataclass(frozen=True, eq=False)
class Task:
    """A question about a cluster, ready to be solved.

    Parameters
    ----------
    question, preset, profile
        As asked, see `solve`.
    cluster : Cluster
        As the question puts it: free pods have no node.
    free : Free
        Which pods are placed, and why the others are not.
    instance : Instance
    stages : tuple of Stage
    seconds : float
        Time it took to build.
    """

    question: str
    preset: str
    profile: str | None
    cluster: Cluster
    configuration: SchedulerConfiguration
    free: Free
    instance: Instance
    stages: tuple[Stage, ...]
    seconds: float

    def greedy(self, seed: int | None = None) -> Placement:
        """What kube-scheduler makes of the same question, pass after pass until one places nothing."""
        preempt = self.question == "preempt"
        found = schedule(
            self.cluster,
            self.configuration,
            preemption="carry-out" if preempt else "off",
            passes=None,
            seed=seed,
            detail=False,
        )
        return {pod.key: found.placement.get(pod.key, pod.node_name) for pod in self.instance.problem.free}

    def values(self, placement: Placement) -> tuple[int, ...]:
        """The value of every stage for a placement of the free pods."""
        counts = counts_of(self.instance.problem, placement)
        return tuple(stage.value(self.instance, counts) for stage in self.stages)

    def final(self, placement: Placement) -> FinalState:
        """The final state that a placement of the free pods gives."""
        return FinalState(self.cluster, placement, configuration=self.configuration)

    def solve(self, limits: Limits, greedy: Placement | None = None) -> Result:
        """Solve, then verify, evaluate and replay; see `solve`."""
        timed = limits.deterministic is None
        left = limits.time - self.seconds - self._checking
        deadline = time.monotonic() + max(0.1, left) if timed else math.inf
        start = self._start(greedy)
        inexact, first = False, None
        while True:
            left = replace(limits, time=max(0.1, deadline - time.monotonic())) if timed else limits
            attempt = self._attempt(left, start)
            stuck = attempt.admitted.stuck
            first = first or attempt.results
            if not stuck or len(self.instance.cuts) == CUTS or time.monotonic() > deadline:
                break
            inexact |= not attempt.admitted.exhausted
            self.instance.cuts.append(self._cut(attempt))
        if stuck and start is not None:
            attempt = self._attempt(replace(limits, time=0.1), start, search=False)
        return self._finish(attempt, _bounded(first, attempt.results, inexact=inexact))

    @property
    def _checking(self) -> float:
        """Seconds to leave for the check where the search uses up all its time: as many as building took."""
        return 1.2 * self.seconds if any(isinstance(stage, Moves) for stage in self.stages) else 0.0

    def _cut(self, attempt: Attempt) -> Cut:
        """Where gates explain why pods are stuck, their counts per cell; else the whole placement."""
        instance = self.instance
        if attempt.admitted.exhausted:
            return Cut.of(instance.ordered, instance.cells, attempt.counts)
        classes, nodes = (np.arange(size, dtype=np.int64) for size in attempt.counts.shape)
        return Cut.of(classes, nodes, attempt.counts)

    def _start(self, greedy: Placement | None) -> Ints | None:
        """kube-scheduler's own placement, where it is known or cheap, and breaks no rule in the end."""
        problem = self.instance.problem
        if greedy is None and len(problem.free) * len(problem.nodes) <= _GREEDY_WORK:
            greedy = self.greedy()
        counts = None if greedy is None else counts_of(problem, greedy)
        return counts if counts is not None and feasible(self.instance, counts) else None

    def _attempt(self, limits: Limits, start: Ints | None, *, search: bool = True) -> Attempt:
        problem = self.instance.problem
        found = Search(self.instance, self.stages, limits, problem.origin.copy())
        if start is not None and not found.offer(start) and not search:
            found.counts = start
        results = found.run() if search else found.results()
        placement = placement_of(problem, found.counts)
        return Attempt(found, results, placement, replay(self.instance, found.counts, placement))

    def _finish(self, attempt: Attempt, results: tuple[StageResult, ...]) -> Result:
        final = self.final(attempt.placement)
        began = time.monotonic()
        inherited = _checked(final, frozenset(attempt.placement))
        score = evaluate(final, preset=self.preset, profile=self.profile)
        _compare(self.instance, attempt.counts, score)
        seconds = {"build": self.seconds, **attempt.search.seconds, "check": time.monotonic() - began}
        return Result(
            question=self.question,
            status=_status(results, attempt.admitted),
            stages=results,
            placement=attempt.placement,
            order=attempt.admitted.order,
            score=score,
            violations=inherited,
            unadmitted=attempt.admitted.stuck,
            excluded={k: str(why) for k, why in self.free.excluded.items() if k not in attempt.placement},
            seconds=seconds,
        )


@dataclass(frozen=True, eq=False)
class Attempt:
    """One search and what became of its placement."""

    search: Search
    results: tuple[StageResult, ...]
    placement: dict[str, str | None]
    admitted: Replay

    @property
    def counts(self) -> Ints:
        """Shape (classes, nodes)."""
        return self.search.counts


def pose(
    cluster: Cluster,
    configuration: SchedulerConfiguration,
    *,
    question: str = "pending",
    preset: str = "spread",
    stages: str = "default",
    profile: str | None = None,
) -> Task:
    """Put a question to a cluster; arguments as for `solve`."""
    began = time.monotonic()
    free = _free(cluster, configuration, question, stages)
    chosen = preset_profile(profile_named(configuration, profile), preset)
    posed = without_nodes(cluster, free.free)
    problems = (
        build_problem(posed, configuration, asked, question=question, profile=chosen)
        for asked in _widest_first(free, cluster, configuration)
    )
    instance = next(
        instance
        for instance in map(Instance, problems)
        if not instance.problem.origin.any() or feasible(instance, instance.problem.origin)
    )
    order = published_stages(instance) if stages == "published" else default_stages(instance, preset)
    if stages == "published":
        # No stage asks for the terms, but the score at the end does: their time is part of building.
        _ = instance.terms
    seconds = time.monotonic() - began
    return Task(question, preset, profile, posed, configuration, free, instance, order, seconds)


def _free(cluster: Cluster, configuration: SchedulerConfiguration, question: str, stages: str) -> Free:
    if stages not in STAGE_LISTS:
        raise BadInput(f"stage list {stages!r} is unknown; use one of {', '.join(STAGE_LISTS)}")
    free = free_pods(cluster, configuration, question)
    if stages == "default":
        return free
    if question == "preempt":
        raise BadInput("the published stages move pods freely; ask the question pending or scratch with them")
    return movable_pods(cluster, configuration)


def _widest_first(
    free: Free, cluster: Cluster, configuration: SchedulerConfiguration
) -> Iterator[frozenset[str]]:
    """The pods of a question; then without evictable ones that stand in a broken rule; then without these.

    The rules hold for every pod that the solver may touch: what is broken today stays out of its hands.
    """
    yield free.free | free.evictable
    if free.evictable:
        found = violations(FinalState(cluster, {}, configuration=configuration))
        nodes = {violation.node for violation in found}
        pods = {key for violation in found for key in violation.pods}
        whole = {key for key in free.evictable if cluster.pod_by_key[key].node_name not in nodes}
        yield free.free | (whole - pods)
        yield free.free


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
