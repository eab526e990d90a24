"""The exchange search: many disjoint pairs of nodes improve themselves at once.

Every node keeps its pods in *slots*; an empty slot holds a dummy class. A
candidate is two slots of a node, so that one operation, trading a candidate of
one node for a candidate of another, covers moves, swaps and two-for-one
trades. A round matches nodes into random pairs, scores all trades between
samples of candidates, and lets each pair make its best improving one. Pairs are
disjoint, so the improvements add up exactly.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..instance import Instance
from ..nodecost import NodeCost
from ..relations.slack import Slack
from .curves import sums

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
_NARROW, _WIDE = 12, 48
"""Candidates a node in the first rounds, and after those have stopped to gain."""
_PATIENCE = 12


@dataclass(eq=False)
class Exchange:
    """State of the search.

    Parameters
    ----------
    instance : Instance
    counts : array, shape (classes, nodes)
        A feasible placement to start from.
    seed : int
    """

    instance: Instance
    counts: Ints
    seed: int = 0

    def __post_init__(self) -> None:
        self.problem = problem = self.instance.problem
        self._random = np.random.default_rng(self.seed)
        self._dummy = len(problem.classes)
        self._width = _NARROW
        self._cost = NodeCost(problem, self.instance.terms)
        self._usage = self._cost.usage(self.counts)
        self._request: Ints = np.vstack(
            [problem.request, np.zeros((1, len(problem.resources)), dtype=np.int64)]
        )
        self._amount = self._request.T.astype(float)
        self._room: Ints = problem.capacity - self.counts.T @ problem.request
        self._fill_slots()
        self._prepare_rules()

    def _fill_slots(self) -> None:
        self._filled: Ints = self.counts.sum(axis=0)
        width = int(self._filled.max(initial=0)) * 2 + 2
        self._slots: Ints = np.full((len(self.problem.nodes), width), self._dummy, dtype=np.int64)
        n, c = np.nonzero(self.counts.T)
        repeats = self.counts[c, n]
        node, cls = np.repeat(n, repeats), np.repeat(c, repeats)
        starts = np.cumsum(self._filled) - self._filled
        self._slots[node, np.arange(len(node)) - starts[node]] = cls

    def _prepare_rules(self) -> None:
        coupling, size = self.instance.coupling, self._dummy
        nodes = len(self.problem.nodes)
        self._open: Mask = np.ones((size + 1, nodes), dtype=bool)
        self._open[:size] = coupling.eligible
        self._frozen: Mask = np.append(coupling.frozen, False)
        patterns: dict[frozenset[str], int] = {}
        self._pattern: Ints = np.zeros(size + 1, dtype=np.int64)
        rows: list[Ints] = []
        for c in range(size):
            key = frozenset(coupling.keys[c])
            if key not in patterns:
                patterns[key] = len(rows)
                rows.append(coupling.domain_of(c))
            self._pattern[c] = patterns[key]
        rows.append(np.zeros(nodes, dtype=np.int64))
        self._pattern[size] = len(rows) - 1
        self._domain: Ints = np.stack(rows)
        self._kinds = [
            np.zeros(nodes, dtype=np.int64),
            _alike(self._cost.preference.T),
            _alike(np.concatenate([self._cost.preference, self._open, self._domain]).T),
        ]
        self._sharing: Ints = np.append(self.instance.sharing, -1)
        self._guarded: Ints = np.flatnonzero(coupling.conflict.any(axis=1))
        self._guard: Ints = np.full(size + 1, -1, dtype=np.int64)
        self._guard[self._guarded] = np.arange(len(self._guarded))
        self._conflict: Ints = coupling.conflict[np.ix_(self._guarded, self._guarded)].astype(np.int64)
        self._present: Ints = self.counts[self._guarded].copy()
        self._slack = Slack(self.instance, self.counts)

    def run(self, deadline: float, done: Callable[[float], bool], rounds: int | None = None) -> None:
        """Improve until `deadline` (`time.monotonic`), until ``done(gain so far)``, or for some rounds.

        Parameters
        ----------
        deadline : float
        done : callable
            Gets the total gain of this run, in objective units (at least 0).
        rounds : int, optional
            Stop after so many rounds: the reproducible limit.
        """
        gain, idle, number = 0.0, 0, 0
        while time.monotonic() < deadline and (rounds is None or number < rounds):
            number += 1
            step = self._round(rough=not idle)
            gain += step
            idle = 0 if step > 0 else idle + 1
            if done(gain) or idle > 2 * _PATIENCE:
                break
            if idle > _PATIENCE:
                self._width = min(_WIDE, self._width + 1)
        self.counts = self._counts()

    def _counts(self) -> Ints:
        counts = np.zeros((self._dummy + 1, len(self.problem.nodes)), dtype=np.int64)
        nodes = np.repeat(np.arange(len(self.problem.nodes)), self._slots.shape[1])
        np.add.at(counts, (self._slots.reshape(-1), nodes), 1)
        return counts[: self._dummy]

    def _round(self, *, rough: bool) -> float:
        """The gain of one trade for every pair; screening may be `rough`."""
        a, b = self._match()
        half = len(a)
        if half == 0:
            return 0.0
        if self._cost.relational:
            self._cost.reprice(self._counts())
        self._slack.update()
        i, x = self._sample(a)
        j, z = self._sample(b)
        delta = self._cost.swap(self._usage, a, b, x, z, rough=rough)
        delta[~self._allowed(a, b, x, z)] = np.inf
        left, right = np.divmod(delta.reshape(half, -1).argmin(axis=1), z.shape[1])
        hopeful = np.flatnonzero(delta[np.arange(half), left, right] < 0)
        a, b, i, j = a[hopeful], b[hopeful], i[hopeful, left[hopeful]], j[hopeful, right[hopeful]]
        x, z = x[hopeful, left[hopeful]], z[hopeful, right[hopeful]]
        change = self._cost.swap(self._usage, a, b, x[:, None], z[:, None])[:, 0, 0]
        better = np.flatnonzero(change < -0.5)
        if (self._cost.relational or self._slack) and len(better):
            better = better[self._separate(a[better], b[better], x[better], z[better], change[better])]
        if not len(better):
            return 0.0
        self._apply(a[better], b[better], i[better], j[better])
        return float(-change[better].sum())

    def _separate(self, a: Ints, b: Ints, x: Ints, z: Ints, change: Floats) -> list[int]:
        """Positions of trades that change no price and no count of domains twice, the best first."""
        classes = np.concatenate([x, z], axis=1)
        touched = self._cost.touched(classes, a, b, self._sharing)
        for mine, crossed in zip(touched, self._slack.crossing(classes, a, b).tolist(), strict=True):
            for number in crossed:
                if number >= 0:
                    mine.append((-1, number))
        return _disjoint(touched, change)

    def _match(self) -> tuple[Ints, Ints]:
        """A random matching, in most rounds of nodes that look alike to a pod: such trades cost least."""
        order = self._random.permutation(len(self.problem.nodes))
        kinds = self._kinds[int(self._random.integers(len(self._kinds)))]
        order = order[np.argsort(kinds[order], kind="stable")]
        half = len(order) // 2
        return order[: 2 * half : 2], order[1 : 2 * half : 2]

    def _sample(self, nodes: Ints) -> tuple[Ints, Ints]:
        """Candidates of each node, shape (pairs, k, 2): slots, and the classes in them."""
        width = self._width
        filled = self._filled[nodes]
        most = int(filled.max(initial=0))
        singles = min(most, width // 2)
        if singles == most:
            one = np.minimum(np.arange(most)[None, :], filled[:, None])
        else:
            one = self._draw(filled, singles)
        pairs = min(width - singles, most * (most - 1) // 2)
        first, second = self._draw(filled, pairs), self._draw(filled, pairs)
        second = np.where(first == second, filled[:, None], second)
        empty = filled[:, None]
        left = np.concatenate([one, first, empty], axis=1)
        right = np.concatenate([np.broadcast_to(empty, one.shape), second, empty], axis=1)
        left = np.where(left == empty, empty + 1, left)
        slots = np.stack([left, right], axis=2)
        return slots, self._slots[nodes[:, None, None], slots]

    def _draw(self, filled: Ints, number: int) -> Ints:
        return (self._random.random((len(filled), number)) * filled[:, None]).astype(np.int64)

    def _allowed(self, a: Ints, b: Ints, x: Ints, z: Ints) -> Mask:
        go: Mask = np.logical_and.reduce(np.moveaxis(self._may_move(x, a, b), 2, 0))
        come: Mask = np.logical_and.reduce(np.moveaxis(self._may_move(z, b, a), 2, 0))
        allowed: Mask = go[:, :, None] & come[:, None, :]
        for r in range(self._request.shape[1]):
            out, back = sums(self._amount[r], x), sums(self._amount[r], z)
            added = out[:, :, None] - back[:, None, :]
            allowed &= added <= np.maximum(self._room[b, r], 0)[:, None, None]
            allowed &= added >= -np.maximum(self._room[a, r], 0)[:, None, None]
        return allowed

    def _may_move(self, x: Ints, origin: Ints, target: Ints) -> Mask:
        pattern, goal = self._pattern[x], target[:, None, None]
        same = self._domain[pattern, origin[:, None, None]] == self._domain[pattern, goal]
        if self._slack:
            same |= self._slack.allows(x, origin, target)
        may = self._open[x, goal] & same & ~self._frozen[x]
        if len(self._guarded):
            blocked = (self._conflict @ (self._present[:, target] > 0)) > 0
            guard = self._guard[x]
            may &= (guard < 0) | ~blocked[guard, np.arange(len(target))[:, None, None]]
        return may

    def _apply(self, a: Ints, b: Ints, i: Ints, j: Ints) -> None:
        x, z = self._slots[a[:, None], i], self._slots[b[:, None], j]
        self._cost.move(self._usage, a, b, x, z)
        change = (self._request[x] - self._request[z]).sum(axis=1)
        self._room[a] += change
        self._room[b] -= change
        for cls, origin, target in ((x, a, b), (z, b, a)):
            self._filled += np.bincount(
                np.repeat(target, 2), weights=(cls != self._dummy).reshape(-1), minlength=len(self._filled)
            ).astype(np.int64)
            self._filled -= np.bincount(
                np.repeat(origin, 2), weights=(cls != self._dummy).reshape(-1), minlength=len(self._filled)
            ).astype(np.int64)
            self._guard_moves(cls, origin, target)
            if self._slack:
                self._slack.move(cls, origin, target)
        self._slots[a[:, None], i], self._slots[b[:, None], j] = z, x
        # The dummy is the largest class, so sorting brings empty slots to the end.
        both = np.concatenate([a, b])
        self._slots[both] = np.sort(self._slots[both], axis=1)
        if int(self._filled.max()) > self._slots.shape[1] - 2:
            more: Ints = np.full_like(self._slots, self._dummy)
            self._slots = np.concatenate([self._slots, more], axis=1)

    def _guard_moves(self, x: Ints, origin: Ints, target: Ints) -> None:
        if not len(self._guarded):
            return
        guard = self._guard[x]
        row, _ = np.nonzero(guard >= 0)
        known = guard[guard >= 0]
        np.subtract.at(self._present, (known, origin[row]), 1)
        np.add.at(self._present, (known, target[row]), 1)


def _alike(rows: NDArray[np.generic]) -> Ints:
    """Equal numbers for equal rows."""
    numbers: dict[bytes, int] = {}
    return np.array([numbers.setdefault(row.tobytes(), len(numbers)) for row in np.ascontiguousarray(rows)])


def _disjoint(touched: Sequence[Sequence[tuple[int, ...]]], change: Floats) -> list[int]:
    """Positions of trades of which no two change the same prices, the best first.

    Prices hold for one move: two moves of pods that share domains could undo each other's gain.
    """
    used: set[tuple[int, ...]] = set()
    kept: list[int] = []
    order: list[int] = np.argsort(change).tolist()
    for position in order:
        mine = set(touched[position])
        if len(mine) == len(touched[position]) and used.isdisjoint(mine):
            used |= mine
            kept.append(position)
    return kept
