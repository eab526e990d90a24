"""The replica for many pods: the same decisions, without the reasons.

Pods are asked about in classes, over all nodes at once; whatever is not vectorised
(volumes, host ports, nominations) falls back to the plain cycle, pod by pod.
"""

from __future__ import annotations

from ...model.api import Pod
from ...model.cluster import Cluster
from ...model.profile import Profile, SchedulerConfiguration
from ...model.resources import pod_requests, resized
from .company import Terms
from .grid import Grid
from .pod_class import NOWHERE, PodClass, Surroundings, vectorised
from .records import Outcome, Preemption, Record
from .room import LARGEST, Room
from .roster import Log, Roster
from .scheduler import Decision, Scheduler


class FastScheduler:
    """Decides like a `Scheduler`, for whole classes of pods at once.

    Its records say what becomes of a pod, and seldom more.

    Parameters
    ----------
    scheduler : Scheduler
        The plain one, which keeps the state and decides what is not vectorised.
    """

    def __init__(self, scheduler: Scheduler) -> None:
        self._plain = scheduler
        state = scheduler.state
        grid, roster = Grid(state.cluster), Roster(state.cluster)
        infos = [state.nodes[name] for name in grid.names]
        room = Room(infos, _resources(state.cluster, state.configuration))
        self._around = Surroundings(state, grid, room, roster, Log(), Terms(grid, roster))
        self._asked: dict[int, tuple[Profile, PodClass | None]] = {}
        self._hopeless: dict[int, int] = {}
        self._lowest = 0
        for position, info in enumerate(infos):
            for pod in info.pods.values():
                self._note(pod, position, 1)
        for pod in scheduler.waiting.values():
            roster.of(pod)
        self._usable = bool(infos) and room.exact and _small(roster, len(state.cluster.pods))

    @property
    def waiting(self) -> dict[str, Pod]:
        """Pods that are not placed, in queue order."""
        return self._plain.waiting

    @property
    def placed(self) -> int:
        """Pods placed so far."""
        return self._plain.placed

    def look(self, pod: Pod) -> Decision:
        """One cycle for `pod`, without placing it."""
        plain = self._plain
        if not self._usable or plain.nominations:
            return plain.look(pod)
        number = self._around.roster.of(pod)
        known = self._asked.get(number)
        if known is None or (known[1] is not None and known[1].classes < len(self._around.roster)):
            turned_away = plain.turned_away(pod)
            if turned_away is not None:
                return turned_away
            known = self._asked[number] = self._class(pod)
        profile, asked = known
        if asked is None:
            return plain.look(pod)
        asked.catch_up()
        choice = self._choose(asked)
        if choice == NOWHERE:
            return self._unschedulable(pod, profile, number)
        return Decision(pod, Record(pod.key, Outcome.SCHEDULED, self._around.grid.names[choice]))

    def place(self, decision: Decision) -> None:
        """Assume the pod on the node that was chosen: it counts there from now on."""
        self._plain.place(decision)
        assert decision.record.node is not None
        self._note(decision.pod, self._around.grid.index[decision.record.node], 1)

    def carry_out(self, pod: Pod, preemption: Preemption) -> list[Pod]:
        """Evict the victims and nominate `pod`; the victims that their controllers create again."""
        assert preemption.nominated is not None
        node = self._plain.state.nodes[preemption.nominated]
        for key in preemption.victims:
            self._note(node.pods[key], self._around.grid.index[node.name], -1)
        return self._plain.carry_out(pod, preemption)

    def _note(self, pod: Pod, node: int, sign: int) -> None:
        number = self._around.roster.of(pod)
        self._around.room.add(node, number, pod, sign)
        self._around.log.add(node, number, sign)
        if pod.priority < self._lowest:
            self._lowest = pod.priority

    def _class(self, pod: Pod) -> tuple[Profile, PodClass | None]:
        """The pod's profile, and what is known for pods like this one unless they are not vectorised."""
        profile = self._plain.profile(pod)
        assert profile is not None
        if not vectorised(pod, profile):
            return profile, None
        self._around.terms.catch_up()
        return profile, PodClass(self._around, profile, pod)

    def _choose(self, asked: PodClass) -> int:
        if self._plain.random is None:
            return asked.best()
        best = asked.all_best()
        return int(self._plain.random.choice(best)) if len(best) else NOWHERE

    def _unschedulable(self, pod: Pod, profile: Profile, number: int) -> Decision:
        """Nothing more to say, unless the pod could preempt others."""
        now = len(self._around.log)
        hopeless = pod.priority <= self._lowest or self._hopeless.get(number) == now
        if not self._plain.preempting or hopeless or "DefaultPreemption" not in profile.post_filters:
            return Decision(pod, Record(pod.key, Outcome.UNSCHEDULABLE))
        decision = self._plain.look(pod)
        preemption = decision.record.preemption
        if preemption is None or preemption.nominated is None:
            self._hopeless[number] = now
        return decision


def _resources(cluster: Cluster, configuration: SchedulerConfiguration) -> list[str]:
    """Names of all resources that pods request or profiles score."""
    specs = {id(pod.spec): pod for pod in cluster.pods}.values()
    found = {name for pod in specs for name in pod_requests(pod)}
    found.update(name for pod in cluster.pods if resized(pod) for name in pod_requests(pod))
    for profile in configuration.profiles:
        found.update(name for name, _ in (*profile.scoring.resources, *profile.balanced_resources))
    return sorted(found)


def _small(roster: Roster, pods: int) -> bool:
    """Whether no sum of requests can overflow."""
    largest = max((max(pod_requests(pod).values(), default=0) for pod in roster.pods), default=0)
    return largest < LARGEST and largest * pods < LARGEST * 2**9
