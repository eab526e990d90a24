"""Whole patterns: a packing that reaches a target, or the proof that none does."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from ortools.sat.python import cp_model

from ..cpsat.cp import weighted
from .columns import Columns
from .effort import Effort
from .rounding import whole_patterns

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
_FINDING = 0.6
"""Share of the time for finding a packing; the rest is for the proof that there is none."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a search for a target found.

    Parameters
    ----------
    content : array of int, shape (classes, nodes), or None
        A packing that reaches the target.
    impossible : bool
        Whether none does.
    """

    content: Ints | None = None
    impossible: bool = False


def reach(columns: Columns, target: int, effort: Effort, most: int) -> Answer:
    """Find a packing that meets the demands and is worth `target`.

    Only columns whose prices leave that possible take part, so that an empty answer is a proof.

    Parameters
    ----------
    most : int
        Give up when there are more columns.
    """
    if target > columns.bound:
        return Answer(impossible=True)
    groups, chosen = columns.within(target)
    if len(groups) > most:
        return Answer()
    program = _Program(
        columns, groups, columns.patterns.contents(chosen, len(columns.packing.classes)), target
    )
    times = program.found(effort)
    if times is not None:
        return Answer(program.handed_out(times))
    return Answer() if effort.left() < 0 else program.refuted(effort)


class _Program:
    """How often each column is used: rows for nodes, pods, demands and the target, in this order."""

    def __init__(self, columns: Columns, groups: Ints, contents: Ints, target: int) -> None:
        self._columns, self._groups, self._contents = columns, groups, contents
        uses = groups[None, :] == np.arange(len(columns.sizes))[:, None]
        met = [columns.amount(demand, groups, contents) for demand in (*columns.demands, columns.goal)]
        self._rows = np.concatenate([uses.astype(np.int64), contents.T, np.stack(met)])
        least = [*(demand.least for demand in columns.demands), target]
        limits = np.concatenate([columns.sizes, columns.packing.available])
        self._limits, self._least = limits, np.array(least, dtype=np.int64)

    def found(self, effort: Effort) -> Ints | None:
        """Numbers that keep every row."""
        limits, least = self._limits.astype(float), self._least.astype(float)
        lower = np.concatenate([np.full(len(limits), -np.inf), least])
        upper = np.concatenate([limits, np.full(len(least), np.inf)])
        # The target is what is maximised: as a row it would only hide how close one comes.
        lower[-1] = -np.inf
        seconds = None if effort.deterministic is not None else _FINDING * effort.left()
        times = whole_patterns(self._rows[-1], self._rows, lower, upper, seconds)
        reached, bound = self._rows @ times, len(limits)
        kept = (reached[:bound] <= self._limits).all() and (reached[bound:] >= self._least).all()
        return times if kept else None

    def refuted(self, effort: Effort) -> Answer:
        """The proof that there are no such numbers, or else numbers."""
        model = cp_model.CpModel()
        uses = [model.new_int_var(0, size, "") for size in self._columns.sizes[self._groups].tolist()]
        for number, row in enumerate(self._rows):
            column = np.flatnonzero(row)
            used = weighted([uses[i] for i in column.tolist()], row[column].tolist())
            if number < len(self._limits):
                model.add(used <= int(self._limits[number]))
            else:
                model.add(used >= int(self._least[number - len(self._limits)]))
        solver = effort.solver()
        status = solver.solve(model)
        if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return Answer(impossible=status == cp_model.INFEASIBLE)
        return Answer(self.handed_out(np.array([solver.value(use) for use in uses], dtype=np.int64)))

    def handed_out(self, times: Ints) -> Ints:
        """Give each node of a group one of its patterns."""
        packing = self._columns.packing
        content = np.zeros((len(packing.classes), len(packing.nodes)), dtype=np.int64)
        left = [group.tolist() for group in self._columns.nodes]
        for column in np.flatnonzero(times).tolist():
            for _ in range(int(times[column])):
                content[:, left[self._groups[column]].pop()] = self._contents[column]
        return content
