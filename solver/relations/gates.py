"""Gates: what a growing placement must ask before it takes more pods of a class.

A construction that asks every gate places pods as kube-scheduler's filters would
admit them, so what it builds needs no repair. Each gate looks at one relational
constraint; node-local rules need none.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from .company import Company, Group
from .partition import Partition
from .separation import Separation
from .skew import Skew

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
_MANY = 2**31


class Gate(ABC):
    """One constraint during a construction."""

    @property
    @abstractmethod
    def classes(self) -> Ints:
        """Classes whose pods must ask."""

    @property
    @abstractmethod
    def partition(self) -> Partition:
        """Nodes by domain."""

    @abstractmethod
    def room(self, c: int, counts: Ints, number: int) -> Ints:
        """Shape (domains,): how many of `number` more pods of class `c` each domain may take by now."""

    @abstractmethod
    def admitted(self, c: int, counts: Ints) -> Ints:
        """Shape (domains,): how many pods of class `c` the filter admits to each domain in a row."""

    @property
    @abstractmethod
    def concerned(self) -> Ints:
        """Classes whose counts can break or mend the constraint."""

    @abstractmethod
    def holds(self, counts: Ints) -> bool:
        """Whether a placement keeps the constraint; it may say no where an intricate one does."""


class SkewGate(Gate):
    """Fills the emptiest domains first."""

    def __init__(self, skew: Skew) -> None:
        self._skew = skew

    @property
    def classes(self) -> Ints:
        """Owners."""
        return self._skew.owners

    @property
    def partition(self) -> Partition:
        """Domains that count."""
        return self._skew.partition

    def room(self, c: int, counts: Ints, number: int) -> Ints:
        """Room up to the level to which `number` pods fill all domains."""
        skew = self._skew
        now = skew.counts(counts)
        if not len(now):
            return now
        if skew.least is not None:
            return np.maximum(skew.least + skew.most - now, 0)
        if c not in skew.selected:
            return np.where(now <= now.min() + skew.most, number, 0)
        return level(now, number)

    def admitted(self, c: int, counts: Ints) -> Ints:
        """Up to ``maxSkew`` above the smallest domain; that may rise meanwhile, which helps."""
        skew = self._skew
        now = skew.counts(counts)
        least = _least(skew, now)
        room = np.maximum(least + skew.most - now, 0)
        # A pod that does not count itself changes nothing for the next one.
        return room if c in skew.selected else np.where(now <= least + skew.most, _MANY, 0)

    @property
    def concerned(self) -> Ints:
        """Owners and classes that count."""
        return np.union1d(self._skew.owners, self._skew.selected)

    def holds(self, counts: Ints) -> bool:
        """Where owners are, owners that count exceed the smallest count by ``maxSkew`` at most."""
        skew = self._skew
        now = skew.counts(counts)
        low = skew.base + skew.partition.sums(counts[skew.limited].sum(axis=0))
        entered = skew.partition.sums(counts[skew.owners].sum(axis=0)) > 0
        least = _least(skew, now)
        return bool((low[entered] <= least + skew.most).all())


def _least(skew: Skew, now: Ints) -> int:
    """The smallest count that maxSkew is measured from."""
    if skew.least is not None:
        return skew.least
    return int(now.min()) if len(now) else 0


def level(now: Ints, number: int) -> Ints:
    """How `number` units are shared out so that the lowest of `now` rise together."""
    order = np.argsort(now, kind="stable")
    heights = now[order]
    needed = np.arange(1, len(now) + 1) * heights - np.cumsum(heights)
    filled = int(np.searchsorted(needed, number, side="right"))
    whole, rest = divmod(number + int(heights[:filled].sum()), filled)
    share = np.zeros_like(now)
    share[order[:filled]] = whole - heights[:filled]
    share[order[:rest]] += 1
    return share


class SeparationGate(Gate):
    """Keeps apart, by domains wider than a host, what may not share one."""

    def __init__(self, separation: Separation) -> None:
        self._separation = separation

    @property
    def classes(self) -> Ints:
        """All classes concerned."""
        return self._separation.classes

    @property
    def partition(self) -> Partition:
        """Domains of the term's key."""
        return self._separation.partition

    def room(self, c: int, counts: Ints, number: int) -> Ints:
        """Domains without anybody of the other side."""
        found = self._separation
        owned, selected, both = (
            self.partition.sums(counts[classes].sum(axis=0))
            for classes in (found.owners, found.selected, found.both)
        )
        if c in found.both:
            return np.where((owned + selected + both == 0), 1, 0)
        others = selected + both if c in found.owners else owned + both
        return np.where(others == 0, number, 0)

    def admitted(self, c: int, counts: Ints) -> Ints:
        """As `room`: the order changes nothing."""
        return self.room(c, counts, _MANY)

    @property
    def concerned(self) -> Ints:
        """All classes of the term."""
        return self._separation.classes

    def holds(self, counts: Ints) -> bool:
        """In each domain only one side, or one pod that is both."""
        found = self._separation
        owned, selected, both = (
            self.partition.sums(counts[classes].sum(axis=0))
            for classes in (found.owners, found.selected, found.both)
        )
        return bool(((owned > 0).astype(np.int64) + (selected > 0) + both <= 1).all())


