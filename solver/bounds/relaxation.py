"""The linear relaxation over node groups, and bounds from it that floating point cannot break.

Nodes of a group are merged. Where they are identical in every row and function
the merged relaxation is as strong as the full one; where they only resemble
each other it is still valid, because every function is convex (Jensen) and
every row is summed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..problem import Problem
from ..terms import Deviation, Piecewise, Preference, Relational, Term

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
_COLUMNS = 60_000


@dataclass(eq=False)
class Relaxation:
    """A linear program over counts per class and node group.

    Parameters
    ----------
    problem : Problem
    eligible : array of bool, shape (classes, nodes)
    terms : sequence of (Term, int)
        Objective terms and their coefficients.
    placed : sequence of int
        How many pods of each tier (`Problem.tiers`) are placed; tiers after these are free.
    most : int, optional
        Maximise how many pods of this tier are placed (the minimum is then its negative).
    local : bool
        Whether to say what happens on a node: its room, and the terms that are sums over nodes. Without, what
        is left relates nodes to each other, and node patterns say the rest.
    """

    problem: Problem
    eligible: Mask
    terms: Sequence[tuple[Term, int]]
    placed: Sequence[int]
    most: int | None = None
    local: bool = True
    constant: int = 0
    group_of: Ints = field(init=False)
    size: Ints = field(init=False)
    alike: bool = field(init=False)

    def __post_init__(self) -> None:
        self.group_of, self.alike = _groups(self.problem, self.eligible, self.terms)
        self.size = np.bincount(self.group_of).astype(np.int64)
        self._first = np.unique(self.group_of, return_index=True)[1]
        self._peaks: dict[tuple[str, bytes], int] = {}
        self._lower: list[float] = []
        self._upper: list[float] = []
        self._cost: list[float] = []
        self._rows: list[tuple[float, float]] = []
        self._entries: tuple[list[int], list[int], list[float]] = ([], [], [])
        self._local_rows: list[int] = []
        self._make_counts()
        self._make_totals()
        if self.local:
            self._make_locally(self._make_capacities)
        if self.most is not None:
            for c in np.flatnonzero(self.problem.tier_of == self.most).tolist():
                for j in self.columns(c):
                    self._cost[j] = -1.0
        for term, coefficient in self.terms:
            self.constant += coefficient * term.constant
            for part in term.parts:
                self._make_part(part, coefficient)

    @property
    def groups(self) -> int:
        """Number of node groups."""
        return len(self.size)

    def column(self, lower: float, upper: float, cost: float) -> int:
        """Add a variable with finite bounds; returns its position."""
        self._lower.append(lower)
        self._upper.append(upper)
        self._cost.append(cost)
        return len(self._cost) - 1

    def charge(self, columns: Iterable[int], cost: float) -> None:
        """Add `cost` to the objective coefficients of some columns."""
        for position in columns:
            self._cost[position] += cost

    def row(self, lower: float, upper: float, entries: Iterable[tuple[int, float]]) -> None:
        """Add ``lower <= sum(coefficient * column) <= upper``; infinite bounds are allowed."""
        number = len(self._rows)
        self._rows.append((lower, upper))
        rows, columns, values = self._entries
        for position, value in entries:
            rows.append(number)
            columns.append(position)
            values.append(value)

    def columns(self, c: int, groups: Iterable[int] | None = None) -> list[int]:
        """Columns of class `c`'s counts in `groups` (default all) where it is eligible."""
        chosen = range(self.groups) if groups is None else groups
        return [int(self.counts[c, g]) for g in chosen if self.counts[c, g] >= 0]

    def peak(self, key: str, classes: Ints) -> int:
        """The column for the most free pods of `classes` in one domain of topology `key`.

        Nothing forces it up or down: rows that read it must hold for the true value.
        """
        identity = (key, classes.tobytes())
        if identity not in self._peaks:
            most = float(self.problem.count[classes].sum())
            self._peaks[identity] = self.column(0.0, most, 0.0)
        return self._peaks[identity]

    def _make_counts(self) -> None:
        problem = self.problem
        classes = len(problem.classes)
        open_nodes = np.zeros((classes, self.groups), dtype=np.int64)
        room = np.zeros((classes, self.groups), dtype=np.int64)
        for c in range(classes):
            mine = self.eligible[c]
            open_nodes[c] = np.bincount(self.group_of[mine], minlength=self.groups)
            fit = np.minimum(problem.fit[c], problem.count[c])
            room[c] = np.bincount(self.group_of[mine], weights=fit[mine], minlength=self.groups)
        self.counts = np.full((classes, self.groups), -1, dtype=np.int64)
        upper = np.minimum(room, problem.count[:, None])
        for c, g in zip(*np.nonzero(open_nodes), strict=True):
            self.counts[c, g] = self.column(0.0, float(upper[c, g]), 0.0)

    def _make_totals(self) -> None:
        problem = self.problem
        for t in range(len(problem.tiers)):
            placed = self.placed[t] if t < len(self.placed) else None
            classes = np.flatnonzero(problem.tier_of == t).tolist()
            everyone = placed == int(problem.count[classes].sum())
            for c in classes:
                lower = float(problem.count[c]) if everyone else 0.0
                self.row(lower, float(problem.count[c]), [(j, 1.0) for j in self.columns(c)])
            if not everyone and placed is not None:
                self.row(float(placed), float(placed), [(j, 1.0) for c in classes for j in self.columns(c)])

    def _make_capacities(self) -> None:
        problem = self.problem
        room = np.zeros((self.groups, len(problem.resources)))
        np.add.at(room, self.group_of, problem.room.astype(float))
        for g in range(self.groups):
            for r in range(len(problem.resources)):
                entries = self._amounts(problem.request[:, r], g)
                if entries:
                    self.row(-np.inf, float(room[g, r]), entries)

    def _amounts(self, amount: Ints, g: int) -> list[tuple[int, float]]:
        classes = np.flatnonzero((self.counts[:, g] >= 0) & (amount != 0))
        return [(int(self.counts[c, g]), float(amount[c])) for c in classes.tolist()]

    def _make_part(self, part: Piecewise | Deviation | Preference | Relational, coefficient: int) -> None:
        if isinstance(part, Relational):
            part.relax(self, coefficient)
        elif isinstance(part, Preference):
            self._make_preference(part, coefficient)
        elif self.local and isinstance(part, Deviation):
            self._make_locally(lambda: self._make_deviation(part, coefficient))
        elif self.local and isinstance(part, Piecewise):
            convex = part if part.convex else _convex_below(part)
            self._make_locally(lambda: self._make_piecewise(convex, coefficient))

    def _make_locally(self, make: Callable[[], None]) -> None:
        """Remember which rows look at one node group alone."""
        first = len(self._rows)
        make()
        self._local_rows.extend(range(first, len(self._rows)))

    def _make_preference(self, part: Preference, coefficient: int) -> None:
        # Groups are alike in every preference, so one node of each speaks for all.
        saved = part.cost[:, self._first] - part.unplaced[:, None]
        for c, g in zip(*np.nonzero((self.counts >= 0) & (saved != 0)), strict=True):
            self._cost[int(self.counts[c, g])] += float(coefficient * int(saved[c, g]))
        self.constant += coefficient * int(self.problem.count @ part.unplaced)

    def _make_piecewise(self, part: Piecewise, coefficient: int) -> None:
        base = _sum(part.base, self.group_of, self.groups)
        last = part.breakpoints.shape[1] - 1
        widths = _sum(np.diff(part.breakpoints, axis=1), self.group_of, self.groups)
        slopes = _minimum(part.slopes, self.group_of, self.groups)
        most = base + float(self.problem.count @ part.amount)
        for g in np.flatnonzero(_sum(part.size, self.group_of, self.groups) > 0).tolist():
            fill = [
                (self.column(0.0, float(widths[g, k]), float(coefficient * slopes[g, k])), -1.0)
                for k in range(last)
                if widths[g, k] > 0
            ]
            fill.append((self.column(0.0, float(most[g]), float(coefficient * slopes[g, last])), -1.0))
            self.row(-float(base[g]), -float(base[g]), [*self._amounts(part.amount, g), *fill])

    def _make_deviation(self, part: Deviation, coefficient: int) -> None:
        base = _sum((part.scale * part.base).T, self.group_of, self.groups)
        for g, n in enumerate(self._first.tolist()):
            weight = int(part.weight[n])
            if not weight:
                continue
            resources = np.flatnonzero(part.scale[:, n]).tolist()
            usage = {r: self._scaled(part, r, g, int(part.scale[r, n]), base[g, r]) for r in resources}
            ends = sum(self._upper[j] for j in usage.values())
            for r in resources:
                apart = self.column(0.0, 2.0 * len(resources) * ends, float(coefficient * weight))
                difference = [(usage[s], float(len(resources) - 1) if s == r else -1.0) for s in resources]
                self.row(0.0, np.inf, [(apart, 1.0), *((j, -v) for j, v in difference)])
                self.row(0.0, np.inf, [(apart, 1.0), *difference])

    def _scaled(self, part: Deviation, r: int, g: int, scale: int, base: float) -> int:
        """A column that equals the group's scaled usage of resource `r`."""
        most = base + float(scale) * float(self.problem.count @ part.amount[r])
        usage = self.column(0.0, most, 0.0)
        amounts = [(j, value * scale) for j, value in self._amounts(part.amount[r], g)]
        self.row(-base, -base, [*amounts, (usage, -1.0)])
        return usage

    def program(self) -> Program:
        """The linear program as arrays."""
        rows = np.array(self._rows, dtype=float).reshape(len(self._rows), 2)
        cost, lower, upper = (np.array(values) for values in (self._cost, self._lower, self._upper))
        row_of, column_of, values = (np.asarray(part) for part in self._entries)
        entries = row_of.astype(np.int32), column_of.astype(np.int32), values.astype(float)
        return Program(cost, lower, upper, rows, entries)

    def solve(self, time_limit: float = 60.0) -> Solution | None:
        """Solve the relaxation; None when the solver gives no dual solution in time."""
        from .lp import solve_lp

        return solve_lp(self.program(), time_limit)

    def prices(self, solution: Solution) -> tuple[Floats, Floats]:
        """What nodes are told by the rest of the program.

        Returns
        -------
        prices : array, shape (classes, groups)
            Of one pod of a class on a node of a group, beside what happens on that node.
        dual : array
            Of the rows that do not look at one group alone, which are those of the program without `local`.
        """
        program, dual = self.program(), solution.dual
        linking = np.ones(len(dual), dtype=bool)
        linking[self._local_rows] = False
        row_of, column_of, values = program.entries
        charged = np.bincount(column_of, dual[row_of] * values, len(program.cost))
        linked = np.bincount(column_of, np.where(linking, dual, 0.0)[row_of] * values, len(program.cost))
        reduced = program.cost - linked - np.minimum(program.cost - charged, 0.0)
        prices = np.zeros(self.counts.shape)
        prices[self.counts >= 0] = reduced[self.counts[self.counts >= 0]]
        return prices, dual[linking]

    def bound(self, solution: Solution) -> int:
        """A lower bound on the objective that holds whatever the solver's rounding."""
        return self.constant + solution.bound

    def group_counts(self, solution: Solution) -> Floats:
        """Shape (classes, groups): the counts of the relaxed solution."""
        values = np.zeros(self.counts.shape)
        known = self.counts >= 0
        values[known] = solution.primal[self.counts[known]]
        return values


