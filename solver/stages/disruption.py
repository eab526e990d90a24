"""Stages about what evictions cost: PodDisruptionBudgets, then ``pod-deletion-cost``."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..cpsat.cp import Expr, total, weighted
from ..cpsat.scope import Scope
from ..instance import Instance
from .base import Stage, lost_places
from .tiers import Kept

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class BudgetViolations(Stage):
    """Evictions beyond what PodDisruptionBudgets allow: as few as possible."""

    @property
    def name(self) -> str:
        """``budget violations``."""
        return "budget violations"

    def value(self, instance: Instance, counts: Ints) -> int:
        """Evictions beyond each budget, summed."""
        lost = np.maximum(instance.problem.origin - counts, 0).sum(axis=1)
        return sum(max(0, int(lost[classes].sum()) - allowed) for classes, allowed in instance.budgets)

    def expression(self, instance: Instance, scope: Scope) -> Expr:
        """The same in a scope; bounded from below only."""
        over: list[Expr] = []
        for classes, allowed in instance.budgets:
            most = int(instance.problem.origin[classes].sum())
            excess = scope.auxiliary(0, most, "excess", 0)
            lost = [
                expression
                for c in classes.tolist()
                for expression in lost_places(instance, scope, c).values()
            ]
            scope.model.add(excess >= total([*lost, -allowed]))
            over.append(excess)
        return total(over)

    def worst(self, instance: Instance) -> int:
        """Every running pod, for every budget."""
        return int(instance.problem.origin.sum()) * max(1, len(instance.budgets))

    def ideal(self, instance: Instance, counts: Ints) -> int:
        """Every budget is kept."""
        return 0


@dataclass(frozen=True, slots=True)
class Disruption(Stage):
    """Disruption cost of the running pods that lose their place: as low as possible."""

    @property
    def name(self) -> str:
        """``disruption``."""
        return "disruption"

    def value(self, instance: Instance, counts: Ints) -> int:
        """Of every class on a node the cheapest pods go."""
        lost = np.maximum(instance.problem.origin - counts, 0)
        return sum(int(costs[: lost[place]].sum()) for place, costs in instance.disruption.items())

    def expression(self, instance: Instance, scope: Scope) -> Expr:
        """The same in a scope: cheapest pods first, as costs rise; bounded from below only."""
        found: list[Expr] = []
        for c in range(len(instance.problem.classes)):
            for n, lost in lost_places(instance, scope, c).items():
                costs = instance.disruption[c, n].tolist()
                if isinstance(lost, int):
                    found.append(sum(costs[:lost]))
                    continue
                now = max(0, len(costs) - int(scope.counts[c, n]))
                gone = [scope.auxiliary(0, 1, f"gone{c}_{n}_{k}", int(k < now)) for k in range(len(costs))]
                scope.model.add(total(gone) >= lost)
                found.append(weighted(gone, costs))
        return total(found)

    def worst(self, instance: Instance) -> int:
        """Every running pod goes."""
        return sum(int(costs.sum()) for costs in instance.disruption.values())

    def ideal(self, instance: Instance, counts: Ints) -> int:
        """The cheapest pods of each priority go: how many go has been settled before."""
        problem, found = instance.problem, 0
        for tier in range(len(problem.tiers)):
            places = [costs for (c, _), costs in instance.disruption.items() if problem.tier_of[c] == tier]
            if places:
                lost = Kept(tier, problem.tiers[tier]).lost(instance, counts)
                found += int(np.sort(np.concatenate(places))[:lost].sum())
        return found
