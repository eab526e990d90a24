"""`solve`: the best placement of a cluster's free pods, checked and with a bound."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..model.cluster import Cluster
from ..model.errors import Disagreement
from ..model.evaluate import Score, evaluate, preset_profile, profile_named
from ..model.final import FinalState
from ..model.movable import free_pods
from ..model.profile import SchedulerConfiguration
from ..model.reasons import Violation
from ..model.verify import verify
from .assign import counts_of, placement_of
from .encode import feasible
from .greedy import schedule
from .instance import Instance
from .problem import build_problem
from .replay import Replay, replay
from .result import Limits, Result, StageResult, Status
from .search import Search
from .stages import stages

Ints = NDArray[np.int64]
Placement = Mapping[str, str | None]
_GREEDY_WORK = 3_000_000


def solve(
    cluster: Cluster,
    configuration: SchedulerConfiguration,
    *,
    question: str = "pending",
    preset: str = "spread",
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
        ``pending``: running pods stay. ``scratch``: all that can move is placed anew.
    preset : str
        ``spread`` or ``pack``.
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
        For an unknown question, preset or profile.
    Disagreement
        When the independent check contradicts the solver: a bug in kubestow.
    """
    limits = limits or Limits()
    began = time.monotonic()
    free = free_pods(cluster, configuration, question)
    chosen = preset_profile(profile_named(configuration, profile), preset)
    posed = pose(cluster, free.free)
    problem = build_problem(posed, configuration, free.free, question=question, profile=chosen)
    instance = Instance(problem)
    order = stages(instance, preset)
    start = np.zeros((len(problem.classes), len(problem.nodes)), dtype=np.int64)
    built = time.monotonic() - began
    search = Search(instance, order, replace(limits, time=max(0.1, limits.time - built)), start)
    if greedy is None and len(problem.free) * len(problem.nodes) <= _GREEDY_WORK:
        greedy = schedule(posed, configuration, preemption="off", passes=None).placement
    if greedy is not None:
        counts = counts_of(problem, greedy)
        if feasible(instance, counts):
            search.offer(counts)
    results = search.run()
    return _finish(search, posed, configuration, results, (question, preset, profile), built)


def pose(cluster: Cluster, free: frozenset[str]) -> Cluster:
    """The cluster as the question puts it: the free pods have no node."""
    if not any(pod.node_name and pod.key in free for pod in cluster.pods):
        return cluster
    pods = tuple(
        pod.model_copy(update={"node_name": None}) if pod.key in free and pod.node_name else pod
        for pod in cluster.pods
    )
    return cluster.with_changes(pods=pods)


def _finish(
    search: Search,
    cluster: Cluster,
    configuration: SchedulerConfiguration,
    results: tuple[StageResult, ...],
    asked: tuple[str, str, str | None],
    built: float,
) -> Result:
    question, preset, profile = asked
    problem = search.instance.problem
    placement = placement_of(problem, search.counts)
    final = FinalState(cluster, placement, configuration=configuration)
    began = time.monotonic()
    violations = _checked(final, frozenset(placement))
    score = evaluate(final, preset=preset, profile=profile)
    _compare(search, score)
    admitted = replay(cluster, configuration, placement)
    seconds = {"build": built, **search.seconds, "check": time.monotonic() - began}
    return Result(
        question=question,
        status=_status(results, admitted),
        stages=results,
        placement=placement,
        order=admitted.order,
        score=score,
        violations=violations,
        unadmitted=admitted.stuck,
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


def _compare(search: Search, score: Score) -> None:
    """Claim == evaluation, term by term, to the last digit."""
    claimed = search.instance.costs(search.counts)
    worst = {term.name: term.worst for term, _ in search.instance.terms}
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
