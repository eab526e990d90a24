"""What a stage of the lexicographic objective is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..cpsat.cp import Expr
from ..cpsat.scope import Scope
from ..instance import Instance

Ints = NDArray[np.int64]


class Stage(ABC):
    """One stage of the objective: an integer of a placement, and its direction."""

    sense: ClassVar[str] = "min"
    """``max`` or ``min``."""

    @property
    @abstractmethod
    def name(self) -> str:
        """As shown, such as ``placed 1000``."""

    @abstractmethod
    def value(self, instance: Instance, counts: Ints) -> int:
        """What a placement, shape (classes, nodes), reaches."""

    @abstractmethod
    def expression(self, instance: Instance, scope: Scope) -> Expr:
        """The stage's value in a scope, up to `constant`; it need not be tight on the worse side."""

    @abstractmethod
    def worst(self, instance: Instance) -> int:
        """Scale of the stage: the largest possible value."""

    def constant(self, instance: Instance) -> int:
        """What the expression leaves out."""
        return 0

    def ideal(self, instance: Instance, counts: Ints) -> int | None:
        """What nothing that equals `counts` in all earlier stages can pass, where that is plain."""
        return None


def lost_places(instance: Instance, scope: Scope, c: int) -> dict[int, Expr]:
    """Running pods of class `c` that lose their place, by node; bounded from below only."""
    problem = instance.problem
    lost: dict[int, Expr] = {}
    for n in np.flatnonzero(problem.origin[c]).tolist():
        here = int(problem.origin[c, n])
        if not scope.free(c, n):
            lost[n] = max(0, here - int(scope.outside[c, n]))
        elif scope.upper(c, n) <= here:
            lost[n] = here - scope.count(c, n)
        else:
            away = scope.auxiliary(0, here, f"away{c}_{n}", max(0, here - int(scope.counts[c, n])))
            scope.model.add(away >= here - scope.count(c, n))
            lost[n] = away
    return lost
