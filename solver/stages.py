"""The lexicographic objective as data: which stages a question has, and what each measures."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .cp import Expr, total
from .encode import cost_expression
from .instance import Instance
from .scope import Scope
from .terms import Preference

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Placed:
    """Pods of one priority that are placed: as many as possible.

    Parameters
    ----------
    tier : int
        Position in `Problem.tiers`.
    priority : int
    """

    tier: int
    priority: int
    sense: str = "max"

    @property
    def name(self) -> str:
        """Such as ``placed 1000``."""
        return f"placed {self.priority}"

    def value(self, instance: Instance, counts: Ints) -> int:
        """What a placement reaches."""
        return int(counts[instance.problem.tier_of == self.tier].sum())

    def expression(self, instance: Instance, scope: Scope) -> Expr:
        """The stage's value in a scope."""
        classes = np.flatnonzero(instance.problem.tier_of == self.tier).tolist()
        return total([scope.placed(c) for c in classes])

    def constant(self, instance: Instance) -> int:
        """What the expression leaves out."""
        return 0

    def worst(self, instance: Instance) -> int:
        """Scale of the stage: all pods of the priority."""
        return int(instance.problem.count[instance.problem.tier_of == self.tier].sum())


@dataclass(frozen=True, slots=True)
class Moves:
    """Running pods of one priority that lose their place, moved or evicted: as few as possible.

    Parameters
    ----------
    tier : int
        Position in `Problem.tiers`.
    priority : int
    """

    tier: int
    priority: int
    sense: str = "min"

    @property
    def name(self) -> str:
        """Such as ``moves 1000``."""
        return f"moves {self.priority}"

    def value(self, instance: Instance, counts: Ints) -> int:
        """What a placement reaches."""
        mine = instance.problem.tier_of == self.tier
        return int(np.maximum(instance.problem.origin[mine] - counts[mine], 0).sum())

    def expression(self, instance: Instance, scope: Scope) -> Expr:
        """The stage's value in a scope; bounded from below only."""
        classes = np.flatnonzero(instance.problem.tier_of == self.tier).tolist()
        return total([lost for c in classes for lost in lost_places(instance, scope, c)])

    def constant(self, instance: Instance) -> int:
        """What the expression leaves out."""
        return 0

    def worst(self, instance: Instance) -> int:
        """Scale of the stage: every running pod of the priority."""
        return int(instance.problem.origin[instance.problem.tier_of == self.tier].sum())


@dataclass(frozen=True, slots=True)
class Kept:
    """Running pods of one priority that keep their place: as many as possible.

    Parameters
    ----------
    tier : int
        Position in `Problem.tiers`.
    priority : int
    """

    tier: int
    priority: int
    sense: str = "max"

    @property
    def name(self) -> str:
        """Such as ``kept 1000``."""
        return f"kept {self.priority}"

    def value(self, instance: Instance, counts: Ints) -> int:
        """What a placement reaches."""
        return self.worst(instance) - Moves(self.tier, self.priority).value(instance, counts)

    def expression(self, instance: Instance, scope: Scope) -> Expr:
        """The stage's value in a scope; bounded from above only."""
        lost = Moves(self.tier, self.priority).expression(instance, scope)
        return total([self.worst(instance), -lost])

    def constant(self, instance: Instance) -> int:
        """What the expression leaves out."""
        return 0

    def worst(self, instance: Instance) -> int:
        """Scale of the stage: every running pod of the priority."""
        return int(instance.problem.origin[instance.problem.tier_of == self.tier].sum())


