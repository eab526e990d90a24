"""Topology spread: counts per domain against the smallest one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...model.spread_constraints import HARD
from ...model.spread_groups import SpreadGroup, spread_groups
from ..bounds.relaxation import Relaxation
from ..cpsat.cp import Expr, total, when
from ..cpsat.scope import Scope
from ..problem import Problem
from .coupling import Coupling
from .partition import Bundle, Partition, Tally

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Skew:
    """One constraint, in classes and domains; only nodes that count are in a domain.

    Parameters
    ----------
    key : str
        Topology key.
    partition : Partition
    most : int
        ``maxSkew``.
    least : int or None
        0 where that is the global minimum (fewer domains than ``minDomains``), else None.
    owners, selected : array of int
        Classes with the constraint, and classes that count.
    base : array of int, shape (domains,)
        Pinned pods that count.
    """

    key: str
    partition: Partition
    most: int
    least: int | None
    owners: Ints
    selected: Ints
    base: Ints

    @classmethod
    def of(cls, problem: Problem, group: SpreadGroup) -> Skew:
        """The constraint in the problem's classes."""
        roster = problem.roster
        partition = Partition.of(group.domains.of_node, group.eligible)
        few = partition.size < group.constraint.min_domains
        return cls(
            key=group.constraint.topology_key,
            partition=partition,
            most=group.constraint.max_skew,
            least=0 if few else None,
            owners=roster.classes(group.owners),
            selected=roster.classes(group.selected),
            base=partition.sums(roster.pinned(group.selected)),
        )

    def counts(self, counts: Ints) -> Ints:
        """Shape (domains,): pods that count, for ``counts`` of shape (classes, nodes)."""
        return self.base + self.partition.sums(counts[self.selected].sum(axis=0))

    @property
    def limited(self) -> Ints:
        """Classes with the constraint that count."""
        return np.intersect1d(self.owners, self.selected)

    def standing(self, problem: Problem) -> Ints:
        """Shape (domains,): pods of the limited classes that stand there (`Problem.standing`)."""
        return self.partition.sums(problem.standing[self.limited].sum(axis=0))

    def most_in_domain(self, problem: Problem) -> Ints:
        """Shape (domains,): pods of the limited classes that any valid placement has in a domain, at most."""
        stood = self.standing(problem)
        if self.least is not None:
            return np.maximum(self.least + self.most - self.base, stood)
        everybody = int(self.base.sum() + problem.count[self.selected].sum())
        others = max(self.partition.size - 1, 0)
        # The smallest of the other domains holds at most (everybody - own) / others.
        own = (everybody + others * self.most) // (others + 1)
        return np.maximum(own - self.base, stood)

    def lowest(self, problem: Problem, relaxation: Relaxation, bundles: Sequence[Bundle]) -> int:
        """A column that is at most the global minimum."""
        pods = int(self.base.sum() + problem.count[self.selected].sum())
        column = relaxation.column(0.0, float(pods // self.partition.size), 0.0)
        for bundle in bundles:
            counts = [j for c in self.selected.tolist() for j in relaxation.columns(c, bundle.touching)]
            row = [*((j, 1.0) for j in counts), (column, -float(bundle.size))]
            relaxation.row(-float(self.base[bundle.domains].sum()), np.inf, row)
        return column


class HardSkew:
    """A ``DoNotSchedule`` constraint.

    In every domain that an owner enters, pods that stay and arriving owners that count exceed the
    smallest final count by ``maxSkew`` at most; pods without the constraint may come later.

    Parameters
    ----------
    problem : Problem
    skew : Skew
    """

    def __init__(self, problem: Problem, skew: Skew) -> None:
        self._problem = problem
        self.skew = skew

    def restrict(self, eligible: Mask) -> None:
        """Clear nodes without the key, and domains that are full whatever the minimum."""
        skew = self.skew
        eligible[skew.owners] &= self._problem.domains(skew.key) >= 0
        if skew.least is None:
            return
        counted = np.isin(skew.owners, skew.selected)
        full = skew.base[None, :] + counted[:, None] > skew.most + skew.least
        closed = np.concatenate([full, np.zeros((len(full), 1), dtype=bool)], axis=1)
        eligible[skew.owners] &= ~closed[:, skew.partition.of_node]

    def couple(self, coupling: Coupling) -> None:
        """Moves keep the counts in all domains."""
        skew = self.skew
        for c in np.union1d(skew.owners, skew.selected).tolist():
            coupling.keep_part(c, skew.key, skew.partition.of_node)

    def constrain(self, scope: Scope) -> None:
        """Limit the domains that owners enter."""
        skew, partition = self.skew, self.skew.partition
        counted = partition.tally(scope, skew.selected, skew.base)
        owners = partition.tally(scope, skew.owners)
        if not counted.variables and not owners.variables:
            return
        low = partition.tally(scope, skew.limited, skew.base)
        others = partition.stayers(scope, np.setdiff1d(skew.selected, skew.limited))
        least = self._least(scope, counted, owners, low.fixed + others.fixed)
        surely = int(counted.fixed.min()) if skew.least is None else skew.least
        for domain in sorted(owners.variables):
            present = total([low.count(domain), others.count(domain)])
            limit = scope.model.add(present <= least + skew.most)
            full = low.fixed[domain] > skew.most + surely and not owners.fixed[domain]
            if full or owners.stood[domain] or others.stood[domain]:
                when(owners.entered(domain), limit)

    def _least(self, scope: Scope, counted: Tally, owners: Tally, low: Ints) -> Expr:
        """The smallest final count; domains that owners entered outside the scope bound it from below."""
        skew = self.skew
        if skew.least is not None:
            return skew.least
        settled, entered = np.ones(skew.partition.size, dtype=bool), owners.arrived > 0
        settled[list(counted.variables)] = False
        entered[list(owners.variables)] = False
        everybody = int(skew.base.sum() + self._problem.count[skew.selected].sum())
        ceiling = int(counted.fixed[settled].min(initial=everybody))
        floor = max(0, int(low[entered].max(initial=0)) - skew.most)
        least = scope.auxiliary(floor, max(floor, ceiling), "least", int(skew.counts(scope.counts).min()))
        for domain in counted.variables:
            scope.model.add(least <= counted.count(domain))
        return least

    def relax(self, relaxation: Relaxation) -> None:
        """The same limits, averaged over bundles of domains."""
        skew = self.skew
        if not skew.partition.size:
            return
        bundles = skew.partition.bundles(relaxation)
        least = skew.lowest(self._problem, relaxation, bundles) if skew.least is None else None
        surely = int(skew.base.min()) if skew.least is None else skew.least
        stood = skew.standing(self._problem)
        for bundle in bundles:
            base = skew.base[bundle.domains]
            if base.max() <= skew.most + surely:
                low = [(j, 1.0) for c in skew.limited.tolist() for j in relaxation.columns(c, bundle.inner)]
                row = low if least is None else [*low, (least, -float(bundle.size))]
                # What stands in a domain that nobody enters may exceed the limit.
                excess = np.maximum(base + stood[bundle.domains] - skew.most - surely, 0).sum()
                relaxation.row(-np.inf, float(bundle.size * skew.most - base.sum() + excess), row)


def hard_skews(problem: Problem) -> list[HardSkew]:
    """The hard constraints of free pods."""
    roster, configuration = problem.roster, problem.configuration
    groups = spread_groups(
        problem.cluster,
        roster.pods,
        roster.index,
        lambda pod: configuration.profile(pod.spec.scheduler_name),
        HARD,
    )
    owned = (group for group in groups if len(roster.classes(group.owners)))
    return [HardSkew(problem, Skew.of(problem, group)) for group in owned]
