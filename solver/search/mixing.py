"""Exchange in turns: between them, what nodes have held is mixed into another start."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..instance import Instance
from ..patterns.remix import Remix
from .exchange import Exchange

Ints = NDArray[np.int64]
_CHUNK = 20
"""Rounds of exchange between two looks at what nodes hold."""
_FIRST, _LATER = 10, 5
"""Chunks in the first turn, from a start that is far off, and in later ones."""
_IDLE = 6
"""Turns without a gain after which nothing more is to be had."""


@dataclass(eq=False)
class Mixing:
    """The search.

    Parameters
    ----------
    instance : Instance
    remix : Remix
    counts : array, shape (classes, nodes)
        A feasible placement to start from; the best one afterwards.
    random : numpy Generator
    """

    instance: Instance
    remix: Remix
    counts: Ints
    random: np.random.Generator

    def run(self, until: float, done: Callable[[float], bool], rounds: int | None = None) -> None:
        """Improve until `until` (`time.monotonic`), until ``done(cost)``, or for some rounds of exchange.

        Parameters
        ----------
        done : callable
            Gets the cost of the placement at hand, which need not be the best.
        rounds : int, optional
            The reproducible limit.
        """
        best, start, idle, turn = self.instance.cost(self.counts), self.counts, 0, 0
        left = rounds
        while idle < _IDLE and time.monotonic() < until and (left is None or left > 0):
            chunks = _FIRST if turn == 0 else _LATER
            counts = self._turn(start, until, done, chunks)
            cost = self.instance.cost(counts)
            idle = 0 if cost < best else idle + 1
            if cost < best:
                best, self.counts = cost, counts
            if done(best):
                break
            mixed = self.remix.mix(self.counts, until - time.monotonic())
            start = self.counts if mixed is None else mixed
            turn += 1
            left = None if left is None else left - chunks * _CHUNK

    def _turn(self, counts: Ints, until: float, done: Callable[[float], bool], chunks: int) -> Ints:
        exchange = Exchange(self.instance, counts, int(self.random.integers(2**31)))
        for _ in range(chunks):
            cost = float(self.instance.cost(exchange.counts))
            exchange.run(until, lambda gain, cost=cost: done(cost - gain), _CHUNK)
            self.remix.offer(exchange.counts)
        return exchange.counts
