"""Pods that may not share a node: the shape common to ports, disks and host anti-affinity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..bounds.relaxation import Relaxation
from ..cpsat.cp import when
from ..cpsat.scope import Scope
from ..problem import Problem
from .coupling import Coupling


@dataclass(frozen=True, eq=False)
class Conflicts:
    """Pairs that exclude each other on a node.

    Parameters
    ----------
    problem : Problem
    pairs : sequence of (int, int)
        Classes; (c, c) means at most one pod of the class a node.
    pinned : sequence of (int, int)
        Class and pinned kind.
    checked : array of bool, shape (classes,)
        Classes whose profile looks at such conflicts.
    """

    problem: Problem
    pairs: Sequence[tuple[int, int]]
    pinned: Sequence[tuple[int, int]]
    checked: NDArray[np.bool_]

    def restrict(self, eligible: NDArray[np.bool_]) -> None:
        """Clear nodes that hold a pinned pod in conflict."""
        pinned = self.problem.pinned
        for c, kind in self.pinned:
            eligible[c, pinned.node[pinned.kind == kind]] = False

    def couple(self, coupling: Coupling) -> None:
        """Tell the exchange."""
        for c, d in self.pairs:
            coupling.apart(c, d)

    def constrain(self, scope: Scope) -> None:
        """At most one of a conflicting pair on every node of the scope, but for what stands there."""
        standing = self.problem.standing
        for c, d in self.pairs:
            for n in scope.nodes:
                if c == d and scope.free(c, n):
                    scope.model.add(scope.count(c, n) <= max(1, int(standing[c, n])))
                elif c != d and scope.free(c, n) and scope.free(d, n):
                    apart = scope.model.add(scope.present(c, n) + scope.present(d, n) <= 1)
                    if standing[c, n] or standing[d, n]:
                        when(scope.arrival([(e, n) for e in (c, d) if self.checked[e]]), apart)

    def relax(self, relaxation: Relaxation) -> None:
        """Pods of classes that all exclude each other, themselves included, are no more than the nodes."""
        for clique in self._cliques():
            most = np.maximum(self.problem.standing[clique].sum(axis=0), 1)
            room = np.bincount(relaxation.group_of, weights=most, minlength=relaxation.groups)
            for g in range(relaxation.groups):
                columns = [j for c in clique for j in relaxation.columns(c, [g])]
                if columns:
                    relaxation.row(-np.inf, float(room[g]), [(j, 1.0) for j in columns])

    def _cliques(self) -> list[list[int]]:
        """Every class that excludes itself, in the first set of classes that it excludes as well."""
        apart = {frozenset(pair) for pair in self.pairs}
        cliques: list[list[int]] = []
        for c in sorted({c for c, d in self.pairs if c == d}):
            home = next(
                (clique for clique in cliques if all(frozenset((c, d)) in apart for d in clique)), None
            )
            if home is None:
                cliques.append([c])
            else:
                home.append(c)
        return cliques
