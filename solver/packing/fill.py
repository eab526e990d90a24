"""Put pods where there is room: the start of a tier."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..instance import Instance

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
_WAVES = 16


class Filling:
    """A placement that takes more pods.

    Parameters
    ----------
    instance : Instance
    counts : array of int, shape (classes, nodes)
        What is placed already.
    """

    def __init__(self, instance: Instance, counts: Ints) -> None:
        self._problem, self._conflict = instance.problem, instance.coupling.conflict
        self._eligible = instance.eligible
        self.counts = counts.copy()
        self._room = self._problem.capacity - counts.T @ self._problem.request
        scale = np.maximum(self._problem.capacity.max(axis=0, initial=1), 1)
        self._size: Floats = (self._problem.request / scale).max(axis=1, initial=0.0)

    def stay(self, classes: Ints) -> None:
        """Leave running pods of `classes` where they are, small ones first, as far as they still fit."""
        origin = self._problem.origin
        for c in classes[np.argsort(self._size[classes], kind="stable")].tolist():
            for n in np.flatnonzero(origin[c] > self.counts[c]).tolist():
                for _ in range(int(origin[c, n] - self.counts[c, n])):
                    if self._fits(c)[n]:
                        self._add(c, n)

    def place(self, classes: Ints, later: Ints) -> None:
        """Place the pods of `classes` that are missing, large ones first.

        Parameters
        ----------
        later : array of int, shape (classes, nodes)
            Pods that would like to stay, but come after these: they give way where it costs least.
        """
        wanted = later.T @ self._problem.request
        for c in classes[np.argsort(-self._size[classes], kind="stable")].tolist():
            missing = int(self._problem.count[c] - self.counts[c].sum())
            while missing > 0 and len(nodes := np.flatnonzero(self._fits(c))):
                # Few pods go one by one; of very many, a part at once.
                wave = max(1, min(missing // _WAVES, len(nodes) // 2))
                order = np.argsort(self._displaced(c, nodes, wanted), kind="stable")
                for n in nodes[order[:wave]].tolist():
                    self._add(c, n)
                missing -= wave

    def _displaced(self, c: int, nodes: Ints, wanted: Ints) -> Floats:
        """How much of what is `wanted` would no longer fit; among equals the fullest node comes first."""
        scale = np.maximum(self._problem.capacity[nodes], 1)
        left = (self._room[nodes] - self._problem.request[c] - wanted[nodes]) / scale
        return np.maximum(-left, 0).sum(axis=1) * 1000 + np.maximum(left, 0).sum(axis=1)

    def _fits(self, c: int) -> Mask:
        wanted = self._problem.request[c]
        fits = self._eligible[c] & (self._room[:, wanted > 0] >= wanted[wanted > 0]).all(axis=1)
        enemies = np.flatnonzero(self._conflict[c])
        return fits & ~(self.counts[enemies] > 0).any(axis=0) if len(enemies) else fits

    def _add(self, c: int, n: int) -> None:
        self.counts[c, n] += 1
        self._room[n] -= self._problem.request[c]
