"""Pods too many and too few, put right where that costs least."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..instance import Instance
from ..nodecost import NodeCost

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


class Repair:
    """Replaces pods one by one until every class has its numbers.

    Parameters
    ----------
    instance : Instance
    counts : array, shape (classes, nodes)
        Each node by itself is feasible.
    row : array, shape (classes, nodes)
        Which number of pods a class counts towards on a node.
    astray : array, shape (rows,)
        Pods that are too many; negative where some are missing.
    """

    def __init__(self, instance: Instance, counts: Ints, row: Ints, astray: Ints) -> None:
        problem = instance.problem
        self._instance, self._counts, self._row, self._astray = instance, counts.copy(), row, astray.copy()
        self._dummy = len(counts)
        self._cost = NodeCost(problem, instance.terms)
        self._usage = self._cost.usage(counts)
        self._request: Ints = np.vstack([problem.request, np.zeros_like(problem.request[:1])])
        self._room: Ints = problem.capacity - counts.T @ problem.request

    def run(self) -> Ints | None:
        """Counts with the numbers wanted; None when some pod finds no place."""
        while self._astray.any():
            nodes, out, come = self._candidates()
            if not len(nodes):
                return None
            best = int(self._cost.replacing(self._usage, nodes, out, come).argmin())
            self._replace(int(nodes[best]), int(out[best]), int(come[best]))
        return self._counts

    def _candidates(self) -> tuple[Ints, Ints, Ints]:
        """Nodes, classes to take away and classes to bring; pods without a counterpart come last."""
        astray = self._astray[self._row]
        surplus: Mask = (astray > 0) & (self._counts > 0)
        missing: Mask = (astray < 0) & self._instance.eligible
        out, come = np.flatnonzero(surplus.any(axis=1)), np.flatnonzero(missing.any(axis=1))
        pairs = [(np.flatnonzero(surplus[a] & missing[b]), a, b) for a in out.tolist() for b in come.tolist()]
        leaving = [(np.flatnonzero(surplus[a]), a, self._dummy) for a in out.tolist()]
        coming = [(np.flatnonzero(missing[b]), self._dummy, b) for b in come.tolist()]
        balance = int(self._astray.sum())
        found = self._fitting([*pairs, *(leaving if balance > 0 else ()), *(coming if balance < 0 else ())])
        # Where nothing pairs, pods come and go one at a time.
        return found if len(found[0]) else self._fitting([*leaving, *coming])

    def _fitting(self, some: list[tuple[Ints, int, int]]) -> tuple[Ints, Ints, Ints]:
        some = [each for each in some if len(each[0])]
        nothing = np.zeros(0, dtype=np.int64)
        nodes = np.concatenate([nothing, *(each[0] for each in some)])
        length = [len(each[0]) for each in some]
        out = np.repeat(np.array([each[1] for each in some], dtype=np.int64), length)
        come = np.repeat(np.array([each[2] for each in some], dtype=np.int64), length)
        wanted = self._request[come]
        fits = ((self._room[nodes] + self._request[out] >= wanted) | (wanted == 0)).all(axis=1)
        fits &= self._at_peace(nodes, out, come)
        return nodes[fits], out[fits], come[fits]

    def _at_peace(self, nodes: Ints, out: Ints, come: Ints) -> Mask:
        """Whether nobody is left on the node that the class cannot be with."""
        peace: Mask = np.ones(len(nodes), dtype=bool)
        conflict = self._instance.coupling.conflict
        for c in np.flatnonzero(conflict.any(axis=1)).tolist():
            mine = come == c
            enemies = conflict[c].astype(np.int64) @ self._counts[:, nodes[mine]]
            enemies -= np.append(conflict[c], False)[out[mine]]
            peace[mine] = enemies == 0
        return peace

    def _replace(self, node: int, out: int, come: int) -> None:
        where = np.array([node])
        for c, sign in ((out, -1), (come, 1)):
            if c != self._dummy:
                self._counts[c, node] += sign
                self._astray[self._row[c, node]] += sign
                self._cost.add(self._usage, c, where, np.array([sign]))
        self._room[node] += self._request[out] - self._request[come]
