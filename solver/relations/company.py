"""Required pod affinity, grounded: every pod finds company that came without it.

All free pods arrive. The owners of a group on nodes with the same domains (a *cell*)
find company together or not at all, so grounding is decided per group and cell: in
its domain of every topology key there must be a selected pod that is pinned, needs
no company itself, or is in a cell that was grounded before. One cell of a group that
selects itself may be grounded by its own first pod, unless a selected pod is pinned
on a node with one of the keys.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from ortools.sat.python import cp_model

from ...model.affinity_terms import AffinityGroup, affinity_groups
from ..cpsat.cp import Expr, total, when
from ..cpsat.scope import Scope
from ..problem import Problem
from .coupling import Coupling
from .partition import Partition, Tally

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Group:
    """Classes whose required terms select the same pods over the same keys.

    Parameters
    ----------
    keys : tuple of str
    partitions : tuple of Partition
        By key.
    cells : Partition
        Nodes with all keys, by their domains of all of them.
    owners, selected, starters : array of int
        Classes; starters are owners that are selected.
    pinned : tuple of array of int, shape (domains,)
        Selected pinned pods, by key.
    starts : bool
        Whether a first pod may do without company.
    """

    keys: tuple[str, ...]
    partitions: tuple[Partition, ...]
    cells: Partition
    owners: Ints
    selected: Ints
    starters: Ints
    pinned: tuple[Ints, ...]
    starts: bool

    def domain(self, key: int, cell: int) -> int:
        """The cell's domain of the key at position `key`."""
        node = int(np.argmax(self.cells.of_node == cell))
        return int(self.partitions[key].of_node[node])


class Company:
    """Required pod affinity of a problem.

    Parameters
    ----------
    problem : Problem
    """

    def __init__(self, problem: Problem) -> None:
        self._standing = problem.standing > 0
        roster = problem.roster
        found = affinity_groups(roster.pods, problem.cluster.affinity_terms, roster.index, roster.profile_of)
        owned = (group for group in found if len(roster.classes(group.owners)))
        self.groups = [_group(problem, group) for group in owned]
        self.group_of = np.full(len(problem.classes), -1, dtype=np.int64)
        for number, group in enumerate(self.groups):
            self.group_of[group.owners] = number
        self.circle_of = _circles([self._supporters(group) for group in self.groups])

    def _supporters(self, group: Group) -> set[int]:
        """Groups whose pods `group` selects."""
        return set(self.group_of[group.selected].tolist()) - {-1}

    def restrict(self, eligible: Mask) -> None:
        """Clear nodes without the keys, and nodes where no company can ever be."""
        possible = eligible & (self.group_of < 0)[:, None]
        grown = True
        while grown:
            grown = False
            for group in self.groups:
                here = eligible[group.owners] & _within_reach(group, possible | self._standing, eligible)
                grown = grown or bool((here & ~possible[group.owners]).any())
                possible[group.owners] |= here
        eligible &= possible

    def couple(self, coupling: Coupling) -> None:
        """Moves keep the counts in all domains."""
        for group in self.groups:
            for c in np.union1d(group.owners, group.selected).tolist():
                for key in group.keys:
                    coupling.keep_domain(c, key)

    def constrain(self, scope: Scope) -> None:
        """Ground every cell of every group that holds an owner."""
        grounding = Grounding(self, scope)
        for number in range(len(self.groups)):
            grounding.constrain(number)


def _group(problem: Problem, group: AffinityGroup) -> Group:
    roster = problem.roster
    domains = [problem.domains(key) for key in group.keys]
    partitions = tuple(Partition.of(column) for column in domains)
    combined = np.unique(np.stack(domains, axis=1), axis=0, return_inverse=True)[1].reshape(-1)
    labelled = np.stack(domains) >= 0
    complete: Mask = np.logical_and.reduce(labelled)
    owners, selected = roster.classes(group.owners), roster.classes(group.selected)
    pinned = roster.pinned(group.selected)
    return Group(
        keys=group.keys,
        partitions=partitions,
        cells=Partition.of(combined, complete),
        owners=owners,
        selected=selected,
        starters=np.intersect1d(owners, selected),
        pinned=tuple(partition.sums(pinned) for partition in partitions),
        starts=not pinned[labelled.any(axis=0)].any(),
    )


def _within_reach(group: Group, possible: Mask, eligible: Mask) -> Mask:
    """Shape (nodes,): where the group's pods could find company among `possible` pods, or start."""
    reach = group.cells.of_node >= 0
    for partition, pinned in zip(group.partitions, group.pinned, strict=True):
        company = partition.sums(possible[group.selected].astype(np.int64)).sum(axis=0) + pinned
        reach &= np.append(company > 0, False)[partition.of_node]
    if group.starts:
        start = group.cells.sums(eligible[group.starters].astype(np.int64)).sum(axis=0) > 0
        reach |= np.append(start, False)[group.cells.of_node]
    return reach


def _circles(supporters: Sequence[set[int]]) -> list[frozenset[int]]:
    """For each group the groups that support it and that it supports, directly or not, itself included."""
    reach = [_reachable(supporters, number) for number in range(len(supporters))]
    return [
        frozenset({number, *(other for other in reach[number] if number in reach[other])})
        for number in range(len(supporters))
    ]


