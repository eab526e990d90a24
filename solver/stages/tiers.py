"""Stages per priority: pods placed, and running pods that keep or lose their place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..cpsat.cp import Expr, total
from ..cpsat.scope import Scope
from ..instance import Instance
from .base import Stage, lost_places

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class OfPriority(Stage):
    """A stage about the pods of one priority.

    Parameters
    ----------
    tier : int
        Position in `Problem.tiers`.
    priority : int
    """

    tier: int
    priority: int
    word: ClassVar[str]

    @property
    def name(self) -> str:
        """Such as ``placed 1000``."""
        return f"{self.word} {self.priority}"

    def running(self, instance: Instance) -> int:
        """Running pods of the priority."""
        return int(instance.problem.origin[instance.problem.tier_of == self.tier].sum())

    def lost(self, instance: Instance, counts: Ints) -> int:
        """Running pods of the priority that lose their place, moved or evicted."""
        mine = instance.problem.tier_of == self.tier
        return int(np.maximum(instance.problem.origin[mine] - counts[mine], 0).sum())

    def losing(self, instance: Instance, scope: Scope) -> Expr:
        """The same in a scope; bounded from below only."""
        classes = np.flatnonzero(instance.problem.tier_of == self.tier).tolist()
        return total([lost for c in classes for lost in lost_places(instance, scope, c).values()])


class Placed(OfPriority):
    """Pods of one priority that are placed: as many as possible."""

    sense = "max"
    word = "placed"

    def value(self, instance: Instance, counts: Ints) -> int:
        """Placed pods."""
        return int(counts[instance.problem.tier_of == self.tier].sum())

    def expression(self, instance: Instance, scope: Scope) -> Expr:
        """Placed pods in a scope."""
        classes = np.flatnonzero(instance.problem.tier_of == self.tier).tolist()
        return total([scope.placed(c) for c in classes])

    def worst(self, instance: Instance) -> int:
        """All pods of the priority."""
        return int(instance.problem.count[instance.problem.tier_of == self.tier].sum())

    def ideal(self, instance: Instance, counts: Ints) -> int:
        """What could be placed if each class had the cluster for itself."""
        problem = instance.problem
        room = (np.minimum(problem.fit, problem.count[:, None]) * instance.eligible).sum(axis=1)
        return int(np.minimum(problem.count, room)[problem.tier_of == self.tier].sum())


class Moves(OfPriority):
    """Running pods of one priority that lose their place, moved or evicted: as few as possible."""

    word = "moves"

    def value(self, instance: Instance, counts: Ints) -> int:
        """Lost places."""
        return self.lost(instance, counts)

    def expression(self, instance: Instance, scope: Scope) -> Expr:
        """Lost places; bounded from below only."""
        return self.losing(instance, scope)

    def worst(self, instance: Instance) -> int:
        """Every running pod of the priority."""
        return self.running(instance)

    def ideal(self, instance: Instance, counts: Ints) -> int:
        """Nobody moves."""
        return 0


class Kept(OfPriority):
    """Running pods of one priority that keep their place: as many as possible."""

    sense = "max"
    word = "kept"

    def value(self, instance: Instance, counts: Ints) -> int:
        """Running pods less lost places."""
        return self.running(instance) - self.lost(instance, counts)

    def expression(self, instance: Instance, scope: Scope) -> Expr:
        """Kept places; bounded from above only."""
        return total([self.running(instance), -self.losing(instance, scope)])

    def worst(self, instance: Instance) -> int:
        """Every running pod of the priority."""
        return self.running(instance)

    def ideal(self, instance: Instance, counts: Ints) -> int:
        """Everybody stays."""
        return self.running(instance)
