"""Tier after tier: most pods, then fewest moves; exactly where possible, by neighbourhoods elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..instance import Instance
from ..result import Limits
from .draw import Draw
from .effort import Effort
from .eject import eject
from .fill import Filling
from .improve import improve
from .problem import packing_of

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
_ROUNDS = 100
"""Neighbourhoods per node after which a tier is left alone."""


@dataclass(frozen=True, slots=True)
class TierBound:
    """What no placement passes that is as good as the one found in all tiers above.

    Parameters
    ----------
    placed : int
    moves : int
        Of placements with at least as many pods of the tier as the one found.
    """

    placed: int
    moves: int


class Tiers:
    """A search for placements with few moves.

    Parameters
    ----------
    instance : Instance
    counts : array of int, shape (classes, nodes)
        A feasible placement.
    limits : Limits
    deadline : float
        By `time.monotonic`.

    Attributes
    ----------
    bounds : list of TierBound
        By tier, for pods that no rule relates to other nodes; only where that is all pods do they hold.
    """

    def __init__(self, instance: Instance, counts: Ints, limits: Limits, deadline: float) -> None:
        self._instance, self._problem = instance, instance.problem
        self._limits, self._deadline = limits, deadline
        self._loose = instance.loose
        self._random = np.random.default_rng(limits.seed)
        self.counts = np.where(self._loose[:, None], 0, counts)
        self.bounds: list[TierBound] = []

    def run(self) -> None:
        """Work through the tiers."""
        last = len(self._problem.tiers) - 1
        for tier in range(last + 1):
            self._start(tier)
            self.bounds.append(TierBound(len(self._problem.free), 0))
            share = 1.0 if tier == last else 0.5
            self._whole(tier, self._effort(share, 150_000, direct=0.0))
            self._neighbourhoods(tier, self._effort(0.6 * share, 20_000, direct=0.2))
            if not self._settled(tier):
                self._whole(tier, self._effort(share, 0, direct=1.0))
                self._neighbourhoods(tier, self._effort(share, 20_000, direct=0.2))

    def _start(self, tier: int) -> None:
        """Running pods stay where there is room, the others go where they fit or can be made to fit."""
        anew = self._placed_anew(tier)
        self.counts = max((self._with(tier, base) for base in (self.counts, anew)), key=self._rank(tier))
        packing = packing_of(self._instance, self.counts, tier, touch=self._loose)
        content = eject(packing, packing.content(self.counts), self._deadline)
        self.counts = packing.merged(content)

    def _with(self, tier: int, base: Ints) -> Ints:
        """`base` and the tier's pods."""
        filling = Filling(self._instance, base)
        filling.stay(self._classes(tier))
        filling.place(self._classes(tier), self._later(tier))
        return filling.counts

    def _placed_anew(self, tier: int) -> Ints:
        """The tiers above, with pods that were pending out of the way of the tier's running ones."""
        higher = self._loose & (self._problem.tier_of < tier)
        base = np.where(higher[:, None], np.minimum(self.counts, self._problem.origin), self.counts)
        filling = Filling(self._instance, base)
        filling.stay(self._classes(tier))
        for above in range(tier):
            filling.place(self._classes(above), self._later(tier))
        return filling.counts

    def _later(self, tier: int) -> Ints:
        """Running pods of lower tiers."""
        lower = self._loose & (self._problem.tier_of > tier)
        return np.where(lower[:, None], self._problem.origin, 0)

    def _rank(self, tier: int) -> Callable[[Ints], tuple[int, ...]]:
        """How good a placement of a tier and those above is: the larger the better."""

        def rank(counts: Ints) -> tuple[int, ...]:
            pairs = [self._value(t, counts) for t in range(tier + 1)]
            return tuple(part for placed, moves in pairs for part in (placed, -moves))

        return rank

    def _classes(self, tier: int) -> Ints:
        return np.flatnonzero(self._loose & (self._problem.tier_of == tier))

    def _effort(self, share: float, patterns: int, *, direct: float) -> Effort:
        counted = self._limits.deterministic
        left = self._deadline - time.monotonic()
        deadline = time.monotonic() + share * left if counted is None else float("inf")
        return Effort(deadline, self._limits.seed, counted, patterns, direct)

    def _whole(self, tier: int, effort: Effort) -> None:
        packing = packing_of(self._instance, self.counts, tier, touch=self._loose)
        verdict = improve(packing, packing.content(self.counts), effort)
        self.counts = packing.merged(verdict.content)
        settled = packing.settled[self._problem.tier_of == tier].sum()
        running = int(packing.own[packing.mine].sum())
        kept = running if verdict.most_kept is None else verdict.most_kept
        self._tighten(tier, TierBound(verdict.most_placed + int(settled), running - kept))

    def _tighten(self, tier: int, bound: TierBound) -> None:
        known = self.bounds[tier]
        self.bounds[tier] = TierBound(min(bound.placed, known.placed), max(bound.moves, known.moves))

    def _settled(self, tier: int) -> bool:
        return self._value(tier) == (self.bounds[tier].placed, self.bounds[tier].moves)

    def _value(self, tier: int, counts: Ints | None = None) -> tuple[int, int]:
        """Pods placed, and running pods that left."""
        mine = self._problem.tier_of == tier
        placed = (self.counts if counts is None else counts)[mine]
        return int(placed.sum()), int(np.maximum(self._problem.origin[mine] - placed, 0).sum())

    def _neighbourhoods(self, tier: int, effort: Effort) -> None:
        most = _ROUNDS * len(self._problem.nodes)
        if self._limits.deterministic is not None:
            most = int(20 * self._limits.deterministic) + 1
        draw = Draw(self._instance, self._loose, tier, self._random)
        for _ in range(most):
            if effort.left() < 0 or self._settled(tier):
                break
            nodes, touch = draw.scope(self.counts)
            packing = packing_of(self._instance, self.counts, tier, nodes, touch)
            self.counts = packing.merged(improve(packing, packing.content(self.counts), effort).content)
