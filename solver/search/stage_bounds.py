"""What is known of the stages from the other side: bounds by counting, and from the linear relaxation."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ..bounds.relaxation import Relaxation, Solution
from ..instance import Instance
from ..stages import Cost, Placed, Stage

Ints = NDArray[np.int64]
Values = tuple[int, ...]


class StageBounds:
    """The best bound per stage; each holds beside the values of the stages before.

    Parameters
    ----------
    instance : Instance
    stages : sequence of Stage
    seconds : callable
        How long a linear relaxation may take by now.
    """

    def __init__(self, instance: Instance, stages: Sequence[Stage], seconds: Callable[[], float]) -> None:
        self._instance, self._stages, self._seconds = instance, stages, seconds
        self._bounds: list[int | None] = [None] * len(stages)
        self._beside: dict[int, Values] = {}
        self._relaxed: tuple[Values, Relaxation, Solution | None] | None = None

    def __getitem__(self, position: int) -> int | None:
        return self._bounds[position]

    def tighten(self, position: int, bound: int | None) -> None:
        """Take another bound of a stage, if there is one and it is better."""
        known = self._bounds[position]
        if bound is not None:
            better = min if self._stages[position].sense == "max" else max
            self._bounds[position] = bound if known is None else better(known, bound)

    def count(self, counts: Ints) -> None:
        """What can be placed at most."""
        for position, stage in enumerate(self._stages):
            if isinstance(stage, Placed):
                self.tighten(position, stage.ideal(self._instance, counts))

    @property
    def hoped(self) -> Values:
        """How many pods per tier can be placed, as far as is known."""
        placed = (position for position, stage in enumerate(self._stages) if isinstance(stage, Placed))
        return tuple(self._bounds[position] or 0 for position in placed)

    def find(self, position: int, counts: Ints) -> None:
        """What is plain, or a bound from the linear relaxation unless counting has proven the stage."""
        instance, stage = self._instance, self._stages[position]
        self._beside[position] = self._values(position, counts)
        self.tighten(position, stage.ideal(instance, counts))
        earlier = [s.value(instance, counts) for s in self._stages[:position] if isinstance(s, Placed)]
        if isinstance(stage, Placed) and self._bounds[position] != stage.value(instance, counts):
            relaxation = Relaxation(instance.problem, instance.eligible, (), earlier, most=stage.tier)
            solution = self._solve(relaxation)
            if solution is not None:
                self.tighten(position, -relaxation.bound(solution))
        elif isinstance(stage, Cost):
            relaxation, solution = self.relaxed(tuple(earlier))
            if solution is not None:
                self.tighten(position, relaxation.bound(solution))

    def renew(self, counts: Ints) -> None:
        """Where stages before have improved since a bound was found, find another."""
        for position, values in self._beside.items():
            if values != self._values(position, counts):
                self._bounds[position] = None
                self.find(position, counts)

    def relaxed(self, placed: Values) -> tuple[Relaxation, Solution | None]:
        """The relaxation of the cost stage for so many placed pods per tier, solved; remembered."""
        if self._relaxed is None or self._relaxed[0] != placed:
            instance = self._instance
            relaxation = Relaxation(instance.problem, instance.eligible, instance.terms, placed)
            self._relaxed = (placed, relaxation, self._solve(relaxation))
        return self._relaxed[1:]

    @property
    def solved(self) -> tuple[Relaxation, Solution] | None:
        """The relaxation of the cost stage that was solved last."""
        if self._relaxed is None or self._relaxed[2] is None:
            return None
        return self._relaxed[1], self._relaxed[2]

    def _solve(self, relaxation: Relaxation) -> Solution | None:
        for encoder in self._instance.encoders:
            encoder.relax(relaxation)
        return relaxation.solve(self._seconds())

    def _values(self, position: int, counts: Ints) -> Values:
        return tuple(stage.value(self._instance, counts) for stage in self._stages[:position])