class CompanyGate(Gate):
    """Lets pods in where their company is, or a first pod start where most may follow."""

    def __init__(self, group: Group) -> None:
        self._group = group

    @property
    def classes(self) -> Ints:
        """Owners."""
        return self._group.owners

    @property
    def partition(self) -> Partition:
        """Cells of all keys together."""
        return self._group.cells

    def room(self, c: int, counts: Ints, number: int) -> Ints:
        """Cells with company by every key, or one cell to start in."""
        group = self._group
        placed = counts[group.selected].sum(axis=0)
        met = np.ones(len(group.cells.of_node), dtype=bool)
        for partition, pinned in zip(group.partitions, group.pinned, strict=True):
            company = partition.sums(placed) + pinned
            met &= np.append(company > 0, False)[partition.of_node]
        if group.starts and c in group.starters and not placed.any():
            met |= group.cells.of_node >= 0
        return np.where(group.cells.sums(met.astype(np.int64)) > 0, number, 0)

    @property
    def gathering(self) -> bool:
        """Whether the first pod decides where all others go."""
        return self._group.starts

    def admitted(self, c: int, counts: Ints) -> Ints:
        """As `room`, but a first pod goes alone: it decides where the others may follow."""
        found = self.room(c, counts, _MANY)
        group = self._group
        alone = group.starts and c in group.starters and not counts[group.selected].any()
        return np.minimum(found, 1) if alone else found

    @property
    def concerned(self) -> Ints:
        """Both sides of the terms."""
        return np.union1d(self._group.owners, self._group.selected)

    def holds(self, counts: Ints) -> bool:
        """Every owner's cell has company of other classes or pinned pods, but for one cell that may start."""
        group = self._group
        strangers = np.setdiff1d(group.selected, group.owners)
        placed = counts[strangers].sum(axis=0)
        met = np.ones(len(group.cells.of_node), dtype=bool)
        for partition, pinned in zip(group.partitions, group.pinned, strict=True):
            met &= np.append(partition.sums(placed) + pinned > 0, False)[partition.of_node]
        lonely = (counts[group.owners].sum(axis=0) > 0) & ~met
        cells = np.unique(group.cells.of_node[lonely])
        if not len(cells):
            return True
        starting = counts[group.starters][:, group.cells.of_node == cells[0]]
        return group.starts and len(cells) == 1 and bool(starting.any())


def gates_of(skews: list[Skew], separations: list[Separation], company: Company) -> tuple[Gate, ...]:
    """The gates of a problem's relational rules."""
    wide = [
        separation for separation in separations if not separation.idle and not separation.partition.single
    ]
    return (
        *(SkewGate(skew) for skew in skews),
        *(SeparationGate(separation) for separation in wide),
        *(CompanyGate(group) for group in company.groups),
    )
