"""Linear programs through HiGHS, with bounds recomputed from the duals."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from .relaxation import Solution

Floats = NDArray[np.float64]
Entries = tuple[list[int], list[int], list[float]]


def solve_lp(
    cost: Floats, lower: Floats, upper: Floats, rows: Floats, entries: Entries, time_limit: float
) -> Solution | None:
    """Minimise ``cost @ x`` within bounds and rows.

    Parameters
    ----------
    cost, lower, upper : array, shape (columns,)
        Finite bounds.
    rows : array, shape (rows, 2)
        Lower and upper bound of each row; may be infinite.
    entries : tuple of list
        Row, column and value of each coefficient.
    time_limit : float
        Seconds.

    Returns
    -------
    Solution or None
        None when HiGHS returns no dual solution in time.
    """
    import highspy

    scale = float(np.abs(cost).max(initial=0.0)) or 1.0
    row_of, column_of, values = (np.asarray(part) for part in entries)
    row_of, column_of = row_of.astype(np.int32), column_of.astype(np.int32)
    factor = _row_factors(row_of, values, len(rows))
    values = values / factor[row_of]
    order = np.lexsort((row_of, column_of))
    program: Any = highspy.HighsLp()
    program.num_col_, program.num_row_ = len(cost), len(rows)
    program.col_cost_ = cost / scale
    program.col_lower_, program.col_upper_ = lower, upper
    program.row_lower_, program.row_upper_ = rows[:, 0] / factor, rows[:, 1] / factor
    program.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    program.a_matrix_.start_ = np.searchsorted(column_of[order], np.arange(len(cost) + 1)).astype(np.int32)
    program.a_matrix_.index_ = row_of[order]
    program.a_matrix_.value_ = values[order]
    solver: Any = highspy.Highs()
    solver.silent()
    solver.setOptionValue("time_limit", time_limit)
    solver.passModel(program)
    solver.run()
    found: Any = solver.getSolution()
    if not found.dual_valid:
        return None
    primal = np.array(found.col_value, dtype=float)
    dual = np.array(cast("Floats", found.row_dual), dtype=float) * scale / factor
    bound = safe_bound(cost, lower, upper, rows, (row_of, column_of, values * factor[row_of]), dual)
    return Solution(primal, bound)


def _row_factors(row_of: NDArray[np.int32], values: Floats, rows: int) -> Floats:
    """A power of two per row that brings its largest coefficient to about 1; division by it is exact."""
    largest = np.zeros(rows)
    np.maximum.at(largest, row_of, np.abs(values))
    return np.exp2(np.round(np.log2(np.where(largest > 0, largest, 1.0))))


def safe_bound(
    cost: Floats,
    lower: Floats,
    upper: Floats,
    rows: Floats,
    entries: tuple[NDArray[np.int32], NDArray[np.int32], Floats],
    dual: Floats,
) -> int:
    """A valid lower bound from any dual values.

    For any multipliers, ``sum(dual * row bound) + sum(min over bounds of reduced cost * x)`` is a bound.
    It is summed in extended precision, and an upper estimate of the rounding error is taken off.
    """
    row_of, column_of, values = entries
    side = np.where(dual > 0, rows[:, 0], rows[:, 1])
    price = np.where(np.isfinite(side), dual, 0.0).astype(np.longdouble)
    side = np.where(np.isfinite(side), side, 0.0)
    products = price[row_of] * values.astype(np.longdouble)
    reduced = cost.astype(np.longdouble)
    np.subtract.at(reduced, column_of, products)
    magnitude = np.abs(cost).astype(np.longdouble)
    np.add.at(magnitude, column_of, np.abs(products))
    at_bound = np.where(reduced > 0, lower, upper)
    total = np.sum(price * side) + np.sum(reduced * at_bound)
    spread = np.sum(np.abs(price * side)) + np.sum(magnitude * np.maximum(np.abs(lower), np.abs(upper)))
    steps = len(values) + len(cost) + len(rows) + 4
    # The costs themselves were rounded to doubles.
    error = (np.finfo(np.longdouble).eps * np.longdouble(steps) + np.finfo(np.float64).eps) * spread
    return int(np.ceil(total - error))
