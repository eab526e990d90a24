"""Counts as CP-SAT variables within a scope, with everything outside frozen.

The whole problem as scope gives the exact model; some nodes give a
neighbourhood of the search; a part of a partition gives a sub-problem.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from ortools.sat.python import cp_model

from ..problem import Problem
from .cp import Expr, total, weighted

Ints = NDArray[np.int64]


@dataclass(eq=False)
class Scope:
    """Free counts on some nodes; elsewhere the counts are constants.

    Parameters
    ----------
    problem : Problem
    eligible : array of bool, shape (classes, nodes)
        Where variables are made, see `Encoder.restrict`.
    nodes : tuple of int
        Positions of the nodes whose counts are free.
    counts : array, shape (classes, nodes)
        The placement so far: constants outside, hints inside.
    """

    problem: Problem
    eligible: NDArray[np.bool_]
    nodes: tuple[int, ...]
    counts: Ints
    model: cp_model.CpModel = field(default_factory=cp_model.CpModel)

    def __post_init__(self) -> None:
        inside = np.zeros(len(self.problem.nodes), dtype=bool)
        inside[list(self.nodes)] = True
        self.inside = inside
        self.outside = np.where(inside[None, :], 0, self.counts)
        self.available = self.problem.count - self.outside.sum(axis=1)
        self._variables: dict[tuple[int, int], cp_model.IntVar] = {}
        self._present: dict[tuple[int, int], cp_model.IntVar] = {}
        self._auxiliaries: list[tuple[cp_model.IntVar, int]] = []
        self._at: dict[int, list[int]] = {n: [] for n in self.nodes}
        self._of: dict[int, list[int]] = {}
        self._make_variables()

    def _make_variables(self) -> None:
        fit = np.minimum(self.problem.fit, self.available[:, None])
        for n in self.nodes:
            for c in np.flatnonzero(self.eligible[:, n] & (fit[:, n] > 0)).tolist():
                self._variables[c, n] = self.model.new_int_var(0, int(fit[c, n]), f"y{c}_{n}")
                self._at[n].append(c)
                self._of.setdefault(c, []).append(n)
        for c, nodes in self._of.items():
            self.model.add(total([self._variables[c, n] for n in nodes]) <= int(self.available[c]))

    @property
    def whole(self) -> bool:
        """Whether every node is free."""
        return len(self.nodes) == len(self.problem.nodes)

    def count(self, c: int, n: int) -> Expr:
        """Pods of class `c` on node `n`: a variable inside the scope where eligible, else a constant."""
        variable = self._variables.get((c, n))
        return int(self.outside[c, n]) if variable is None else variable

    def free(self, c: int, n: int) -> bool:
        """Whether the count is a variable."""
        return (c, n) in self._variables

    def classes_at(self, n: int) -> Sequence[int]:
        """Classes with a variable on node `n` of the scope."""
        return self._at.get(n, ())

    def nodes_of(self, c: int) -> Sequence[int]:
        """Nodes of the scope on which class `c` has a variable."""
        return self._of.get(c, ())

    def upper(self, c: int, n: int) -> int:
        """Largest possible count of class `c` on node `n`."""
        if (c, n) not in self._variables:
            return int(self.outside[c, n])
        return int(min(self.problem.fit[c, n], self.available[c]))

    def present(self, c: int, n: int) -> Expr:
        """1 if class `c` has a pod on node `n`, else 0."""
        if (c, n) not in self._variables:
            return int(self.outside[c, n] > 0)
        known = self._present.get((c, n))
        if known is None:
            variable = self._variables[c, n]
            if self.upper(c, n) == 1:
                known = variable
            else:
                known = self.model.new_bool_var(f"p{c}_{n}")
                self.model.add(variable <= self.upper(c, n) * known)
                self.model.add(variable >= known)
            self._present[c, n] = known
        return known

    def staying(self, c: int, n: int) -> Expr:
        """Standing pods of class `c` that stay on node `n` (`Problem.standing`); bounded from below only."""
        stood = int(self.problem.standing[c, n])
        if not self.free(c, n):
            return min(stood, int(self.outside[c, n]))
        if self.upper(c, n) <= stood:
            return self.count(c, n)
        stays = self.auxiliary(0, stood, f"stays{c}_{n}", min(stood, int(self.counts[c, n])))
        arrival = self.arrival([(c, n)])
        self.model.add(stays >= self.count(c, n) - (self.upper(c, n) - stood) * arrival)
        self.model.add(stays >= stood * arrival)
        return stays

    def arrival(self, places: Iterable[tuple[int, int]]) -> Expr:
        """Something that is 1 when a pod arrives at one of the places: beyond those that stand there.

        It may be 1 without.

        Parameters
        ----------
        places : iterable of (int, int)
            Classes and nodes inside the scope.
        """
        standing = self.problem.standing
        entered = [(c, n) for c, n in places if self.free(c, n) and self.upper(c, n) > standing[c, n]]
        if not entered:
            return 0
        arrived = any(self.counts[c, n] > standing[c, n] for c, n in entered)
        arrival = self.auxiliary(0, 1, "arrival", int(arrived))
        for c, n in entered:
            stood = int(standing[c, n])
            self.model.add(self.count(c, n) <= (self.upper(c, n) - stood) * arrival + stood)
        return arrival

    def count_in(self, c: int, nodes: Iterable[int]) -> Expr:
        """Pods of class `c` on `nodes` (positions, inside or outside the scope)."""
        variables: list[cp_model.IntVar] = []
        constant = 0
        for n in nodes:
            variable = self._variables.get((c, n))
            if variable is None:
                constant += int(self.outside[c, n])
            else:
                variables.append(variable)
        return total([*variables, constant]) if variables else constant

    def placed(self, c: int) -> Expr:
        """Pods of class `c` that are placed, anywhere."""
        return total([*(self._variables[c, n] for n in self.nodes_of(c)), int(self.outside[c].sum())])

    def auxiliary(self, lower: int, upper: int, name: str, hint: int) -> cp_model.IntVar:
        """A variable that the counts decide; `hint` is its value in the placement so far."""
        variable = self.model.new_int_var(lower, upper, name)
        self._auxiliaries.append((variable, min(max(hint, lower), upper)))
        return variable

    def at_most(self, amounts: Sequence[tuple[Expr, int]], bound: int) -> cp_model.Constraint:
        """Add ``sum(count * amount) <= bound``, scaled down by the amounts' greatest common divisor."""
        divisor = int(np.gcd.reduce([amount for _, amount in amounts]))
        used = weighted([count for count, _ in amounts], [amount // divisor for _, amount in amounts])
        return self.model.add(used <= bound // divisor)

    def hint(self) -> None:
        """Give the placement so far as a complete hint for the counts."""
        for (c, n), variable in self._variables.items():
            self.model.add_hint(variable, int(self.counts[c, n]))
        for (c, n), variable in self._present.items():
            if variable is not self._variables[c, n]:
                self.model.add_hint(variable, int(self.counts[c, n] > 0))
        for variable, value in self._auxiliaries:
            self.model.add_hint(variable, value)

    def fix(self) -> None:
        """Allow only the placement so far."""
        for (c, n), variable in self._variables.items():
            self.model.add(variable == int(self.counts[c, n]))

    def read(self, solver: cp_model.CpSolver) -> Ints:
        """The counts of a solution, shape (classes, nodes)."""
        counts = self.outside.copy()
        for (c, n), variable in self._variables.items():
            counts[c, n] = solver.value(variable)
        return counts
