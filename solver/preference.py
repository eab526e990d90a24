"""Terms that are a constant per pod and node: a preference of a pod for a node."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..model.api import Pod
from ..model.profile import Profile
from .problem import Problem
from .terms import Preference, Term

Ints = NDArray[np.int64]
Values = Callable[[Pod, Profile], Ints | None]


def preference_term(problem: Problem, plugin: str, values: Values, unrated: int | None = None) -> Term | None:
    """Build the term of a static preference.

    Parameters
    ----------
    problem : Problem
    plugin : str
        Names the term and its weight in the profile.
    values : callable
        Value of every node to a pod, shape (nodes,), or None when the pod states no preference.
    unrated : int, optional
        Nodes with this value are left out when the best and the least value are looked for.
    """
    weight = problem.profile.scores.get(plugin, 0)
    if not weight:
        return None
    builder = _Builder(problem, values, unrated)
    part = builder.free()
    constant, pinned_worst = builder.pinned()
    idle = builder.idle()
    worst = int(problem.count @ part.unplaced) + pinned_worst + idle
    return Term(plugin, weight, worst, constant + idle, (part,)) if worst else None


class _Builder:
    def __init__(self, problem: Problem, values: Values, unrated: int | None) -> None:
        self._problem = problem
        self._values = values
        self._unrated = unrated

    def _costs(self, pod: Pod, profile: Profile) -> tuple[Ints, int] | None:
        values = self._values(pod, profile)
        eligible = self._problem.static.eligible(pod, profile)
        if values is None:
            return None
        rated = values[eligible if self._unrated is None else eligible & (values != self._unrated)]
        if not len(rated):
            return None
        best, least = int(rated.max()), int(rated.min())
        return np.clip(best - values, 0, best - least), best - least

    def free(self) -> Preference:
        """Costs of the free classes."""
        problem = self._problem
        cost = np.zeros((len(problem.classes), len(problem.nodes)), dtype=np.int64)
        unplaced = np.zeros(len(problem.classes), dtype=np.int64)
        for cls in problem.classes:
            found = self._costs(cls.pod, cls.profile)
            if found is not None:
                cost[cls.index], unplaced[cls.index] = found
        return Preference(cost, unplaced)

    def pinned(self) -> tuple[int, int]:
        """Cost and worst of the pinned pods."""
        problem = self._problem
        cost = worst = 0
        for number, pod in enumerate(problem.pinned.kinds):
            found = self._costs(pod, problem.profile_of(pod))
            if found is not None:
                places = problem.pinned.node[problem.pinned.kind == number]
                cost += int(found[0][places].sum())
                worst += found[1] * len(places)
        return cost, worst

    def idle(self) -> int:
        """Cost, and worst, of the pods that stay unplaced."""
        found = (
            (self._costs(pod, self._problem.profile_of(pod)), number) for pod, number in self._problem.idle
        )
        return sum(costs[1] * number for costs, number in found if costs is not None)
