"""The node-separable part of the objective, vectorised over candidate swaps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .problem import Problem
from .search.curves import Apart, Curve, sums
from .terms import Deviation, Part, Piecewise, Preference, Price, Relational, Term

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Usage = list[Floats]


class NodeCost:
    """Sums of `Piecewise`, `Deviation` and `Preference` parts, as floats for speed.

    Search decisions may rest on floats; values that are reported are summed in
    integers by `value`.

    Parameters
    ----------
    problem : Problem
    terms : sequence of (Term, int)
        Terms with their coefficients.
    """

    def __init__(self, problem: Problem, terms: Sequence[tuple[Term, int]]) -> None:
        parts = [(part, coefficient) for term, coefficient in terms for part in term.parts]
        self._problem = problem
        self._terms = terms
        self._piecewise = [Curve(part, k) for part, k in parts if isinstance(part, Piecewise)]
        self._deviation = [Apart(part, k) for part, k in parts if isinstance(part, Deviation)]
        self._relational = [(part, k) for part, k in parts if isinstance(part, Relational)]
        self._prices: list[tuple[Price, int]] = []
        cost = np.zeros((len(problem.classes) + 1, len(problem.nodes)))
        self.static = any(isinstance(part, Preference) for part, _ in parts)
        for part, k in parts:
            if isinstance(part, Preference):
                cost[:-1] += k * part.cost.astype(float)
        self.preference = cost

    def usage(self, counts: Ints) -> Usage:
        """Usage per curve, shape (nodes,), and scaled usage per deviation, shape (resources, nodes)."""
        curves = [(curve.base + counts.T @ curve.part.amount).astype(float) for curve in self._piecewise]
        apart = [
            (part.scale * (part.part.base + part.part.amount @ counts)).astype(float)
            for part in self._deviation
        ]
        return [*curves, *apart]

    @property
    def relational(self) -> bool:
        """Whether some term depends on who shares a domain: call `reprice` before `swap`."""
        return bool(self._relational)

    def reprice(self, counts: Ints) -> None:
        """Take the relational terms' prices at `counts`."""
        self._prices = [
            (_with_dummy(price), k) for part, k in self._relational for price in part.prices(counts)
        ]

    def touched(self, classes: Ints, a: Ints, b: Ints, group: Ints) -> list[list[tuple[int, ...]]]:
        """Whose prices each trade between ``a`` and ``b`` changes, once per pod that does.

        Parameters
        ----------
        classes : array, shape (trades, m)
            Classes that change places.
        group : array, shape (classes + 1,)
            Equal numbers for classes that relational terms relate.
        """
        found: list[list[tuple[int, ...]]] = [[] for _ in range(len(a))]
        for number, (price, _) in enumerate(self._prices):
            here, there = price.of_node[a], price.of_node[b]
            crossing = price.concerned[classes] & (here != there)[:, None]
            for position, pod in np.argwhere(crossing).tolist():
                ends = (int(here[position]), int(there[position])) if price.separate else (-2,)
                mine = int(group[classes[position, pod]])
                found[position] += [(number, mine, end) for end in ends]
        return found

    def shared(self, counts: Ints) -> int:
        """The exact weighted value of the relational terms."""
        return sum(k * part.value(counts) for part, k in self._relational)

    def swap(self, usage: Usage, a: Ints, b: Ints, x: Ints, z: Ints, *, rough: bool = False) -> Floats:
        """Change of cost when candidate ``x`` on node ``a`` and candidate ``z`` on ``b`` trade places.

        Parameters
        ----------
        a, b : array, shape (pairs,)
        x, z : array, shape (pairs, k, m) and (pairs, l, m)
            Candidates: up to m classes each; the dummy class stands for an empty slot.
        rough : bool
            Take curves as parabolas, which is faster.

        Returns
        -------
        array, shape (pairs, k, l)
        """
        total = self._apart_from_usage(a, b, x)[:, :, None] + self._apart_from_usage(b, a, z)[:, None, :]
        position = 0
        for curve in self._piecewise:
            u = usage[position]
            change = sums(curve.amount, z)[:, None, :] - sums(curve.amount, x)[:, :, None]
            if rough:
                total += curve.estimate(u, change, a, b)
            else:
                total += curve.delta(u[a], change, a) + curve.delta(u[b], -change, b)
            position += 1
        for apart in self._deviation:
            u = usage[position]
            go, come = sums(apart.amount, x), sums(apart.amount, z)
            total += apart.trade(u[:, a], go, come, a)
            total += apart.trade(u[:, b], come, go, b).swapaxes(1, 2)
            position += 1
        return total

    def _apart_from_usage(self, origin: Ints, target: Ints, x: Ints) -> Floats:
        """Shape (pairs, k): what preferences and prices make of a move of candidates ``x``."""
        total = np.zeros(x.shape[:2])
        if self.static:
            for c in np.moveaxis(x, 2, 0):
                total += self.preference[c, target[:, None]] - self.preference[c, origin[:, None]]
        for price, k in self._prices:
            total += k * _crossing(price, x, origin, target)
        return total

    def move(self, usage: Usage, a: Ints, b: Ints, x: Ints, z: Ints) -> None:
        """Update `usage` for trades between disjoint pairs of nodes; ``x``, ``z`` of shape (pairs, m)."""
        position = 0
        for curve in self._piecewise:
            change = curve.amount[z].sum(axis=1) - curve.amount[x].sum(axis=1)
            usage[position][a] += change
            usage[position][b] -= change
            position += 1
        for apart in self._deviation:
            change = apart.amount[:, z].sum(axis=2) - apart.amount[:, x].sum(axis=2)
            usage[position][:, a] += change * apart.scale[:, a]
            usage[position][:, b] -= change * apart.scale[:, b]
            position += 1

    def marginal(self, usage: Usage, c: int, nodes: Ints, counts: Ints) -> Floats:
        """Change of cost of one more pod of class `c` on each of `nodes`, beside `counts`."""
        dummy = len(self.preference) - 1
        total = self.replacing(usage, nodes, np.full_like(nodes, dummy), np.full_like(nodes, c))
        for part, k in self._relational:
            total += k * part.entering(c, counts)[nodes]
        return total

    def replacing(self, usage: Usage, nodes: Ints, out: Ints, come: Ints) -> Floats:
        """Change of cost, relational terms aside, when on each of `nodes` one pod gives way to another.

        Parameters
        ----------
        nodes, out, come : array, shape (k,)
            Nodes and classes; the dummy class stands for no pod.
        """
        total = self.preference[come, nodes] - self.preference[out, nodes]
        position = 0
        for curve in self._piecewise:
            change = (curve.amount[come] - curve.amount[out])[:, None, None]
            total += curve.delta(usage[position][nodes], change, nodes)[:, 0, 0]
            position += 1
        for apart in self._deviation:
            left, right = apart.amount[:, out][:, :, None], apart.amount[:, come][:, :, None]
            total += apart.trade(usage[position][:, nodes], left, right, nodes)[:, 0, 0]
            position += 1
        return total

    def add(self, usage: Usage, c: int, nodes: Ints, number: Ints) -> None:
        """Update `usage` for `number` more pods of class `c` on each of `nodes` (unique)."""
        position = 0
        for curve in self._piecewise:
            usage[position][nodes] += curve.amount[c] * number
            position += 1
        for apart in self._deviation:
            usage[position][:, nodes] += apart.amount[:, c][:, None] * apart.scale[:, nodes] * number
            position += 1


