"""Gathering: move all pods of classes that want to be together into one domain at once.

Half the way costs more than either end: single moves, and the reinsertion of one
class beside the others, never find it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ..terms import Relational
from .improvement import Improvement
from .start import Builder

Ints = NDArray[np.int64]
_WAVES = 8


class Gathering(Improvement):
    """The search over sets of classes and domains."""

    def run(self, deadline: float) -> bool:
        """Try every set in every domain once, in random order; returns whether it gained."""
        before = self.cost
        tries = [(classes, nodes) for classes, key in self._sets() for nodes in self._domains(key)]
        order: list[int] = self.random.permutation(len(tries)).tolist()
        for classes, nodes in (tries[position] for position in order):
            if time.monotonic() > deadline:
                break
            self._try(classes, nodes)
        return self.cost < before

    def _sets(self) -> Iterator[tuple[Ints, str]]:
        """Sets whose members all may move, and their members one by one."""
        instance = self.instance
        bound = [gate.concerned for gate in instance.gates]
        stuck = np.union1d(
            np.flatnonzero(instance.coupling.frozen), np.concatenate([*bound, self.counts[0, :0]])
        )
        parts = [part for term, _ in instance.terms for part in term.parts if isinstance(part, Relational)]
        for key, classes in (found for part in parts for found in part.gathered):
            loose = np.setdiff1d(classes, stuck)
            yield from ((loose[i : i + 1], key) for i in range(len(loose)))
            if len(loose) > 1:
                yield loose, key

    def _domains(self, key: str) -> list[Ints]:
        """Nodes of each domain that is wider than a node."""
        domains = self.instance.problem.domains(key)
        numbers: list[int] = np.flatnonzero(np.bincount(domains[domains >= 0]) > 1).tolist()
        return [np.flatnonzero(domains == number) for number in numbers]

    def _try(self, classes: Ints, nodes: Ints) -> None:
        without = self.counts.copy()
        without[classes] = 0
        builder = Builder(self.instance, without)
        everywhere = np.arange(len(self.instance.problem.nodes))
        for c, number in zip(classes.tolist(), self.counts[classes].sum(axis=1).tolist(), strict=True):
            left = number - builder.place(c, nodes, number, _WAVES)
            if builder.place(c, everywhere, left, _WAVES) < left:
                return
        self.keep(builder.counts)
