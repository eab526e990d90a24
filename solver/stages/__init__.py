"""The lexicographic objective as data: which stages a question has, and what each measures."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..instance import Instance
from .base import Stage, lost_places
from .cost import Cost, NodesInUse
from .disruption import BudgetViolations, Disruption
from .tiers import Kept, Moves, Placed

__all__ = [
    "STAGE_LISTS",
    "BudgetViolations",
    "Cost",
    "Disruption",
    "Kept",
    "Moves",
    "NodesInUse",
    "Placed",
    "Stage",
    "key",
    "lost_places",
    "published_stages",
    "stages",
]

Ints = NDArray[np.int64]
STAGE_LISTS = ("default", "published")


def stages(instance: Instance, preset: str = "spread") -> tuple[Stage, ...]:
    """The stages of a question: kept and placed pods per priority, disruption, nodes in use, cost."""
    found: list[Stage] = []
    problem = instance.problem
    for tier, priority in enumerate(problem.tiers):
        if problem.origin[problem.tier_of == tier].any():
            found.append(Kept(tier, priority))
        found.append(Placed(tier, priority))
    if instance.budgets:
        found.append(BudgetViolations())
    if any((costs != 1).any() for costs in instance.disruption.values()):
        # Where all pods cost the same, the numbers that are kept have settled it.
        found.append(Disruption())
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
