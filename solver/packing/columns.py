"""Column generation over patterns: a bound on what a tier can reach, and the patterns that may reach it."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .master import Master
from .patterns import Patterns
from .problem import Demand, Packing

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
_UNIT = float(2**20)
"""Prices are whole multiples of 1 / _UNIT, so that sums of them are exact."""
_NEVER = -float(2**50)
_ROUNDS = 400


@dataclass(frozen=True, eq=False)
class Prices:
    """Dual prices, in units, and the bound that they prove.

    Parameters
    ----------
    worth : array, shape (groups, patterns)
        What a pattern on a node is worth beyond the pods' prices.
    bound : float
        No packing is worth more.
    """

    worth: Floats
    bound: float


class Columns:
    """The patterns of a packing, priced.

    Parameters
    ----------
    packing : Packing
    patterns : Patterns
    keep : bool
        Maximise the tier's pods that stay where they are; otherwise those that are placed.
    placed : int
        So many pods of the tier are placed at least.

    Attributes
    ----------
    nodes : list of array of int
        Per group, the positions in `Packing.nodes` of nodes that are alike.
    best : Prices or None
        The prices with the best bound so far.
    """

    def __init__(self, packing: Packing, patterns: Patterns, *, keep: bool, placed: int) -> None:
        self.packing, self.patterns, self.keep = packing, patterns, keep
        self.demands = (*packing.demands, Demand(packing.mine, placed))
        self.goal = Demand(packing.mine, 0, kept=keep)
        self.nodes = _alike(packing, own=keep or any(demand.kept for demand in packing.demands))
        self.sizes = np.array([len(group) for group in self.nodes], dtype=np.int64)
        first = np.array([group[0] for group in self.nodes], dtype=np.int64)
        self._own = packing.own[:, first]
        self._closed = np.where(_allowed(packing, patterns, first, placed), 0.0, _NEVER)
        self._kept = [
            (demand, patterns.kept(np.where(demand.classes[:, None], self._own, 0)).astype(float))
            for demand in (*self.demands, self.goal)
            if demand.kept
        ]
        least = [demand.least for demand in self.demands]
        self._master = Master(self.sizes, packing.available, least)
        self.best: Prices | None = None

    @property
    def bound(self) -> int:
        """No packing that meets the demands reaches more."""
        return int(np.floor(self.best.bound)) if self.best else int(self.packing.available.sum())

    def generate(self, deadline: float, enough: int) -> bool:
        """Add patterns until none improves the relaxation, or no packing can pass `enough`.

        Returns
        -------
        bool
            Whether that came about before `deadline` (`time.monotonic`).
        """
        groups = np.arange(len(self.nodes))
        self._add(groups, (self._closed + sum(kept for _, kept in self._kept)).argmax(axis=1))
        for _ in range(_ROUNDS):
            value, nodes, pods, short = self._master.solve()
            prices = self._priced(pods, short)
            if self.best is None or prices.bound < self.best.bound:
                self.best = prices
            if self.bound <= enough or prices.bound - value < 1e-4:
                return True
            if time.monotonic() > deadline or not self._grow(prices.worth, nodes):
                break
        return time.monotonic() <= deadline

    def _grow(self, worth: Floats, nodes: Floats) -> int:
        """Add each group's two best patterns."""
        added, groups = 0, np.arange(len(nodes))
        for best in _two_best(worth):
            good = worth[groups, best] > nodes * _UNIT + 1
            added += self._add(groups[good], best[good])
        return added

    def _add(self, groups: Ints, chosen: Ints) -> int:
        contents = self.patterns.contents(chosen, len(self.packing.classes))
        met = np.stack([self.amount(demand, groups, contents) for demand in self.demands], axis=1)
        return self._master.add(groups, chosen, contents, met, self.amount(self.goal, groups, contents))

    def amount(self, demand: Demand, groups: Ints, contents: Ints) -> Ints:
        """Shape (columns,): how much of a demand patterns meet on nodes of `groups`."""
        counted = np.minimum(contents, self._own[:, groups].T) if demand.kept else contents
        return counted[:, demand.classes].sum(axis=1)

    def _priced(self, pods: Floats, short: Floats) -> Prices:
        """Exact for whatever prices: the sum of the nodes' best patterns and the pods' prices."""
        price, premium = np.floor(pods * _UNIT), np.floor(short * _UNIT)
        each: Floats = -price
        bonus: list[tuple[Demand, float]] = []
        for demand, extra in zip((*self.demands, self.goal), (*premium.tolist(), _UNIT), strict=True):
            if demand.kept:
                bonus.append((demand, extra))
            else:
                each = each + np.where(demand.classes, extra, 0.0)
        worth = self.patterns.values(each)[None, :] + self._closed
        for (_, kept), (_, extra) in zip(self._kept, bonus, strict=True):
            if extra:
                worth += extra * kept
        owed = sum(p * demand.least for p, demand in zip(premium.tolist(), self.demands, strict=True))
        best = worth.max(axis=1)
        bound = float(self.sizes @ best + price @ self.packing.available - owed) / _UNIT
        return Prices(worth, bound)

    def within(self, target: int) -> tuple[Ints, Ints]:
        """Groups and patterns of all columns that a packing worth `target` can use."""
        assert self.best is not None
        worth = self.best.worth
        slack = (self.best.bound - target) * _UNIT
        groups, chosen = np.nonzero(worth >= worth.max(axis=1, keepdims=True) - slack - 1)
        return groups, chosen


def _alike(packing: Packing, *, own: bool) -> list[Ints]:
    """Nodes with equal room, open for the same classes and, if that matters, with the same pods."""
    parts = [packing.room, packing.open.T.astype(np.int64), *([packing.own.T] if own else [])]
    rows = np.concatenate(parts, axis=1)
    _, group_of = np.unique(rows, axis=0, return_inverse=True)
    group_of = group_of.reshape(-1)
    return [np.flatnonzero(group_of == group) for group in range(int(group_of.max(initial=-1)) + 1)]


def _allowed(packing: Packing, patterns: Patterns, nodes: Ints, placed: int) -> Mask:
    """Shape (nodes, patterns): what fits, and leaves no more room free than all nodes together may."""
    room, waste = packing.room[nodes][:, packing.binding], packing.waste(placed)[packing.binding]
    found = np.ones((len(nodes), patterns.number), dtype=bool)
    for r in range(room.shape[1]):
        free = room[:, r, None] - patterns.usage[None, :, r]
        found &= (free >= 0) & (free <= waste[r])
    closed = ~packing.open[:, nodes]
    if closed.any():
        for n in np.flatnonzero(closed.any(axis=0)).tolist():
            found[n] &= patterns.values(closed[:, n].astype(float)) == 0
    return found


def _two_best(worth: Floats) -> list[Ints]:
    """Positions of the largest and the second largest value of each row."""
    rows = np.arange(len(worth))
    first = worth.argmax(axis=1)
    saved = worth[rows, first]
    worth[rows, first] = _NEVER
    second = worth.argmax(axis=1)
    worth[rows, first] = saved
    return [first, second]
