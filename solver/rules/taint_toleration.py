"""TaintToleration: hard taints are static, ``PreferNoSchedule`` a cost per pod and node."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...model.api import Pod
from ...model.eligibility import untolerated
from ...model.profile import Profile
from ..preference import preference_term
from ..problem import Problem
from ..terms import Term
from .base import Encoder


class TaintToleration(Encoder):
    """Pods keep off nodes whose taints they do not tolerate."""

    name = "TaintToleration"

    def restrict(self, problem: Problem, eligible: NDArray[np.bool_]) -> None:
        """Clear nodes that the static filters refuse."""
        eligible &= problem.static_mask

    def term(self, problem: Problem) -> Term | None:
        """Soft taints not tolerated, against the best eligible node."""
        if not any(
            taint.effect == "PreferNoSchedule" for node in problem.nodes for taint in node.spec.taints
        ):
            return None

        def values(pod: Pod, profile: Profile) -> NDArray[np.int64]:
            return -problem.static.evaluate(
                pod, profile, lambda node: untolerated(pod, node, ("PreferNoSchedule",))
            )

        return preference_term(problem, self.name, values)
