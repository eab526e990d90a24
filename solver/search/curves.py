"""Curves and deviations of node usage as float tables, for many trades at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..terms import Deviation, Piecewise

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
_REACH = 8
"""A parabola touches its curve at usages that are this part of the node's size apart."""


class Curve:
    """A piecewise linear function as float tables, scaled by its coefficient."""

    def __init__(self, part: Piecewise, coefficient: int) -> None:
        self.part = part
        self.base = part.base
        self.amount = np.append(part.amount, 0).astype(float)
        self._last = part.breakpoints.shape[1] - 1
        self._per_unit = self._last / np.maximum(part.size, 1)
        slopes = part.slopes.astype(float) * coefficient
        self._slope = slopes.reshape(-1)
        self._offset = (part.values.astype(float) * coefficient - slopes * part.breakpoints).reshape(-1)

    def _at(self, usage: Floats, nodes: Ints) -> Floats:
        shape = (-1, *([1] * (usage.ndim - 1)))
        segment = (usage * self._per_unit[nodes].reshape(shape) + 1e-9).astype(np.int32)
        np.clip(segment, 0, self._last, out=segment)
        index = segment + (nodes * (self._last + 1)).reshape(shape)
        return self._offset[index] + self._slope[index] * usage

    def delta(self, usage: Floats, change: Floats, nodes: Ints) -> Floats:
        """Change of cost when `usage`, shape (pairs,), changes by `change`, shape (pairs, k, l)."""
        return self._at(usage[:, None, None] + change, nodes) - self._at(usage, nodes)[:, None, None]

    def estimate(self, usage: Floats, change: Floats, a: Ints, b: Ints) -> Floats:
        """Roughly ``delta`` of `change` on `a` and of ``-change`` on `b`, by a parabola for each node."""
        (slope, bend), (other, counter) = self._parabola(usage[a], a), self._parabola(usage[b], b)
        total = change * (bend + counter)[:, None, None]
        total += (slope - other)[:, None, None]
        total *= change
        return total

    def _parabola(self, usage: Floats, nodes: Ints) -> tuple[Floats, Floats]:
        """First and second coefficient at `usage`."""
        reach = np.maximum(self.part.size[nodes] / _REACH, 1.0)
        lower = np.minimum(usage, reach)
        points = np.stack([usage - lower, usage, usage + reach], axis=1)
        below, here, above = self._at(points, nodes).T
        rising = (above - here) / reach
        bend = np.where(lower > 0, (rising - (here - below) / np.maximum(lower, 1.0)) / (lower + reach), 0.0)
        return rising - bend * reach, bend


class Apart:
    """A deviation with its coefficient."""

    def __init__(self, part: Deviation, coefficient: int) -> None:
        self.part = part
        self.amount = np.concatenate(
            [part.amount, np.zeros((len(part.amount), 1), dtype=np.int64)], axis=1
        ).astype(float)
        self.scale = part.scale.astype(float)
        self._weight = part.weight.astype(float) * coefficient
        self._listed = part.listed.astype(float)
        self._two = part.amount.shape[0] == 2

    def _at(self, scaled: Floats, nodes: Ints) -> Floats:
        shape = (-1, *([1] * (scaled.ndim - 2)))
        weight, listed = self._weight[nodes].reshape(shape), self._listed[nodes].reshape(shape)
        if self._two:
            return weight * 2.0 * np.abs(scaled[0] - scaled[1])
        known = (self.scale[:, nodes] > 0).reshape(scaled.shape[0], *shape)
        apart = np.abs(listed * scaled - scaled.sum(axis=0)) * known
        return weight * apart.sum(axis=0)

    def trade(self, scaled: Floats, out: Floats, come: Floats, nodes: Ints) -> Floats:
        """Change of cost, shape (pairs, k, l), when amounts leave and others come.

        Parameters
        ----------
        scaled : array, shape (resources, pairs)
        out, come : array, shape (resources, pairs, k) and (resources, pairs, l)
        """
        scale = self.scale[:, nodes][:, :, None]
        out, come = out * scale, come * scale
        if self._two:
            before = scaled[0] - scaled[1]
            left = before[:, None] - (out[0] - out[1])
            change = np.abs(left[:, :, None] + (come[0] - come[1])[:, None, :])
            change -= np.abs(before)[:, None, None]
            change *= (2.0 * self._weight[nodes])[:, None, None]
            return change
        moved = scaled[:, :, None, None] - out[:, :, :, None] + come[:, :, None, :]
        return self._at(moved, nodes) - self._at(scaled, nodes)[:, None, None]


def sums(values: NDArray[np.float64], x: Ints) -> Floats:
    """Sums of ``values``, shape (..., classes), over the last axis of ``x``: shape (..., pairs, k)."""
    total = values[..., x[..., 0]]
    for member in range(1, x.shape[-1]):
        total = total + values[..., x[..., member]]
    return total
