"""A placement under way: how many pods of each class are on each node."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...model.devices import DEVICE
from .dive import Chosen
from .instance import DeviceInstance, Grouped, Ints


class Packing:
    """Counts of pods on nodes.

    Parameters
    ----------
    grouped : Grouped
    counts : array, shape (nodes, classes)
    """

    def __init__(self, grouped: Grouped, counts: Ints) -> None:
        self.instance: DeviceInstance = grouped.instance
        self.group_of = grouped.group_of
        self.counts = counts

    @classmethod
    def of(cls, grouped: Grouped, chosen: Chosen) -> Packing:
        """Fixed patterns, dealt out to the nodes of their groups in order."""
        counts = np.zeros((len(grouped.group_of), grouped.instance.classes), dtype=np.int64)
        waiting = [np.flatnonzero(grouped.group_of == g).tolist() for g in range(grouped.instance.groups)]
        for pattern, times in chosen.patterns:
            for _ in range(times):
                node = waiting[pattern.group].pop()
                for c, number in pattern.pods:
                    counts[node, c] = number
        return cls(grouped, counts)

    @property
    def placed(self) -> Ints:
        """Shape (classes,): pods on nodes."""
        return self.counts.sum(axis=0)

    @property
    def left(self) -> Ints:
        """Shape (classes,): pods without a node."""
        return self.instance.count - self.placed

    @property
    def milli(self) -> int:
        """Milli-GPUs in use."""
        return int(self.placed @ self.instance.value)

    @property
    def pods(self) -> int:
        """Pods with a node."""
        return int(self.placed.sum())

    @property
    def idle(self) -> Ints:
        """Shape (nodes,): milli-GPUs not in use."""
        return DEVICE * self.instance.devices[self.group_of] - self.counts @ self.instance.value

    @property
    def room(self) -> Ints:
        """Shape (nodes, resources): what is left."""
        return self.instance.room[self.group_of] - self.counts @ self.instance.need

    def shares_on(self, node: int) -> list[int]:
        """The shares on a node."""
        counts, share = self.counts[node], self.instance.share
        here = np.flatnonzero((counts > 0) & (share > 0)).tolist()
        return [int(share[c]) for c in here for _ in range(int(counts[c]))]

    def fill(self) -> None:
        """Put pods that are left where they fit as things are: GPUs first, most of them first."""
        instance, left = self.instance, self.left
        order = np.lexsort((instance.need.sum(axis=1), -instance.value))
        for c in order[left[order] > 0].tolist():
            if instance.value[c]:
                self._fill_devices(c, int(left[c]))
            else:
                self._fill_room(c, int(left[c]))

    def _fill_room(self, c: int, number: int) -> None:
        """Pods without GPUs: where most is left."""
        fits = self._fits(c)
        total = np.maximum(self.instance.room[self.group_of], 1)
        slack = (self.room / total).min(axis=1, initial=1.0)
        for node in np.argsort(-slack, kind="stable").tolist():
            taken = min(number, int(fits[node]))
            self.counts[node, c] += taken
            number -= taken
            if not number:
                break

    def _fill_devices(self, c: int, number: int) -> None:
        """Pods with GPUs: where least of the GPUs is left."""
        fits, idle = self._fits(c), self.idle
        able = np.flatnonzero((fits > 0) & (idle >= self.instance.value[c]))
        for node in able[np.argsort(idle[able], kind="stable")].tolist():
            taken = min(number, int(fits[node]), self._copies(node, c))
            self.counts[node, c] += taken
            number -= taken
            if not number:
                break

    def _fits(self, c: int) -> Ints:
        """Shape (nodes,): how many pods of a class the room on each node is enough for."""
        instance = self.instance
        most = np.full(len(self.group_of), instance.count[c])
        for r in np.flatnonzero(instance.need[c]).tolist():
            most = np.minimum(most, self.room[:, r] // instance.need[c, r])
        return np.where(instance.eligible[c, self.group_of], np.maximum(most, 0), 0)

    def _copies(self, node: int, c: int) -> int:
        """How many pods of a class the devices of a node still hold, first fit."""
        instance = self.instance
        devices = int(instance.devices[self.group_of[node]] - self.counts[node] @ instance.whole)
        loads = first_fit(self.shares_on(node))
        if instance.whole[c]:
            return max(0, devices - len(loads)) // int(instance.whole[c])
        loads += [0] * (devices - len(loads))
        return (
            sum((DEVICE - load) // int(instance.share[c]) for load in loads) if devices >= len(loads) else 0
        )


def first_fit(shares: Sequence[int]) -> list[int]:
    """Loads of the devices when the shares are put, largest first, where they first fit."""
    loads: list[int] = []
    for share in sorted(shares, reverse=True):
        place = next((d for d, load in enumerate(loads) if load + share <= DEVICE), None)
        if place is None:
            loads.append(share)
        else:
            loads[place] += share
    return loads