@dataclass(frozen=True, eq=False)
class Program:
    """Minimise ``cost @ x`` within bounds and rows.

    Parameters
    ----------
    cost, lower, upper : array, shape (columns,)
        Finite bounds.
    rows : array, shape (rows, 2)
        Lower and upper bound of each row; may be infinite.
    entries : tuple of array
        Row, column and value of each coefficient.
    """

    cost: Floats
    lower: Floats
    upper: Floats
    rows: Floats
    entries: tuple[NDArray[np.int32], NDArray[np.int32], Floats]


@dataclass(frozen=True, eq=False)
class Solution:
    """A solved linear program.

    Parameters
    ----------
    primal : array, shape (columns,)
    dual : array, shape (rows,)
    bound : int
        Lower bound, recomputed from the duals with outward rounding.
    """

    primal: Floats
    dual: Floats
    bound: int


def _groups(problem: Problem, eligible: Mask, terms: Sequence[tuple[Term, int]]) -> tuple[Ints, bool]:
    """Group of each node, and whether the nodes of a group are alike rather than similar."""
    static = [eligible.T, problem.domain_columns]
    usage: list[NDArray[np.generic]] = [problem.capacity]
    for term, _ in terms:
        for part in term.parts:
            if isinstance(part, Piecewise):
                static.extend((part.breakpoints, part.slopes))
                usage.append(part.base[:, None])
            elif isinstance(part, Deviation):
                static.extend((part.scale.T, part.weight[:, None]))
                usage.append(part.base.T)
            elif isinstance(part, Relational):
                static.append(part.labels)
            else:
                static.append(part.cost.T)
    groups = _unique([*static, *usage])
    alike = (int(groups.max(initial=-1)) + 1) * len(problem.classes) <= _COLUMNS
    return (groups if alike else _unique(static)), alike


