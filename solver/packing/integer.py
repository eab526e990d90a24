"""Whole patterns: a packing that reaches a target, or the proof that none does."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from ortools.sat.python import cp_model

from ..cp import total, weighted
from .columns import Columns

Ints = NDArray[np.int64]


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


def reach(columns: Columns, target: int, solver: cp_model.CpSolver, most: int) -> Answer:
    """Find a packing that meets the demands and is worth `target`.

    Only columns whose prices leave that possible take part, so that an empty answer is a proof.

    Parameters
    ----------
    solver : CpSolver
        With its limits set.
    most : int
        Give up when there are more columns.
    """
    if target > columns.bound:
        return Answer(impossible=True)
    groups, chosen = columns.within(target)
    if len(groups) > most:
        return Answer()
    contents = columns.patterns.contents(chosen, len(columns.packing.classes))
    model = cp_model.CpModel()
    uses = [model.new_int_var(0, size, "") for size in columns.sizes[groups].tolist()]
    _limit(model, columns, uses, groups, contents)
    for demand in columns.demands:
        met = columns.amount(demand, groups, contents).tolist()
        model.add(weighted(uses, met) >= demand.least)
    model.add(weighted(uses, columns.amount(columns.goal, groups, contents).tolist()) >= target)
    status = solver.solve(model)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return Answer(impossible=status == cp_model.INFEASIBLE)
    times = np.array([solver.value(use) for use in uses], dtype=np.int64)
    return Answer(_handed_out(columns, groups, contents, times))


def _limit(
    model: cp_model.CpModel, columns: Columns, uses: list[cp_model.IntVar], groups: Ints, contents: Ints
) -> None:
    for group, size in enumerate(columns.sizes.tolist()):
        mine = [uses[i] for i in np.flatnonzero(groups == group).tolist()]
        model.add(total(mine) <= size)
    for c, available in enumerate(columns.packing.available.tolist()):
        using = np.flatnonzero(contents[:, c])
        if len(using):
            amounts = contents[using, c].tolist()
            model.add(weighted([uses[i] for i in using.tolist()], amounts) <= available)


def _handed_out(columns: Columns, groups: Ints, contents: Ints, times: Ints) -> Ints:
    """Give each node of a group one of its patterns."""
    packing = columns.packing
    content = np.zeros((len(packing.classes), len(packing.nodes)), dtype=np.int64)
    left = [group.tolist() for group in columns.nodes]
    for column in np.flatnonzero(times).tolist():
        for _ in range(int(times[column])):
            content[:, left[groups[column]].pop()] = contents[column]
    return content
