"""An upper bound on what can be placed: the linear program over device patterns.

Per group of nodes, counts of pods compete for the sums of each resource and for
devices; shares must be covered by *patterns*, sets of shares that fit on one
device. Two shares of more than half a device never do, which sums per node miss.
Patterns are generated as columns (Gilmore and Gomory). The program only supplies
prices: the bound is recomputed from them in integers.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import gcd

import numpy as np
from numpy.typing import NDArray

from ...model.devices import DEVICE
from .instance import DeviceInstance
from .program import ColumnProgram

Floats = NDArray[np.float64]
_BITS = 64
_ROUNDS = 200
_TOLERANCE = 1e-6


@dataclass(frozen=True, eq=False)
class Prices:
    """What room is worth, none negative.

    Parameters
    ----------
    pod : array, shape (classes,)
        A further pod of a class.
    resource : array, shape (groups, resources)
        A unit of a resource.
    device : array, shape (groups,)
        A whole device.
    share : array, shape (groups, sizes)
        A share of that size on some device; sizes as in `share_sizes`.
    """

    pod: Floats
    resource: Floats
    device: Floats
    share: Floats


@dataclass(frozen=True, eq=False)
class Bound:
    """What no placement can pass.

    Parameters
    ----------
    value : int
        Upper bound on the sum of the placed pods' worth.
    prices : Prices
        From which it follows.
    """

    value: int
    prices: Prices


def share_sizes(instance: DeviceInstance) -> tuple[int, ...]:
    """The distinct shares, ascending."""
    return tuple(sorted({int(share) for share in instance.share if share}))


def upper_bound(instance: DeviceInstance, worth: Sequence[int], seconds: float) -> Bound:
    """Bound the worth of the pods that can be placed at once.

    Parameters
    ----------
    instance : DeviceInstance
    worth : sequence of int
        Worth of a pod of each class.
    seconds : float
        Prices found by then are used; any prices give a valid bound.

    Returns
    -------
    Bound
    """
    until = time.monotonic() + seconds
    program = _DeviceProgram(instance, worth)
    for _ in range(_ROUNDS):
        if not program.solve(until - time.monotonic()) or not program.grow():
            break
    prices = program.prices()
    return Bound(exact_bound(instance, worth, prices), prices)


def exact_bound(instance: DeviceInstance, worth: Sequence[int], prices: Prices) -> int:
    """The bound that prices prove, in integers and therefore safe against rounding.

    With a price for devices that no pattern of shares exceeds, a pod gains at most what it brings beyond
    the prices of what it takes. All capacity at its prices plus the pods' gains then bound every
    placement, whatever the prices are.
    """
    sizes = share_sizes(instance)
    total = 0
    gain = [0] * instance.classes
    for g in range(instance.groups):
        resource = [_fixed(price) for price in prices.resource[g].tolist()]
        share = {size: _fixed(price) for size, price in zip(sizes, prices.share[g].tolist(), strict=True)}
        pattern = _best_pattern(sizes, [share[size] for size in sizes])[0]
        device = max(pattern, _fixed(float(prices.device[g])))
        room = sum(price * amount for price, amount in zip(resource, instance.room[g].tolist(), strict=True))
        total += int(instance.size[g]) * (room + int(instance.devices[g]) * device)
        for c in np.flatnonzero(instance.eligible[:, g]).tolist():
            takes = sum(p * amount for p, amount in zip(resource, instance.need[c].tolist(), strict=True))
            takes += share.get(int(instance.share[c]), 0) + int(instance.whole[c]) * device
            gain[c] = max(gain[c], (int(worth[c]) << _BITS) - takes)
    total += sum(number * each for number, each in zip(instance.count.tolist(), gain, strict=True))
    step = gcd(*(int(each) for each in worth)) or 1
    return (total >> _BITS) // step * step


def _fixed(price: float) -> int:
    return max(0, int(price * 2.0**_BITS))


def _best_pattern(sizes: Sequence[int], worth: Sequence[int]) -> tuple[int, dict[int, int]]:
    """The worthiest set of shares on one device: (worth, how many of each size by position)."""
    unit = gcd(DEVICE, *sizes)
    best, last = [0], [-1]
    steps = [(size // unit, position) for position, size in enumerate(sizes) if worth[position] > 0]
    for load in range(1, DEVICE // unit + 1):
        value, choice = best[-1], -1
        for step, position in steps:
            if step <= load and best[load - step] + worth[position] > value:
                value, choice = best[load - step] + worth[position], position
        best.append(value)
        last.append(choice)
    pattern: dict[int, int] = {}
    load = len(best) - 1
    while load > 0:
        position = last[load]
        if position >= 0:
            pattern[position] = pattern.get(position, 0) + 1
        load -= sizes[position] // unit if position >= 0 else 1
    return best[-1], pattern


class _DeviceProgram:
    """Rows: pods of a class; then, per group, resources, devices and shares of each size."""

    def __init__(self, instance: DeviceInstance, worth: Sequence[int]) -> None:
        self._instance = instance
        self._sizes = share_sizes(instance)
        self._resources = instance.room.shape[1]
        width = self._resources + 1 + len(self._sizes)
        self._first = list(accumulate([width] * instance.groups, initial=instance.classes))
        # Rows in units of the largest capacity keep bytes and milli-GPUs comparable.
        self._unit = np.maximum(instance.room.max(axis=0, initial=1), 1).astype(float)
        self._program = ColumnProgram([*map(float, instance.count), *self._limits()])
        self._patterns: set[tuple[int, tuple[tuple[int, int], ...]]] = set()
        self._add_pods(worth)
        for g in range(instance.groups):
            for position, size in enumerate(self._sizes):
                self._add_pattern(g, {position: DEVICE // size})

    def _limits(self) -> list[float]:
        instance = self._instance
        limits: list[float] = []
        for g in range(instance.groups):
            nodes = int(instance.size[g])
            limits.extend((nodes * instance.room[g] / self._unit).tolist())
            limits.append(float(nodes * int(instance.devices[g])))
            limits.extend([0.0] * len(self._sizes))
        return limits

    def _add_pods(self, worth: Sequence[int]) -> None:
        instance = self._instance
        pairs: list[list[int]] = np.argwhere(instance.eligible).tolist()
        for c, g in pairs:
            first = self._first[g]
            rows, amounts = [c], [1.0]
            needed: list[int] = np.flatnonzero(instance.need[c]).tolist()
            rows.extend(first + r for r in needed)
            amounts.extend(float(instance.need[c, r] / self._unit[r]) for r in needed)
            if instance.whole[c]:
                rows.append(first + self._resources)
                amounts.append(float(instance.whole[c]))
            if instance.share[c]:
                rows.append(first + self._resources + 1 + self._sizes.index(int(instance.share[c])))
                amounts.append(1.0)
            self._program.add(float(worth[c]), rows, amounts)

    def _add_pattern(self, g: int, pattern: dict[int, int]) -> bool:
        key = (g, tuple(sorted(pattern.items())))
        if key in self._patterns:
            return False
        self._patterns.add(key)
        devices = self._first[g] + self._resources
        rows = [devices, *(devices + 1 + position for position in pattern)]
        self._program.add(0.0, rows, [1.0, *(-float(number) for number in pattern.values())])
        return True

    def solve(self, seconds: float) -> bool:
        """Solve with the patterns so far."""
        return seconds > 0 and self._program.solve(seconds)

    def grow(self) -> int:
        """Add each group's best pattern at the current prices; returns how many were worth it."""
        added = 0
        dual = self._program.dual
        for g in range(self._instance.groups):
            row = self._first[g] + self._resources
            prices: list[float] = dual[row + 1 : self._first[g + 1]].tolist()
            milli = [int(price * 2**20) for price in prices]
            value, pattern = _best_pattern(self._sizes, milli)
            if value / 2**20 > dual[row] + _TOLERANCE * DEVICE:
                added += self._add_pattern(g, pattern)
        return added

    def prices(self) -> Prices:
        """The current prices, per pod and per unit."""
        instance, dual = self._instance, self._program.dual
        resource = np.zeros(instance.room.shape)
        device = np.zeros(instance.groups)
        share = np.zeros((instance.groups, len(self._sizes)))
        for g in range(instance.groups):
            devices = self._first[g] + self._resources
            resource[g] = dual[self._first[g] : devices] / self._unit
            device[g] = dual[devices]
            share[g] = dual[devices + 1 : self._first[g + 1]]
        return Prices(dual[: instance.classes], resource, device, share)