def _unique(columns: Sequence[NDArray[np.generic]]) -> Ints:
    rows = [
        b"".join(np.ascontiguousarray(column[n]).tobytes() for column in columns)
        for n in range(len(columns[0]))
    ]
    numbers: dict[bytes, int] = {}
    return np.array([numbers.setdefault(row, len(numbers)) for row in rows], dtype=np.int64)


def _sum(values: Ints, group_of: Ints, groups: int) -> Floats:
    total = np.zeros((groups, *values.shape[1:]))
    np.add.at(total, group_of, values.astype(float))
    return total


def _minimum(values: Ints, group_of: Ints, groups: int) -> Floats:
    least = np.full((groups, *values.shape[1:]), np.inf)
    np.minimum.at(least, group_of, values.astype(float))
    return least


def _convex_below(part: Piecewise) -> Piecewise:
    """A convex function nowhere above `part`: the chord, or the lower envelope's first slope."""
    slopes = np.minimum.accumulate(part.slopes[:, ::-1], axis=1)[:, ::-1]
    values = np.zeros_like(part.values)
    values[:, 1:] = np.cumsum(slopes[:, :-1] * np.diff(part.breakpoints, axis=1), axis=1)
    return Piecewise(part.amount, part.base, part.size, part.breakpoints, values, slopes)
