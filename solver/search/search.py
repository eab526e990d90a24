"""The search for one instance: starts, exchange, neighbourhoods, exact solves, bounds; stage by stage."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..cpsat.encode import feasible
from ..cpsat.exact import Step, small_enough, solve_stage
from ..instance import Instance
from ..packing.tiers import Tiers
from ..patterns.generate import Generation, affordable, quickly_priced
from ..patterns.remix import Remix
from ..progress import EVERY, Progress, Watch
from ..result import Limits, StageResult, Status
from ..stages import Cost, Moves, Placed, Stage, key
from .exchange import Exchange
from .gathering import Gathering
from .mixing import Mixing
from .reinsertion import Reinsertion
from .rounds import Rounds
from .stage_bounds import StageBounds
from .start import guided_start

Ints = NDArray[np.int64]
_EXACT = 0.15
"""Share of the time for the cost stage as one model: what it does not prove soon, it hardly ever does."""
_RELATED = 0.3
"""Share of the time for pods that relate, before nodes are mixed."""
_LEAST = 0.1
"""Seconds that a linear relaxation gets at least."""
_PATIENT = 3600.0
"""Seconds for a linear relaxation where work is counted, not timed."""


@dataclass(eq=False)
class Search:
    """A search that keeps the best placement and a bound per stage.

    Parameters
    ----------
    instance : Instance
    stages : tuple of Stage
    limits : Limits
    counts : array, shape (classes, nodes)
        A feasible placement to start from.
    watch : callable, optional
        Told of progress.
    """

    instance: Instance
    stages: tuple[Stage, ...]
    limits: Limits
    counts: Ints
    watch: Watch | None = None
    bounds: StageBounds = field(init=False)
    seconds: dict[str, float] = field(default_factory=dict[str, float])

    def __post_init__(self) -> None:
        self.bounds = StageBounds(self.instance, self.stages, self._relaxing)
        self._generation: Generation | None = None
        self._deadline = time.monotonic() + self.limits.time
        self._random = np.random.default_rng(self.limits.seed)
        self._phase, self._position, self._told = "start", 0, -math.inf

    def run(self) -> tuple[StageResult, ...]:
        """Work through the stages; returns what is known about each."""
        self._begin()
        if any(isinstance(stage, Moves) for stage in self.stages):
            self._pack()
            if self.instance.loose.all():
                return self.results()
        for position, stage in enumerate(self.stages):
            self._position = position
            started = self._begins("bound")
            self.bounds.find(position, self.counts)
            self._took("bound", started)
            if isinstance(stage, Cost):
                self._improve_cost(position)
            if not self._done(position):
                self._solve(position)
        self.bounds.renew(self.counts)
        return self.results()

    def results(self) -> tuple[StageResult, ...]:
        """What is known about each stage by now."""
        return tuple(self._result(position) for position in range(len(self.stages)))

    def _begin(self) -> None:
        """Count what can be placed at most, and build a start from the relaxation in which all of it is."""
        started = self._begins("bound")
        self.bounds.count(self.counts)
        if not any(isinstance(stage, Cost) for stage in self.stages):
            return
        relaxation, solution = self.bounds.relaxed(self.bounds.hoped)
        self._took("bound", started)
        if self.instance.problem.origin.any():
            return
        started = self._begins("start")
        guided = guided_start(self.instance, relaxation, solution)
        if self._feasible(guided):
            self.offer(guided)
        self._took("start", started)

    def _pack(self) -> None:
        """Pack tier by tier what no rule relates to other nodes; bounds hold where that is everything."""
        started = self._begins("pack")
        loose = bool(self.instance.loose.all())
        tiers = Tiers(self.instance, self.counts, self.limits, self._until(1.0 if loose else 0.5))
        tiers.run()
        if loose or feasible(self.instance, tiers.counts):
            self.offer(tiers.counts)
        for position, stage in enumerate(self.stages):
            if loose and isinstance(stage, Placed | Moves):
                bound = tiers.bounds[stage.tier]
                self.bounds.tighten(position, bound.placed if isinstance(stage, Placed) else bound.moves)
            if stage.value(self.instance, tiers.counts) != self._value(position):
                break
        self._took("pack", started)

    def offer(self, counts: Ints) -> bool:
        """Take `counts` (feasible) if it is better and not cut off; returns whether it was."""
        if any(cut.excludes(counts) for cut in self.instance.cuts):
            return False
        if key(self.instance, self.stages, counts) < key(self.instance, self.stages, self.counts):
            self.counts = counts
            self._tell()
            return True
        return False

    def left(self) -> float:
        """Seconds until the deadline; the deterministic limit where work is counted instead."""
        if self.limits.deterministic is not None:
            return self.limits.deterministic
        return self._deadline - time.monotonic()

    def _relaxing(self) -> float:
        """Seconds for a linear relaxation."""
        return _PATIENT if self.limits.deterministic is not None else max(_LEAST, self.left() * 0.6)

    def _until(self, share: float) -> float:
        """When a phase with `share` of the time left ends; never where work is counted."""
        return math.inf if self.limits.deterministic is not None else time.monotonic() + self.left() * share

    def _value(self, position: int) -> int:
        return self.stages[position].value(self.instance, self.counts)

    def _done(self, position: int) -> bool:
        bound, value = self.bounds[position], self._value(position)
        if bound is None:
            return False
        allowed = self.limits.gap * abs(value) if isinstance(self.stages[position], Cost) else 0
        return abs(value - bound) <= allowed

    def _feasible(self, counts: Ints) -> bool:
        """Gates stand for every rule but those that make the exchange leave classes alone."""
        return not self.instance.coupling.frozen.any() or feasible(self.instance, counts)

    def _improve_cost(self, position: int) -> None:
        """Where pods relate, gather and reinsert them first; exchange, and mix what nodes have held."""
        instance = self.instance
        related = bool(len(instance.related))
        # An exchange could take the preemptor away for whom somebody was evicted.
        if instance.problem.question == "preempt":
            return
        started = self._begins("exchange")
        until = self._until((0.8 if related else 0.3) if small_enough(instance) else 0.95)
        solved = self.bounds.solved
        remix = None if solved is None or self._done(position) else Remix.of(instance, solved[0])
        if related:
            self._relate(position, until if remix is None else self._until(_RELATED))
        if len(instance.problem.nodes) > 1 and not self._done(position):
            if not related:
                # Where pods relate, one pricing gains little.
                self._exchange(position, until, rounds=100)
                self._price_patterns(position)
            if remix is None:
                self._exchange(position, until)
            else:
                self._mix(position, until, remix)
        self._took("exchange", started)

    def _relate(self, position: int, until: float) -> None:
        """Gather, reinsert and exchange in turn while these gain."""
        gained = True
        while gained and time.monotonic() < until and not self._done(position):
            gathering = Gathering(self.instance, self.counts, self._random)
            gained = gathering.run(until)
            reinsertion = Reinsertion(self.instance, gathering.counts, self._random)
            gained = reinsertion.run(until, passes=2) or gained
            self.offer(reinsertion.counts)
            if gained:
                self._exchange(position, until, rounds=100)

    def _mix(self, position: int, until: float, remix: Remix) -> None:
        """Exchange, with other starts from what nodes have held."""
        mixing = Mixing(self.instance, remix, self.counts, self._random)
        mixing.run(until, self._near(position), self._rounds)
        self.offer(mixing.counts)

    def _price_patterns(self, position: int) -> None:
        """A bound from one pricing of all node groups, where they are few nodes each and time allows."""
        solved = self.bounds.solved
        if self._done(position) or solved is None or not quickly_priced(solved[0], self.left()):
            return
        counted = self.limits.deterministic is not None
        self._generation = Generation(self.instance, *solved, self.counts)
        self._generation.round(self._until(0.9), counted=counted)
        self.bounds.tighten(position, self._generation.bound)

    def _exchange(self, position: int, until: float, rounds: int | None = None) -> None:
        exchange = Exchange(self.instance, self.counts, int(self._random.integers(2**31)))
        begin, near = self.instance.cost(self.counts), self._near(position)
        exchange.run(until, lambda gain: near(begin - gain), self._rounds or rounds)
        self.offer(exchange.counts)

    @property
    def _rounds(self) -> int | None:
        """Rounds of exchange where work is counted, not timed."""
        return None if self.limits.deterministic is None else int(100 * self.limits.deterministic)

    def _near(self, position: int) -> Callable[[float], bool]:
        """Whether a placement of some cost is as near to the bound as wanted; tells of the best so far."""
        best, bound, target = self._value(position), self.bounds[position], self.limits.gap

        def near(cost: float) -> bool:
            self._tell(min(best, round(cost)))
            return bound is not None and cost - bound <= target * cost

        return near

    def _solve(self, position: int) -> None:
        started = self._begins("search")
        cost, small = isinstance(self.stages[position], Cost), small_enough(self.instance)
        if small:
            self._whole(position, _EXACT if cost else 0.5)
        if cost:
            before = self._value(position)
            self._neighbourhoods(position, 0.3 if small else 0.5)
            self._put_together(position)
            if small and self._value(position) == before and not self._done(position):
                # Nothing is left to gain, it seems; then it is the proof that is missing.
                self._whole(position, 0.8)
        self._neighbourhoods(position, 1.0 if self._last(position) else 0.5)
        self._took("search", started)

    def _whole(self, position: int, share: float) -> None:
        """The stage as one model."""
        everything = range(len(self.instance.problem.nodes))
        step = self._step(everything, position, self.left() * share)
        self.bounds.tighten(position, self._value(position) if step.proven else step.bound)

    def _put_together(self, position: int) -> None:
        """Generate whole node patterns, for the bound, and choose among them."""
        solved, limits = self.bounds.solved, self.limits
        # Whole patterns on other nodes would part preemptors from those who left for them.
        if self.instance.problem.question == "preempt":
            return
        if self._done(position) or solved is None or not affordable(solved[0], self.left()):
            return
        counted, rounds = limits.deterministic is not None, 0
        until = self._until(0.5)
        generation = self._generation or Generation(self.instance, *solved, self.counts)
        generation.adopt(self.counts)
        more = True
        while more and not self._done(position) and not (counted and rounds >= 10 * self.left()):
            rounds += 1
            more = generation.round(until, counted=counted)
            self.bounds.tighten(position, generation.bound)
        chosen = generation.choose(limits, self._until(0.3) - time.monotonic(), counted=counted)
        if chosen is not None and self._feasible(chosen):
            self.offer(chosen)

    def _last(self, position: int) -> bool:
        return position == len(self.stages) - 1

    def _step(self, nodes: Sequence[int], position: int, seconds: float) -> Step:
        step = solve_stage(self.instance, nodes, self.counts, self.stages, position, self.limits, seconds)
        if step.counts is not None:
            self.offer(step.counts)
        return step

    def _neighbourhoods(self, position: int, share: float) -> None:
        if self._done(position):
            return
        until = self._until(share)
        rounds = Rounds(self.instance, self.stages, position, self.limits, self._random, until)
        try:
            while rounds.left() and not self._done(position):
                rounds.run(self.counts, self.offer)
        finally:
            rounds.close()

    def _begins(self, phase: str) -> float:
        """A phase begins: now."""
        self._phase, self._told = phase, -math.inf
        self._tell()
        return time.monotonic()

    def _tell(self, value: int | None = None) -> None:
        """Report the stage, unless nobody listens or it was reported just now."""
        if self.watch is not None and time.monotonic() - self._told > EVERY:
            self._told = time.monotonic()
            self.watch(Progress(self._phase, self._result(self._position, value)))

    def _took(self, phase: str, started: float) -> None:
        self.seconds[phase] = self.seconds.get(phase, 0.0) + time.monotonic() - started

    def _result(self, position: int, value: int | None = None) -> StageResult:
        stage, bound = self.stages[position], self.bounds[position]
        value = self._value(position) if value is None else value
        status = Status.OPTIMAL if bound == value else Status.FEASIBLE
        return StageResult(stage.name, stage.sense, status, value, bound, stage.worst(self.instance))
