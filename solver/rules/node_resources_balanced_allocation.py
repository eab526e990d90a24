"""NodeResourcesBalancedAllocation: how far a node's shares of its resources lie apart."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ...model.api import Pod
from ...model.resources import pod_requests
from ..problem import Problem
from ..terms import Deviation, Term
from .base import Encoder
from .node_resources_fit import term_units

Ints = NDArray[np.int64]
_SCALE = 2**26
_PRECISION = 64


class NodeResourcesBalancedAllocation(Encoder):
    """Unevenly used nodes cost more."""

    name = "NodeResourcesBalancedAllocation"

    def term(self, problem: Problem) -> Term | None:
        """The mean absolute deviation of a node's shares, weighted by the node's size."""
        weight = problem.profile.scores.get(self.name, 0)
        names = tuple(name for name, _ in problem.profile.balanced_resources)
        if not weight or not names:
            return None
        unit, size = term_units(problem, names)
        listed = (size > 0).sum(axis=1)
        taking = listed >= 2
        if not taking.any():
            return None
        amount = _amounts([cls.pod for cls in problem.classes], names, unit)
        base = problem.pinned.usage(_amounts(list(problem.pinned.kinds), names, unit), len(problem.nodes))
        scale = np.where(size > 0, (_SCALE + size // 2) // np.maximum(size, 1), 0)
        idle = _amounts([pod for pod, _ in problem.idle], names, unit)
        kinds = _amounts(list(problem.pinned.kinds), names, unit)
        if not problem.total(amount, kinds, idle).any():
            return None
        part = Deviation(amount.T, base.T, scale.T, listed, _weights(size, listed, taking))
        widest = (scale * np.maximum(size, base + problem.origin.T @ amount)).max(axis=1)
        worst = part.weight * 2 * (listed // 2) * ((listed + 1) // 2) * widest
        return Term("BalancedAllocation", weight, sum(worst.tolist()), 0, (part,))


def _amounts(pods: list[Pod], names: tuple[str, ...], unit: Ints) -> Ints:
    rows = [[pod_requests(pod).get(name, 0) for name in names] for pod in pods]
    return np.array(rows, dtype=np.int64).reshape(len(pods), len(names)) // unit


def _weights(size: Ints, listed: Ints, taking: NDArray[np.bool_]) -> Ints:
    total = size[taking].sum(axis=0).tolist()
    number = int(taking.sum())
    weight = np.zeros(len(size), dtype=np.int64)
    for n in np.flatnonzero(taking).tolist():
        share = sum(
            (Fraction(c, t) for c, t in zip(size[n].tolist(), total, strict=True) if t), start=Fraction(0)
        ) / int(listed[n])
        weight[n] = max(1, int(_PRECISION * number * share * 4 / int(listed[n]) ** 2))
    return weight
