"""Reinsertion: take all pods of a class out and place them anew at today's prices.

Exchanges keep counts in the domains of hard relational rules, and move one or
two pods of a soft one. Where a class as a whole sits in the wrong domains, only
taking all of it out at once helps.
"""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from .improvement import Improvement
from .start import Builder

Ints = NDArray[np.int64]


class Reinsertion(Improvement):
    """The search over classes."""

    def run(self, deadline: float, passes: int) -> bool:
        """Go through the related classes in random order, `passes` times; returns whether it gained."""
        before = self.cost
        for _ in range(passes):
            start = self.cost
            for c in self.random.permutation(self.instance.related).tolist():
                if time.monotonic() > deadline:
                    return self.cost < before
                self._try(c)
            if self.cost == start:
                break
        return self.cost < before

    def _try(self, c: int) -> None:
        instance = self.instance
        number = int(self.counts[c].sum())
        without = self.counts.copy()
        without[c] = 0
        builder = Builder(instance, without)
        gates = instance.gates_of(c)
        if gates:
            builder.place_gated(c, gates, np.zeros(len(instance.problem.nodes)), number)
        else:
            builder.place(c, np.arange(len(instance.problem.nodes)), number, waves=8)
        if int(builder.counts[c].sum()) != number:
            return
        self.keep(builder.counts, lambda counts: instance.holds_for(c, counts))
