"""InterPodAffinity: required terms keep pods together or apart, preferred ones cost pairs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..bounds.relaxation import Relaxation
from ..cpsat.scope import Scope
from ..problem import Problem
from ..relations.company import Company
from ..relations.coupling import Coupling
from ..relations.pair_cost import PairCost
from ..relations.pairs import soft_pairs
from ..relations.separation import separations
from ..terms import Part, Preference, Term
from .base import Encoder


class InterPodAffinity(Encoder):
    """Pods that must, or would rather, share a domain with other pods, or not share it."""

    name = "InterPodAffinity"

    def restrict(self, problem: Problem, eligible: NDArray[np.bool_]) -> None:
        """Clear domains that pinned pods close, and nodes where required company can never be."""
        for separation in problem.once(separations):
            separation.restrict(eligible)
        problem.once(Company).restrict(eligible)

    def couple(self, problem: Problem, coupling: Coupling) -> None:
        """Hosts are checked node by node, coarser domains keep their counts."""
        for separation in problem.once(separations):
            separation.couple(coupling)
        problem.once(Company).couple(coupling)

    def constrain(self, scope: Scope) -> None:
        """Required terms."""
        for separation in scope.problem.once(separations):
            separation.constrain(scope)
        scope.problem.once(Company).constrain(scope)

    def relax(self, relaxation: Relaxation) -> None:
        """Required anti-affinity among the pods of a term."""
        for separation in relaxation.problem.once(separations):
            separation.relax(relaxation)

    def term(self, problem: Problem) -> Term | None:
        """Preferred terms unmet, and required affinity with its soft weight."""
        weight = problem.profile.scores.get(self.name, 0)
        if weight <= 0:
            return None
        soft = soft_pairs(problem)
        parts: list[Part] = [PairCost(problem, soft.pairs)] if soft.pairs else []
        if soft.unplaced.any():
            nothing = np.zeros((len(problem.classes), len(problem.nodes)), dtype=np.int64)
            parts.append(Preference(nothing, soft.unplaced))
        return Term(self.name, weight, soft.worst, soft.constant, tuple(parts)) if soft.worst else None
