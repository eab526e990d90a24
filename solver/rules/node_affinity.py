"""NodeAffinity: required terms are static, preferred ones a cost per pod and node."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...model.api import Node, Pod, PreferredSchedulingTerm
from ...model.labels import InvalidSelector, term_matches
from ...model.profile import Profile
from ..preference import preference_term
from ..problem import Problem
from ..terms import Term
from .base import Encoder


class NodeAffinity(Encoder):
    """Node selectors, required and preferred node affinity."""

    name = "NodeAffinity"

    def restrict(self, problem: Problem, eligible: NDArray[np.bool_]) -> None:
        """Clear nodes that the static filters refuse (cordons and taints are read in the same pass)."""
        eligible &= problem.static_mask

    def term(self, problem: Problem) -> Term | None:
        """Weights of preferred terms that the node misses, against the best eligible node."""

        def values(pod: Pod, profile: Profile) -> NDArray[np.int64] | None:
            added = () if profile.added_affinity is None else profile.added_affinity.preferred
            preferred = (*pod.spec.affinity.node_affinity.preferred, *added)
            if not preferred:
                return None
            return problem.static.evaluate(pod, profile, lambda node: matched_weight(preferred, node))

        return preference_term(problem, self.name, values)


def matched_weight(preferred: tuple[PreferredSchedulingTerm, ...], node: Node) -> int:
    """Sum of the weights of the terms that match; a term that cannot be parsed does not."""
    return sum(term.weight for term in preferred if _matches(term, node))


def _matches(term: PreferredSchedulingTerm, node: Node) -> bool:
    try:
        return term_matches(term.preference, node)
    except InvalidSelector:
        return False
