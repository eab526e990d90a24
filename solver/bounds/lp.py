"""Linear programs through HiGHS, with bounds recomputed from the duals."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from .relaxation import Program, Solution

Floats = NDArray[np.float64]
_RANGE = 10
"""Columns reach up to two to the power of this, for the solver."""


def solve_lp(program: Program, time_limit: float) -> Solution | None:
    """Solve a linear program.

    Parameters
    ----------
    program : Program
    time_limit : float
        Seconds.

    Returns
    -------
    Solution or None
        None when HiGHS returns no dual solution in time.
    """
    unit = _column_units(program.upper)
    scaled = _in_units(program, unit)
    scale = float(np.abs(scaled.cost).max(initial=0.0)) or 1.0
    factor = row_factors(scaled)
    solver = highs(scaled, 1.0 / scale, factor)
    solver.setOptionValue("time_limit", time_limit)
    solver.run()
    found: Any = solver.getSolution()
    if not found.dual_valid:
        return None
    primal = np.array(found.col_value, dtype=float) * unit
    dual = np.array(cast("Floats", found.row_dual), dtype=float) * scale / factor
    return Solution(primal, dual, safe_bound(program, dual))


def _column_units(upper: Floats) -> Floats:
    """A power of two per column that brings large ranges down to those of counts; division by it is exact.

    A tiny error of a reduced cost, times a large range, would ruin the bound.
    """
    return np.exp2(np.maximum(np.ceil(np.log2(np.maximum(upper, 1.0))) - _RANGE, 0.0))


def _in_units(program: Program, unit: Floats) -> Program:
    row_of, column_of, values = program.entries
    return replace(
        program,
        cost=program.cost * unit,
        lower=program.lower / unit,
        upper=program.upper / unit,
        entries=(row_of, column_of, values * unit[column_of]),
    )


def highs(program: Program, scale: float, factor: Floats) -> Any:
    """A silent HiGHS with the program: costs times `scale`, rows divided by `factor`, shape (rows,)."""
    import highspy

    row_of, column_of, values = program.entries
    values = values / factor[row_of]
    order = np.lexsort((row_of, column_of))
    model: Any = highspy.HighsLp()
    model.num_col_, model.num_row_ = len(program.cost), len(program.rows)
    model.col_cost_ = program.cost * scale
    model.col_lower_, model.col_upper_ = program.lower, program.upper
    model.row_lower_, model.row_upper_ = program.rows[:, 0] / factor, program.rows[:, 1] / factor
    model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    model.a_matrix_.start_ = np.searchsorted(column_of[order], np.arange(len(program.cost) + 1)).astype(
        np.int32
    )
    model.a_matrix_.index_ = row_of[order]
    model.a_matrix_.value_ = values[order]
    solver: Any = highspy.Highs()
    solver.silent()
    solver.passModel(model)
    return solver


def row_factors(program: Program) -> Floats:
    """A power of two per row that brings its largest coefficient to about 1; division by it is exact."""
    row_of, _, values = program.entries
    largest = np.zeros(len(program.rows))
    np.maximum.at(largest, row_of, np.abs(values))
    return np.exp2(np.round(np.log2(np.where(largest > 0, largest, 1.0))))


def safe_bound(program: Program, dual: Floats) -> int:
    """A valid lower bound from any dual values.

    For any multipliers, ``sum(dual * row bound) + sum(min over bounds of reduced cost * x)`` is a bound.
    It is summed in extended precision, and an upper estimate of the rounding error is taken off.
    """
    cost, lower, upper, rows = program.cost, program.lower, program.upper, program.rows
    row_of, column_of, values = program.entries
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
