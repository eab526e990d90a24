"""What a solve returns: small, immutable, and complete enough to be checked by others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from ..model.evaluate import Score
from ..model.reasons import Violation


class Status(StrEnum):
    """How good an answer is known to be."""

    OPTIMAL = "OPTIMAL"
    """Proven: no placement is better in any stage."""
    ALREADY_OPTIMAL = "ALREADY-OPTIMAL"
    """Proven, and the cluster is as it should be: nothing is to be done."""
    FEASIBLE = "FEASIBLE"
    """A valid placement; how far it may be from the best is said by the gap."""
    INFEASIBLE = "INFEASIBLE"
    """No placement can satisfy the rules."""
    UNKNOWN = "UNKNOWN"
    """No placement was found in time, and none was excluded."""


@dataclass(frozen=True, slots=True)
class StageResult:
    """One stage of the lexicographic objective.

    Parameters
    ----------
    name : str
        Such as ``placed 1000`` (pods of priority 1000) or ``cost``.
    sense : str
        ``max`` or ``min``.
    status : Status
    value : int
        What the placement reaches.
    bound : int or None
        What no placement can pass; None when none is known.
    worst : int
        Scale of the stage: the largest possible value.
    """

    name: str
    sense: str
    status: Status
    value: int
    bound: int | None
    worst: int = 0

    @property
    def gap(self) -> float | None:
        """``|value - bound| / max(|value|, 1)``: 0 when equal, None without a bound."""
        if self.bound is None:
            return None
        return abs(self.value - self.bound) / max(abs(self.value), 1)

    @property
    def gap_points(self) -> float | None:
        """The gap in score points, 0..100."""
        if self.bound is None or not self.worst:
            return None
        return 100.0 * abs(self.value - self.bound) / self.worst


@dataclass(frozen=True)
class Result:
    """A placement with what is proven about it.

    Parameters
    ----------
    question : str
    status : Status
        OPTIMAL only when every stage is proven.
    stages : tuple of StageResult
    placement : mapping of str to (str or None)
        Node of every pod of the question (``namespace/name``); None where it stays unplaced.
    order : tuple of str
        An order in which kube-scheduler's filters admit every newly placed pod.
    unadmitted : tuple of str
        Pods for which no such order was found; empty unless the status says FEASIBLE.
    excluded : mapping of str to str
        Pods that the question leaves alone, with the reason.
    score : Score
        Of the whole final state.
    violations : tuple of Violation
        Of the final state: inherited ones only, by construction.
    seconds : mapping of str to float
        Wall time by phase.
    """

    question: str
    status: Status
    stages: tuple[StageResult, ...]
    placement: Mapping[str, str | None]
    order: tuple[str, ...]
    score: Score
    violations: tuple[Violation, ...] = ()
    unadmitted: tuple[str, ...] = ()
    excluded: Mapping[str, str] = field(default_factory=dict[str, str])
    seconds: Mapping[str, float] = field(default_factory=dict[str, float])

    @property
    def gap(self) -> float | None:
        """The largest gap of any stage, None when a stage has no bound."""
        gaps = [stage.gap for stage in self.stages]
        known = [gap for gap in gaps if gap is not None]
        return None if len(known) < len(gaps) else max(known, default=0.0)


@dataclass(frozen=True, slots=True)
class Limits:
    """What bounds a solve.

    Parameters
    ----------
    time : float
        Wall seconds.
    gap : float
        Stop when every stage's gap is at most this.
    seed : int
    workers : int
        Processes that solve neighbourhoods, and threads of a model of the whole problem; 0 for one per core.
    deterministic : float or None
        When set, work is counted instead of timed: the same input and seed give the same placement.
    """

    time: float = 60.0
    gap: float = 0.0
    seed: int = 0
    workers: int = 0
    deterministic: float | None = None
