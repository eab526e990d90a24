"""A question about a cluster, put so that it can be solved."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..model.cluster import Cluster
from ..model.errors import BadInput
from ..model.evaluate import preset_profile, profile_named
from ..model.final import FinalState
from ..model.movable import Free, free_pods, movable_pods
from ..model.profile import SchedulerConfiguration
from ..model.verify import violations
from .assign import counts_of
from .build import build_problem, without_nodes
from .cpsat.encode import feasible
from .greedy import schedule
from .instance import Instance
from .stages import STAGE_LISTS, Stage, published_stages
from .stages import stages as default_stages

Placement = Mapping[str, str | None]


@dataclass(frozen=True, eq=False)
class Task:
    """A question about a cluster, ready to be solved.

    Parameters
    ----------
    question, preset, profile
        As asked, see `solver.solve.solve`.
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


def pose(
    cluster: Cluster,
    configuration: SchedulerConfiguration,
    *,
    question: str = "pending",
    preset: str = "spread",
    stages: str = "default",
    profile: str | None = None,
) -> Task:
    """Put a question to a cluster; arguments as for `solver.solve.solve`."""
    began = time.monotonic()
    free = _free(cluster, configuration, question, stages)
    chosen = preset_profile(profile_named(configuration, profile), preset)
    posed = without_nodes(cluster, free.free)
    problems = (
        build_problem(posed, configuration, asked, question=question, profile=chosen)
        for asked in _widest_first(free, cluster, configuration, question)
    )
    instance = next(
        instance
        for instance in map(Instance, problems)
        if instance.problem.stands
        or not instance.problem.origin.any()
        or feasible(instance, instance.problem.origin)
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
    free: Free, cluster: Cluster, configuration: SchedulerConfiguration, question: str
) -> Iterator[frozenset[str]]:
    """The pods of a question; then without movable ones that stand in a broken rule; then without these.

    The rules hold for every pod that may move: what is broken today stays out of the solver's hands.
    Preemption is different: filters are asked for arrivals alone, so whoever stays may be anywhere.
    """
    yield free.free | free.evictable
    if free.evictable and question != "preempt":
        found = violations(FinalState(cluster, {}, configuration=configuration))
        nodes = {violation.node for violation in found}
        pods = {key for violation in found for key in violation.pods}
        whole = {key for key in free.evictable if cluster.pod_by_key[key].node_name not in nodes}
        yield free.free | (whole - pods)
        yield free.free
