"""The whole problem as one CP-SAT model, stage after stage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from ortools.sat.python import cp_model

from ..instance import Instance
from ..result import Limits
from ..stages import Cost, Stage
from .encode import build_scope
from .scope import Scope

Ints = NDArray[np.int64]
VARIABLES = 2500


@dataclass(frozen=True, slots=True)
class Step:
    """One CP-SAT solve.

    Parameters
    ----------
    counts : array or None
        The best placement, None when none was found.
    bound : int or None
        On the stage's value; None when the solver gave none.
    proven : bool
        Whether `counts` is optimal for the stage.
    infeasible : bool
    """

    counts: Ints | None
    bound: int | None
    proven: bool
    infeasible: bool = False


def small_enough(instance: Instance) -> bool:
    """Whether one model of the whole problem is worth a try."""
    return int(instance.eligible.sum()) <= VARIABLES


def solve_stage(
    instance: Instance,
    nodes: Sequence[int],
    counts: Ints,
    chosen: Sequence[Stage],
    position: int,
    limits: Limits,
    seconds: float,
) -> Step:
    """Optimise one stage within a scope, earlier stages no worse than in `counts`.

    Parameters
    ----------
    nodes : sequence of int
        The scope; all nodes make the solve exact.
    counts : array, shape (classes, nodes)
        A feasible placement: constants outside the scope, the hint inside.
    chosen, position
        The stages and the one to optimise.
    seconds : float
        Time limit of this solve.
    """
    scope = build_scope(instance, nodes, counts)
    _freeze(instance, scope, counts, chosen[:position])
    stage = chosen[position]
    expression = stage.expression(instance, scope)
    if stage.sense == "max":
        scope.model.maximize(expression)
    else:
        scope.model.minimize(expression)
    scope.hint()
    solver = _solver(limits, seconds)
    status = solver.solve(scope.model)
    if status == cp_model.INFEASIBLE:
        return Step(None, None, proven=False, infeasible=True)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return Step(None, None, proven=False)
    found = scope.read(solver)
    bound = _bound(instance, stage, solver) if scope.whole else None
    return Step(found, bound, proven=status == cp_model.OPTIMAL)


def _freeze(instance: Instance, scope: Scope, counts: Ints, earlier: Sequence[Stage]) -> None:
    for stage in earlier:
        expression, value = stage.expression(instance, scope), stage.value(instance, counts)
        if isinstance(stage, Cost):
            raise AssertionError("cost is the last stage")
        scope.model.add(expression >= value if stage.sense == "max" else expression <= value)


def _bound(instance: Instance, stage: Stage, solver: cp_model.CpSolver) -> int:
    """The solver's bound on the stage's value; it comes as a double and is rounded outwards."""
    best = solver.best_objective_bound
    slack = int(abs(best) / 2**51)
    exact = int(np.floor(best + 1e-6)) + slack if stage.sense == "max" else int(np.ceil(best - 1e-6)) - slack
    return exact + stage.constant(instance)


def _solver(limits: Limits, seconds: float) -> cp_model.CpSolver:
    solver = cp_model.CpSolver()
    parameters = solver.parameters
    parameters.random_seed = limits.seed
    if limits.deterministic is None:
        parameters.max_time_in_seconds = max(0.01, seconds)
        parameters.num_workers = limits.workers or 0
    else:
        parameters.max_deterministic_time = max(0.01, seconds)
        parameters.num_workers = 1
    return solver
