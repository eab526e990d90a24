"""All ways to fill a node, as a tree: each pattern is another one and one more pod."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .problem import Packing, fitting

Ints = NDArray[np.int64]
Small = NDArray[np.int8]
Whole = NDArray[np.int32]
Mask = NDArray[np.bool_]
_ROOMS, _DEEPEST = 8, 400


@dataclass(frozen=True, eq=False)
class Patterns:
    """Contents that some node can hold; pattern 0 is the empty node.

    Parameters
    ----------
    level : tuple of int
        Where the patterns of 0, 1, 2, … pods begin, and the number of patterns at the end.
    parent : array of int, shape (patterns,)
        The pattern with one pod less.
    pod : array of int, shape (patterns,)
        Class of that pod.
    copies : array of int, shape (patterns,)
        Pods of that class in the pattern.
    usage : array of int, shape (patterns, resources)
        Of the resources `Packing.binding`.
    """

    level: tuple[int, ...]
    parent: Ints
    pod: Ints
    copies: Ints
    usage: Ints

    @property
    def number(self) -> int:
        """How many there are."""
        return self.level[-1]

    def values(self, worth: Ints) -> Whole:
        """Shape (patterns,): sums of ``worth[class]``, shape (classes,), over the pods; they fit 32 bits."""
        found, each = np.zeros(self.number, dtype=np.int32), worth.astype(np.int32)
        for begin, end in zip(self.level[1:], self.level[2:], strict=False):
            found[begin:end] = found[self.parent[begin:end]] + each[self.pod[begin:end]]
        return found

    def kept(self, own: Ints) -> Small:
        """Shape (groups, patterns): pods of each class up to the number in `own`, shape (classes, groups)."""
        found = np.zeros((own.shape[1], self.number), dtype=np.int8)
        for begin, end in zip(self.level[1:], self.level[2:], strict=False):
            stays = self.copies[begin:end] <= own[self.pod[begin:end]].T
            found[:, begin:end] = found[:, self.parent[begin:end]] + stays
        return found

    def contents(self, which: Ints, classes: int) -> Ints:
        """Shape (which, classes): pods of each class in some patterns."""
        found = np.zeros((len(which), classes), dtype=np.int64)
        here, rows = which.copy(), np.arange(len(which))
        while (some := here > 0).any():
            np.add.at(found, (rows[some], self.pod[here[some]]), 1)
            here[some] = self.parent[here[some]]
        return found


def patterns_of(packing: Packing, limit: int) -> Patterns | None:
    """Enumerate the patterns of a packing; None when there are more than `limit`."""
    return _Enumeration(packing, limit).run()


class _Enumeration:
    """Adds pods in one order of classes, large ones first, so that every pattern is met once."""

    def __init__(self, packing: Packing, limit: int) -> None:
        self._limit = limit
        binding = packing.binding
        self._request = packing.request[:, binding]
        self._rooms = _widest(packing.room[:, binding])
        share = self._request / np.maximum(self._rooms.max(axis=0, initial=1), 1)
        self._order = np.argsort(-share.max(axis=1, initial=0.0), kind="stable")
        self._order = self._order[packing.open[self._order].any(axis=1)]
        self._available = packing.available
        self._conflict = packing.conflict if packing.conflict.any() else None
        self._classes = len(packing.available)

    def run(self) -> Patterns | None:
        root = np.zeros(1, dtype=np.int64)
        usage = np.zeros((1, self._request.shape[1]), dtype=np.int64)
        levels: list[tuple[Ints, Ints, Ints, Ints]] = [(root, root, root, usage)]
        level, place = [0, 1], root - 1
        present = np.zeros((1, self._classes if self._conflict is not None else 0), dtype=bool)
        while True:
            found = self._extend(levels[-1], place, present)
            if found is None:
                break
            rows, place, pod, copies, usage = found
            if level[-1] + len(rows) > self._limit or len(level) > _DEEPEST:
                return None
            levels.append((level[-2] + rows, pod, copies, usage))
            level.append(level[-1] + len(rows))
            if self._conflict is not None:
                present = present[rows]
                present[np.arange(len(rows)), pod] = True
        parent, pod, copies, usage = (np.concatenate(parts) for parts in zip(*levels, strict=True))
        return Patterns(tuple(level), parent, pod, copies, usage)

    def _extend(
        self, level: tuple[Ints, Ints, Ints, Ints], place: Ints, present: Mask
    ) -> tuple[Ints, Ints, Ints, Ints, Ints] | None:
        """Patterns of one level with one more pod; they stay sorted by the place of the last class."""
        _, _, copies, usage = level
        found: list[tuple[Ints, Ints, Ints, Ints, Ints]] = []
        total = 0
        for q, c in enumerate(self._order.tolist()):
            begin, end = np.searchsorted(place, [q, q + 1]).tolist()
            again = np.flatnonzero(copies[begin:end] < self._available[c]) + begin
            rows: Ints = np.concatenate([np.arange(begin, dtype=np.int64), again])
            if self._conflict is not None:
                met: Mask = present[rows] & self._conflict[c]
                rows = rows[~met.any(axis=1)]
            more = usage[rows] + self._request[c]
            fits = fitting(more, self._rooms).any(axis=1)
            rows, more = rows[fits], more[fits]
            same = np.full(len(rows), q)
            number = np.where(rows < begin, 1, copies[rows] + 1)
            found.append((rows, same, np.full(len(rows), c), number, more))
            total += len(rows)
            if total > self._limit:
                break
        if not total:
            return None
        rows, where, pod, number, more = (np.concatenate(parts) for parts in zip(*found, strict=True))
        return rows, where, pod, number, more


def _widest(rooms: Ints) -> Ints:
    """Rooms that no other one contains; one that contains all when these are many."""
    rooms = np.unique(rooms, axis=0)
    inside = (rooms[:, None, :] <= rooms[None, :, :]).all(axis=2)
    widest = rooms[inside.sum(axis=1) == 1]
    return widest if len(widest) <= _ROOMS else rooms.max(axis=0, keepdims=True)
