"""How much a solve may cost."""

from __future__ import annotations

import time
from dataclasses import dataclass

from ortools.sat.python import cp_model

_PATTERNS = 150_000


@dataclass(frozen=True, slots=True)
class Effort:
    """What a solve may cost.

    Parameters
    ----------
    deadline : float
        By `time.monotonic`; infinite when work is counted instead.
    seed : int
    deterministic : float or None
        Deterministic seconds per CP-SAT call; None takes wall time.
    patterns : int
        Most patterns to look at.
    direct : float
        Share of the time for one model of counts where there are more patterns.
    """

    deadline: float
    seed: int = 0
    deterministic: float | None = None
    patterns: int = _PATTERNS
    direct: float = 1.0

    def left(self) -> float:
        """Seconds until the deadline."""
        return self.deadline - time.monotonic()

    def solver(self, share: float = 1.0) -> cp_model.CpSolver:
        """CP-SAT with a share of what is left."""
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.random_seed = self.seed
        if self.deterministic is None:
            solver.parameters.max_time_in_seconds = max(0.01, share * self.left())
        else:
            solver.parameters.max_deterministic_time = self.deterministic
        return solver
