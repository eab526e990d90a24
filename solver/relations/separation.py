"""Required anti-affinity: no owner of a term beside a pod that the term selects."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations_with_replacement, product

import numpy as np
from numpy.typing import NDArray

from ...model.affinity_terms import AntiAffinityGroup, anti_affinity_groups, filters
from ..bounds.relaxation import Relaxation
from ..cpsat.cp import total, when
from ..cpsat.scope import Scope
from ..problem import Problem
from .coupling import Coupling
from .partition import Partition, Tally

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Separation:
    """One term, in classes and domains.

    Parameters
    ----------
    key : str
        Topology key.
    partition : Partition
        Nodes by domain of the key.
    owners, selected, both : array of int
        Classes that only own the term, that it only selects, and that do both: of those
        a domain holds at most one pod.
    owned, taken : array of bool, shape (domains,)
        Whether a pinned owner, or a pinned selected pod, is in the domain.
    owning, chosen : array of int
        Classes that own the term, or that it selects, whose profile does not look: they matter where
        they stand (`Problem.standing`).
    """

    key: str
    partition: Partition
    owners: Ints
    selected: Ints
    both: Ints
    owned: Mask
    taken: Mask
    owning: Ints
    chosen: Ints

    @property
    def classes(self) -> Ints:
        """All classes concerned."""
        return np.concatenate([self.owners, self.selected, self.both])

    @property
    def idle(self) -> bool:
        """Whether free pods cannot break the term among themselves."""
        others = (self.owners, self.owning, self.selected, self.chosen)
        owners, owning, selected, chosen = map(len, others)
        return not len(self.both) and not (owners and selected + chosen) and not (owning and selected)

    def restrict(self, eligible: Mask) -> None:
        """Clear domains that pinned pods close."""
        of_node = self.partition.of_node
        for closed, classes in (
            (self.owned, np.concatenate([self.selected, self.both])),
            (self.taken, np.concatenate([self.owners, self.both])),
        ):
            eligible[classes] &= ~np.append(closed, False)[of_node]

    def couple(self, coupling: Coupling) -> None:
        """By host, conflicts; otherwise moves stay within a domain."""
        if self.idle:
            return
        if not self.partition.single:
            for c in self.classes.tolist():
                coupling.keep_domain(c, self.key)
            return
        for c, d in self._pairs():
            coupling.apart(c, d)

    def _pairs(self) -> list[tuple[int, int]]:
        owners, selected, both = self.owners.tolist(), self.selected.tolist(), self.both.tolist()
        apart = combinations_with_replacement(both, 2)
        return [
            *apart,
            *product(owners, selected),
            *product(owners, both),
            *product(both, selected),
        ]

    def constrain(self, scope: Scope) -> None:
        """In each domain that is entered either owners or selected pods, or one pod that is both."""
        if self.idle:
            return
        owners, selected, both, everybody = (
            self.partition.tally(scope, classes)
            for classes in (self.owners, self.selected, self.both, self.classes)
        )
        owning, chosen = (self.partition.stayers(scope, classes) for classes in (self.owning, self.chosen))
        for domain in sorted({*everybody.variables, *owning.variables, *chosen.variables}):
            sides = [] if _alone(domain, owners, selected, both) else [(owners, selected)]
            sides += [(owners, chosen)] if chosen.stood[domain] else []
            sides += [(selected, owning)] if owning.stood[domain] else []
            for one, other in sides:
                present = [one.occupied(domain), other.occupied(domain), both.count(domain)]
                apart = scope.model.add(total(present) <= 1)
                if everybody.stood[domain] > 1 or owning.stood[domain] or chosen.stood[domain]:
                    when(everybody.entered(domain), apart)

    def relax(self, relaxation: Relaxation) -> None:
        """At most one pod that is both per domain, summed over bundles of domains."""
        if not len(self.both):
            return
        stood = self.partition.sums(relaxation.problem.standing[self.both].sum(axis=0))
        for bundle in self.partition.bundles(relaxation):
            columns = [j for c in self.both.tolist() for j in relaxation.columns(c, bundle.inner)]
            if columns:
                most = float(np.maximum(stood[bundle.domains], 1).sum())
                relaxation.row(-np.inf, most, [(j, 1.0) for j in columns])


def _alone(domain: int, *sides: Tally) -> bool:
    """Whether only owners, or only selected pods, can ever be in the domain."""
    *others, both = (side.upper(domain) for side in sides)
    return not both and not all(others)


def separations(problem: Problem) -> list[Separation]:
    """The terms that concern free pods."""
    roster = problem.roster
    groups = anti_affinity_groups(roster.pods, problem.cluster.affinity_terms, roster.index)
    found = (_separation(problem, group) for group in groups)
    return [separation for separation in found if len(separation.classes)]


def _filtered(problem: Problem, classes: Ints) -> Ints:
    """Classes for which the rule filters; the others may come last, beside anybody."""
    roster = problem.roster
    numbers: list[int] = classes.tolist()
    checked = [filters(roster.profile_of(roster.pods[c])) for c in numbers]
    return classes[np.array(checked, dtype=bool)]


def _separation(problem: Problem, group: AntiAffinityGroup) -> Separation:
    roster = problem.roster
    everybody = [roster.classes(rows) for rows in (group.owners, group.selected)]
    owners, selected = (_filtered(problem, classes) for classes in everybody)
    standing = np.flatnonzero(problem.standing.any(axis=1))
    owning, chosen = (
        np.intersect1d(np.setdiff1d(classes, checked), standing)
        for classes, checked in zip(everybody, (owners, selected), strict=True)
    )
    partition = Partition.of(problem.domains(group.term.topology_key))
    return Separation(
        key=group.term.topology_key,
        partition=partition,
        owners=np.setdiff1d(owners, selected),
        selected=np.setdiff1d(selected, owners),
        both=np.intersect1d(owners, selected),
        owned=partition.sums(roster.pinned(group.owners)) > 0,
        taken=partition.sums(roster.pinned(group.selected)) > 0,
        owning=owning,
        chosen=chosen,
    )