@dataclass(frozen=True, slots=True)
class BudgetViolations:
    """Evictions beyond what PodDisruptionBudgets allow: as few as possible."""

    name: str = "budget violations"
    sense: str = "min"

    def value(self, instance: Instance, counts: Ints) -> int:
        """What a placement reaches."""
        lost = np.maximum(instance.problem.origin - counts, 0).sum(axis=1)
        return sum(max(0, int(lost[classes].sum()) - allowed) for classes, allowed in instance.budgets)

    def expression(self, instance: Instance, scope: Scope) -> Expr:
        """The stage's value in a scope; bounded from below only."""
        over: list[Expr] = []
        for classes, allowed in instance.budgets:
            most = int(instance.problem.origin[classes].sum())
            excess = scope.auxiliary(0, most, "excess", 0)
            lost = [expression for c in classes.tolist() for expression in lost_places(instance, scope, c)]
            scope.model.add(excess >= total([*lost, -allowed]))
            over.append(excess)
        return total(over)

    def constant(self, instance: Instance) -> int:
        """What the expression leaves out."""
        return 0

    def worst(self, instance: Instance) -> int:
        """Scale of the stage: every running pod."""
        return int(instance.problem.origin.sum())


@dataclass(frozen=True, slots=True)
class NodesInUse:
    """Nodes that hold a pod that counts as use (preset ``pack``): as few as possible."""

    name: str = "nodes in use"
    sense: str = "min"

    def value(self, instance: Instance, counts: Ints) -> int:
        """What a placement reaches."""
        return int(((counts.sum(axis=0) > 0) | instance.used_anyway).sum())

    def expression(self, instance: Instance, scope: Scope) -> Expr:
        """The stage's value in a scope; bounded from below only."""
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

    def constant(self, instance: Instance) -> int:
        """What the expression leaves out."""
        return 0

    def worst(self, instance: Instance) -> int:
        """Scale of the stage: all nodes."""
        return len(instance.problem.nodes)


@dataclass(frozen=True, slots=True)
class Cost:
    """The weighted sum of the soft terms: as low as possible."""

    name: str = "cost"
    sense: str = "min"

    def value(self, instance: Instance, counts: Ints) -> int:
        """What a placement reaches."""
        return instance.cost(counts)

    def expression(self, instance: Instance, scope: Scope) -> Expr:
        """The stage's value, up to what no count of the scope changes; bounded from below only."""
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
        """Scale of the stage: every term at its worst."""
        return sum(coefficient * term.worst for term, coefficient in instance.terms)


Stage = Placed | Moves | Kept | BudgetViolations | NodesInUse | Cost


def lost_places(instance: Instance, scope: Scope, c: int) -> list[Expr]:
    """Running pods of class `c` that lose their place, by node; bounded from below only."""
    problem = instance.problem
    lost: list[Expr] = []
    for n in np.flatnonzero(problem.origin[c]).tolist():
        here = int(problem.origin[c, n])
        if not scope.free(c, n):
            lost.append(max(0, here - int(scope.outside[c, n])))
        elif scope.upper(c, n) <= here:
            lost.append(here - scope.count(c, n))
        else:
            away = scope.auxiliary(0, here, f"away{c}_{n}", max(0, here - int(scope.counts[c, n])))
            scope.model.add(away >= here - scope.count(c, n))
            lost.append(away)
    return lost


STAGE_LISTS = ("default", "published")


def stages(instance: Instance, preset: str = "spread") -> tuple[Stage, ...]:
    """The stages of a question: kept and placed pods per priority, budgets, nodes in use, cost."""
    found: list[Stage] = []
    problem = instance.problem
    for tier, priority in enumerate(problem.tiers):
        if problem.origin[problem.tier_of == tier].any():
            found.append(Kept(tier, priority))
        found.append(Placed(tier, priority))
    if instance.budgets:
        found.append(BudgetViolations())
    if preset == "pack":
        found.append(NodesInUse())
    return (*found, Cost())


def published_stages(instance: Instance) -> tuple[Stage, ...]:
    """Per priority, highest first: most pods placed, then fewest moves (arXiv 2511.08373)."""
    tiers = enumerate(instance.problem.tiers)
    return tuple(
        stage for tier, priority in tiers for stage in (Placed(tier, priority), Moves(tier, priority))
    )


def key(instance: Instance, chosen: tuple[Stage, ...], counts: Ints) -> tuple[int, ...]:
    """Values of all stages with the sense turned to "smaller is better": compare lexicographically."""
    values = (stage.value(instance, counts) for stage in chosen)
    return tuple(-v if stage.sense == "max" else v for stage, v in zip(chosen, values, strict=True))
