"""Rounds of the neighbourhood search: disjoint neighbourhoods at the same time, merged one by one."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..cpsat.exact import Step, solve_stage
from ..instance import Instance
from ..result import Limits
from ..stages import Cost, Stage
from .engine import Engine, local
from .neighbourhoods import COST, PLACED, Adaptive

Ints = NDArray[np.int64]
_COUNTED = 8
"""Neighbourhoods per round where work is counted: the same whatever the number of workers."""
_SECONDS = 2.0
"""Most time for one neighbourhood."""
_PER_UNIT = 20
"""Neighbourhoods per unit of the deterministic limit."""


@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """A task: improve one stage on some nodes.

    Parameters
    ----------
    nodes : tuple of int
    counts : array of int, shape (classes, nodes)
        The placement so far.
    position : int
        Of the stage.
    limits : Limits
    seconds : float
    """

    nodes: tuple[int, ...]
    counts: Ints
    position: int
    limits: Limits
    seconds: float

    def __str__(self) -> str:
        return f"a neighbourhood of {len(self.nodes)} nodes, numbers {', '.join(map(str, self.nodes))}"


def improve(shared: tuple[Instance, tuple[Stage, ...]], task: Neighbourhood) -> Step:
    """Carry out a task; see `exact.solve_stage`."""
    instance, stages = shared
    return solve_stage(instance, task.nodes, task.counts, stages, task.position, task.limits, task.seconds)


def workers_of(limits: Limits) -> int:
    """How many processes share the work."""
    return limits.workers or os.cpu_count() or 1


class Rounds:
    """The rounds for one stage.

    Parameters
    ----------
    instance : Instance
    stages : tuple of Stage
    position : int
        Of the stage to improve.
    limits : Limits
    random : numpy Generator
    until : float
        When to stop, by `time.monotonic`; infinite where work is counted.
    """

    def __init__(
        self,
        instance: Instance,
        stages: tuple[Stage, ...],
        position: int,
        limits: Limits,
        random: np.random.Generator,
        until: float,
    ) -> None:
        self._instance, self._position, self._until = instance, position, until
        self._counted = limits.deterministic
        self._limits = limits
        workers = workers_of(limits)
        self._number = workers if self._counted is None else _COUNTED
        self._choices = Adaptive(COST if isinstance(stages[position], Cost) else PLACED, random)
        self._engine: Engine[Neighbourhood, Step] = local(improve, (instance, stages), workers)
        self._made = 0

    def left(self) -> bool:
        """Whether there is time, or work, for another round."""
        if self._counted is not None:
            return self._made < int(_PER_UNIT * self._counted)
        return time.monotonic() < self._until

    def run(self, counts: Ints, offer: Callable[[Ints], bool]) -> None:
        """One round.

        Parameters
        ----------
        counts : array of int, shape (classes, nodes)
            The placement so far.
        offer : callable
            Told of a feasible placement; says whether it is better than the one so far.
        """
        drawn = self._choices.draw_disjoint(self._instance, counts, self._number)
        limits = self._limits if len(drawn) == 1 else replace(self._limits, workers=1)
        seconds = _SECONDS if self._counted is not None else min(_SECONDS, self._until - time.monotonic())
        tasks = [Neighbourhood(tuple(nodes), counts, self._position, limits, seconds) for _, nodes in drawn]
        now = counts
        for (which, _), step in zip(drawn, self._engine.map(tasks), strict=True):
            improved = step.counts if step else None
            found = None if improved is None else merged(self._instance, counts, now, improved)
            gained = found is not None and offer(found)
            now = found if found is not None and gained else now
            self._choices.learn(which, gained=gained, proven=step is not None and step.proven)
        self._made += len(drawn)

    def close(self) -> None:
        """Let go of the workers."""
        self._engine.close()


def merged(instance: Instance, before: Ints, now: Ints, found: Ints) -> Ints | None:
    """What became of `before` on some nodes (`now`) and on others (`found`) together.

    Parameters
    ----------
    before, now, found : array of int, shape (classes, nodes)
        Feasible placements; `now` and `found` differ from `before` on different nodes.

    Returns
    -------
    array or None
        None when the two do not go together, and when `found` is nothing new.
    """
    change = found - before
    changed = change.any(axis=1)
    if now is before or not changed.any():
        return found if changed.any() else None
    both = now + change
    if (both.sum(axis=1) > instance.problem.count).any():
        return None
    # Each node keeps its own rules. What no gate stands for is left to one neighbourhood of a round.
    frozen = instance.coupling.frozen
    if (changed & frozen).any() and ((now != before).any(axis=1) & frozen).any():
        return None
    tied = np.flatnonzero(changed & ~instance.loose).tolist()
    return both if all(instance.holds_for(c, both) for c in tied) else None
