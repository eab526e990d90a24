"""NodeResourcesFit and NodeResourcesBalancedAllocation over many nodes at once.

The same integers as ``model/rules/node_resources_fit`` and ``…_balanced_allocation``,
in the same order of operations.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...model.api import Pod
from ...model.profile import Profile
from ...model.resources import (
    CPU,
    EPHEMERAL,
    MEMORY,
    PODS,
    Requests,
    countable,
    nonzero_requests,
    pod_requests,
    scored_requests,
)
from ...model.rules.node_resources_fit import ignored
from ...model.shapes import broken_line
from ...model.state import NodeInfo

Indices = NDArray[np.int64]
Mask = NDArray[np.bool_]
Amounts = NDArray[np.int64]
NONZERO = (f"{CPU} with defaults", f"{MEMORY} with defaults")
LARGEST = 2**53
"""Amounts from here on would lose digits as floats, or overflow when they are multiplied by 100."""


class Room:
    """What nodes offer and hold.

    Parameters
    ----------
    nodes : sequence of NodeInfo
        Positions index every array.
    names : iterable of str
        Resources that matter; cpu and memory always do.

    Attributes
    ----------
    allocatable, used : array, shape (resources, nodes)
        The last two rows are cpu and memory with kube-scheduler's defaults.
    pods, most_pods : array, shape (nodes,)
    """

    def __init__(self, nodes: Sequence[NodeInfo], names: Sequence[str]) -> None:
        self.names = (*dict.fromkeys((CPU, MEMORY, *names)), *NONZERO)
        self.row = {name: row for row, name in enumerate(self.names)}
        plain = [
            [info.allocatable.get(name, 0) for info in nodes] for name in (*self.names[:-2], CPU, MEMORY)
        ]
        self.allocatable = np.array(plain, dtype=object)
        self.exact = bool((self.allocatable < LARGEST).all())
        self.allocatable = np.minimum(self.allocatable, LARGEST).astype(np.int64)
        self.used = np.zeros_like(self.allocatable)
        self._amounts: dict[int, Amounts] = {}
        self.pods = np.zeros(len(nodes), dtype=np.int64)
        self.most_pods = np.array([info.allocatable.get(PODS, 0) for info in nodes], dtype=np.int64)

    def add(self, node: int, number: int, pod: Pod, sign: int) -> None:
        """`pod`, of class `number`, comes to (or leaves) the node."""
        amounts = self._amounts.get(number)
        if amounts is None:
            amounts = self._amounts[number] = self._of(pod)
        if sign > 0:
            self.used[:, node] += amounts
        else:
            self.used[:, node] -= amounts
        self.pods[node] += sign

    def _of(self, pod: Pod) -> Amounts:
        """Shape (resources,): what the pod adds to `used`."""
        found = np.zeros(len(self.names), dtype=np.int64)
        for name, amount in pod_requests(pod).items():
            found[self.row[name]] = amount
        nonzero = nonzero_requests(pod)
        found[-2:] = nonzero[CPU], nonzero[MEMORY]
        return found


class Fit:
    """What one class of pods finds on the nodes.

    Parameters
    ----------
    room : Room
    profile : Profile
    pod : Pod
        Any pod of the class.
    """

    def __init__(self, room: Room, profile: Profile, pod: Pod) -> None:
        self._room = room
        requests = pod_requests(pod)
        checked = {n: a for n, a in requests.items() if a and not ignored(n, profile)}
        self._filters = "NodeResourcesFit" in profile.filters
        self._rows = _rows([room.row[name] for name in checked])
        needs = np.array(list(checked.values()), dtype=np.int64)[:, None]
        self._limits = np.concatenate((room.allocatable[self._rows] - needs, room.most_pods[None, :] - 1))
        self._fit = _Usage(room, profile.scoring.resources, scored_requests(pod), nonzero=True)
        self._fit_weight = profile.scores.get("NodeResourcesFit", 0)
        self._type = profile.scoring.type
        self._table = _table(profile)
        stated = any(requests.get(name, 0) for name, _ in profile.balanced_resources)
        self._balance = _Usage(room, profile.balanced_resources, requests, nonzero=False)
        self._balance_weight = profile.scores.get("NodeResourcesBalancedAllocation", 0) if stated else 0
        self._without = np.stack((np.zeros_like(self._balance.requests), self._balance.requests))

    def price(self, nodes: Indices) -> tuple[Mask, Amounts]:
        """Shape (nodes,): whether the requests fit into what is left, and the weighted sum of both scores."""
        used = self._room.used.take(nodes, axis=1)
        points = np.zeros(len(nodes), dtype=np.int64)
        if self._fit_weight:
            points += self._fit_weight * self._fit_score(nodes, used)
        if self._balance_weight:
            points += self._balance_weight * self._balance_score(nodes, used)
        return self._fits(nodes, used), points

    def _fits(self, nodes: Indices, used: Amounts) -> Mask:
        if not self._filters:
            return np.ones(len(nodes), dtype=bool)
        limits = self._limits.take(nodes, axis=1)
        fits: Mask = self._room.pods.take(nodes) <= limits[-1]
        fits &= (used[self._rows] <= limits[:-1]).all(axis=0)
        return fits

    def _fit_score(self, nodes: Indices, used: Amounts) -> Amounts:
        usage = self._fit
        used, allocatable = usage.of(nodes, used)
        weights, weight = usage.weights(nodes)
        if self._type == "LeastAllocated":
            value = np.maximum(allocatable - used, 0) * 100 // allocatable
        elif self._type == "MostAllocated":
            value = np.minimum(used, allocatable) * 100 // allocatable
        else:
            value = self._table[np.minimum(used, allocatable) * 100 // allocatable]
            weights = weights * (value > 0)
            weight = np.maximum(weights.sum(axis=0), 1)
            return (2 * (weights * value).sum(axis=0) + weight) // (2 * weight)
        return (weights * value).sum(axis=0) // weight

    def _balance_score(self, nodes: Indices, used: Amounts) -> Amounts:
        usage = self._balance
        used, allocatable = usage.of(nodes, used)
        # Along the first axis: with the pod, and without it.
        fractions = np.minimum(1.0, (used - self._without) / allocatable)
        balance: Amounts
        if usage.complete_pair:
            balance = _pair(fractions)
        else:
            present = usage.present.take(nodes, axis=1)
            balance = _balance(fractions * present, present)
        gain: Amounts = 50 + balance[0] - balance[1]
        return 50 + np.where(gain >= 0, gain // 2, -(-gain // 2))


class _Usage:
    """Usage of the resources that a score compares, with the pod on the node.

    Attributes
    ----------
    requests : array, shape (resources, 1)
    present : array, shape (resources, nodes)
        Whether the node has any of the resource.
    complete_pair : bool
        Exactly two resources, present on all nodes.
    """

    def __init__(
        self, room: Room, resources: Sequence[tuple[str, int]], requests: Requests, *, nonzero: bool
    ) -> None:
        compared = [
            (name, weight)
            for name, weight in resources
            if name in (CPU, MEMORY) or _scored(name, requests.get(name, 0))
        ]
        defaults: dict[str, str] = dict(zip((CPU, MEMORY), NONZERO, strict=True)) if nonzero else {}
        self._rows = _rows([room.row[defaults.get(name, name)] for name, _ in compared])
        self.requests = np.array([requests.get(name, 0) for name, _ in compared], dtype=np.int64)[:, None]
        self.present = room.allocatable[self._rows] > 0
        self._allocatable = np.maximum(room.allocatable[self._rows], 1)
        shares = np.array([weight for _, weight in compared], dtype=np.int64)[:, None]
        self._complete = bool(self.present.all())
        self._shares = shares if self._complete else shares * self.present
        self._share = np.maximum(self._shares.sum(axis=0), 1)
        self.complete_pair = len(compared) == 2 and self._complete

    def of(self, nodes: Indices, used: Amounts) -> tuple[Amounts, Amounts]:
        """Shape (resources, nodes): used with the pod, and allocatable, at least 1."""
        return used[self._rows] + self.requests, self._allocatable.take(nodes, axis=1)

    def weights(self, nodes: Indices) -> tuple[Amounts, Amounts]:
        """Weights by resource, 0 where not `present`, and their sums, at least 1; they broadcast to nodes."""
        if self._complete:
            return self._shares, self._share
        return self._shares.take(nodes, axis=1), self._share.take(nodes)


def _rows(rows: list[int]) -> Indices | slice:
    """An index of these rows; a slice, which copies nothing, where they follow each other."""
    first, follow = rows[:1], [row + 1 for row in rows[:-1]] == rows[1:]
    return slice(first[0], first[0] + len(rows)) if rows and follow else np.array(rows, dtype=np.int64)


def _scored(name: str, request: int) -> bool:
    return countable(name) and (request != 0 or name == EPHEMERAL)


def _table(profile: Profile) -> Amounts:
    """Shape (101,): the score of each share in per cent, for RequestedToCapacityRatio."""
    shape = [(share, 10 * score) for share, score in profile.scoring.shape]
    if not shape:
        return np.zeros(101, dtype=np.int64)
    return np.array([broken_line(shape, share) for share in range(101)], dtype=np.int64)


def _pair(fractions: NDArray[np.float64]) -> Amounts:
    """`_balance` of exactly two resources that every node has."""
    deviation = np.abs((fractions[:, 0] - fractions[:, 1]) / 2)
    return ((1 - deviation) * 100).astype(np.int64)


def _balance(fractions: NDArray[np.float64], present: Mask) -> Amounts:
    """100 for equal fractions, less by their standard deviation.

    Parameters
    ----------
    fractions : array, shape (2, resources, nodes)
        0 where `present` (shape (resources, nodes)) is not.

    Returns
    -------
    array, shape (2, nodes)
    """
    count = present.sum(axis=0)
    highest = fractions.max(axis=1, initial=0.0)
    lowest = fractions.min(axis=1, initial=1.0, where=present)
    deviation = (highest - lowest) / 2 * (count == 2)
    if len(present) > 2:
        deviation = np.where(count > 2, _deviation(fractions, present, count), deviation)
    return ((1 - deviation) * 100).astype(np.int64)


def _deviation(fractions: NDArray[np.float64], present: Mask, count: Indices) -> NDArray[np.float64]:
    # One row after the other: the order of float additions is kube-scheduler's.
    count = np.maximum(count, 1)
    mean = np.zeros(fractions[:, 0].shape)
    for row in range(len(present)):
        mean = mean + fractions[:, row]
    mean = mean / count
    variance = np.zeros(mean.shape)
    for row, there in enumerate(present):
        difference = fractions[:, row] - mean
        variance = variance + difference * difference * there
    return np.sqrt(variance / count)
