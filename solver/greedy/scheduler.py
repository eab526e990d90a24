"""kube-scheduler's loop: one pod at a time, each placed pod there when the next one is looked at."""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from ...model.api import Pod
from ...model.cluster import Cluster
from ...model.profile import Profile, SchedulerConfiguration
from ...model.reasons import Verdict
from ...model.rules.base import CycleError
from ...model.state import ClusterState, NodeInfo
from . import texts
from .cycle import Active, Nominations, Prepared, failing_alone, filter_node, prepare, score
from .queue import pending
from .records import Outcome, Record

SECOND = 10**9
PreemptionMode = Literal["look", "carry-out", "off"]
START = 4_102_444_800 * SECOND
"""startTime of the first pod placed, 2100-01-01T00:00:00Z; each later one starts a second later."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """What kube-scheduler does with all pending pods.

    Parameters
    ----------
    sequence : tuple of Record
        One record per cycle, in order.
    placement : mapping of str to (str or None)
        Pending pod to node, at the end.
    order : tuple of str
        Pending pods in queue order.
    evicted : tuple of str
        Running pods that preemption evicted, in order.
    """

    sequence: tuple[Record, ...]
    placement: Mapping[str, str | None]
    order: tuple[str, ...]
    evicted: tuple[str, ...] = ()


def explain(
    cluster: Cluster, configuration: SchedulerConfiguration, pods: Collection[str] | None = None
) -> list[Record]:
    """Look at pending pods one by one, each against the cluster as given.

    Parameters
    ----------
    cluster : Cluster
        After admission.
    configuration : SchedulerConfiguration
    pods : collection of str, optional
        ``namespace/name`` of the pods to look at; all pending ones by default.

    Returns
    -------
    list of Record
        In queue order, with `Record.failing` for every plugin.
    """
    scheduler = Scheduler.of(cluster, configuration)
    wanted = [pod for pod in scheduler.waiting.values() if pods is None or pod.key in pods]
    return [scheduler.look_alone(pod) for pod in wanted]


def schedule(
    cluster: Cluster,
    configuration: SchedulerConfiguration,
    *,
    seed: int | None = None,
    preemption: PreemptionMode = "look",
    passes: int | None = 1,
) -> Schedule:
    """Place the pending pods as kube-scheduler would.

    Parameters
    ----------
    cluster : Cluster
        After admission.
    configuration : SchedulerConfiguration
    seed : int, optional
        Break ties at random, as kube-scheduler does; by default the first name wins.
    preemption : {"look", "carry-out", "off"}
    passes : int or None
        How often to go through the pods that are not placed yet; None goes on until a pass places none.
    """
    scheduler = Scheduler.of(cluster, configuration, seed)
    order = tuple(scheduler.waiting)
    placement: dict[str, str | None] = dict.fromkeys(order)
    sequence: list[Record] = []
    while passes is None or passes > 0:
        placed = _one_pass(scheduler, sequence, placement)
        passes = passes and passes - 1
        if not placed:
            break
    return Schedule(tuple(sequence), placement, order)


def _one_pass(scheduler: Scheduler, sequence: list[Record], placement: dict[str, str | None]) -> int:
    before = scheduler.placed
    for pod in list(scheduler.waiting.values()):
        decision = scheduler.look(pod)
        sequence.append(decision.record)
        if decision.record.node is not None:
            scheduler.place(decision)
            placement[pod.key] = decision.record.node
    return scheduler.placed - before


@dataclass(frozen=True, slots=True)
class Decision:
    """A pod, what was decided about it, and what its filters prepared."""

    pod: Pod
    record: Record
    active: Active = ()


@dataclass(slots=True)
class Scheduler:
    """A cluster being filled.

    Attributes
    ----------
    state : ClusterState
    waiting : dict of str to Pod
        Pods that are not placed, by ``namespace/name``.
    random : random.Random or None
        Breaks ties; None takes the first name.
    placed : int
        Pods placed so far.
    """

    state: ClusterState
    waiting: dict[str, Pod]
    random: random.Random | None = None
    placed: int = 0

    @classmethod
    def of(
        cls, cluster: Cluster, configuration: SchedulerConfiguration, seed: int | None = None
    ) -> Scheduler:
        """The cluster as given, with its pending pods waiting in queue order."""
        waiting = {pod.key: pod for pod in pending(cluster.pods)}
        chooser = None if seed is None else random.Random(seed)
        return cls(ClusterState.of(cluster, configuration), waiting, chooser)

    def look(self, pod: Pod) -> Decision:
        """One cycle for `pod`, without placing it."""
        profile = self.state.configuration.profile(pod.spec.scheduler_name)
        if pod.terminating:
            return Decision(pod, Record(pod.key, Outcome.DELETING))
        if profile is None:
            return Decision(pod, Record(pod.key, Outcome.OTHER_SCHEDULER))
        if pod.gated:
            gates = (gate.name for gate in pod.spec.scheduling_gates)
            return Decision(pod, Record(pod.key, Outcome.GATED, message=texts.gated(gates)))
        try:
            prepared = prepare(self.state, profile, pod)
        except CycleError as error:
            return Decision(pod, Record(pod.key, Outcome.ERROR, message=str(error)))
        return Decision(pod, self._cycle(profile, pod, prepared), prepared.active)

    def look_alone(self, pod: Pod) -> Record:
        """The same, with what every plugin says on its own."""
        record = self.look(pod).record
        profile = self.state.configuration.profile(pod.spec.scheduler_name)
        if record.filter is None or profile is None:
            return record
        return replace(record, failing=failing_alone(self.state, profile, pod) or None)

    def place(self, decision: Decision) -> None:
        """Assume the pod on the node that was chosen: it counts there from now on."""
        pod, name = decision.pod, decision.record.node
        profile = self.state.configuration.profile(pod.spec.scheduler_name)
        assert name is not None
        assert profile is not None
        node = self.state.nodes[name]
        for rule, data in decision.active:
            rule.reserve(self.state, profile, pod, node, data)
        started = pod.status.model_copy(update={"start_time": START + self.placed * SECOND})
        node.add(pod.model_copy(update={"node_name": name, "status": started}))
        self.placed += 1
        del self.waiting[pod.key]

    def _cycle(self, profile: Profile, pod: Pod, prepared: Prepared) -> Record:
        verdicts = self._filter(profile, pod, prepared)
        feasible = [self.state.nodes[name] for name, verdict in verdicts.items() if verdict is None]
        record = Record(
            pod.key,
            Outcome.UNSCHEDULABLE,
            filter=verdicts,
            pre_filter=prepared.verdict,
            considered_nodes=None if prepared.considered is None else tuple(sorted(prepared.considered)),
        )
        return self._choose(profile, pod, feasible, record) if feasible else self._reject(record)

    def _filter(self, profile: Profile, pod: Pod, prepared: Prepared) -> dict[str, Verdict | None]:
        if prepared.verdict is not None:
            return dict.fromkeys(sorted(self.state.nodes), prepared.verdict)
        nominations = Nominations.of(list(self.waiting.values()))
        verdicts: dict[str, Verdict | None] = {}
        for name in sorted(self.state.nodes):
            if prepared.considered is not None and name not in prepared.considered:
                verdicts[name] = prepared.outside()
            else:
                node = self.state.nodes[name]
                verdicts[name] = filter_node(self.state, profile, pod, node, prepared.active, nominations)
        return verdicts

    def _choose(self, profile: Profile, pod: Pod, feasible: list[NodeInfo], record: Record) -> Record:
        nominated = pod.status.nominated_node_name
        sole = next((node.name for node in feasible if node.name == nominated or len(feasible) == 1), None)
        try:
            scored = score(self.state, profile, pod, feasible)
        except CycleError as error:
            if sole is None:
                return replace(record, outcome=Outcome.ERROR, message=str(error))
            return replace(record, outcome=Outcome.SCHEDULED, node=sole, best=(sole,), score_error=str(error))
        best = scored.best if sole is None else (sole,)
        return replace(
            record,
            outcome=Outcome.SCHEDULED,
            node=best[0] if self.random is None else self.random.choice(best),
            best=best,
            scores=scored.plugins,
            skipped_scores=scored.skipped,
            total=scored.total,
        )

    def _reject(self, record: Record) -> Record:
        assert record.filter is not None
        verdicts = [verdict for verdict in record.filter.values() if verdict is not None]
        sentence = texts.fit_error(len(record.filter), verdicts, record.pre_filter)
        return replace(record, fit_error=sentence, event=sentence)
