"""The integer functions that objective terms are sums of, as data.

``docs/objective.md`` defines them; nothing here knows a placement.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from .profile import ScoringStrategy
from .usage import Ints, integers, widened

TERM_UNITS = 2**18
"""A node's capacity has at most this many term units."""
SEGMENTS = 32
_PRECISION = 256
_SHAPE = 1000


@dataclass(frozen=True, slots=True)
class TermUnits:
    """A resource in term units.

    Parameters
    ----------
    unit : int
        Scheduler units per term unit.
    sizes : tuple of int
        Capacity of each node in term units; a node lists the resource when it is at least 1.
    """

    unit: int
    sizes: tuple[int, ...]

    @classmethod
    def of(cls, capacities: Sequence[int]) -> TermUnits:
        """The units for nodes with these allocatable amounts (scheduler units)."""
        unit = max(1, -(-max(capacities, default=0) // TERM_UNITS))
        return cls(unit, tuple(capacity // unit for capacity in capacities))

    @property
    def total(self) -> int:
        """Capacity of all nodes together."""
        return sum(self.sizes)

    def amounts(self, requests: Sequence[int]) -> tuple[int, ...]:
        """Requests (scheduler units) in term units, rounded down."""
        return tuple(request // self.unit for request in requests)


@dataclass(frozen=True, eq=False)
class NodeFunctions:
    """Piecewise linear functions of a node's usage, one per node, all through 0.

    Parameters
    ----------
    breakpoints : array, shape (nodes, segments + 1)
        Usage where each segment starts, ascending from 0; segments may be empty.
    slopes : array, shape (nodes, segments + 1)
        Slope of each segment; the last one goes on for ever.
    """

    breakpoints: Ints
    slopes: Ints

    @property
    def steepest(self) -> int:
        """Largest slope of all functions, empty segments left out; at least 0."""
        empty = np.diff(self.breakpoints, axis=1) == 0
        inner = np.where(empty, 0, self.slopes[:, :-1])
        return max(0, int(inner.max(initial=0)), int(self.slopes[:, -1].max(initial=0)))

    def __call__(self, usage: Ints) -> Ints:
        """Shape (nodes,): each node's function at its `usage`, shape (nodes,)."""
        most = max(int(usage.max(initial=0)), 1)
        usage = widened(usage, most * max(int(np.abs(self.slopes).max(initial=0)), 1) * len(usage))
        start, end = self.breakpoints[:, :-1], self.breakpoints[:, 1:]
        inside = np.minimum(np.maximum(usage[:, None] - start, 0), end - start)
        beyond = np.maximum(usage - self.breakpoints[:, -1], 0)
        return (self.slopes[:, :-1] * inside).sum(axis=1) + self.slopes[:, -1] * beyond


def scales(totals: Sequence[int], weights: Sequence[int]) -> tuple[int, ...]:
    """The factor ``A`` of each resource: equal weights make full clusters cost the same in each.

    Parameters
    ----------
    totals : sequence of int
        Capacity of all nodes per resource, in term units, each at least 1.
    weights : sequence of int
        The resources' weights, each at least 1.
    """
    most = max((-(-total // weight) for total, weight in zip(totals, weights, strict=True)), default=0)
    return tuple(_PRECISION * weight * most // total for total, weight in zip(totals, weights, strict=True))


def node_functions(strategy: ScoringStrategy, sizes: Sequence[int], scale: int) -> NodeFunctions:
    """The scoring strategy's function for nodes of `sizes` (term units, each at least 1)."""
    largest = max(sizes, default=0)
    size = integers(sizes, _SHAPE * 2 * scale * largest)[:, None]
    points = np.arange(SEGMENTS + 1) * size // SEGMENTS
    start, end = points[:, :-1], points[:, 1:]
    match strategy.type:
        case "LeastAllocated":
            inner = (scale * (start + end) + size // 2) // size
            last = inner[:, -1:]
        case "MostAllocated":
            inner = -(scale * (start + end - size) // size)
            last = 0 * size
        case _:
            levels = _levels(strategy, 100 * points // size)
            values = scale * points * (_SHAPE - levels) // _SHAPE
            inner = -(-np.diff(values, axis=1) // np.maximum(end - start, 1))
            last = scale * (_SHAPE - levels[:, -1:]) // _SHAPE
    return NodeFunctions(points, np.concatenate([inner, last], axis=1))


def _levels(strategy: ScoringStrategy, percent: Ints) -> Ints:
    table = integers([shape_at(strategy.shape, p) for p in range(101)], 0)
    return table[percent.astype(np.int64)]


def shape_at(shape: Sequence[tuple[int, int]], percent: int) -> int:
    """The shape's score at a utilisation of `percent`, 0..1000, linear between its points, rounded down."""
    hundredths = [(utilization, 100 * score) for utilization, score in sorted(shape)]
    if not hundredths or percent <= hundredths[0][0]:
        return hundredths[0][1] if hundredths else 0
    for (left, low), (right, high) in pairwise(hundredths):
        if percent <= right:
            return low + (high - low) * (percent - left) // (right - left)
    return hundredths[-1][1]
