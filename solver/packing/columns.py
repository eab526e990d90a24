"""Column generation over patterns: a bound on what a tier can reach, and the patterns that may reach it."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .master import Master
from .patterns import Patterns, Whole
from .problem import Demand, Packing

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
_UNIT = 2**16
"""Prices are whole multiples of 1 / _UNIT, so that sums of them are exact."""
_DEAREST, _NEVER = 2**21, -(2**30)
"""Limits that keep the worth of a pattern within 32 bits: any prices below the first give valid bounds."""
_ROUNDS = 400


@dataclass(frozen=True, eq=False)
class Prices:
    """Dual prices, in units, and the bound that they prove.

    Parameters
    ----------
    worth : array, shape (groups, patterns)
        What a pattern on a node is worth beyond the pods' prices.
    bound : int
        No packing is worth more.
    """

    worth: Whole
    bound: int


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
        self._base = np.where(_allowed(packing, patterns, first, placed), 0, _NEVER).astype(np.int32)
        if keep:
            self._base += _UNIT * self._kept_of(self.goal)
        self._kept = [(demand, self._kept_of(demand)) for demand in self.demands if demand.kept]
        least = [demand.least for demand in self.demands]
        self._master = Master(self.sizes, packing.available, least)
        self.best: Prices | None = None

    def _kept_of(self, demand: Demand) -> Whole:
        """Shape (groups, patterns): pods of a demand's classes that stay."""
        return self.patterns.kept(np.where(demand.classes[:, None], self._own, 0)).astype(np.int32)

    @property
    def bound(self) -> int:
        """No packing that meets the demands reaches more."""
        return self.best.bound // _UNIT if self.best else int(self.packing.available.sum())

    def generate(self, deadline: float, enough: int) -> bool:
        """Add patterns until none improves the relaxation, or no packing can pass `enough`.

        Returns
        -------
        bool
            Whether that came about before `deadline` (`time.monotonic`).
        """
        groups = np.arange(len(self.nodes))
        self._add(groups, (self._base + sum(_UNIT * kept for _, kept in self._kept)).argmax(axis=1))
        for _ in range(_ROUNDS):
            value, nodes, pods, short = self._master.solve()
            prices = self._priced(pods, short)
            if self.best is None or prices.bound < self.best.bound:
                self.best = prices
            if self.bound <= enough or prices.bound / _UNIT - value < 1e-4:
                return True
            if time.monotonic() > deadline or not self._grow(prices.worth, nodes):
                break
        return time.monotonic() <= deadline

    def _grow(self, worth: Whole, nodes: Floats) -> int:
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
        price, premium = _whole(pods), _whole(short)
        each = -price + (0 if self.keep else _UNIT) * self.goal.classes
        for demand, extra in zip(self.demands, premium.tolist(), strict=True):
            if not demand.kept:
                each = each + extra * demand.classes
        worth = self.patterns.values(each) + self._base
        extras = [p for p, demand in zip(premium.tolist(), self.demands, strict=True) if demand.kept]
        for (_, kept), extra in zip(self._kept, extras, strict=True):
            worth += np.int32(extra) * kept
        owed = sum(p * demand.least for p, demand in zip(premium.tolist(), self.demands, strict=True))
        best = worth.max(axis=1).astype(np.int64)
        return Prices(worth, int(self.sizes @ best + price @ self.packing.available) - owed)

    def within(self, target: int) -> tuple[Ints, Ints]:
        """Groups and patterns of all columns that a packing worth `target` can use."""
        assert self.best is not None
        worth = self.best.worth
        slack = max(0, self.best.bound - target * _UNIT)
        groups, chosen = np.nonzero(worth >= worth.max(axis=1, keepdims=True).astype(np.int64) - slack)
        return groups, chosen


def _whole(prices: Floats) -> Ints:
    """Prices in units."""
    return np.clip(np.floor(prices * _UNIT), 0, _DEAREST).astype(np.int64)


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
            found[n] &= patterns.values(closed[:, n].astype(np.int64)) == 0
    return found


def _two_best(worth: Whole) -> list[Ints]:
    """Positions of the largest and the second largest value of each row."""
    rows = np.arange(len(worth))
    first = worth.argmax(axis=1)
    saved = worth[rows, first]
    worth[rows, first] = _NEVER
    second = worth.argmax(axis=1)
    worth[rows, first] = saved
    return [first, second]
