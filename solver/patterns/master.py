"""The linear program over node patterns: how often to use each, beside what relates nodes to each other."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..bounds.lp import highs, row_factors, safe_bound
from ..bounds.relaxation import Relaxation

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Master:
    """A relaxation whose nodes are mixtures of whole patterns.

    Parameters
    ----------
    relaxation : Relaxation
        Without `local`: its counts are what the patterns add up to.
    unit : float
        Roughly the size of the objective.
    """

    def __init__(self, relaxation: Relaxation, unit: float) -> None:
        self._relaxation = relaxation
        self._program = program = relaxation.program()
        self._scale = 1e6 / max(unit, 1.0)
        self._factor = row_factors(program)
        self._highs: Any = highs(program, self._scale, self._factor)
        self._highs.setOptionValue("presolve", "off")
        self._rows = len(program.rows)
        classes, groups = np.nonzero(relaxation.counts >= 0)
        self._link: Ints = np.full(relaxation.counts.shape, -1, dtype=np.int64)
        self._link[classes, groups] = self._rows + np.arange(len(classes))
        columns = relaxation.counts[classes, groups].astype(np.int32)
        zero, starts = np.zeros(len(columns)), np.arange(len(columns), dtype=np.int32)
        self._highs.addRows(len(columns), zero, zero, len(columns), starts, columns, np.ones(len(columns)))
        self._nodes = self._rows + len(columns)
        size = relaxation.size.astype(float)
        empty = np.zeros(0, dtype=np.int32)
        self._highs.addRows(len(size), size, size, 0, np.zeros(len(size), dtype=np.int32), empty, np.zeros(0))
        self.value = 0.0
        self.prices: Floats = np.zeros(relaxation.counts.shape)
        self.dual: Floats = np.zeros(self._rows)

    def add(self, group: int, pods: Ints, cost: int) -> None:
        """Let nodes of a group take a pattern, shape (classes,), of that cost."""
        classes = np.flatnonzero(pods)
        rows = np.append(self._link[classes, group], self._nodes + group).astype(np.int32)
        values = np.append(-pods[classes].astype(float), 1.0)
        most = float(self._relaxation.size[group])
        self._highs.addCol(cost * self._scale, 0.0, most, len(rows), rows, values)

    def solve(self, seconds: float) -> bool:
        """Solve; whether `value`, `prices` (classes, groups) and `dual` are those of an optimum."""
        import highspy

        self._highs.setOptionValue("time_limit", float(self._highs.getRunTime()) + max(seconds, 0.0))
        self._highs.run()
        if self._highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            return False
        dual = np.array(self._highs.getSolution().row_dual, dtype=float) / self._scale
        self.value = float(self._highs.getObjectiveValue()) / self._scale + self._relaxation.constant
        self.dual = dual[: self._rows] / self._factor
        linked = self._link >= 0
        self.prices[linked] = dual[self._link[linked]]
        return True

    def bound(self, prices: Ints, dual: Floats) -> int:
        """What the relaxation costs at least when pods are sold at `prices`, shape (classes, groups).

        With the cheapest patterns at these prices, times the nodes of each group, it bounds the objective.
        """
        counts = self._relaxation.counts
        cost = self._program.cost.copy()
        cost[counts[counts >= 0]] -= prices[counts >= 0]
        return safe_bound(replace(self._program, cost=cost), dual) + self._relaxation.constant
