"""From fractions of patterns to whole ones: fix many, generate for what is left, repeat."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .generate import extend
from .instance import DeviceInstance, Ints
from .master import Master
from .pricing import Effort, Pattern

Floats = NDArray[np.float64]
_SHARE = 0.9
"""Of a pattern's times, how much is fixed at once: the rest keeps choices open."""
_LEAST = 0.1
"""Share of the free nodes that every round fixes at least."""
_ROUNDS = 12
_EFFORT = Effort(kept=40)
_ZERO = 1e-6


@dataclass
class Chosen:
    """What is fixed, and what is left.

    Parameters
    ----------
    left : array, shape (classes,)
        Pods.
    free : array, shape (groups,)
        Nodes.
    patterns : list of (Pattern, int)
        Fixed patterns with the number of nodes.
    """

    left: Ints
    free: Ints
    patterns: list[tuple[Pattern, int]]

    def fix(self, pattern: Pattern, times: int) -> int:
        """Use a pattern up to so many times, as far as pods and nodes are left; returns how often."""
        most = min(times, int(self.free[pattern.group]), *(int(self.left[c]) // k for c, k in pattern.pods))
        if most > 0:
            self.free[pattern.group] -= most
            for c, number in pattern.pods:
                self.left[c] -= most * number
            self.patterns.append((pattern, most))
        return max(most, 0)


def dive(
    instance: DeviceInstance,
    master: Master,
    worth: Floats,
    random: np.random.Generator,
    until: float,
    end: float,
) -> Chosen:
    """Round the master's solution.

    Parameters
    ----------
    instance : DeviceInstance
    master : Master
        With its patterns.
    worth : array, shape (classes,)
    random : numpy Generator
    until : float
        By the monotonic clock: when to make do with the patterns that are there.
    end : float
        When to leave free what is free.

    Returns
    -------
    Chosen
    """
    chosen = Chosen(instance.count.copy(), instance.size.copy(), [])
    while chosen.free.any() and master.solve(end - time.monotonic()):
        for _ in range(_ROUNDS):
            if time.monotonic() > until or not extend(
                instance, master, worth, chosen.left, chosen.free, random, _EFFORT
            ):
                break
            if not master.solve(end - time.monotonic()):
                break
        if not _fix(chosen, master):
            break
        master.restrict(chosen.left, chosen.free)
    return chosen


def _fix(chosen: Chosen, master: Master) -> int:
    """Fix part of the master's solution; returns how many nodes it took."""
    times, aim = master.times, max(1, int(_LEAST * chosen.free.sum()))
    order: list[int] = np.argsort(-times, kind="stable").tolist()
    fixed = sum(chosen.fix(master.patterns[p], int(times[p] * _SHARE + _ZERO)) for p in order)
    for p in order if fixed < aim else ():
        if times[p] > _ZERO and fixed < aim:
            fixed += chosen.fix(master.patterns[p], max(1, int(times[p] + _ZERO)))
    return fixed
