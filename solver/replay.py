"""An order in which kube-scheduler's own filters admit every newly placed pod.

A final state without violations need not have one: with zone and host rules
mixed, some states can only be reached through states that the filters refuse.

Only relational rules and unbound claims depend on the order; everything else
that a valid final state passes, each of its parts passes too. So an order is
found over counts, through the gates, and then walked pod by pod through the
rules' `admits` where the cluster is small enough for that.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..model.api import Pod
from ..model.cluster import Cluster
from ..model.profile import Profile, SchedulerConfiguration
from ..model.rules.base import CycleError
from ..model.state import ClusterState, NodeInfo
from .build import without_nodes
from .greedy.cycle import Active, Nominations, filter_node, prepare
from .instance import Instance
from .relations.orders import Step, TooMany, components, search_orders

Ints = NDArray[np.int64]
Placement = Mapping[str, str | None]
WALK = 400_000
"""Pods to admit times pods there are, up to which an order is walked through `admits`."""


@dataclass(frozen=True, slots=True)
class Replay:
    """What a replay found.

    Parameters
    ----------
    order : tuple of str
        Pods in an order in which each is admitted.
    stuck : tuple of str
        Pods that no order tried could admit.
    exhausted : bool
        Whether all orders were tried: then none admits the stuck pods.
    """

    order: tuple[str, ...]
    stuck: tuple[str, ...]
    exhausted: bool = False


def replay(instance: Instance, counts: Ints, placement: Placement, until: float = math.inf) -> Replay:
    """Find an order for a placement of the free pods.

    Parameters
    ----------
    instance : Instance
    counts : array, shape (classes, nodes)
    placement : mapping of str to (str or None)
        What `counts` was turned into.
    until : float
        When to give up trying all orders where the obvious ones fail (`time.monotonic`).
    """
    problem = instance.problem
    steps, exhausted = _admissible(instance, np.minimum(counts, problem.origin), counts, until)
    order = _pods(instance, steps, placement)
    placed = [pod.key for pod in problem.free if placement[pod.key] and placement[pod.key] != pod.node_name]
    rest = _rest(placed, order)
    if len(placed) * len(problem.cluster.pods) <= WALK:
        everybody = _expected_first(instance, placement, [*order, *rest])
        leaving = frozenset(pod.key for pod in problem.free if placement[pod.key] != pod.node_name)
        walked = walk(without_nodes(problem.cluster, leaving), problem.configuration, placement, everybody)
        return replace(walked, exhausted=exhausted)
    return Replay(tuple(order), tuple(rest), exhausted)


def _admissible(instance: Instance, staying: Ints, counts: Ints, until: float) -> tuple[list[Step], bool]:
    """Batches in an order that the gates admit, and whether no order admits what is left out."""
    steps = _steps(instance, staying, counts)
    placed = staying.copy()
    for c, batch in steps:
        placed[c] += batch
    component = components(instance)
    for number in np.unique(component[(placed < counts).any(axis=1)]).tolist():
        try:
            found = search_orders(instance, staying, counts, np.flatnonzero(component == number), until)
        except TooMany:
            continue
        if found is None:
            return steps, True
        steps = [step for step in steps if component[step[0]] != number] + found
    return steps, False


def _expected_first(instance: Instance, placement: Placement, order: Sequence[str]) -> list[str]:
    """Bring pods forward for whom a place is kept.

    Until a nominated pod is placed, filters count it on its nominated node; and NodeVolumeLimits counts a
    volume that is attached to a node twice until the pod that waits for it is there.
    """
    cluster = instance.problem.cluster

    def expected(key: str) -> bool:
        pod = cluster.pod_by_key[key]
        if pod.status.nominated_node_name:
            return True
        attached = cluster.csi.attached(placement[key] or "")
        return any(volume.volume in attached for volume in cluster.csi.attachables(pod))

    return sorted(order, key=lambda key: not expected(key))


def _rest(placed: Sequence[str], order: Sequence[str]) -> list[str]:
    known = set(order)
    return [key for key in placed if key not in known]


def _steps(instance: Instance, staying: Ints, counts: Ints) -> list[Step]:
    """Batches (class, pods per node) in an order that the gates admit; what they never admit is left out."""
    gated = [c for c in range(len(counts)) if instance.gates_of(c)]
    concerned = set(instance.ordered.tolist()) - set(gated)
    placed = staying.copy()
    steps: list[Step] = []
    waiting = [c for c in gated if (counts[c] > placed[c]).any()]
    helpers = [c for c in sorted(concerned) if (counts[c] > placed[c]).any()]
    while waiting:
        moved = False
        for c in waiting:
            batch = _batch(instance, c, counts[c] - placed[c], placed)
            if batch.any():
                placed[c] += batch
                steps.append((c, batch))
                moved = True
        waiting = [c for c in waiting if (placed[c] < counts[c]).any()]
        if not moved:
            if not helpers:
                break
            c = helpers.pop(0)
            steps.append((c, counts[c] - placed[c]))
            placed[c] = counts[c]
    steps.extend((c, counts[c] - staying[c]) for c in helpers)
    return [*steps, *_indifferent(instance, staying, counts)]


def _indifferent(instance: Instance, staying: Ints, counts: Ints) -> list[Step]:
    """The classes whose order no gate cares about."""
    classes = np.setdiff1d(np.arange(len(counts)), instance.ordered).tolist()
    return [(c, counts[c] - staying[c]) for c in classes]


def _batch(instance: Instance, c: int, left: Ints, placed: Ints) -> Ints:
    """How many of the pods `left`, shape (nodes,), of class `c` all its gates admit by now."""
    batch = left.copy()
    gates = instance.gates_of(c)
    for gate in gates:
        room = gate.admitted(c, placed)
        if len(gates) > 1:
            # One pod a domain at a time, so that what one gate admits cannot outdate another's answer.
            room = np.minimum(room, 1)
        batch = _within(batch, gate.partition.of_node, room)
    return batch


def _within(batch: Ints, of_node: Ints, room: Ints) -> Ints:
    """The largest part of `batch` with at most ``room[d]`` pods on the nodes of domain ``d``."""
    part = np.zeros_like(batch)
    for n in np.flatnonzero(batch).tolist():
        domain = int(of_node[n])
        take = int(batch[n]) if domain < 0 else int(min(batch[n], room[domain]))
        part[n] = take
        if domain >= 0:
            room[domain] -= take
    return part


def _pods(instance: Instance, steps: Sequence[Step], placement: Placement) -> list[str]:
    """The pods behind the batches."""
    problem = instance.problem
    waiting: dict[tuple[int, int], list[str]] = {}
    for cls in problem.classes:
        for position in cls.members:
            pod = problem.free[position]
            node = placement[pod.key]
            if node is not None and node != pod.node_name:
                place = problem.cluster.node_index[node]
                waiting.setdefault((cls.index, place), []).append(pod.key)
    order: list[str] = []
    for c, batch in steps:
        for n in np.flatnonzero(batch).tolist():
            pods = waiting[c, n]
            order.extend(pods[: batch[n]])
            del pods[: batch[n]]
    return order


def walk(
    cluster: Cluster, configuration: SchedulerConfiguration, placement: Placement, order: Sequence[str]
) -> Replay:
    """Admit pods one by one through the rules, again and again over those that are refused.

    Parameters
    ----------
    cluster : Cluster
        After admission, with the pods of `order` pending.
    order : sequence of str
        In which to try.
    """
    walker = _Walker(cluster, configuration)
    waiting = [cluster.pod_by_key[key] for key in order]
    admitted: list[str] = []
    while waiting:
        refused = [pod for pod in waiting if not walker.place(pod, placement[pod.key] or "")]
        missed = {pod.key for pod in refused}
        admitted.extend(pod.key for pod in waiting if pod.key not in missed)
        if len(refused) == len(waiting):
            break
        waiting = refused
    return Replay(tuple(admitted), tuple(pod.key for pod in waiting))


class _Walker:
    """The cluster while pods are admitted to it, on nodes that were chosen for them."""

    def __init__(self, cluster: Cluster, configuration: SchedulerConfiguration) -> None:
        self._state = ClusterState.of(cluster, configuration)
        pending = (pod for pod in cluster.pods if pod.node_name is None and not pod.completed)
        ours = (pod for pod in pending if configuration.profile(pod.spec.scheduler_name))
        self._nominations = Nominations(ours)

    def place(self, pod: Pod, name: str) -> bool:
        """Place the pod, if every filter admits it now; returns whether they did."""
        profile = self._state.configuration.profile(pod.spec.scheduler_name)
        if profile is None:
            return False
        node = self._state.nodes[name]
        active = self._admit(profile, pod, node)
        if active is None:
            return False
        for rule, data in active:
            rule.reserve(self._state, profile, pod, node, data)
        node.add(pod.model_copy(update={"node_name": name}))
        self._nominations.remove(pod)
        return True

    def _admit(self, profile: Profile, pod: Pod, node: NodeInfo) -> Active | None:
        try:
            prepared = prepare(self._state, profile, pod)
        except CycleError:
            return None
        considered = prepared.considered
        if prepared.verdict is not None or (considered is not None and node.name not in considered):
            return None
        verdict = filter_node(self._state, profile, pod, node, prepared.active, self._nominations)
        return prepared.active if verdict is None else None
