"""Stages about the placement as a whole: nodes in use, and the weighted terms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..cpsat.cp import Expr, total
from ..cpsat.encode import cost_expression
from ..cpsat.scope import Scope
from ..instance import Instance
from ..terms import Preference
from .base import Stage

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class NodesInUse(Stage):
    """Nodes that hold a pod that counts as use (preset ``pack``): as few as possible."""

    @property
    def name(self) -> str:
        """``nodes in use``."""
        return "nodes in use"

    def value(self, instance: Instance, counts: Ints) -> int:
        """Nodes in use."""
        return int(((counts.sum(axis=0) > 0) | instance.used_anyway).sum())

    def expression(self, instance: Instance, scope: Scope) -> Expr:
        """Nodes in use in a scope; bounded from below only."""
        used: list[Expr] = []
        for n in scope.nodes:
            classes = scope.classes_at(n)
            if instance.used_anyway[n] or not classes:
                used.append(int(instance.used_anyway[n]))
                continue
            node = scope.model.new_bool_var(f"used{n}")
            for c in classes:
                scope.model.add(scope.count(c, n) <= scope.upper(c, n) * node)
            used.append(node)
        outside = ~scope.inside & ((scope.outside.sum(axis=0) > 0) | instance.used_anyway)
        return total([*used, int(outside.sum())])

    def worst(self, instance: Instance) -> int:
        """All nodes."""
        return len(instance.problem.nodes)

    def ideal(self, instance: Instance, counts: Ints) -> int:
        """Nodes that pinned pods keep in use."""
        return int(instance.used_anyway.sum())


@dataclass(frozen=True, slots=True)
class Cost(Stage):
    """The weighted sum of the soft terms: as low as possible."""

    @property
    def name(self) -> str:
        """``cost``."""
        return "cost"

    def value(self, instance: Instance, counts: Ints) -> int:
        """Terms times their coefficients."""
        return instance.cost(counts)

    def expression(self, instance: Instance, scope: Scope) -> Expr:
        """The terms, up to what no count of the scope changes; bounded from below only."""
        return cost_expression(scope, instance.terms)

    def constant(self, instance: Instance) -> int:
        """What the expression leaves out: pinned pods' costs, and preferences counted as unmet."""
        count = instance.problem.count
        unmet = sum(
            coefficient * int(count @ part.unplaced)
            for term, coefficient in instance.terms
            for part in term.parts
            if isinstance(part, Preference)
        )
        return unmet + sum(coefficient * term.constant for term, coefficient in instance.terms)

    def worst(self, instance: Instance) -> int:
        """Every term at its worst."""
        return sum(coefficient * term.worst for term, coefficient in instance.terms)

    def ideal(self, instance: Instance, counts: Ints) -> int:
        """Every term is met: no term is below 0."""
        return 0
