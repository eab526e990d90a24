"""Whole numbers near a fractional mix of patterns, with few pods too many or too few."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
_ASTRAY = 5e-5
"""What a pod too many or too few is taken to cost, as a share of the objective."""
_CANDIDATES = 24
"""Patterns per group that rounding may turn to: those that the linear program likes best."""
_STEPS = 200
_WHOLE = 1e-6


class Rounding:
    """Patterns by position.

    Parameters
    ----------
    group : array, shape (patterns,)
    pods : array, shape (patterns, classes)
    cost : array, shape (patterns,)
    row : array, shape (classes, groups)
        Which number of pods a class counts towards in a group.
    size : array, shape (groups,)
        Nodes per group.

    Attributes
    ----------
    astray : array, shape (rows,)
        Pods that are too many; negative where some are missing.
    """

    def __init__(self, group: Ints, pods: Ints, cost: Ints, row: Ints, size: Ints) -> None:
        self._group, self._pods, self._cost, self._row, self._size = group, pods, cost, row, size
        self.astray: Ints = np.zeros(0, dtype=np.int64)

    def run(self, share: Floats, reduced: Floats, wanted: Ints) -> Ints:
        """How often to use each pattern, shape (patterns,); every group is filled.

        Parameters
        ----------
        share : array, shape (patterns,)
            The same in fractions.
        reduced : array, shape (patterns,)
            What each pattern costs beyond the prices of its pods and its node.
        wanted : array, shape (rows,)
            Pods that are to be placed.
        """
        used = np.floor(share + _WHOLE).astype(np.int64)
        self._reduced = reduced
        self._price = _ASTRAY * float(np.abs(used @ self._cost))
        self._choices = self._likely(share)
        self.astray = self._numbers(used) - wanted
        left = self._size - np.bincount(self._group, used, len(self._size)).astype(np.int64)
        for g in np.repeat(np.arange(len(left)), left).tolist():
            choices = self._choices[g]
            worth = self._reduced[choices] + self._price * self._strays(g, self._pods[choices])
            self._use(used, int(choices[worth.argmin()]), 1)
        for _ in range(_STEPS):
            change = self._best_change(used)
            if change is None:
                break
            self._use(used, change[0], -1)
            self._use(used, change[1], 1)
        return used

    def _likely(self, share: Floats) -> list[Ints]:
        """By group the patterns in use and others of low reduced cost."""
        worth = np.where(share > _WHOLE, -np.inf, self._reduced)
        order = np.lexsort((worth, self._group))
        ends = np.searchsorted(self._group[order], np.arange(1, len(self._size)))
        parts = np.split(order, ends)
        return [part[: max(_CANDIDATES, int((share[part] > _WHOLE).sum()))] for part in parts]

    def _numbers(self, used: Ints) -> Ints:
        found = np.zeros(int(self._row.max(initial=-1)) + 1, dtype=np.int64)
        rows = self._row[:, self._group].T
        np.add.at(found, rows, used[:, None] * self._pods)
        return found

    def _use(self, used: Ints, pattern: int, number: int) -> None:
        used[pattern] += number
        self.astray[self._row[:, self._group[pattern]]] += number * self._pods[pattern]

    def _strays(self, g: int, more: Ints) -> Ints:
        """Pods astray among the classes after ``more``, shape (..., classes), has come to group `g`."""
        return np.abs(self.astray[self._row[:, g]] + more).sum(axis=-1)

    def _best_change(self, used: Ints) -> tuple[int, int] | None:
        """The pattern of a node to give up, and the one to take, if that gains anything."""
        best, change = -1e-9, None
        for g, choices in enumerate(self._choices):
            mine = choices[used[choices] > 0]
            if not len(mine):
                continue
            pods = self._pods[choices][None, :, :] - self._pods[mine][:, None, :]
            now = int(np.abs(self.astray[self._row[:, g]]).sum())
            worth = self._price * (self._strays(g, pods) - now)
            worth += self._reduced[choices][None, :] - self._reduced[mine][:, None]
            out, come = np.unravel_index(int(worth.argmin()), worth.shape)
            if worth[out, come] < best:
                best, change = float(worth[out, come]), (int(mine[out]), int(choices[come]))
        return change


def handed_out(group_of: Ints, group: Ints, pods: Ints, used: Ints) -> Ints:
    """Counts, shape (classes, nodes), of nodes that hold the patterns of their group."""
    taken = np.repeat(np.arange(len(used)), used)
    taken = taken[np.argsort(group[taken], kind="stable")]
    counts = np.zeros((pods.shape[1], len(group_of)), dtype=np.int64)
    counts[:, np.argsort(group_of, kind="stable")] = pods[taken].T
    return counts
