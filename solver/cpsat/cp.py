"""The few CP-SAT calls whose types the library leaves open, given types once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from ortools.sat.python import cp_model

Expr = cp_model.LinearExpr | int
_Linear: Any = cp_model.LinearExpr


def total(expressions: Sequence[Expr]) -> Expr:
    """Sum of expressions and integers; 0 when there is none."""
    return cast("Expr", _Linear.sum(list(expressions))) if expressions else 0


def weighted(expressions: Sequence[Expr], coefficients: Sequence[int]) -> Expr:
    """Sum of products; 0 when there is none."""
    if not expressions:
        return 0
    return cast("Expr", _Linear.weighted_sum(list(expressions), [int(c) for c in coefficients]))


def when(literal: Expr, constraint: cp_model.Constraint) -> None:
    """Make `constraint` hold only where `literal` is 1."""
    cast("Any", constraint).only_enforce_if(literal)
