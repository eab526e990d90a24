"""kube-scheduler's state between cycles: pods that wait, nominations, and a cluster that fills up.

Source: ``pkg/scheduler/schedule_one.go``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from random import Random

from ...model.api import Pod, PodStatus
from ...model.cluster import Cluster
from ...model.movable import recreated
from ...model.profile import Profile, SchedulerConfiguration
from ...model.reasons import Code, Verdict
from ...model.rules.base import CycleError
from ...model.rules.scheduling_gates import gate
from ...model.state import ClusterState, NodeInfo
from ...model.unmodelled import unmodelled_filters
from . import texts
from .cycle import Active, Nominations, Prepared, failing_alone, filter_node, prepare, score
from .preemption import NOW, Attempt, post_filter
from .queue import pending
from .records import Outcome, Preemption, Record

SECOND = 10**9


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
        Pods that are not placed, by ``namespace/name``, in queue order.
    nominations : Nominations
        Nodes promised to waiting pods.
    preempting : bool
        Look at preemption when a pod is unschedulable.
    random, lots : Random or None
        Break ties between nodes and between candidates for preemption; None takes the first name.
    placed : int
        Pods placed so far.
    """

    state: ClusterState
    waiting: dict[str, Pod]
    nominations: Nominations
    preempting: bool = True
    random: Random | None = None
    lots: Random | None = None
    placed: int = field(default=0, init=False)

    @classmethod
    def of(
        cls,
        cluster: Cluster,
        configuration: SchedulerConfiguration,
        *,
        preempting: bool = True,
        seed: int | None = None,
    ) -> Scheduler:
        """The cluster as given, with its pending pods waiting."""
        waiting = {pod.key: pod for pod in pending(cluster.pods)}
        ours = (pod for pod in waiting.values() if configuration.profile(pod.spec.scheduler_name))
        state = ClusterState.of(cluster, configuration)
        # Two streams, so that looking at preemption does not change where pods go.
        choices = (None, None) if seed is None else (Random(seed), Random(~seed))
        return cls(state, waiting, Nominations(ours), preempting, *choices)

    def profile(self, pod: Pod) -> Profile | None:
        """The profile that schedules `pod`, if it is ours."""
        return self.state.configuration.profile(pod.spec.scheduler_name)

    def look(self, pod: Pod) -> Decision:
        """One cycle for `pod`, without placing it."""
        turned_away = self.turned_away(pod)
        profile = self.profile(pod)
        if turned_away is not None or profile is None:
            return turned_away or Decision(pod, Record(pod.key, Outcome.OTHER_SCHEDULER))
        try:
            if not self.state.nodes:
                raise CycleError(texts.NO_NODES)
            prepared = prepare(self.state, profile, pod)
            return Decision(pod, self._cycle(profile, pod, prepared), prepared.active)
        except CycleError as error:
            return Decision(pod, Record(pod.key, Outcome.ERROR, message=str(error)))

    def turned_away(self, pod: Pod) -> Decision | None:
        """The decision on a pod that gets no cycle."""
        if self.profile(pod) is None:
            return Decision(pod, Record(pod.key, Outcome.OTHER_SCHEDULER))
        gated = gate(pod)
        if gated is not None:
            return Decision(pod, Record(pod.key, Outcome.GATED, message=gated.reasons[0]))
        if pod.terminating:
            return Decision(pod, Record(pod.key, Outcome.DELETING))
        unmodelled = unmodelled_filters(pod)
        if unmodelled:
            message = f"not modelled: {', '.join(unmodelled)}"
            return Decision(pod, Record(pod.key, Outcome.NOT_MODELLED, message=message))
        return None

    def look_alone(self, pod: Pod) -> Record:
        """The same, with what every plugin says on its own."""
        record = self.look(pod).record
        profile = self.profile(pod)
        if record.filter is None or profile is None:
            return record
        return replace(record, failing=failing_alone(self.state, profile, pod) or None)

    def place(self, decision: Decision) -> None:
        """Assume the pod on the node that was chosen: it counts there from now on."""
        pod, name = decision.pod, decision.record.node
        profile = self.profile(pod)
        assert name is not None
        assert profile is not None
        node = self.state.nodes[name]
        for rule, data in decision.active:
            rule.reserve(self.state, profile, pod, node, data)
        self.placed += 1
        self.state.started[pod.key] = NOW + self.placed * SECOND
        node.add(pod)
        self.nominations.remove(pod)
        del self.waiting[pod.key]

    def carry_out(self, pod: Pod, preemption: Preemption) -> list[Pod]:
        """Evict the victims and nominate `pod`; the victims that their controllers create again, waiting."""
        name = preemption.nominated
        assert name is not None
        node = self.state.nodes[name]
        victims = [node.pods[key] for key in preemption.victims]
        for victim in victims:
            node.remove(victim)
            self.state.started.pop(victim.key, None)
        for other in self.nominations.on(name):
            if other.priority < pod.priority:
                self._nominate(other, "")
        self._nominate(pod, name)
        again = [_created_again(victim) for victim in victims if recreated(victim, self.state.cluster)]
        self.waiting.update((successor.key, successor) for successor in again)
        return again

    def _nominate(self, pod: Pod, node: str) -> None:
        self.nominations.remove(pod)
        status = pod.status.model_copy(update={"nominated_node_name": node})
        nominee = self.waiting[pod.key] = pod.model_copy(update={"status": status})
        self.nominations.add(nominee)

    def _cycle(self, profile: Profile, pod: Pod, prepared: Prepared) -> Record:
        verdicts = self._filter(profile, pod, prepared)
        feasible = [self.state.nodes[name] for name, verdict in verdicts.items() if verdict is None]
        considered = prepared.considered
        record = Record(
            pod.key,
            Outcome.UNSCHEDULABLE,
            filter=verdicts,
            pre_filter=prepared.verdict,
            considered_nodes=None if considered is None else tuple(sorted(considered & verdicts.keys())),
        )
        errors = [v.reasons[0] for v in verdicts.values() if v is not None and v.code is Code.ERROR]
        if errors:
            return replace(record, outcome=Outcome.ERROR, message=errors[0])
        if feasible:
            return self._choose(profile, pod, feasible, record)
        attempt = Attempt(self.state, profile, pod, prepared, verdicts, self.nominations, self.lots)
        return self._reject(record, attempt)

    def _filter(self, profile: Profile, pod: Pod, prepared: Prepared) -> dict[str, Verdict | None]:
        if prepared.verdict is not None:
            return dict.fromkeys(sorted(self.state.nodes), prepared.verdict)
        verdicts: dict[str, Verdict | None] = {}
        for name in sorted(self.state.nodes):
            if prepared.considered is not None and name not in prepared.considered:
                verdicts[name] = prepared.outside()
            else:
                node = self.state.nodes[name]
                verdicts[name] = filter_node(
                    self.state, profile, pod, node, prepared.active, self.nominations
                )
        return verdicts

    def _choose(self, profile: Profile, pod: Pod, feasible: list[NodeInfo], record: Record) -> Record:
        """Take the best node; a sole or nominated one is taken without being scored."""
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

    def _reject(self, record: Record, attempt: Attempt) -> Record:
        """Say why no node is feasible, and what preemption would do."""
        verdicts = [verdict for verdict in attempt.verdicts.values() if verdict is not None]
        sentence = texts.fit_error(len(attempt.verdicts), verdicts, record.pre_filter)
        runs = self.preempting and attempt.profile.post_filters
        preemption = post_filter(attempt) or Preemption("") if runs else None
        event = f"{sentence} {preemption.message}" if preemption and preemption.message else sentence
        return replace(record, fit_error=sentence, event=event, preemption=preemption)


def _created_again(victim: Pod) -> Pod:
    return victim.model_copy(update={"node_name": None, "status": PodStatus(phase="Pending")})
