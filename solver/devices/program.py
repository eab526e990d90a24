"""A linear program that grows by columns, kept warm between solves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class ColumnProgram:
    """Maximise a sum of columns, none negative, within row limits.

    Parameters
    ----------
    limits : sequence of float
        Upper limit of each row.
    """

    def __init__(self, limits: Sequence[float]) -> None:
        import highspy

        rows = len(limits)
        self._highs: Any = highspy.Highs()
        self._highs.silent()
        self._highs.setOptionValue("threads", 1)
        # Presolve would throw the basis away that makes the next solve short.
        self._highs.setOptionValue("presolve", "off")
        self._highs.changeObjectiveSense(highspy.ObjSense.kMaximize)
        empty = np.zeros(0, dtype=np.int32)
        starts = np.zeros(rows, dtype=np.int32)
        lower, upper = np.full(rows, -np.inf), np.array(limits, dtype=float)
        self._highs.addRows(rows, lower, upper, 0, starts, empty, np.zeros(0))
        self.columns = 0
        self.value = 0.0
        self.primal: Floats = np.zeros(0)
        self.dual: Floats = np.zeros(rows)

    def add(self, worth: float, rows: Sequence[int], amounts: Sequence[float]) -> int:
        """Add a column; returns its position."""
        index = np.array(rows, dtype=np.int32)
        self._highs.addCol(float(worth), 0.0, np.inf, len(index), index, np.array(amounts, dtype=float))
        self.columns += 1
        return self.columns - 1

    def change(self, column: int, worth: float) -> None:
        """Give a column another worth."""
        self._highs.changeColCost(column, float(worth))

    def cap(self, column: int, most: float) -> None:
        """Limit a column."""
        self._highs.changeColBounds(column, 0.0, most)

    def limit(self, row: int, most: float) -> None:
        """Give a row another limit."""
        self._highs.changeRowBounds(row, -np.inf, most)

    def solve(self, seconds: float) -> bool:
        """Solve; whether `value`, `primal` and `dual` (none negative) are those of an optimum."""
        import highspy

        self._highs.setOptionValue("time_limit", float(self._highs.getRunTime()) + max(seconds, 0.0))
        self._highs.run()
        if self._highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            return False
        solution: Any = self._highs.getSolution()
        self.value = float(self._highs.getObjectiveValue())
        self.primal = np.array(solution.col_value, dtype=float)
        self.dual = np.maximum(np.array(solution.row_dual, dtype=float), 0.0)
        return True
