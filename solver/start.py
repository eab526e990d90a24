"""Where the search starts: the relaxed solution, rounded class by class."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .coupling import Coupling
from .nodecost import NodeCost
from .problem import Problem
from .relaxation import Relaxation, Solution
from .terms import Term

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def guided_start(
    problem: Problem,
    coupling: Coupling,
    terms: Sequence[tuple[Term, int]],
    relaxation: Relaxation,
    solution: Solution,
) -> Ints:
    """Place classes, big pods first, in the group shares that the relaxation asks for.

    Returns
    -------
    array, shape (classes, nodes)
        Counts that respect capacities, conflicts and eligibility; pods that did not fit are left out.
    """
    builder = _Builder(problem, coupling, terms)
    shares = relaxation.group_counts(solution)
    size = problem.request[:, 1:] / np.maximum(problem.capacity[:, 1:].max(axis=0, initial=1), 1)
    order = np.lexsort((-size.max(axis=1, initial=0.0), problem.tier_of))
    for c in order.tolist():
        for groups in _same_domain(relaxation, coupling.domain_of(c)):
            wanted = round_shares(shares[c, groups])
            for g, number in zip(groups, wanted.tolist(), strict=True):
                builder.place(c, np.flatnonzero(relaxation.group_of == g), number)
        builder.place(c, np.arange(len(problem.nodes)), int(problem.count[c] - builder.counts[c].sum()))
    return builder.counts


def _same_domain(relaxation: Relaxation, domain: Ints) -> list[list[int]]:
    first = {int(g): int(domain[n]) for n, g in reversed(list(enumerate(relaxation.group_of)))}
    groups: dict[int, list[int]] = {}
    for g in range(relaxation.groups):
        groups.setdefault(first[g], []).append(g)
    return list(groups.values())


def round_shares(shares: Floats) -> Ints:
    """Whole numbers near `shares` with the same (rounded) sum: largest remainders go up."""
    whole = np.floor(shares + 1e-6).astype(np.int64)
    missing = round(float(shares.sum())) - int(whole.sum())
    if missing > 0:
        whole[np.argsort(whole - shares, kind="stable")[:missing]] += 1
    return whole


class _Builder:
    """A growing placement: batches of one pod per node, cheapest nodes first."""

    def __init__(self, problem: Problem, coupling: Coupling, terms: Sequence[tuple[Term, int]]) -> None:
        self._problem = problem
        self._coupling = coupling
        self._cost = NodeCost(problem, terms)
        self.counts = np.zeros((len(problem.classes), len(problem.nodes)), dtype=np.int64)
        self._usage = self._cost.usage(self.counts)
        self._room = problem.capacity.copy()

    def place(self, c: int, nodes: Ints, number: int) -> None:
        """Place up to `number` pods of class `c` on `nodes`, wave by wave."""
        while number > 0:
            able = nodes[self._able(c, nodes)]
            if not len(able):
                return
            if number >= 2 * len(able) and not self._coupling.conflict[c, c]:
                self._add(c, able, np.ones(len(able), dtype=np.int64))
                number -= len(able)
                continue
            wave = min(number, max(1, len(able) // 4))
            cost = self._cost.marginal(self._usage, c, able)
            chosen = able[np.argpartition(cost, wave - 1)[:wave]]
            self._add(c, chosen, np.ones(len(chosen), dtype=np.int64))
            number -= len(chosen)

    def _able(self, c: int, nodes: Ints) -> NDArray[np.bool_]:
        wanted = self._problem.request[c]
        able = self._coupling.eligible[c, nodes].copy()
        for r in np.flatnonzero(wanted).tolist():
            able &= self._room[nodes, r] >= wanted[r]
        enemies = np.flatnonzero(self._coupling.conflict[c])
        if len(enemies):
            able &= ~(self.counts[np.ix_(enemies, nodes)] > 0).any(axis=0)
        return able

    def _add(self, c: int, nodes: Ints, number: Ints) -> None:
        self.counts[c, nodes] += number
        self._room[nodes] -= number[:, None] * self._problem.request[c]
        self._cost.add(self._usage, c, nodes, number)
