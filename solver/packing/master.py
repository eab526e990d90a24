"""The linear program over patterns: how often each group of nodes uses each pattern."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
_MISSING = 32.0
"""What a pod short of a demand costs; any price gives valid bounds."""


class Master:
    """Maximise the worth of patterns within the nodes and pods there are, and meet the demands.

    Parameters
    ----------
    sizes : array of int, shape (groups,)
        Nodes of each group.
    available : array of int, shape (classes,)
    demands : sequence of int
        Least amounts.
    """

    def __init__(self, sizes: Ints, available: Ints, demands: Sequence[int]) -> None:
        import highspy

        self._groups, self._classes = len(sizes), len(available)
        self._highs: Any = highspy.Highs()
        self._highs.silent()
        self._highs.setOptionValue("threads", 1)
        # Presolve would throw away the basis that makes the next solve short.
        self._highs.setOptionValue("presolve", "off")
        self._highs.changeObjectiveSense(highspy.ObjSense.kMaximize)
        limits = [*sizes.tolist(), *available.tolist(), *(-least for least in demands)]
        rows = len(limits)
        nothing, starts = np.zeros(0, dtype=np.int32), np.zeros(rows, dtype=np.int32)
        upper = np.array(limits, dtype=float)
        self._highs.addRows(rows, np.full(rows, -np.inf), upper, 0, starts, nothing, np.zeros(0))
        short = np.arange(rows - len(demands), rows)
        self._add(np.full(len(demands), -_MISSING), np.arange(len(demands)), short, -np.ones(len(demands)))
        self._known: set[tuple[int, int]] = set()

    def add(self, groups: Ints, patterns: Ints, contents: Ints, met: Ints, worth: Ints) -> int:
        """Add columns that are not there yet; returns how many.

        Parameters
        ----------
        groups, patterns : array of int, shape (columns,)
        contents : array of int, shape (columns, classes)
        met : array of int, shape (columns, demands)
        worth : array of int, shape (columns,)
        """
        names = list(zip(groups.tolist(), patterns.tolist(), strict=True))
        new = [position for position, name in enumerate(names) if name not in self._known]
        self._known.update(names)
        if new:
            amounts = np.concatenate([contents, -met], axis=1)[new]
            column, row = np.nonzero(amounts)
            columns = np.concatenate([np.arange(len(new)), column])
            rows = np.concatenate([groups[new], self._groups + row])
            values = np.concatenate([np.ones(len(new)), amounts[column, row].astype(float)])
            self._add(worth[new].astype(float), columns, rows, values)
        return len(new)

    def _add(self, worth: Floats, columns: Ints, rows: Ints, values: Floats) -> None:
        order = np.lexsort((rows, columns))
        starts = np.searchsorted(columns[order], np.arange(len(worth))).astype(np.int32)
        lower, upper = np.zeros(len(worth)), np.full(len(worth), np.inf)
        index = rows[order].astype(np.int32)
        self._highs.addCols(len(worth), worth, lower, upper, len(index), starts, index, values[order])

    def solve(self) -> tuple[float, Floats, Floats, Floats]:
        """Value of the optimum, and what one more node, pod, and unit of a demand would be worth."""
        self._highs.run()
        duals = np.maximum(np.array(self._highs.getSolution().row_dual, dtype=float), 0.0)
        nodes, pods, short = np.split(duals, [self._groups, self._groups + self._classes])
        return float(self._highs.getObjectiveValue()), nodes, pods, short
