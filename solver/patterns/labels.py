"""The cheapest pattern of one node by labels: partial patterns that grow class by class.

A tangent splits the cost of a pattern into reduced costs of its pods and what its usage costs
above the tangent; both are never negative but for rounding. Labels that cost more than the best
known pattern are dropped. Where there are too many, those of a cell of usage become one, whose
usage is a range: bounds stay bounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..bounds.lp import solve_lp
from ..bounds.relaxation import Program
from ..instance import Instance
from ..terms import Deviation, Piecewise
from .pricing import Priced, local_terms

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
LABELS = 1000


@dataclass(frozen=True, eq=False)
class _Axis:
    """A convex function of a sum of amounts.

    Parameters
    ----------
    amount : array, shape (classes,)
    start : float
        The sum without free pods.
    points, values, slopes : array, shape (segments,)
        Where segments start, the values there, the slopes from there; the first one also leads there.
    grows : bool
        Whether amounts are never negative.
    """

    amount: Floats
    start: float
    points: Floats
    values: Floats
    slopes: Floats
    grows: bool

    def tilted(self, slope: float) -> _Axis:
        """The function plus ``slope`` times its argument."""
        values, slopes = self.values + slope * self.points, self.slopes + slope
        return _Axis(self.amount, self.start, self.points, values, slopes, self.grows)

    @property
    def lowest(self) -> float:
        """Where the value is least."""
        rising = np.flatnonzero(self.slopes >= 0)
        return float(self.points[rising[0]]) if len(rising) else float(self.points[-1])

    def at(self, where: Floats) -> Floats:
        """Values."""
        last = len(self.points) - 1
        segment = np.clip(np.searchsorted(self.points, where, side="right") - 1, 0, last)
        return self.values[segment] + self.slopes[segment] * (where - self.points[segment])


class LabelPricer:
    """One node, as `Pricer`.

    Parameters
    ----------
    instance : Instance
    node : int
    """

    def __init__(self, instance: Instance, node: int) -> None:
        problem, self._conflict = instance.problem, instance.coupling.conflict
        most = np.where(instance.eligible[:, node], np.minimum(problem.fit[:, node], problem.count), 0)
        self._most: Ints = np.where(self._conflict.diagonal(), np.minimum(most, 1), most)
        self._request: Ints = problem.request
        self._room: Ints = problem.room[node]
        parts = [(part, k) for term, k in local_terms(instance) for part in term.parts]
        self._axes = [axis for part, k in parts for axis in _axes(part, float(k), node)]

    @staticmethod
    def suits(instance: Instance) -> bool:
        """Whether all curves are convex."""
        parts = (part for term, _ in local_terms(instance) for part in term.parts)
        return all(part.convex for part in parts if isinstance(part, Piecewise))

    def price(self, prices: Ints, known: Sequence[Ints]) -> Priced | None:
        """The cheapest pattern, see `Pricer.price`; None when there is no tangent.

        Parameters
        ----------
        prices : array, shape (classes,)
        known : sequence of array, shape (classes,)
            Patterns to start from.
        """
        tangent = self._tangent(prices.astype(float))
        if tangent is None:
            return None
        reduced, axes, constant = tangent
        patterns = np.stack([np.zeros_like(self._most), *known])
        values = self._values(reduced, axes, patterns.astype(float))
        best = int(values.argmin())
        bound, found = self._grow(reduced, axes, float(values[best]))
        if found is not None:
            patterns, best = found[None, :], 0
        magnitude = float(np.abs(reduced) @ self._most) + abs(constant) + abs(bound)
        magnitude += sum(
            float(np.abs(axis.at(np.array([0.0, axis.start, axis.lowest]))).sum()) for axis in axes
        )
        slack = np.finfo(np.float64).eps * 64 * (len(reduced) + 64) * magnitude
        return Priced(patterns[best], int(np.floor(bound + constant - slack)) - 1)

    def _tangent(self, prices: Floats) -> tuple[Floats, list[_Axis], float] | None:
        """Reduced costs, what is left of the axes, and a constant, from the relaxation of the node."""
        classes = np.flatnonzero(self._most > 0)
        if not len(classes) or not self._axes:
            return prices, self._axes, 0.0
        cost, upper = [prices[classes]], [self._most[classes].astype(float)]
        rows: list[tuple[float, float]] = []
        entries: list[tuple[int, int, float]] = []
        width = len(classes)
        for axis in self._axes:
            reach = axis.start + float(np.maximum(axis.amount, 0) @ self._most)
            lower = axis.start + float(np.minimum(axis.amount, 0) @ self._most)
            # The value is at least that of each segment's line; segments to the left share the first.
            steps = np.append(np.diff(axis.points), max(reach - axis.points[-1], 1.0))
            entries += [(len(rows), j, float(axis.amount[c])) for j, c in enumerate(classes.tolist())]
            fill = steps if axis.grows else np.array([max(-lower, 1.0), max(reach, 1.0)])
            sign = np.ones(len(fill)) if axis.grows else np.array([-1.0, 1.0])
            entries += [(len(rows), width + k, -float(sign[k])) for k in range(len(fill))]
            rows.append((-axis.start, -axis.start))
            cost.append(axis.slopes * sign)
            upper.append(fill)
            width += len(fill)
        for r in range(self._request.shape[1]):
            asked = self._request[classes, r]
            entries += [(len(rows), j, float(asked[j])) for j in np.flatnonzero(asked).tolist()]
            rows.append((-np.inf, float(self._room[r])))
        row_of, column_of, amounts = (np.array(side) for side in zip(*entries, strict=True))
        program = Program(
            np.concatenate(cost),
            np.zeros(width),
            np.concatenate(upper),
            np.array(rows),
            (row_of.astype(np.int32), column_of.astype(np.int32), amounts.astype(float)),
        )
        solution = solve_lp(program, 10.0)
        if solution is None:
            return None
        dual = solution.dual
        slope, scarce = dual[: len(self._axes)], np.minimum(dual[len(self._axes) :], 0.0)
        reduced = prices - self._request @ scarce
        constant = float(scarce @ self._room)
        for axis, weight in zip(self._axes, slope.tolist(), strict=True):
            reduced = reduced - weight * axis.amount
            constant -= weight * axis.start
        return reduced, [a.tilted(w) for a, w in zip(self._axes, slope.tolist(), strict=True)], constant

    @staticmethod
    def _values(reduced: Floats, axes: list[_Axis], patterns: Floats) -> Floats:
        return sum((axis.at(axis.start + patterns @ axis.amount) for axis in axes), patterns @ reduced)

    def _grow(self, reduced: Floats, axes: list[_Axis], best: float) -> tuple[float, Ints | None]:
        """A bound, and a pattern better than `best` if one was met."""
        floor = np.array([float(axis.at(np.array(axis.lowest))) for axis in axes])
        gift = np.minimum(reduced, 0.0) * self._most
        dear = np.maximum(reduced, 0.0) > best - floor.sum() - gift.sum()
        ready = np.flatnonzero((self._most > 0) & ~dear)
        order = self._largest_first(ready, axes)
        amount = np.array([axis.amount for axis in axes]).reshape(len(axes), len(reduced))
        start = np.array([axis.start for axis in axes]).reshape(-1, 1)
        cost, low, high, mean = np.zeros(1), start, start, start
        back: list[tuple[int, Ints, Ints]] = []
        after = gift[order].sum() - np.cumsum(gift[order])

        def promise(value: Floats, lower: Floats) -> Floats:
            grown = (
                a.at(np.maximum(x, a.lowest)) if a.grows else f
                for a, x, f in zip(axes, lower, floor, strict=True)
            )
            return sum(grown, value)

        for position, c in enumerate(order.tolist()):
            copies = np.arange(int(self._most[c]) + 1)
            step = amount[:, c, None] * copies
            alone = promise(reduced[c] * copies, start + step) + gift.sum()
            copies = copies[: int(np.flatnonzero(alone <= best).max(initial=0)) + 1]
            step = step[:, : len(copies)]
            parent = np.repeat(np.arange(len(cost)), len(copies))
            number = np.tile(copies, len(cost))
            value = cost[parent] + reduced[c] * number
            lower, upper, middle = (side[:, parent] + np.tile(step, len(cost)) for side in (low, high, mean))
            kept = np.flatnonzero(promise(value, lower) + after[position] <= best)
            kept, lower, upper = _merged(kept, value, lower, upper, middle, axes)
            cost, mean, low, high = value[kept], middle[:, kept], lower, upper
            back.append((c, parent[kept], number[kept]))
        ranges = zip(axes, low, high, strict=True)
        bounds = sum((a.at(np.clip(a.lowest, lower, upper)) for a, lower, upper in ranges), cost)
        values = sum((a.at(x) for a, x in zip(axes, mean, strict=True)), cost)
        bound = min(best, float(bounds.min(initial=best)))
        return bound, self._first_valid(np.argsort(values, kind="stable")[:20], values, best, back)

    def _largest_first(self, classes: Ints, axes: list[_Axis]) -> Ints:
        spans = [axis.amount / max(axis.lowest, 1.0) for axis in axes if axis.grows]
        size = np.max(spans, axis=0) if spans else np.zeros(len(self._most))
        return classes[np.argsort(-size[classes], kind="stable")]

    def _first_valid(
        self, order: Ints, values: Floats, best: float, back: list[tuple[int, Ints, Ints]]
    ) -> Ints | None:
        """The first pattern that fits and keeps apart what must be, if it is better than `best`."""
        for label in order.tolist():
            if values[label] >= best:
                return None
            pods = np.zeros_like(self._most)
            position = label
            for c, parent, number in reversed(back):
                pods[c] = number[position]
                position = int(parent[position])
            present = np.flatnonzero(pods)
            enemies = self._conflict[np.ix_(present, present)] & ~np.eye(len(present), dtype=bool)
            if (pods @ self._request <= self._room).all() and not enemies.any():
                return pods
        return None


def _merged(
    kept: Ints, value: Floats, lower: Floats, upper: Floats, middle: Floats, axes: list[_Axis]
) -> tuple[Ints, Floats, Floats]:
    """The cheapest label of each cell, and the cell's range; all labels where there are few."""
    if len(kept) <= LABELS:
        return kept, lower[:, kept], upper[:, kept]
    growing = [number for number, axis in enumerate(axes) if axis.grows]
    fine = max(2, int(LABELS ** (1.0 / max(len(growing), 1))))
    cell = np.zeros(len(kept), dtype=np.int64)
    for number in growing:
        share = middle[number, kept] / max(1.15 * axes[number].lowest, 1.0)
        cell = cell * 4 * fine + np.minimum((share * fine).astype(np.int64), 4 * fine - 1)
    order = np.lexsort((value[kept], cell))
    first = np.flatnonzero(np.diff(cell[order], prepend=-1))
    low = np.minimum.reduceat(lower[:, kept[order]], first, axis=1)
    high = np.maximum.reduceat(upper[:, kept[order]], first, axis=1)
    return kept[order[first]], low, high


def _axes(part: object, factor: float, node: int) -> list[_Axis]:
    if isinstance(part, Piecewise):
        if not part.size[node]:
            return []
        curve = (side[node] * factor for side in (part.values, part.slopes))
        points = part.breakpoints[node].astype(float)
        return [_Axis(part.amount.astype(float), float(part.base[node]), points, *curve, grows=True)]
    if isinstance(part, Deviation) and part.weight[node]:
        scale = part.scale[:, node].astype(float)
        amount, start = part.amount * scale[:, None], part.base[:, node] * scale
        listed = np.flatnonzero(scale).tolist()
        if len(listed) == 2:
            listed, factor = listed[:1], 2.0 * factor
        steep = factor * float(part.weight[node])
        count, zero = float(part.listed[node]), np.zeros(2)
        return [
            _Axis(
                count * amount[r] - amount.sum(axis=0),
                float(count * start[r] - start.sum()),
                zero,
                zero,
                np.array([-steep, steep]),
                grows=False,
            )
            for r in listed
        ]
    return []
