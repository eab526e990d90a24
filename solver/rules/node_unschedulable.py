"""NodeUnschedulable: cordoned nodes take no new pods, except those that tolerate it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..problem import Problem
from .base import Encoder


class NodeUnschedulable(Encoder):
    """Cordons are static, like taints and node affinity."""

    name = "NodeUnschedulable"

    def applies_to(self, problem: Problem) -> bool:
        """Whether a node is cordoned."""
        return any(node.spec.unschedulable for node in problem.nodes)

    def restrict(self, problem: Problem, eligible: NDArray[np.bool_]) -> None:
        """Clear nodes that the static filters refuse (taints and selectors are read in the same pass)."""
        eligible &= problem.static_mask
