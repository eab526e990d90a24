"""Terms as CP-SAT expressions, and a whole scope put together: constraints, objective, hints."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from ortools.sat.python import cp_model

from ..instance import Instance
from ..relations.preempting import constrain_victims
from ..terms import Deviation, Piecewise, Preference, Relational, Term
from .cp import Expr, total, weighted
from .scope import Scope

Ints = NDArray[np.int64]


def build_scope(instance: Instance, nodes: Sequence[int], counts: Ints) -> Scope:
    """A scope over `nodes` with the constraints of every rule that applies."""
    scope = Scope(instance.problem, instance.eligible, tuple(nodes), counts)
    for encoder in instance.encoders:
        encoder.constrain(scope)
    if instance.problem.question == "preempt":
        constrain_victims(scope, instance.open)
    for cut in instance.cuts:
        cut.constrain(scope)
    return scope


def feasible(instance: Instance, counts: Ints) -> bool:
    """Whether a placement satisfies every rule that applies, by the encoders' own account."""
    problem = instance.problem
    if (counts > np.where(instance.eligible, problem.fit, 0)).any() or (
        counts.sum(axis=1) > problem.count
    ).any():
        return False
    used = counts.T @ problem.request
    if (used > problem.room).any():
        return False
    plain = problem.question != "preempt" and not instance.coupling.conflict.any()
    if plain and instance.loose.all():
        return True
    scope = build_scope(instance, range(len(problem.nodes)), counts)
    scope.fix()
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    return solver.solve(scope.model) in (cp_model.OPTIMAL, cp_model.FEASIBLE)


def cost_expression(scope: Scope, terms: Sequence[tuple[Term, int]]) -> Expr:
    """The weighted sum of the terms, up to what nodes outside the scope cost.

    Costs of convex parts are bounded from below only: minimise the expression.
    """
    expressions: list[Expr] = []
    coefficients: list[int] = []
    for term, coefficient in terms:
        for part in term.parts:
            for expression, factor in _part(scope, part):
                expressions.append(expression)
                coefficients.append(coefficient * factor)
    return weighted(expressions, coefficients)


def _part(scope: Scope, part: Piecewise | Deviation | Preference | Relational) -> list[tuple[Expr, int]]:
    if isinstance(part, Piecewise):
        encode = _convex if part.convex else _chords
        return [(encode(scope, part, n), 1) for n in scope.nodes if part.size[n]]
    if isinstance(part, Deviation):
        return [pair for n in scope.nodes if part.weight[n] for pair in _deviation(scope, part, n)]
    if isinstance(part, Preference):
        return _preference(scope, part)
    return [(part.encode(scope), 1)]


def _usage(scope: Scope, amount: Ints, base: int, n: int) -> tuple[Expr, int]:
    """Usage of node `n` and its largest possible value."""
    classes = [c for c in scope.classes_at(n) if amount[c]]
    most = base + sum(int(amount[c]) * scope.upper(c, n) for c in classes)
    expression = weighted([scope.count(c, n) for c in classes], [int(amount[c]) for c in classes])
    return total([expression, base]), most


def _convex(scope: Scope, part: Piecewise, n: int) -> Expr:
    usage, most = _usage(scope, part.amount, int(part.base[n]), n)
    least = int(part.base[n])
    points, values, slopes = part.breakpoints[n], part.values[n], part.slopes[n]
    top = np.array([most], dtype=np.int64)
    cost = scope.model.new_int_var(0, int(part.at(top, np.array([n]))[0]), f"f{n}")
    for k in range(len(points)):
        end = points[k + 1] if k + 1 < len(points) else most + 1
        if points[k] <= most and end >= least and end > points[k]:
            offset = int(values[k]) - int(slopes[k]) * int(points[k])
            scope.model.add(cost >= int(slopes[k]) * usage + offset)
    return cost


def _chords(scope: Scope, part: Piecewise, n: int) -> Expr:
    """A function that is not convex: segments are filled in order."""
    usage, most = _usage(scope, part.amount, int(part.base[n]), n)
    points, slopes = part.breakpoints[n], part.slopes[n]
    filled: list[Expr] = []
    costs: list[int] = []
    before = None
    for k in range(len(points)):
        end = int(points[k + 1]) if k + 1 < len(points) else max(most, int(points[k]))
        width = min(end, most) - int(points[k])
        if width <= 0:
            continue
        amount = scope.model.new_int_var(0, width, f"u{n}_{k}")
        started = scope.model.new_bool_var(f"s{n}_{k}")
        scope.model.add(amount <= width * started)
        if before is not None:
            scope.model.add(before[0] >= before[1] * started)
        before = (amount, width)
        filled.append(amount)
        costs.append(int(slopes[k]))
    scope.model.add(total(filled) == usage)
    return weighted(filled, costs)


def _deviation(scope: Scope, part: Deviation, n: int) -> list[tuple[Expr, int]]:
    listed = np.flatnonzero(part.scale[:, n]).tolist()
    scaled: list[Expr] = []
    ends: list[int] = []
    for r in listed:
        usage, most = _usage(scope, part.amount[r], int(part.base[r, n]), n)
        scaled.append(int(part.scale[r, n]) * usage)
        ends.append(int(part.scale[r, n]) * most)
    number = len(listed)
    found: list[tuple[Expr, int]] = []
    for r, mine in enumerate(scaled):
        apart = scope.model.new_int_var(0, number * sum(ends), f"d{n}_{r}")
        difference = weighted([mine, total(scaled)], [number, -1])
        scope.model.add(apart >= difference)
        scope.model.add(apart >= weighted([difference], [-1]))
        found.append((apart, int(part.weight[n])))
    return found


def _preference(scope: Scope, part: Preference) -> list[tuple[Expr, int]]:
    found: list[tuple[Expr, int]] = []
    for n in scope.nodes:
        for c in scope.classes_at(n):
            gain = int(part.cost[c, n]) - int(part.unplaced[c])
            if gain:
                found.append((scope.count(c, n), gain))
    return found
