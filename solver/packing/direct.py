"""A packing as counts per class and node in one CP-SAT model: for nodes that hold many pods."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from ortools.sat.python import cp_model

from ..cpsat.cp import Expr, total, weighted
from .problem import Packing

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
Count = tuple[int, cp_model.IntVar]
"""A class, and how many of its pods a node holds."""


def size(packing: Packing) -> int:
    """Number of counts in the model."""
    return int((_most(packing) > 0).sum())


def _most(packing: Packing) -> Ints:
    """Shape (classes, nodes): pods of a class that a node can hold."""
    wanted = np.maximum(packing.request, 1)[:, None, :]
    fits = np.where(
        packing.request[:, None, :] > 0, packing.room[None] // wanted, packing.available.max(initial=0)
    )
    most = np.minimum(fits.min(axis=2), packing.available[:, None]) * packing.open
    alone = packing.conflict.diagonal()
    return np.where(alone[:, None], np.minimum(most, 1), most)


class Direct:
    """Most pods of the tier, then most of them where they are, in one objective.

    Parameters
    ----------
    packing : Packing
    content : array of int, shape (classes, nodes)
        A packing that meets the demands; the hint.
    """

    def __init__(self, packing: Packing, content: Ints) -> None:
        self._packing, self._content = packing, content
        self._model = cp_model.CpModel()
        self._weight = int(packing.own[packing.mine].sum()) + 1
        classes, nodes = range(len(packing.classes)), range(len(packing.nodes))
        self._by_class: list[list[cp_model.IntVar]] = [list[cp_model.IntVar]() for _ in classes]
        self._by_node: list[list[Count]] = [list[Count]() for _ in nodes]
        self._stays: list[list[cp_model.IntVar]] = [list[cp_model.IntVar]() for _ in classes]
        self._make_counts()
        self._make_rooms()
        self._make_conflicts()
        for demand in packing.demands:
            self._model.add(self._amount(demand.classes, kept=demand.kept) >= demand.least)
        goals = [self._amount(packing.mine, kept=kept) for kept in (False, True)]
        self._model.maximize(weighted(goals, [self._weight, 1]))

    def _make_counts(self) -> None:
        packing, model = self._packing, self._model
        most = _most(packing)
        places: list[list[int]] = np.argwhere(most > 0).tolist()
        for c, n in places:
            here, own = int(self._content[c, n]), min(int(packing.own[c, n]), int(most[c, n]))
            count = model.new_int_var(0, int(most[c, n]), "")
            model.add_hint(count, here)
            self._by_class[c].append(count)
            self._by_node[n].append((c, count))
            if own == most[c, n]:
                self._stays[c].append(count)
            elif own:
                stay = model.new_int_var(0, own, "")
                model.add(stay <= count)
                model.add_hint(stay, min(own, here))
                self._stays[c].append(stay)
        for counts, available in zip(self._by_class, packing.available.tolist(), strict=True):
            model.add(total(counts) <= available)

    def _make_rooms(self) -> None:
        for n, here in enumerate(self._by_node):
            classes, counts = [c for c, _ in here], [count for _, count in here]
            for r in self._packing.binding.tolist():
                used = weighted(counts, self._packing.request[classes, r].tolist())
                self._model.add(used <= int(self._packing.room[n, r]))

    def _make_conflicts(self) -> None:
        pairs = np.argwhere(np.triu(self._packing.conflict, 1)).tolist()
        for here in self._by_node if pairs else ():
            present = {c: self._present(c, count) for c, count in here}
            for c, d in pairs:
                self._model.add(total([present.get(c, 0), present.get(d, 0)]) <= 1)

    def _present(self, c: int, count: cp_model.IntVar) -> Expr:
        present = self._model.new_bool_var("")
        self._model.add(count <= int(self._packing.available[c]) * present)
        return present

    def _amount(self, classes: Mask, *, kept: bool) -> Expr:
        counted = self._stays if kept else self._by_class
        return total([count for c in np.flatnonzero(classes).tolist() for count in counted[c]])

    def solve(self, solver: cp_model.CpSolver) -> tuple[Ints, int, int | None]:
        """The best packing found, a bound on placed pods, and one on those kept if that many are placed."""
        packing = self._packing
        status = solver.solve(self._model)
        if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return self._content, packing.most, None
        content = np.zeros_like(self._content)
        for n, here in enumerate(self._by_node):
            for c, count in here:
                content[c, n] = solver.value(count)
        bound = int(np.floor(solver.best_objective_bound + 1e-6))
        most = min(packing.most, bound // self._weight)
        return content, most, min(bound - packing.placed(content) * self._weight, self._weight - 1)
