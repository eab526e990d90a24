"""NodeResourcesFit: capacity rows, and the scoring strategy as a piecewise linear term."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ...model.api import Pod
from ...model.profile import ScoringStrategy
from ...model.resources import CPU, MEMORY, nonzero_requests, pod_requests
from ..cpsat.cp import when
from ..cpsat.scope import Scope
from ..problem import Problem, allocatable_array
from ..relations.coupling import Coupling
from ..terms import Piecewise, Term
from .base import Encoder

Ints = NDArray[np.int64]
SEGMENTS = 32
TERM_UNITS = 2**18
_PRECISION = 256


class NodeResourcesFit(Encoder):
    """Requests fit into what is allocatable; busy nodes cost more (or less, by strategy)."""

    name = "NodeResourcesFit"

    def restrict(self, problem: Problem, eligible: NDArray[np.bool_]) -> None:
        """Clear nodes on which not even one pod of the class fits."""
        eligible &= problem.fit > 0

    def couple(self, problem: Problem, coupling: Coupling) -> None:
        """Where some profiles do not compare a resource, pods that request it are left alone."""
        for r in _half_checked(problem):
            coupling.frozen |= problem.demand[:, r] > 0

    def constrain(self, scope: Scope) -> None:
        """Requests within the free capacity, per node and resource, where a pod that is compared arrives."""
        problem = scope.problem
        halves = _half_checked(problem)
        for r in range(len(problem.resources)):
            wanted = problem.demand[:, r] if r in halves else problem.request[:, r]
            stood = problem.standing.T @ wanted
            for n in scope.nodes:
                classes = [c for c in scope.classes_at(n) if wanted[c]]
                if not classes:
                    continue
                amounts = [(scope.count(c, n), int(wanted[c])) for c in classes]
                limit = scope.at_most(amounts, int(problem.capacity[n, r]))
                if r in halves or stood[n] > problem.capacity[n, r]:
                    when(scope.arrival([(c, n) for c in classes if problem.request[c, r]]), limit)

    def term(self, problem: Problem) -> Term | None:
        """The scoring strategy's term."""
        if not problem.profile.scores.get(self.name):
            return None
        strategy = problem.profile.scoring
        amounts = _Amounts(problem, tuple(name for name, _ in strategy.resources))
        weights = {name: weight for name, weight in strategy.resources if weight > 0}
        totals = {
            name: int(amounts.size[:, r].sum()) for r, name in enumerate(amounts.names) if name in weights
        }
        totals = {name: total for name, total in totals.items() if total}
        if not totals:
            return None
        most = max(-(-total // weights[name]) for name, total in totals.items())
        parts: list[Piecewise] = []
        worst = 0
        for r, name in enumerate(amounts.names):
            if name not in totals:
                continue
            scale = _PRECISION * weights[name] * most // totals[name]
            part = _piecewise(strategy, scale, amounts, r)
            parts.append(part)
            worst += _worst(strategy, part, amounts, r)
        return (
            Term(strategy.type, problem.profile.scores[self.name], worst, 0, tuple(parts)) if worst else None
        )


def _half_checked(problem: Problem) -> list[int]:
    """Resources that some of the pods that request them are compared by, and others are not."""
    unchecked = (problem.demand > problem.request).any(axis=0) & problem.request.any(axis=0)
    return np.flatnonzero(unchecked).tolist()


class _Amounts:
    """Usage of the scored resources in term units."""

    def __init__(self, problem: Problem, names: tuple[str, ...]) -> None:
        self.names = names
        self.unit, self.size = term_units(problem, names)
        classes = [cls.pod for cls in problem.classes]
        kinds = list(problem.pinned.kinds)
        idle = [pod for pod, _ in problem.idle]
        self.amount = self._of(classes)
        pinned = self._of(kinds)
        self.base = problem.pinned.usage(pinned, len(problem.nodes))
        self.now = self.base + problem.origin.T @ self.amount
        self.total = problem.total(self.amount, pinned, self._of(idle))
        everyone = [*classes, *kinds, *idle]
        self.differs = np.array([any(_differs(pod, name) for pod in everyone) for name in names], dtype=bool)

    def _of(self, pods: list[Pod]) -> Ints:
        rows = [[scored_request(pod, name) for name in self.names] for pod in pods]
        return np.array(rows, dtype=np.int64).reshape(len(pods), len(self.names)) // self.unit


def term_units(problem: Problem, names: tuple[str, ...]) -> tuple[Ints, Ints]:
    """The unit of each resource, shape (resources,), and node capacities in it, shape (nodes, resources)."""
    allocatable = allocatable_array(problem.nodes, names)
    unit = np.maximum(1, -(-allocatable.max(axis=0, initial=0) // TERM_UNITS))
    return unit, allocatable // unit


def scored_request(pod: Pod, name: str) -> int:
    """What the scoring strategy counts: non-zero defaults for cpu and memory."""
    return nonzero_requests(pod)[name] if name in (CPU, MEMORY) else pod_requests(pod).get(name, 0)


def _differs(pod: Pod, name: str) -> bool:
    return name in (CPU, MEMORY) and nonzero_requests(pod)[name] != pod_requests(pod).get(name, 0)


def _piecewise(strategy: ScoringStrategy, scale: int, amounts: _Amounts, r: int) -> Piecewise:
    size = amounts.size[:, r]
    steps = np.arange(SEGMENTS + 1, dtype=np.int64)
    points = steps[None, :] * size[:, None] // SEGMENTS
    slopes = _slopes(strategy, scale, points, size)
    values = np.zeros_like(points)
    values[:, 1:] = np.cumsum(slopes[:, :-1] * np.diff(points, axis=1), axis=1)
    listed = size > 0
    return Piecewise(
        amount=amounts.amount[:, r],
        base=amounts.base[:, r],
        size=size,
        breakpoints=points * listed[:, None],
        values=values * listed[:, None],
        slopes=slopes * listed[:, None],
    )


def _slopes(strategy: ScoringStrategy, scale: int, points: Ints, size: Ints) -> Ints:
    whole = np.maximum(size, 1)[:, None]
    start, end = points[:, :-1], points[:, 1:]
    match strategy.type:
        case "LeastAllocated":
            inner = (scale * (start + end) + whole // 2) // whole
            last = inner[:, -1:]
        case "MostAllocated":
            inner = -(-scale * (whole - start - end) // whole)
            last = np.zeros_like(inner[:, -1:])
        case _:
            shape = _shape(strategy, 100 * points // whole)
            value = scale * points * (1000 - shape) // 1000
            inner = -(-np.diff(value, axis=1) // np.maximum(end - start, 1))
            last = scale * (1000 - shape[:, -1:]) // 1000
    return np.concatenate([inner, last], axis=1)


def _shape(strategy: ScoringStrategy, percent: Ints) -> Ints:
    """The profile's shape at each percentage, in 0..1000, rounded down between its points."""
    points = sorted(strategy.shape)
    result = np.full_like(percent, points[-1][1] * 100)
    for (x0, y0), (x1, y1) in zip(reversed(points[:-1]), reversed(points[1:]), strict=True):
        inside = percent <= x1
        between = y0 * 100 + (y1 - y0) * 100 * (percent - x0) // (x1 - x0)
        result[inside] = between[inside]
    result[percent <= points[0][0]] = points[0][1] * 100
    return result


def _worst(strategy: ScoringStrategy, part: Piecewise, amounts: _Amounts, r: int) -> int:
    total = int(amounts.total[r])
    if strategy.type != "LeastAllocated":
        real = np.diff(part.breakpoints, axis=1, append=np.iinfo(np.int64).max) > 0
        return total * max(int(np.where(real, part.slopes, 0).max(initial=0)), 0)
    listed = part.size > 0
    most = np.full_like(part.size, total) if amounts.differs[r] else np.maximum(part.size, amounts.now[:, r])
    most = np.maximum(most, 1)
    full = part.at(most)
    steepest = max(
        (Fraction(int(f), int(m)) for f, m in zip(full[listed], most[listed], strict=True)),
        default=Fraction(0),
    )
    return -int(-(total * steepest) // 1)
