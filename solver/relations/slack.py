"""Slack of hard topology spread: which moves between domains it still allows.

A class takes part if one constraint alone says in which domains its pods may be.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..instance import Instance
from .company import Company
from .skew import Skew, hard_skews

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
_DOMAINS = 16
"""Constraints over more domains keep their counts."""


@dataclass(eq=False)
class Slack:
    """The constraints, and the counts that they limit.

    Parameters
    ----------
    instance : Instance
    counts : array, shape (classes, nodes)

    Attributes
    ----------
    number : array of int, shape (classes + 1,)
        The constraint that limits the class; -1 where it must keep its domains.
    """

    instance: Instance
    counts: Ints

    def __post_init__(self) -> None:
        nodes, found = self.counts.shape[1], _movable(self.instance)
        self._skews = list(found)
        self._least = list(found.values())
        self.number: Ints = np.full(len(self.counts) + 1, -1, dtype=np.int64)
        for number, skew in enumerate(self._skews):
            self.number[skew.selected] = number
        # The last row stands for no constraint, the last column of counts for no domain.
        domains = [*(skew.partition.of_node for skew in self._skews), np.full(nodes, -1)]
        self._of_node: Ints = np.stack(domains)
        size = max((skew.partition.size for skew in self._skews), default=0) + 1
        self._now: Ints = np.zeros((len(self._skews), size), dtype=np.int64)
        for number, skew in enumerate(self._skews):
            self._now[number, : skew.partition.size] = skew.counts(self.counts)

    def __bool__(self) -> bool:
        return bool(self._skews)

    def update(self) -> None:
        """Find what the counts allow by now."""
        size = self._now.shape[1]
        self._open: Mask = np.zeros((len(self._skews), size, size), dtype=bool)
        for number, skew in enumerate(self._skews):
            domains = skew.partition.size
            one = np.eye(domains, dtype=np.int64)
            then = self._now[number, :domains] - one[:, None, :] + one[None, :, :]
            least = then.min(axis=2) if skew.least is None else skew.least
            kept = (then >= self._least[number]).all(axis=2)
            self._open[number, :domains, :domains] = (then.max(axis=2) <= least + skew.most) & kept

    def allows(self, x: Ints, origin: Ints, target: Ints) -> Mask:
        """Whether one pod of each class of `x`, shape (pairs, k, m), may move between the pair's nodes."""
        number = self.number[x]
        here, there = (
            self._of_node[number, origin[:, None, None]],
            self._of_node[number, target[:, None, None]],
        )
        return self._open[number, here, there] & (number >= 0)

    def crossing(self, x: Ints, origin: Ints, target: Ints) -> Ints:
        """Constraints whose domain a pod leaves, per class of `x`, shape (moves, m); -1 for none."""
        number = self.number[x]
        here, there = self._of_node[number, origin[:, None]], self._of_node[number, target[:, None]]
        return np.where(here != there, number, -1)

    def move(self, x: Ints, origin: Ints, target: Ints) -> None:
        """Count pods that moved."""
        number = self.crossing(x, origin, target)
        row, _ = np.nonzero(number >= 0)
        known = number[number >= 0]
        np.subtract.at(self._now, (known, self._of_node[known, origin[row]]), 1)
        np.add.at(self._now, (known, self._of_node[known, target[row]]), 1)


def _movable(instance: Instance) -> dict[Skew, int]:
    """Constraints that alone limit all their pods, and how many pods must stay in each domain.

    Where others need the pods for company, one stays.
    """
    problem, keys = instance.problem, instance.coupling.keys
    gates = np.zeros(len(keys), dtype=np.int64)
    for gate in instance.gates:
        gates[gate.concerned] += 1
    found: dict[Skew, int] = {}
    for skew in (hard.skew for hard in problem.once(hard_skews)):
        own = skew.selected
        classes: list[int] = own.tolist()
        guests = [group for group in problem.once(Company).groups if np.isin(own, group.selected).any()]
        alone = np.array_equal(skew.owners, own) and all(keys[c] == {skew.key} for c in classes)
        lone = len(own) == 1 and not any(np.isin(own, group.owners).any() for group in guests)
        few = 1 < skew.partition.size <= _DOMAINS
        if few and alone and (lone or not guests) and (gates[own] == 1 + len(guests)).all():
            found[skew] = int(bool(guests))
    return found
