"""What can be said while a solve runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .result import StageResult


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a solve is.

    Parameters
    ----------
    phase : str
        Such as ``bound`` or ``exchange``; one of the keys of `Result.seconds`.
    stage : StageResult
        The stage that is worked on, with the value of the best placement so far and what bounds it.
    """

    phase: str
    stage: StageResult


Watch = Callable[[Progress], None]
"""Told of progress, at most a few times a second."""
EVERY = 0.2
"""Seconds between two reports of one phase."""
