"""Pairs of an owner of a soft affinity term and another pod that the term selects, in one domain."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...model.affinity_terms import AffinityTerm
from ...model.api import Pod
from ..problem import Problem
from .partition import Partition

Ints = NDArray[np.int64]
_SCALE = 2**10


@dataclass(frozen=True, eq=False)
class Pairs:
    """``coefficient * sum over domains of owners * (selected - itself)``.

    Parameters
    ----------
    key : str
        Topology key.
    partition : Partition
    coefficient : int
        Negative where pairs are wanted.
    owners, selected : array of int
        Classes.
    owned, taken : array of int, shape (domains,)
        Pinned owners and pinned selected pods.
    itself : int
        1 where every owner is selected and makes no pair with itself, else 0.
    """

    key: str
    partition: Partition
    coefficient: int
    owners: Ints
    selected: Ints
    owned: Ints
    taken: Ints
    itself: int

    @property
    def alike(self) -> bool:
        """Whether owners and selected pods are the same, so that pairs are a square."""
        same = np.array_equal(self.owners, self.selected) and np.array_equal(self.owned, self.taken)
        return bool(self.itself and same)

    @cached_property
    def both(self) -> Ints:
        """Classes that own the term and are selected."""
        return np.intersect1d(self.owners, self.selected)

    def sides(self, counts: Ints) -> tuple[Ints, Ints]:
        """Owners and selected pods per domain, for ``counts`` of shape (classes, nodes)."""
        owners = self.partition.sums(counts[self.owners].sum(axis=0))
        selected = self.partition.sums(counts[self.selected].sum(axis=0))
        return self.owned + owners, self.taken + selected

    def of_sides(self, owners: Ints, selected: Ints) -> int:
        """The value for `owners` and `selected` pods per domain."""
        return self.coefficient * int(owners @ (selected - self.itself))


@dataclass(frozen=True, eq=False)
class SoftPairs:
    """What soft terms cost.

    Parameters
    ----------
    pairs : tuple of Pairs
        Those with free pods.
    constant : int
        What comes on top of `pairs`.
    unplaced : array of int, shape (classes,)
        What comes on top for each pod that is not placed: its terms are unmet.
    worst : int
        Every term fully unmet.
    """

    pairs: tuple[Pairs, ...]
    constant: int
    unplaced: Ints
    worst: int


def soft_pairs(problem: Problem) -> SoftPairs:
    """Preferred terms of all pods, and required affinity with its soft weight."""
    merged: dict[tuple[str, bytes, bytes], Pairs] = {}
    roster = problem.roster
    unplaced = np.zeros(len(problem.classes), dtype=np.int64)
    constant = worst = 0
    for wanted, found, everything in _stated(problem):
        worst += everything
        if wanted:
            constant += everything
        else:
            owners = found[2]
            each = everything // roster.total(owners)
            unplaced[roster.classes(owners)] += each
            constant += each * roster.unplaced(owners)
        identity = (found[0], found[2].tobytes(), found[3].tobytes())
        if identity not in merged:
            merged[identity] = _pairs(problem, *found)
        else:
            pair = merged[identity]
            merged[identity] = replace(pair, coefficient=pair.coefficient + found[1])
    free = tuple(pair for pair in merged.values() if len(pair.owners) or len(pair.selected))
    pinned = (pair for pair in merged.values() if not len(pair.owners) and not len(pair.selected))
    constant += sum(pair.of_sides(pair.owned, pair.taken) for pair in pinned)
    return SoftPairs(free, constant, unplaced, worst)


Stated = tuple[str, int, Ints, Ints, int]
"""Topology key, coefficient, owner rows, selected rows, and whether owners are selected."""


def _pairs(problem: Problem, key: str, coefficient: int, owners: Ints, selected: Ints, itself: int) -> Pairs:
    roster, partition = problem.roster, Partition.of(problem.domains(key))
    return Pairs(
        key=key,
        partition=partition,
        coefficient=coefficient,
        owners=roster.classes(owners),
        selected=roster.classes(selected),
        owned=partition.sums(roster.pinned(owners)),
        taken=partition.sums(roster.pinned(selected)),
        itself=itself,
    )


def _stated(problem: Problem) -> Iterator[tuple[bool, Stated, int]]:
    """Whether pairs are wanted, what is stated, and what it costs fully unmet."""
    roster = problem.roster
    for wanted, weight, term, rows in _owners(problem):
        selected = term.selected(roster.index)
        both = np.isin(rows, selected)
        for owners, itself in ((rows[both], 1), (rows[~both], 0)):
            pods, matches = roster.total(owners), roster.total(selected) - itself
            if pods and matches > 0:
                each = max(1, (2 * _SCALE * weight + matches) // (2 * matches))
                stated = (term.topology_key, -each if wanted else each, owners, selected, itself)
                yield wanted, stated, each * pods * matches


def _owners(problem: Problem) -> Iterator[tuple[bool, int, AffinityTerm, Ints]]:
    """Terms and the rows that own them; a row that states a term twice owns it twice."""
    known: dict[str, AffinityTerm] = {}
    owners: dict[tuple[bool, int, str, int], list[int]] = {}
    for row, pod in enumerate(problem.roster.pods):
        times: dict[tuple[bool, int, str], int] = {}
        for wanted, weight, term in _terms(problem, pod) if not pod.terminating else ():
            stated = (wanted, weight, term.text)
            known.setdefault(term.text, term)
            times[stated] = times.get(stated, 0) + 1
            owners.setdefault((*stated, times[stated]), []).append(row)
    for (wanted, weight, text, _), rows in owners.items():
        yield wanted, weight, known[text], np.array(rows, dtype=np.int64)


def _terms(problem: Problem, pod: Pod) -> Iterator[tuple[bool, int, AffinityTerm]]:
    terms = problem.cluster.affinity_terms.of(pod)
    profile = problem.roster.profile_of(pod)
    hard = profile.hard_pod_affinity_weight if profile else 0
    yield from ((True, hard, term) for term in terms.affinity if hard > 0)
    yield from ((True, weight, term) for weight, term in terms.preferred_affinity if weight > 0)
    yield from ((False, weight, term) for weight, term in terms.preferred_anti_affinity if weight > 0)
