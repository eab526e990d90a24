"""Column generation over node patterns: a bound, and the patterns that good placements are made of."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..bounds.relaxation import Relaxation, Solution
from ..instance import Instance
from ..result import Limits
from .choose import choose
from .labels import LabelPricer
from .master import Master
from .pricing import LocalCost, Pattern, Priced, Pricer

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
_SMOOTH = 0.5
"""How much of the best prices so far goes into the next ones (Pessoa, Sadykov, Uchoa, Vanderbeck, 2018)."""
_PRICING = 0.05
"""Seconds that one pricing takes, or so."""
_LABELLING = 0.01
"""Seconds that one pricing by labels takes, or so."""
_FEW = 4
"""Nodes a group: more of them mix patterns so well that the linear relaxation is as good."""
_SETTLED = 1e-5
_SECONDS, _WORK = 0.25, 0.1
"""Limit of one pricing, in seconds and in CP-SAT's deterministic time: its bound holds all the same."""


def affordable(relaxation: Relaxation, seconds: float) -> bool:
    """Whether all groups can be priced in half of the time, and nodes of a group are alike in all."""
    return relaxation.alike and 2 * _PRICING * relaxation.groups <= seconds


def quickly_priced(relaxation: Relaxation, seconds: float) -> bool:
    """Whether labels price all groups in most of the time, and groups are so small that it tells."""
    few = len(relaxation.group_of) <= _FEW * relaxation.groups
    return relaxation.alike and few and _LABELLING * relaxation.groups <= 0.7 * seconds


@dataclass(eq=False)
class Generation:
    """Patterns and prices, round after round.

    Parameters
    ----------
    instance : Instance
    relaxation : Relaxation
        With `local`, of the cost stage.
    solution : Solution
        Of `relaxation`: the first prices.
    counts : array, shape (classes, nodes)
        A placement; its nodes are the first patterns.

    Attributes
    ----------
    bound : int or None
        On the objective, the best so far.
    patterns : list of Pattern
    """

    instance: Instance
    relaxation: Relaxation
    solution: Solution
    counts: Ints
    bound: int | None = None
    patterns: list[Pattern] = field(default_factory=list[Pattern])

    def __post_init__(self) -> None:
        full, problem = self.relaxation, self.instance.problem
        rest = Relaxation(problem, full.eligible, full.terms, full.placed, local=False)
        for encoder in self.instance.encoders:
            encoder.relax(rest)
        self._master = Master(rest, float(self.instance.cost(self.counts)))
        self._first = np.unique(full.group_of, return_index=True)[1].tolist()
        self._pricers: dict[int, Pricer] = {}
        # Labels are fast; what they leave open is for CP-SAT.
        self._labels = LabelPricer.suits(self.instance)
        self._label_pricers: dict[int, LabelPricer] = {}
        self._local = LocalCost(self.instance)
        self._known: set[tuple[int, bytes]] = set()
        self._prices, self._dual = full.prices(self.solution)
        self._next = self._prices, self._dual
        self.adopt(self.counts)

    def adopt(self, counts: Ints) -> None:
        """Take the nodes of another placement, shape (classes, nodes), as patterns; choices start from it."""
        self.counts = counts
        for n, group in enumerate(self.relaxation.group_of.tolist()):
            self.offer(group, counts[:, n])

    def choose(self, limits: Limits, seconds: float, *, counted: bool = False) -> Ints | None:
        """The best placement of the patterns that relates nodes as the adopted one does, see `choose`."""
        group_of = self.relaxation.group_of
        return choose(self.instance, group_of, self.patterns, self.counts, limits, seconds, counted=counted)

    def offer(self, group: int, pods: Ints) -> bool:
        """Add a pattern; False when it is known."""
        identity = (group, pods.tobytes())
        if identity in self._known:
            return False
        self._known.add(identity)
        pattern = Pattern(group, pods.copy(), self._local.of(self._first[group], pods))
        self.patterns.append(pattern)
        self._master.add(group, pattern.pods, pattern.cost)
        return True

    def round(self, until: float, *, counted: bool = False) -> bool:
        """Price every group once and solve the master; False when nothing is left to gain, or no time.

        Parameters
        ----------
        until : float
            `time.monotonic`.
        counted : bool
            Whether work is counted, not timed.
        """
        new = self._price(until, counted=counted)
        if new is None or not self._master.solve(60.0 if counted else until - time.monotonic()):
            return False
        labelled = self._labels
        settled = self.bound is not None and self._master.value - self.bound <= _SETTLED * self._master.value
        if not new:
            self._labels = False
        smooth = _SMOOTH if new else 0.0
        self._next = (
            smooth * self._prices + (1 - smooth) * self._master.prices,
            smooth * self._dual + (1 - smooth) * self._master.dual,
        )
        return not settled and (new > 0 or labelled)

    def _cheapest(
        self, group: int, node: int, prices: Ints, seconds: float, *, counted: bool
    ) -> Priced | None:
        if self._labels:
            if group not in self._label_pricers:
                self._label_pricers[group] = LabelPricer(self.instance, node)
            known = [pattern.pods for pattern in self.patterns if pattern.group == group]
            return self._label_pricers[group].price(prices, known)
        if group not in self._pricers:
            self._pricers[group] = Pricer(self.instance, node)
        return self._pricers[group].price(prices, seconds, counted=counted)

    def _price(self, until: float, *, counted: bool) -> int | None:
        """Price all groups at the next prices; how many new patterns, None when time was short."""
        prices, dual = np.rint(self._next[0]).astype(np.int64), self._next[1]
        bound, new = self._master.bound(prices, dual), 0
        for group, node in enumerate(self._first):
            seconds = _WORK if counted else min(_SECONDS, until - time.monotonic())
            if seconds <= 0:
                return None
            found = self._cheapest(group, node, prices[:, group], seconds, counted=counted)
            if found is None:
                return None
            bound += int(self.relaxation.size[group]) * found.bound
            new += self.offer(group, found.pods)
        if self.bound is None or bound > self.bound:
            self.bound = bound
            self._prices, self._dual = self._next
        return new
