"""What searches that take pods out and place them anew have in common."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..instance import Instance

Ints = NDArray[np.int64]


@dataclass(eq=False)
class Improvement:
    """A placement that only gets cheaper.

    Parameters
    ----------
    instance : Instance
    counts : array, shape (classes, nodes)
        A feasible placement to start from.
    random : numpy Generator
    """

    instance: Instance
    counts: Ints
    random: np.random.Generator

    def __post_init__(self) -> None:
        self.cost = self.instance.cost(self.counts)

    def keep(self, counts: Ints, holds: Callable[[Ints], bool] = lambda _: True) -> None:
        """Take a placement that costs less, if it `holds`."""
        cost = self.instance.cost(counts)
        if cost < self.cost and holds(counts):
            self.counts, self.cost = counts, cost
