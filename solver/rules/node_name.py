"""NodeName: a pod that was created for a node goes there and nowhere else."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..problem import PodClass, Problem
from .base import Encoder


class NodeName(Encoder):
    """Questions pin such pods; should one be free, its class is tied to the node."""

    name = "NodeName"

    def restrict(self, problem: Problem, eligible: NDArray[np.bool_]) -> None:
        """Clear every other node."""
        index = problem.cluster.node_index
        for cls in problem.classes:
            for name in _forced_to(problem, cls):
                here = np.zeros(len(problem.nodes), dtype=bool)
                here[[index[name]] if name in index else []] = True
                eligible[cls.index] &= here


def _forced_to(problem: Problem, cls: PodClass) -> set[str]:
    members = (problem.free[member] for member in cls.members)
    return {pod.node_name for pod in members if pod.node_name and problem.cluster.forced(pod)}
