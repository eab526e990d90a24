"""Where the search starts: the relaxed solution, rounded class by class."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..bounds.relaxation import Relaxation, Solution
from ..instance import Instance
from ..nodecost import NodeCost
from ..relations.gates import CompanyGate, Gate

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def guided_start(instance: Instance, relaxation: Relaxation, solution: Solution | None) -> Ints:
    """Place class after class, big pods first, in the group shares that the relaxation asks for.

    Classes under relational rules come first and ask their gates, so that the result
    breaks no rule that a gate stands for. Without a solution, every pod goes where it costs least by now.

    Returns
    -------
    array, shape (classes, nodes)
        Counts that respect capacities, conflicts, eligibility and gates; pods that did not fit are left out.
    """
    problem = instance.problem
    builder = Builder(instance)
    shares = np.zeros(relaxation.counts.shape) if solution is None else relaxation.group_counts(solution)
    size = problem.request[:, 1:] / np.maximum(problem.capacity[:, 1:].max(axis=0, initial=1), 1)
    gated = np.zeros(len(problem.classes), dtype=bool)
    for gate in instance.gates:
        gated[gate.classes] = True
    order = np.lexsort((-size.max(axis=1, initial=0.0), problem.tier_of))
    for c in order[gated[order]].tolist():
        builder.place_gated(c, instance.gates_of(c), _node_shares(relaxation, shares[c]))
    for c in order[~gated[order]].tolist():
        for groups in _same_domain(relaxation, instance.coupling.domain_of(c)):
            wanted = round_shares(shares[c, groups])
            for g, number in zip(groups, wanted.tolist(), strict=True):
                builder.place(c, np.flatnonzero(relaxation.group_of == g), number)
        builder.place(c, np.arange(len(problem.nodes)), int(problem.count[c] - builder.counts[c].sum()))
    # Once more, since company may have come after those who look for it.
    for c in order[gated[order]].tolist():
        builder.place_gated(c, instance.gates_of(c), _node_shares(relaxation, shares[c]))
    return builder.counts


def _node_shares(relaxation: Relaxation, shares: Floats) -> Floats:
    """Shape (nodes,): each node's part of its group's share."""
    return (shares / relaxation.size)[relaxation.group_of]


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


class Builder:
    """A growing placement: batches of one pod per node, cheapest nodes first.

    Parameters
    ----------
    instance : Instance
    counts : array, shape (classes, nodes), optional
        What is placed already; default nothing.
    """

    def __init__(self, instance: Instance, counts: Ints | None = None) -> None:
        self._problem = problem = instance.problem
        self._coupling = instance.coupling
        self._cost = NodeCost(problem, instance.terms)
        nothing = np.zeros((len(problem.classes), len(problem.nodes)), dtype=np.int64)
        self.counts: Ints = nothing if counts is None else counts.copy()
        self._usage = self._cost.usage(self.counts)
        self._room = problem.capacity - self.counts.T @ problem.request

    def place_gated(self, c: int, gates: Sequence[Gate], shares: Floats, number: int | None = None) -> None:
        """Place `number` (default all missing) pods of class `c` as far as its gates let it.

        Domains come in the order of what `shares`, shape (nodes,), asks of them, and then of cost.
        """
        first, others = gates[0], gates[1:]
        of_node = first.partition.of_node
        if number is None:
            number = int(self._problem.count[c] - self.counts[c].sum())
        while number > 0:
            before = number
            room = first.room(c, self.counts, number)
            wanted = np.bincount(of_node[of_node >= 0], weights=shares[of_node >= 0], minlength=len(room))
            for domain in np.lexsort((self._cheapest(c, of_node, len(room)), -wanted * (room > 0))).tolist():
                if number > 0 and room[domain] > 0:
                    most = 1 if others else min(number, int(room[domain]))
                    able = self._open(c, others, of_node == domain)
                    number -= self._place_shares(c, able, shares, most)
                    if isinstance(first, CompanyGate) and first.gathering and number < before:
                        break
            if number == before:
                return

    def _place_shares(self, c: int, nodes: Ints, shares: Floats, number: int) -> int:
        """Place on those of `nodes` that `shares` asks for, as many as it asks, and then on any."""
        asked = nodes[shares[nodes] > 0]
        first = self.place(c, asked, min(number, math.ceil(shares[asked].sum() - 1e-6)))
        return first + self.place(c, nodes, number - first)

    def _cheapest(self, c: int, of_node: Ints, domains: int) -> Floats:
        """Shape (domains,): cost of one more pod of class `c` on each domain's cheapest node."""
        nodes = np.flatnonzero((of_node >= 0) & self._coupling.eligible[c])
        least = np.full(domains, np.inf)
        np.minimum.at(least, of_node[nodes], self._cost.marginal(self._usage, c, nodes, self.counts))
        return least

    def _open(self, c: int, gates: Sequence[Gate], nodes: NDArray[np.bool_]) -> Ints:
        for gate in gates:
            room = np.append(gate.room(c, self.counts, 1), 0)
            nodes = nodes & (room[gate.partition.of_node] > 0)
        return np.flatnonzero(nodes)

    def place(self, c: int, nodes: Ints, number: int, waves: int = 1) -> int:
        """Place up to `number` pods of class `c` on `nodes`, in at least `waves` waves; returns how many."""
        left, most = number, -(-number // waves)
        while left > 0:
            able = nodes[self._able(c, nodes)]
            if not len(able):
                break
            if waves == 1 and left >= 2 * len(able) and not self._coupling.conflict[c, c]:
                chosen = able
            else:
                wave = min(left, most, max(1, len(able) // 4))
                cost = self._cost.marginal(self._usage, c, able, self.counts)
                chosen = able[np.argpartition(cost, wave - 1)[:wave]]
            self._add(c, chosen, np.ones(len(chosen), dtype=np.int64))
            left -= len(chosen)
        return number - left

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
