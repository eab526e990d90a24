"""The whole queue: pods one after another, each placed pod there when the next one is looked at."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal

from ...model.cluster import Cluster
from ...model.profile import SchedulerConfiguration
from .fast import FastScheduler
from .queue import Queue
from .records import Record
from .scheduler import Decision, Scheduler

PreemptionMode = Literal["look", "carry-out", "off"]


@dataclass(frozen=True, slots=True)
class Schedule:
    """What kube-scheduler does with all pending pods.

    Parameters
    ----------
    sequence : tuple of Record
        One record per cycle, in order.
    placement : mapping of str to (str or None)
        Pending (or evicted) pod to node, at the end.
    order : tuple of str
        Pending pods in queue order.
    evicted : tuple of str
        Pods that preemption evicted, in order.
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
    detail: bool = True,
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
        Whether unschedulable pods look at preemption, and whether victims are evicted. A victim is gone at
        once; one with a controller waits again, behind all pods of its priority. The preemptor is nominated
        and has its turn again; should it still not fit, it waits for the next pass.
    passes : int or None
        How often to go through the pods that are not placed yet; None goes on until a pass places none.
    detail : bool
        Record the reasons. Without them the placement is the same and far sooner there, records hold little
        more than outcome and node, and ``look`` is as ``off``.

    Returns
    -------
    Schedule
    """
    carry_out = preemption == "carry-out"
    preempting = carry_out or (detail and preemption == "look")
    plain = Scheduler.of(cluster, configuration, preempting=preempting, seed=seed)
    scheduler = plain if detail else FastScheduler(plain)
    run = _Run(scheduler, carry_out, dict.fromkeys(scheduler.waiting))
    order = tuple(scheduler.waiting)
    left = passes
    while left is None or left > 0:
        if not run.one_pass():
            break
        left = None if left is None else left - 1
    return Schedule(tuple(run.sequence), run.placement, order, tuple(run.evicted))


@dataclass(slots=True)
class _Run:
    """What has happened so far."""

    scheduler: Scheduler | FastScheduler
    carry_out: bool
    placement: dict[str, str | None]
    sequence: list[Record] = field(default_factory=list[Record])
    evicted: list[str] = field(default_factory=list[str])

    def one_pass(self) -> int:
        """Give every waiting pod its turn; how many were placed."""
        scheduler = self.scheduler
        before = scheduler.placed
        queue = Queue(scheduler.waiting.values())
        preempted: set[str] = set()
        while queue:
            decision = scheduler.look(scheduler.waiting[queue.pop()])
            record = decision.record
            self.sequence.append(record)
            if record.node is not None:
                scheduler.place(decision)
                self.placement[record.pod] = record.node
            elif self._evicts(record) and record.pod not in preempted:
                preempted.add(record.pod)
                self._evict(decision, queue)
        return scheduler.placed - before

    def _evicts(self, record: Record) -> bool:
        return self.carry_out and record.preemption is not None and record.preemption.nominated is not None

    def _evict(self, decision: Decision, queue: Queue) -> None:
        preemption = decision.record.preemption
        assert preemption is not None
        for victim in preemption.victims:
            self.evicted.append(victim)
            self.placement[victim] = None
        queue.again(decision.pod)
        for pod in self.scheduler.carry_out(decision.pod, preemption):
            queue.late(pod)
