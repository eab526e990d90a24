"""Everybody who counts, in rows: free classes first, then pinned kinds, then pods that stay unplaced.

Static matching (which rows a selector selects, which rows share a constraint) is
done over rows; this module translates them back into classes and constants.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..model.api import Pod
from ..model.profile import Profile
from ..model.selection import LabelIndex

if TYPE_CHECKING:
    from .problem import Problem

Ints = NDArray[np.int64]


class Roster:
    """The rows of a problem.

    Parameters
    ----------
    problem : Problem

    Attributes
    ----------
    pods : tuple of Pod
        One representative per row.
    number : array of int, shape (rows,)
        How many pods the row stands for.
    """

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._classes = len(problem.classes)
        self._pinned = self._classes + len(problem.pinned.kinds)
        self.pods: tuple[Pod, ...] = (
            *(cls.pod for cls in problem.classes),
            *problem.pinned.kinds,
            *(pod for pod, _ in problem.idle),
        )
        idle = np.array([number for _, number in problem.idle], dtype=np.int64)
        self.number: Ints = np.concatenate([problem.count, problem.pinned_total, idle])

    @cached_property
    def index(self) -> LabelIndex:
        """Finds rows by namespace and labels."""
        return LabelIndex(self.pods)

    def profile_of(self, pod: Pod) -> Profile | None:
        """The profile of the pod's scheduler, with the problem's own in place of the one it replaces."""
        own = self._problem.profile
        if pod.spec.scheduler_name == own.scheduler_name:
            return own
        return self._problem.configuration.profile(pod.spec.scheduler_name)

    def classes(self, rows: Ints) -> Ints:
        """Those of `rows` (ascending) that are free classes."""
        return rows[: np.searchsorted(rows, self._classes)]

    def pinned(self, rows: Ints) -> Ints:
        """Shape (nodes,): pinned pods of `rows` per node."""
        which = np.zeros(len(self._problem.pinned.kinds), dtype=bool)
        which[rows[(rows >= self._classes) & (rows < self._pinned)] - self._classes] = True
        return self._problem.pinned.counts(which, len(self._problem.nodes))

    def total(self, rows: Ints) -> int:
        """How many pods `rows` stand for, placed or not."""
        return int(self.number[rows].sum())

    def unplaced(self, rows: Ints) -> int:
        """How many of them no question places: idle ones, and pinned ones on nodes that are unknown."""
        free = int(self._problem.count[self.classes(rows)].sum())
        return self.total(rows) - free - int(self.pinned(rows).sum())
