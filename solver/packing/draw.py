"""Which nodes to pack anew next."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..instance import Instance

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
_PODS = 26
"""Pods that a scope holds, so that its patterns are few."""
_EXTRA = 3
"""Classes that may bring pods from outside."""


class Draw:
    """Draws scopes for one tier.

    Parameters
    ----------
    instance : Instance
    loose : array of bool, shape (classes,)
        Classes that may change.
    tier : int
    random : numpy Generator
    """

    def __init__(self, instance: Instance, loose: Mask, tier: int, random: np.random.Generator) -> None:
        self._instance, self._problem, self._random = instance, instance.problem, random
        self._mine = loose & (self._problem.tier_of == tier)
        self._may = loose & (self._problem.tier_of <= tier)

    def scope(self, counts: Ints) -> tuple[list[int], Mask]:
        """Positions of nodes, and the classes that change there."""
        weight = self._random.exponential(0.3, size=len(self._problem.nodes))
        moved = self._moved(counts)
        if moved and self._random.random() < 0.5:
            weight -= moved[int(self._random.integers(len(moved)))]
        else:
            weight -= self._near(counts)
        nodes = np.argsort(weight, kind="stable")[: self._size(counts)]
        return np.sort(nodes).tolist(), self._touched(counts, nodes)

    def _size(self, counts: Ints) -> int:
        density = counts[self._mine].sum() / max(len(self._problem.nodes), 1)
        return int(np.clip(round(_PODS / max(float(density), 0.1)), 2, 40))

    def _moved(self, counts: Ints) -> list[NDArray[np.float64]]:
        """For each class of which a pod has left its node: 1 at the nodes that it left or went to."""
        origin = self._problem.origin
        classes = np.flatnonzero(self._mine & (np.maximum(origin - counts, 0).sum(axis=1) > 0))
        return [(counts[c] != origin[c]).astype(float) for c in classes.tolist()]

    def _near(self, counts: Ints) -> NDArray[np.float64]:
        """How close each node is to having room for a pod that is not placed."""
        missing = np.flatnonzero(self._mine & (self._problem.count > counts.sum(axis=1)))
        if not len(missing):
            return np.zeros(len(self._problem.nodes))
        c = int(self._random.choice(missing))
        room = self._problem.capacity - counts.T @ self._problem.request
        wanted = self._problem.request[c]
        lack = np.maximum(wanted - room, 0) / np.maximum(wanted, 1)
        return self._instance.eligible[c] - lack.sum(axis=1)

    def _touched(self, counts: Ints, nodes: Ints) -> Mask:
        inside = counts[:, nodes].any(axis=1)
        missing = np.flatnonzero(self._mine & ~inside & (self._problem.count > counts.sum(axis=1)))
        touched = self._may & inside
        touched[self._random.permutation(missing)[:_EXTRA]] = True
        return touched
