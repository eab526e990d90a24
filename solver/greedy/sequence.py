"""The whole queue: pods one after another, each placed pod there when the next one is looked at."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal

from ...model.cluster import Cluster
from ...model.profile import SchedulerConfiguration
from .records import Record
from .scheduler import Scheduler

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
        Whether unschedulable pods look at preemption, and whether victims are evicted.
    passes : int or None
        How often to go through the pods that are not placed yet; None goes on until a pass places none.

    Returns
    -------
    Schedule
    """
    scheduler = Scheduler.of(cluster, configuration, preempting=preemption != "off", seed=seed)
    order = tuple(scheduler.waiting)
    placement: dict[str, str | None] = dict.fromkeys(order)
    sequence: list[Record] = []
    left = passes
    while left is None or left > 0:
        placed = _one_pass(scheduler, sequence, placement)
        left = None if left is None else left - 1
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