def node_costs(terms: Sequence[tuple[Term, int]], counts: Ints) -> Ints:
    """Shape (nodes,): what each node's pods cost exactly, terms that relate nodes and constants aside."""
    total = np.zeros(counts.shape[1], dtype=np.int64)
    for part, coefficient in ((part, k) for term, k in terms for part in term.parts):
        if isinstance(part, Piecewise):
            total += coefficient * part.at(part.base + counts.T @ part.amount)
        elif isinstance(part, Deviation):
            total += coefficient * part.at(part.base + part.amount @ counts)
        elif isinstance(part, Preference):
            total += coefficient * ((part.cost - part.unplaced[:, None]) * counts).sum(axis=0)
    return total


def objective(problem: Problem, terms: Sequence[tuple[Term, int]], counts: Ints) -> int:
    """The exact weighted sum for a placement's counts."""
    return sum(coefficient * term_value(problem, term, counts) for term, coefficient in terms)


def term_value(problem: Problem, term: Term, counts: Ints) -> int:
    """The exact cost of one term for a placement's counts."""
    return max(0, term.constant + sum(_part_value(problem, part, counts) for part in term.parts))


def _part_value(problem: Problem, part: Part, counts: Ints) -> int:
    if isinstance(part, Relational):
        return part.value(counts)
    if isinstance(part, Piecewise):
        return int(part.at(part.base + counts.T @ part.amount).sum())
    if isinstance(part, Deviation):
        return int(part.at(part.base + part.amount @ counts).sum())
    missing = problem.count - counts.sum(axis=1)
    return int((part.cost * counts).sum() + missing @ part.unplaced)


def _with_dummy(price: Price) -> Price:
    sides = (price.enter, price.leave, price.doubt)
    enter, leave, doubt = (np.vstack([side, np.zeros((1, side.shape[1]))]) for side in sides)
    return Price(
        price.of_node, enter, leave + doubt, doubt, np.append(price.concerned, False), price.separate
    )


def _crossing(price: Price, x: Ints, origin: Ints, target: Ints) -> Floats:
    """Shape (pairs, k): change when candidates ``x``, shape (pairs, k, m), go from `origin` to `target`."""
    here, there = price.of_node[origin], price.of_node[target]
    sides = (price.leave[c, here[:, None]] + price.enter[c, there[:, None]] for c in np.moveaxis(x, 2, 0))
    return sum(sides, np.zeros(x.shape[:2])) * (here != there)[:, None]
