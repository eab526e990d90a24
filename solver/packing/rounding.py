"""Whole patterns by branch and bound over the relaxation, through HiGHS: quick to find, no proof."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
_NODES = 2000
"""Nodes of the search tree where work is counted instead of timed."""
_PRESOLVED = 2000
"""Columns up to which presolve pays; it compares them with each other and does not look at the clock."""


def whole_patterns(worth: Ints, rows: Ints, lower: Floats, upper: Floats, seconds: float | None) -> Ints:
    """Maximise the worth of whole numbers of columns within row limits.

    Parameters
    ----------
    worth : array of int, shape (columns,)
    rows : array of int, shape (rows, columns)
    lower, upper : array, shape (rows,)
        May be infinite.
    seconds : float or None
        Time limit; None counts nodes instead.

    Returns
    -------
    array of int, shape (columns,)
        How often each column is used; all zero when nothing was found. What comes back is to be
        checked: it was computed with floating point.
    """
    import highspy

    columns = len(worth)
    program: Any = highspy.HighsLp()
    program.num_col_, program.num_row_ = columns, len(rows)
    program.col_cost_ = worth.astype(float)
    program.col_lower_, program.col_upper_ = np.zeros(columns), np.full(columns, np.inf)
    program.row_lower_, program.row_upper_ = lower, upper
    program.sense_ = highspy.ObjSense.kMaximize
    column, row = np.nonzero(rows.T)
    program.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    program.a_matrix_.start_ = np.searchsorted(column, np.arange(columns + 1)).astype(np.int32)
    program.a_matrix_.index_ = row.astype(np.int32)
    program.a_matrix_.value_ = rows[row, column].astype(float)
    program.integrality_ = [highspy.HighsVarType.kInteger] * columns
    solver: Any = highspy.Highs()
    solver.silent()
    solver.setOptionValue("threads", 1)
    if columns > _PRESOLVED:
        solver.setOptionValue("presolve", "off")
    # The worth is a whole number: nothing better is left once the gap is below 1.
    solver.setOptionValue("mip_abs_gap", 0.99)
    if seconds is None:
        solver.setOptionValue("mip_max_nodes", _NODES)
    else:
        solver.setOptionValue("time_limit", max(0.01, seconds))
    solver.passModel(program)
    solver.run()
    found: Any = solver.getSolution()
    values = np.array(found.col_value, dtype=float)
    if not found.value_valid or len(values) != columns:
        return np.zeros(columns, dtype=np.int64)
    return np.round(values).astype(np.int64)
