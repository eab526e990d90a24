"""Piecewise linear functions of a utilisation, as KubeSchedulerConfiguration states them."""

from __future__ import annotations

from collections.abc import Sequence


def broken_line(shape: Sequence[tuple[int, int]], at: int) -> int:
    """The piecewise linear function through `shape` at `at`, rounded towards the left point's value."""
    before = shape[0]
    for point in shape:
        if at <= point[0]:
            if point is before:
                return point[1]
            rise = (point[1] - before[1]) * (at - before[0])
            run = point[0] - before[0]
            return before[1] + (rise // run if rise >= 0 else -(-rise // run))
        before = point
    return before[1]
