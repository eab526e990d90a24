"""The cheapest pattern of one node at given prices of the pods."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from ortools.sat.python import cp_model

from ..cpsat.cp import Expr, total, weighted
from ..cpsat.encode import cost_expression
from ..cpsat.scope import Scope
from ..instance import Instance
from ..terms import Deviation, Piecewise, Term

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def local_terms(instance: Instance) -> tuple[tuple[Term, int], ...]:
    """The parts of the objective's terms that are sums over nodes, without constants."""
    found: list[tuple[Term, int]] = []
    for term, coefficient in instance.terms:
        parts = tuple(part for part in term.parts if isinstance(part, Piecewise | Deviation))
        if parts:
            found.append((Term(term.name, term.weight, term.worst, 0, parts), coefficient))
    return tuple(found)


@dataclass(frozen=True, eq=False)
class Pattern:
    """What one node of a group may hold.

    Parameters
    ----------
    group : int
    pods : array, shape (classes,)
    cost : int
        Of the terms that are sums over nodes.
    """

    group: int
    pods: Ints
    cost: int


@dataclass(frozen=True, slots=True)
class Priced:
    """An answer of a `Pricer`.

    Parameters
    ----------
    pods : array, shape (classes,)
        The best pattern found.
    bound : int
        No pattern of the node costs less, prices included.
    """

    pods: Ints
    bound: int


class Pricer:
    """One node as a CP-SAT model that only changes its objective.

    Parameters
    ----------
    instance : Instance
    node : int
        Any node of a group of nodes that are alike.
    """

    def __init__(self, instance: Instance, node: int) -> None:
        problem = instance.problem
        nothing = np.zeros((len(problem.classes), len(problem.nodes)), dtype=np.int64)
        self._scope = scope = Scope(problem, instance.eligible, (node,), nothing)
        self._node = node
        self._classes = list(scope.classes_at(node))
        self._nothing: Ints = nothing[:, 0]
        self._limit_room()
        self._keep_apart(instance.coupling.conflict)
        self._cost = cost_expression(scope, local_terms(instance))

    def price(self, prices: Ints, seconds: float, *, counted: bool = False) -> Priced | None:
        """The cheapest pattern, or None when there is not even a bound in time.

        Parameters
        ----------
        prices : array, shape (classes,)
            What one pod of a class costs on top of what the node's terms say.
        seconds : float
        counted : bool
            Whether `seconds` are deterministic ones.
        """
        amounts = [int(prices[c]) for c in self._classes]
        charged = weighted([self._scope.count(c, self._node) for c in self._classes], amounts)
        self._scope.model.minimize(total([self._cost, charged]))
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        if counted:
            solver.parameters.max_deterministic_time = seconds
        else:
            solver.parameters.max_time_in_seconds = seconds
        status = solver.solve(self._scope.model)
        if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return None
        pods = self._nothing.copy()
        for c in self._classes:
            pods[c] = solver.value(self._scope.count(c, self._node))
        best = solver.best_objective_bound
        return Priced(pods, int(np.floor(best)) - 1 - int(abs(best) / 2**51))

    def _limit_room(self) -> None:
        problem, scope = self._scope.problem, self._scope
        for r in range(len(problem.resources)):
            asking = [c for c in self._classes if problem.request[c, r]]
            if asking:
                amounts = [(scope.count(c, self._node), int(problem.request[c, r])) for c in asking]
                scope.at_most(amounts, int(problem.room[self._node, r]))

    def _keep_apart(self, conflict: NDArray[np.bool_]) -> None:
        scope, node = self._scope, self._node
        for i, c in enumerate(self._classes):
            if conflict[c, c]:
                scope.model.add(scope.count(c, node) <= 1)
            others: list[Expr] = [scope.present(d, node) for d in self._classes[i + 1 :] if conflict[c, d]]
            for other in others:
                scope.model.add(total([scope.present(c, node), other]) <= 1)


class LocalCost:
    """The exact cost of patterns: what `Pricer` minimises, without prices."""

    def __init__(self, instance: Instance) -> None:
        self._parts = [(part, k) for term, k in local_terms(instance) for part in term.parts]

    def of(self, node: int, pods: Ints) -> int:
        """Cost of a node with these pods, shape (classes,)."""
        where = np.array([node])
        cost = 0
        for part, coefficient in self._parts:
            if isinstance(part, Piecewise):
                usage = np.array([int(part.base[node] + pods @ part.amount)])
                cost += coefficient * int(part.at(usage, where)[0])
            elif isinstance(part, Deviation):
                usage = (part.base[:, node] + part.amount @ pods)[:, None]
                cost += coefficient * int(part.at(usage, where)[0])
        return cost
