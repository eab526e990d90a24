"""The whole way: bound, patterns, whole patterns, what still fits, neighbourhoods."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..result import Limits
from .bound import Bound, upper_bound
from .dive import dive
from .generate import generate
from .improve import improve
from .instance import DeviceInstance, Grouped
from .master import Master
from .packing import Packing

Progress = Callable[[str, int], None]
"""Called with the phase that has ended and the milli-GPUs placed so far."""
_BOUND, _PATTERNS, _NO_MORE, _WHOLE = 0.3, 0.45, 0.75, 0.85
"""Shares of the time by which phases are over: bound, patterns, patterns for what is left, whole patterns."""
_TIE = 0.01
"""What a pod adds to its milli-GPUs, so that of equal choices the one with more pods is taken."""
_TRADES = (0, 1, 4, 16)
_PER_POD = 16_000
"""Bounds on the number of pods come from trades: a pod for so many milli-GPUs, times a factor."""


@dataclass
class Outcome:
    """What was found, and what cannot be passed.

    Parameters
    ----------
    packing : Packing
    milli_bound : int
        Milli-GPUs.
    pods_bound : int
        Pods, in placements with as many milli-GPUs as `packing` has.
    seconds : dict of str to float
        Wall time by phase.
    """

    packing: Packing
    milli_bound: int
    pods_bound: int
    seconds: dict[str, float] = field(default_factory=dict[str, float])


def search(grouped: Grouped, limits: Limits, started: float, progress: Progress) -> Outcome:
    """Place as many milli-GPUs as possible, and then as many pods.

    Parameters
    ----------
    grouped : Grouped
    limits : Limits
    started : float
        When, by the monotonic clock, the time began to count.
    progress : Progress
    """
    instance, random = grouped.instance, np.random.default_rng(limits.seed)
    clock = _Clock(started, progress)
    until = started + limits.time
    bound = upper_bound(instance, instance.value.tolist(), _BOUND * limits.time)
    # Prices that were stopped early can promise more than there is.
    bound = replace(bound, value=min(bound.value, instance.capacity))
    clock.ended("bound", 0)
    packing = _packed(grouped, bound, random, started, limits.time, clock)
    trades = _trades(instance, 0.05 * limits.time)
    clock.ended("bound on pods", packing.milli)
    # The last two per cent are for checking the result.
    end = until - 0.02 * limits.time

    def enough(packing: Packing) -> bool:
        within = bound.value - packing.milli <= limits.gap * bound.value
        return within and (limits.gap > 0 or not packing.left.any())

    proven = improve(packing, random, workers=limits.workers or os.cpu_count() or 1, until=end, enough=enough)
    clock.ended("neighbourhoods", packing.milli)
    if proven:
        return Outcome(packing, packing.milli, packing.pods, clock.seconds)
    return Outcome(packing, bound.value, _pods_bound(packing, trades), clock.seconds)


def _packed(
    grouped: Grouped, bound: Bound, random: np.random.Generator, started: float, seconds: float, clock: _Clock
) -> Packing:
    instance = grouped.instance
    worth = instance.value.astype(np.float64) + np.float64(_TIE)
    master = Master(instance, worth.tolist())
    generate(instance, master, worth, bound.prices.pod, bound.value, started + _PATTERNS * seconds)
    clock.ended("patterns", 0)
    until, end = started + _NO_MORE * seconds, started + _WHOLE * seconds
    packing = Packing.of(grouped, dive(instance, master, worth, random, until, end))
    packing.fill()
    clock.ended("whole patterns", packing.milli)
    return packing


def _trades(instance: DeviceInstance, seconds: float) -> list[tuple[int, int]]:
    """Upper bounds on ``milli * trade + pods * 16000``: (trade, bound)."""
    return [
        (
            trade,
            upper_bound(instance, (instance.value * trade + _PER_POD).tolist(), seconds / len(_TRADES)).value,
        )
        for trade in _TRADES
    ]


def _pods_bound(packing: Packing, trades: Sequence[tuple[int, int]]) -> int:
    """How many pods can be placed besides so many milli-GPUs, by the best of the trades."""
    most = [(bound - trade * packing.milli) // _PER_POD for trade, bound in trades]
    return min(int(packing.instance.count.sum()), *most)


class _Clock:
    def __init__(self, started: float, progress: Progress) -> None:
        self._last = started
        self._progress = progress
        self.seconds: dict[str, float] = {}

    def ended(self, phase: str, milli: int) -> None:
        now = time.monotonic()
        self.seconds[phase] = now - self._last
        self._last = now
        self._progress(phase, milli)
