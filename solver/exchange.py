"""The exchange search: many disjoint pairs of nodes improve themselves at once.

Every node keeps its pods in *slots*; an empty slot holds a dummy class, so
that moving a pod and swapping two pods are the same operation. A round matches
nodes into random pairs and scores, for every pair, all swaps of a sample of
slots; each pair then makes its best improving swap. Pairs are disjoint, so the
improvements add up exactly.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .coupling import Coupling
from .nodecost import NodeCost
from .problem import Problem
from .terms import Term

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
_CANDIDATES = 300_000


@dataclass(eq=False)
class Exchange:
    """State of the search.

    Parameters
    ----------
    problem : Problem
    coupling : Coupling
        What moves must respect.
    terms : sequence of (Term, int)
        Node-separable terms and their coefficients.
    counts : array, shape (classes, nodes)
        A feasible placement to start from.
    seed : int
    """

    problem: Problem
    coupling: Coupling
    terms: Sequence[tuple[Term, int]]
    counts: Ints
    seed: int = 0

    def __post_init__(self) -> None:
        problem = self.problem
        self._random = np.random.default_rng(self.seed)
        self._dummy = len(problem.classes)
        self._cost = NodeCost(problem, self.terms)
        self._usage = self._cost.usage(self.counts)
        self._request = np.vstack([problem.request, np.zeros((1, len(problem.resources)), dtype=np.int64)])
        self._room = problem.capacity - self.counts.T @ problem.request
        self._fill_slots()
        self._prepare_rules()

    def _fill_slots(self) -> None:
        self._filled = self.counts.sum(axis=0)
        width = int(self._filled.max(initial=0)) * 2 + 2
        self._slots = np.full((len(self.problem.nodes), width), self._dummy, dtype=np.int64)
        n, c = np.nonzero(self.counts.T)
        repeats = self.counts[c, n]
        node, cls = np.repeat(n, repeats), np.repeat(c, repeats)
        starts = np.cumsum(self._filled) - self._filled
        self._slots[node, np.arange(len(node)) - starts[node]] = cls

    def _prepare_rules(self) -> None:
        coupling, size = self.coupling, self._dummy
        nodes = len(self.problem.nodes)
        self._open = np.ones((size + 1, nodes), dtype=bool)
        self._open[:size] = coupling.eligible
        self._frozen = np.append(coupling.frozen, False)
        patterns: dict[frozenset[str], int] = {}
        self._pattern = np.zeros(size + 1, dtype=np.int64)
        rows: list[Ints] = []
        for c in range(size):
            key = frozenset(coupling.keys[c])
            if key not in patterns:
                patterns[key] = len(rows)
                rows.append(coupling.domain_of(c))
            self._pattern[c] = patterns[key]
        rows.append(np.zeros(nodes, dtype=np.int64))
        self._pattern[size] = len(rows) - 1
        self._domain = np.stack(rows)
        self._guarded = np.flatnonzero(coupling.conflict.any(axis=1))
        self._guard = np.full(size + 1, -1, dtype=np.int64)
        self._guard[self._guarded] = np.arange(len(self._guarded))
        self._conflict = coupling.conflict[np.ix_(self._guarded, self._guarded)].astype(np.int64)
        self._present = self.counts[self._guarded].copy()

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
            step = self._round()
            gain += step
            idle = 0 if step > 0 else idle + 1
            if done(gain) or idle > 30:
                break
        self.counts = self._counts()

    def _counts(self) -> Ints:
        counts = np.zeros((self._dummy + 1, len(self.problem.nodes)), dtype=np.int64)
        nodes = np.repeat(np.arange(len(self.problem.nodes)), self._slots.shape[1])
        np.add.at(counts, (self._slots.reshape(-1), nodes), 1)
        return counts[: self._dummy]

    def _round(self) -> float:
        nodes = len(self.problem.nodes)
        order = self._random.permutation(nodes)
        half = nodes // 2
        if half == 0:
            return 0.0
        a, b = order[:half], order[half : 2 * half]
        i, x = self._sample(a)
        j, z = self._sample(b)
        delta = self._cost.swap(self._usage, a, b, x, z)
        delta[~self._allowed(a, b, x, z)] = np.inf
        flat = delta.reshape(half, -1)
        best = flat.argmin(axis=1)
        change = flat[np.arange(half), best]
        better = np.flatnonzero(change < -0.5)
        if not len(better):
            return 0.0
        left, right = np.divmod(best[better], x.shape[1] if x.ndim == 1 else z.shape[1])
        self._apply(a[better], b[better], i[better, left], j[better, right])
        return float(-change[better].sum())

    def _sample(self, nodes: Ints) -> tuple[Ints, Ints]:
        """Slots to look at, shape (pairs, k), the last one empty; and the classes in them."""
        width = max(2, int((_CANDIDATES / len(nodes)) ** 0.5) - 1)
        filled = self._filled[nodes]
        most = int(filled.max(initial=0))
        if most <= width:
            slots = np.minimum(np.arange(most)[None, :], filled[:, None])
        else:
            slots = (self._random.random((len(nodes), width)) * filled[:, None]).astype(np.int64)
        slots = np.concatenate([slots, filled[:, None]], axis=1)
        return slots, self._slots[nodes[:, None], slots]

    def _allowed(self, a: Ints, b: Ints, x: Ints, z: Ints) -> Mask:
        go = self._may_move(x, a, b)
        come = self._may_move(z, b, a)
        allowed = go[:, :, None] & come[:, None, :]
        for r in range(self._request.shape[1]):
            added = self._request[x, r][:, :, None] - self._request[z, r][:, None, :]
            allowed &= (added <= np.maximum(self._room[b, r], 0)[:, None, None]) & (
                -added <= np.maximum(self._room[a, r], 0)[:, None, None]
            )
        return allowed

    def _may_move(self, x: Ints, origin: Ints, target: Ints) -> Mask:
        pattern = self._pattern[x]
        same = self._domain[pattern, origin[:, None]] == self._domain[pattern, target[:, None]]
        may = self._open[x, target[:, None]] & same & ~self._frozen[x]
        if len(self._guarded):
            blocked = (self._conflict @ (self._present[:, target] > 0)) > 0
            guard = self._guard[x]
            may &= (guard < 0) | ~blocked[guard, np.arange(len(target))[:, None]]
        return may

    def _apply(self, a: Ints, b: Ints, i: Ints, j: Ints) -> None:
        x, z = self._slots[a, i], self._slots[b, j]
        self._cost.move(self._usage, a, b, x, z)
        change = self._request[x] - self._request[z]
        self._room[a] += change
        self._room[b] -= change
        if len(self._guarded):
            for cls, origin, target in ((x, a, b), (z, b, a)):
                guard = self._guard[cls]
                known = guard >= 0
                np.subtract.at(self._present, (guard[known], origin[known]), 1)
                np.add.at(self._present, (guard[known], target[known]), 1)
        self._slots[a, i], self._slots[b, j] = z, x
        self._close(a, i, x, z)
        self._close(b, j, z, x)

    def _close(self, nodes: Ints, slot: Ints, old: Ints, new: Ints) -> None:
        """Keep filled slots in front: a slot that was emptied takes the last filled one."""
        self._filled[nodes] += (new != self._dummy).astype(np.int64) - (old != self._dummy)
        emptied = (new == self._dummy) & (old != self._dummy)
        node, hole = nodes[emptied], slot[emptied]
        last = self._filled[node]
        self._slots[node, hole] = self._slots[node, last]
        self._slots[node, last] = self._dummy
        if (self._filled[nodes] >= self._slots.shape[1] - 1).any():
            more = np.full_like(self._slots, self._dummy)
            self._slots = np.concatenate([self._slots, more], axis=1)
