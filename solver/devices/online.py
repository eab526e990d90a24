"""Published online policies, re-implemented: one pod at a time, in arrival order, never moved.

BestFit takes the node that has least left afterwards. Fragmentation gradient
descent (FGD) takes the node and device that lose least for the pods that are
typically asked for: what is idle on a node is a fragment to a kind of pods as
far as a pod of that kind cannot use it.

Source: Weng et al., "Beware of Fragmentation: Scheduling GPU-Sharing Workloads
with Fragmentation Gradient Descent", USENIX ATC 2023.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...model.devices import DEVICE
from .instance import Grouped, Ints
from .packing import Packing

Floats = NDArray[np.float64]
_ABSENT = -1


Policy: TypeAlias = "Callable[[Online, int, Ints], tuple[Floats, Ints]]"
"""The loss of a pod of a class on each of some nodes (infinite where it does not fit), and the device."""


class Online:
    """Nodes on which pods arrive.

    Parameters
    ----------
    grouped : Grouped

    Attributes
    ----------
    instance : DeviceInstance
    group_of : array, shape (nodes,)
    counts : array, shape (nodes, classes)
    room : array, shape (nodes, resources)
        What is left.
    idle : array, shape (nodes, devices)
        Milli-GPUs left on each device; -1 where the node has no such device.
    """

    def __init__(self, grouped: Grouped) -> None:
        instance = self.instance = grouped.instance
        self.group_of = grouped.group_of
        self.counts = np.zeros((len(grouped.group_of), instance.classes), dtype=np.int64)
        self.room = instance.room[grouped.group_of].copy()
        number = np.arange(int(instance.devices.max(initial=0)))
        there = number < instance.devices[grouped.group_of][:, None]
        self.idle = np.where(there, DEVICE, _ABSENT).astype(np.int64)
        self._typical = np.flatnonzero(instance.value)
        self._popularity = instance.count[self._typical] / max(1, int(instance.count[self._typical].sum()))

    def run(self, arrivals: Iterable[int], policy: Policy) -> Packing:
        """Place pods of these classes, in this order, where the policy's loss is least.

        Parameters
        ----------
        arrivals : iterable of int
            Class of each pod.
        policy : callable
            `best_fit` or `fragmentation`.
        """
        shape = (self.instance.classes, len(self.counts))
        loss, device = np.full(shape, np.inf), np.full(shape, _ABSENT, dtype=np.int64)
        stale = np.ones(shape, dtype=bool)
        for c in arrivals:
            nodes = np.flatnonzero(stale[c])
            loss[c, nodes], device[c, nodes] = policy(self, c, nodes)
            stale[c, nodes] = False
            node = int(loss[c].argmin())
            if np.isfinite(loss[c, node]):
                self._put(c, node, int(device[c, node]))
                stale[:, node] = True
        return Packing(Grouped(self.instance, self.group_of), self.counts)

    def _put(self, c: int, node: int, device: int) -> None:
        instance = self.instance
        self.counts[node, c] += 1
        self.room[node] -= instance.need[c]
        if instance.share[c]:
            self.idle[node, device] -= instance.share[c]
        elif instance.whole[c]:
            self.idle[node, np.flatnonzero(self.idle[node] == DEVICE)[: instance.whole[c]]] = 0

    def after(self, c: int, nodes: Ints) -> tuple[Ints, Ints, NDArray[np.bool_]]:
        """Every way to put a pod of a class on some nodes.

        Returns
        -------
        room : array, shape (nodes, resources)
        idle : array, shape (nodes, ways, devices)
            A way for each device that could take a share; one way otherwise.
        fits : array of bool, shape (nodes, ways)
        """
        instance, idle = self.instance, self.idle[nodes]
        room = self.room[nodes] - instance.need[c]
        possible = instance.eligible[c, self.group_of[nodes]] & (room >= 0).all(axis=1)
        if share := int(instance.share[c]):
            ways = idle[:, None, :] - share * np.eye(idle.shape[1], dtype=np.int64)
            return room, ways, possible[:, None] & (idle >= share)
        whole = int(instance.whole[c])
        empty = idle == DEVICE
        ways = np.where(empty & (empty.cumsum(axis=1) <= whole), 0, idle)[:, None, :]
        return room, ways, (possible & (empty.sum(axis=1) >= whole))[:, None]

    def fragments(self, room: Ints, idle: Ints, group: Ints) -> Floats:
        """Shape (states,): idle milli-GPUs that a typical pod cannot use, for nodes in these states."""
        instance, kinds = self.instance, self._typical
        threshold = np.where(instance.share[kinds] > 0, instance.share[kinds], DEVICE)
        runs = instance.eligible[kinds][:, group].T
        for r in range(room.shape[1]):
            runs = runs & (room[:, r, None] >= instance.need[kinds, r])
        usable = np.zeros(runs.shape, dtype=np.int64)
        able = np.zeros(runs.shape, dtype=np.int64)
        for column in idle.T:
            large = column[:, None] >= threshold
            able += large
            usable += large * column[:, None]
        runs = runs & (able >= np.maximum(1, instance.whole[kinds]))
        total = np.maximum(idle, 0).sum(axis=1)
        return (total[:, None] - usable * runs) @ self._popularity


def best_fit(online: Online, c: int, nodes: Ints) -> tuple[Floats, Ints]:
    """What is left on the node, each resource as a share of the most that any node has; fullest device."""
    room, ways, fits = online.after(c, nodes)
    instance = online.instance
    most = np.maximum(instance.room.max(axis=0, initial=1), 1)
    idle = np.maximum(ways, 0).sum(axis=2)
    left = (room / most).sum(axis=1) + idle.max(axis=1, initial=0) / (DEVICE * ways.shape[2])
    # Ways to put a share differ in the device alone: the one that was least idle is the fullest.
    fullest = np.where(fits, online.idle[nodes][:, : fits.shape[1]], DEVICE + 1)
    return np.where(fits.any(axis=1), left, np.inf), fullest.argmin(axis=1)


def fragmentation(online: Online, c: int, nodes: Ints) -> tuple[Floats, Ints]:
    """How much the node's fragments grow, with the device where they grow least."""
    room, ways, fits = online.after(c, nodes)
    loss = np.full(fits.shape, np.inf)
    where, way = np.nonzero(fits)
    group = online.group_of[nodes]
    before = online.fragments(room + online.instance.need[c], online.idle[nodes], group)
    loss[where, way] = online.fragments(room[where], ways[where, way], group[where]) - before[where]
    return loss.min(axis=1, initial=np.inf), loss.argmin(axis=1)


POLICIES: Mapping[str, Policy] = {"best-fit": best_fit, "fgd": fragmentation}
"""By name."""
