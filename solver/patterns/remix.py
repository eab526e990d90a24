"""Placements mixed anew from what nodes have held while a search went on.

A search by trades improves nodes pair by pair, and sees many good contents of nodes that do not fit together
in numbers: each class has so many pods. A linear program over these *patterns* says how often to use each. It
is rounded to whole nodes so that few pods are left over or missing, and these are put right one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..bounds.relaxation import Relaxation
from ..instance import Instance
from ..nodecost import node_costs
from .domains import domains_of_groups
from .repair import Repair
from .rounding import Rounding, handed_out

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Remix:
    """The patterns seen so far.

    Parameters
    ----------
    instance : Instance
    group_of : array, shape (nodes,)
        Nodes with equal numbers are alike in all that matters to a node's cost and rules.
    domains : sequence of array, shape (groups,)
        Per class: groups with equal numbers are those among which its pods may move.
    """

    def __init__(self, instance: Instance, group_of: Ints, domains: Sequence[Ints]) -> None:
        self._instance, self._group_of = instance, group_of
        self._size = np.bincount(group_of)
        sizes = [int(domain.max(initial=0)) + 1 for domain in domains]
        starts = np.cumsum([0, *sizes[:-1]])
        self._row = np.stack([start + domain for start, domain in zip(starts, domains, strict=True)])
        self._row_at: Ints = self._row[:, group_of]
        self._rows = sum(sizes)
        self._known: set[bytes] = set()
        self._group: Ints = np.zeros(0, dtype=np.int64)
        self._pods: Ints = np.zeros((0, len(domains)), dtype=np.int64)
        self._cost: Ints = np.zeros(0, dtype=np.int64)
        self._highs = _without_patterns(self._size, self._rows)
        self._unit = 0.0

    @classmethod
    def of(cls, instance: Instance, relaxation: Relaxation) -> Remix | None:
        """For the node groups of a relaxation; None where no pods may move among alike nodes."""
        if not instance.problem.classes or not relaxation.alike or instance.coupling.frozen.any():
            return None
        domains = domains_of_groups(instance, relaxation.group_of)
        return None if domains is None else cls(instance, relaxation.group_of, domains)

    def offer(self, counts: Ints) -> None:
        """Note what the nodes of a placement hold, shape (classes, nodes)."""
        content = np.vstack([self._group_of[None, :], counts]).T.astype(np.int32)
        new: list[int] = []
        for node, row in enumerate(content):
            identity = row.tobytes()
            if identity not in self._known:
                self._known.add(identity)
                new.append(node)
        if new:
            costs = node_costs(self._instance.terms, counts)
            self._add(self._group_of[new], counts[:, new].T, costs[new])

    def _add(self, group: Ints, pods: Ints, cost: Ints) -> None:
        self._group = np.concatenate([self._group, group])
        self._pods = np.concatenate([self._pods, pods])
        self._cost = np.concatenate([self._cost, cost])
        number, classes = np.nonzero(pods)
        rows = len(self._size) + self._row[classes, group[number]]
        rows = np.concatenate([rows, group])
        column = np.concatenate([number, np.arange(len(group))])
        values = np.concatenate([pods[number, classes], np.ones(len(group), dtype=np.int64)])
        order = np.argsort(column, kind="stable")
        starts = np.searchsorted(column[order], np.arange(len(group))).astype(np.int32)
        most = self._size[group].astype(float)
        self._unit = self._unit or max(1.0, float(np.abs(cost).mean()))
        self._highs.addCols(
            len(group), cost / self._unit, np.zeros(len(group)), most, len(order), starts,
            rows[order].astype(np.int32), values[order].astype(float),
        )  # fmt: skip

    def mix(self, counts: Ints, seconds: float) -> Ints | None:
        """Another placement, as feasible as `counts` and near the best mix of all patterns; None without one.

        Every class keeps its numbers in the domains that a rule or a shared term looks at.

        Parameters
        ----------
        counts : array, shape (classes, nodes)
        seconds : float
            Limit of the linear program.
        """
        self.offer(counts)
        wanted = self._numbers(counts)
        solved = self._solve(wanted, seconds)
        if solved is None:
            return None
        rounding = Rounding(self._group, self._pods, self._cost, self._row, self._size)
        used = rounding.run(*solved, wanted)
        mixed = handed_out(self._group_of, self._group, self._pods, used)
        return Repair(self._instance, mixed, self._row_at, rounding.astray).run()

    def _numbers(self, counts: Ints) -> Ints:
        """Shape (rows,): pods per class and domain."""
        return np.bincount(self._row_at.reshape(-1), counts.reshape(-1), self._rows).astype(np.int64)

    def _solve(self, wanted: Ints, seconds: float) -> tuple[Floats, Floats] | None:
        """How often to use each pattern, and what each costs beyond the prices of its pods and node."""
        import highspy

        solver = self._highs
        rows = np.arange(len(self._size), len(self._size) + self._rows, dtype=np.int32)
        side = wanted.astype(float)
        solver.changeRowsBounds(len(rows), rows, side, side)
        solver.setOptionValue("time_limit", float(solver.getRunTime()) + max(seconds, 0.0))
        solver.run()
        if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            return None
        solution = solver.getSolution()
        return np.array(solution.col_value), np.array(solution.col_dual) * self._unit


def _without_patterns(size: Ints, rows: int) -> Any:
    """A program whose rows say how many nodes each group has, and how many pods each class and domain."""
    import highspy

    solver: Any = highspy.Highs()
    solver.silent()
    solver.setOptionValue("presolve", "off")
    sides = np.concatenate([size.astype(float), np.zeros(rows)])
    nothing = np.zeros(0, dtype=np.int32)
    starts = np.zeros(len(sides), dtype=np.int32)
    solver.addRows(len(sides), sides, sides, 0, starts, nothing, np.zeros(0))
    return solver
