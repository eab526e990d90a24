"""PodTopologySpread: hard constraints limit the skew of arrivals, soft ones cost their excess."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..bounds.relaxation import Relaxation
from ..cpsat.scope import Scope
from ..problem import Problem
from ..relations.coupling import Coupling
from ..relations.skew import hard_skews
from ..relations.skew_cost import skew_cost
from ..terms import Term
from .base import Encoder


class PodTopologySpread(Encoder):
    """Pods of a constraint are spread over the domains of a topology key."""

    name = "PodTopologySpread"

    def restrict(self, problem: Problem, eligible: NDArray[np.bool_]) -> None:
        """Clear nodes without the key of a hard constraint, and domains that are full for good."""
        for skew in problem.once(hard_skews):
            skew.restrict(eligible)

    def couple(self, problem: Problem, coupling: Coupling) -> None:
        """Pods that a hard constraint owns or counts stay within their domains."""
        for skew in problem.once(hard_skews):
            skew.couple(coupling)

    def constrain(self, scope: Scope) -> None:
        """Hard constraints."""
        for skew in scope.problem.once(hard_skews):
            skew.constrain(scope)

    def relax(self, relaxation: Relaxation) -> None:
        """Hard constraints, averaged over domains that the relaxation merges."""
        for skew in relaxation.problem.once(hard_skews):
            skew.relax(relaxation)

    def term(self, problem: Problem) -> Term | None:
        """Excess of soft constraints, the profile's defaults included."""
        weight = problem.profile.scores.get(self.name, 0)
        if weight <= 0:
            return None
        part, constant, worst = skew_cost(problem)
        return Term(self.name, weight, worst, constant, (part,) if part else ()) if worst else None