def _reachable(supporters: Sequence[set[int]], start: int) -> set[int]:
    found: set[int] = set()
    pending = list(supporters[start])
    while pending:
        number = pending.pop()
        if number not in found:
            found.add(number)
            pending.extend(supporters[number])
    return found


class Grounding:
    """The constraints of one scope."""

    def __init__(self, company: Company, scope: Scope) -> None:
        self._company = company
        self._scope = scope
        self._owners = [group.cells.tally(scope, group.owners) for group in company.groups]
        self._ranks: dict[tuple[int, int], cp_model.IntVar] = {}
        self._cells = sum(group.cells.size for group in company.groups)

    def constrain(self, number: int) -> None:
        """Ground the cells of one group."""
        group, owners = self._company.groups[number], self._owners[number]
        cells = _inhabited(owners)
        outside = [self._outside(number, key) for key in range(len(group.keys))]
        firsts = self._firsts(number, cells, outside)
        for cell in cells:
            entered = owners.entered(cell)
            for key, partition in enumerate(group.partitions):
                domain = group.domain(key, cell)
                company = [outside[key].count(domain), *self._inside(number, cell, partition, domain)]
                company += self._staying(self._waiting(number), partition.of_node == domain)
                self._scope.model.add(total([*company, firsts.get(cell, 0)]) >= entered)

    def _firsts(self, number: int, cells: Sequence[int], outside: Sequence[Tally]) -> dict[int, Expr]:
        """Whether the cell's first pod did without company: in one cell at most, and where nobody stays."""
        group = self._company.groups[number]
        if not group.starts or not len(group.starters):
            return {}
        starters = group.cells.tally(self._scope, group.starters)
        firsts: dict[int, Expr] = {}
        for cell in cells:
            if starters.upper(cell):
                met = all(tally.now(group.domain(key, cell)) for key, tally in enumerate(outside))
                hint = int(starters.now(cell) > 0 and not met)
                first = self._scope.auxiliary(0, 1, f"first{cell}", hint)
                self._scope.model.add(starters.count(cell) >= first)
                firsts[cell] = first
        if firsts:
            self._scope.model.add(total(list(firsts.values())) <= 1)
        labelled: Mask = np.logical_or.reduce([partition.of_node >= 0 for partition in group.partitions])
        for stays in self._staying(group.selected, labelled) if firsts else ():
            self._scope.model.add(total([*firsts.values(), stays]) <= 1)
        return firsts

    def _staying(self, classes: Ints, here: Mask) -> list[Expr]:
        """Of each place on the nodes `here` where pods of the classes stand: 1 when one of them stays."""
        if not self._scope.problem.stands:
            return []
        places = np.argwhere((self._scope.problem.standing[classes] > 0) & here).tolist()
        return [self._scope.present(int(classes[row]), n) for row, n in places]

    def _waiting(self, number: int) -> Ints:
        """Selected classes that wait for a group of the circle."""
        company = self._company
        selected = company.groups[number].selected
        return selected[np.isin(company.group_of[selected], list(company.circle_of[number]))]

    def _outside(self, number: int, key: int) -> Tally:
        """Selected pods that wait for no group of the circle, per domain; pinned ones on top."""
        company, group = self._company, self._company.groups[number]
        circle = company.circle_of[number]
        waiting = np.isin(company.group_of[group.selected], list(circle))
        return group.partitions[key].tally(self._scope, group.selected[~waiting], group.pinned[key])

    def _inside(self, number: int, cell: int, partition: Partition, domain: int) -> Iterator[Expr]:
        """Cells of the circle that may have given company: those grounded before."""
        company, scope = self._company, self._scope
        selected = company.groups[number].selected
        for other in sorted(company.circle_of[number]):
            classes = np.intersect1d(company.groups[other].owners, selected)
            cells = company.groups[other].cells
            common = np.where(partition.of_node == domain, cells.of_node, -1)
            if other == number:
                common[cells.of_node == cell] = -1
            if not len(classes) or not (common >= 0).any():
                continue
            numbers = np.unique(common[common >= 0])
            tally = Partition.of(common).tally(scope, classes)
            for position, giver in enumerate(numbers.tolist()):
                if tally.upper(position):
                    given = scope.model.new_bool_var("")
                    scope.model.add(tally.count(position) >= given)
                    rank, before = self._rank(number, cell), self._rank(other, giver)
                    when(given, scope.model.add(rank >= before + 1))
                    yield given

    def _rank(self, number: int, cell: int) -> cp_model.IntVar:
        """The cell's place in the order of grounding."""
        rank = self._ranks.get((number, cell))
        if rank is None:
            rank = self._scope.model.new_int_var(0, self._cells, f"rank{number}_{cell}")
            self._ranks[number, cell] = rank
        return rank


def _inhabited(owners: Tally) -> list[int]:
    """Domains in which there is or may be a pod."""
    return sorted({*np.flatnonzero(owners.fixed).tolist(), *owners.variables})
