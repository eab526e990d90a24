"""Column generation: patterns that the linear program over node patterns wants."""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from .instance import DeviceInstance, Ints
from .master import Master
from .pricing import Effort, best_patterns

Floats = NDArray[np.float64]
_WIDTH = 10.0
"""How far prices may be from those of the bound, in milli-GPUs."""
_CLOSE = 1e-4
"""Share of the bound at which held prices have served their purpose."""
_GAIN = 1e-6


def generate(
    instance: DeviceInstance, master: Master, worth: Floats, prices: Floats, bound: float, until: float
) -> None:
    """Fill the master with patterns for all pods and nodes, and solve it.

    Parameters
    ----------
    instance : DeviceInstance
    master : Master
        Without patterns yet.
    worth, prices : array, shape (classes,)
        Worth of a pod, and what one more would be worth by the linear program over device patterns.
    bound : float
        Value of that program.
    until : float
        By the monotonic clock.
    """
    node_price = np.zeros(instance.groups)
    for g in range(instance.groups):
        for gain, pattern in best_patterns(instance, g, worth - prices, instance.count):
            node_price[g] = max(node_price[g], gain)
            master.offer(pattern)
    master.box(np.concatenate((prices, node_price)), _WIDTH)
    while master.solve(until - time.monotonic()) and time.monotonic() < until:
        close = master.value >= bound * (1 - _CLOSE)
        if not close and extend(instance, master, worth, instance.count, instance.size):
            continue
        break
    master.unbox()


def extend(
    instance: DeviceInstance,
    master: Master,
    worth: Floats,
    left: Ints,
    free: Ints,
    random: np.random.Generator | None = None,
    effort: Effort | None = None,
) -> int:
    """Add patterns that the master's prices make worth their node; returns how many.

    Parameters
    ----------
    left : array, shape (classes,)
    free : array, shape (groups,)
        Groups without a free node are skipped.
    random, effort
        As for `best_patterns`.
    """
    gain, added = worth - master.pod_price, 0
    for g in np.flatnonzero(free).tolist():
        least = master.node_price[g] + _GAIN
        for value, pattern in best_patterns(instance, g, gain, left, random, effort):
            if value > least:
                added += master.offer(pattern)
    return added
