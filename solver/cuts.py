"""Cuts: placements that no order of arrival reaches, kept out of the search.

Whether an order exists depends only on the counts of the classes that relational
rules concern, so a cut asks that one of these counts changes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .cpsat.cp import Expr, total, when
from .cpsat.scope import Scope
from .relations.partition import Partition

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Cut:
    """Counts of some classes that have no order.

    Parameters
    ----------
    classes : array of int
    cells : array of int, shape (nodes,)
        Nodes with equal numbers are alike to every relational rule.
    counts : array, shape (len(classes), cells)
    """

    classes: Ints
    cells: Ints
    counts: Ints

    @classmethod
    def of(cls, classes: Ints, cells: Ints, counts: Ints) -> Cut:
        """The cut of a placement's ``counts``, shape (classes, nodes)."""
        return cls(classes, cells, Partition(cells).sums(counts[classes]))

    def excludes(self, counts: Ints) -> bool:
        """Whether a placement is cut off."""
        return bool((Partition(self.cells).sums(counts[self.classes]) == self.counts).all())

    def constrain(self, scope: Scope) -> None:
        """At least one of the counts differs."""
        different: list[Expr] = []
        for row, c in enumerate(self.classes.tolist()):
            for cell, count in enumerate(self.counts[row].tolist()):
                nodes = np.flatnonzero(self.cells == cell).tolist()
                free = [n for n in nodes if scope.free(c, n)]
                if free:
                    upper = sum(scope.upper(c, n) for n in nodes)
                    different.extend(_differs(scope, scope.count_in(c, nodes), count, upper))
                elif int(scope.outside[c, nodes].sum()) != count:
                    return
        scope.model.add(total(different) >= 1)


def _differs(scope: Scope, now: Expr, count: int, upper: int) -> list[Expr]:
    """Literals that may be 1 only where ``now`` is smaller, or larger, than `count`."""
    literals: list[Expr] = []
    if count > 0:
        less = scope.model.new_bool_var("less")
        when(less, scope.model.add(now <= count - 1))
        literals.append(less)
    if count < upper:
        more = scope.model.new_bool_var("more")
        when(more, scope.model.add(now >= count + 1))
        literals.append(more)
    return literals
