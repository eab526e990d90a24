"""SchedulingGates: a pod that gates hold back goes nowhere."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..problem import Problem
from .base import Encoder


class SchedulingGates(Encoder):
    """Questions leave gated pods out; should one be free, no node is eligible."""

    name = "SchedulingGates"

    def applies_to(self, problem: Problem) -> bool:
        """Whether a free pod has gates."""
        return any(cls.pod.gated for cls in problem.classes)

    def restrict(self, problem: Problem, eligible: NDArray[np.bool_]) -> None:
        """Clear all nodes of gated classes."""
        eligible[[cls.index for cls in problem.classes if cls.pod.gated]] = False
