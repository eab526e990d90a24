"""What a move of single pods must respect, so that the exchange never leaves feasibility.

The exchange search moves pods between pairs of nodes without asking any rule.
That is sound because every rule first says, once per problem, what such moves
must leave alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..problem import Problem

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(eq=False)
class Coupling:
    """Limits of single-pod moves.

    Attributes
    ----------
    eligible : array of bool, shape (classes, nodes)
        Where the class may be at all.
    keys : list of set of str
        Topology keys (coarser than a node), or names of parts of their domains, within which the class's
        counts must not change.
    conflict : array of bool, shape (classes, classes)
        Classes that may not share a node; a class that conflicts with itself has at most one pod a node.
    frozen : array of bool, shape (classes,)
        Classes that the exchange leaves alone entirely.
    """

    problem: Problem
    eligible: Mask
    keys: list[set[str]] = field(init=False)
    conflict: Mask = field(init=False)
    frozen: Mask = field(init=False)
    _parts: dict[str, Ints] = field(init=False, default_factory=dict[str, Ints])
    _names: dict[bytes, str] = field(init=False, default_factory=dict[bytes, str])

    def __post_init__(self) -> None:
        size = len(self.problem.classes)
        self.keys = [set() for _ in range(size)]
        self.conflict = np.zeros((size, size), dtype=bool)
        self.frozen = np.zeros(size, dtype=bool)

    def apart(self, c: int, d: int) -> None:
        """Classes `c` and `d` may not share a node."""
        self.conflict[c, d] = self.conflict[d, c] = True

    def keep_domain(self, c: int, key: str) -> None:
        """Moves of class `c` stay within a domain of `key`; a key that is unique per node freezes it."""
        domains = self.problem.domains(key)
        known = domains[domains >= 0]
        if len(np.unique(known)) == len(known):
            self.frozen[c] = True
        else:
            self.keys[c].add(key)

    def keep_part(self, c: int, key: str, of_node: Ints) -> None:
        """Moves of class `c` stay within those nodes of a domain of `key` that count for a constraint.

        Parameters
        ----------
        of_node : array of int, shape (nodes,)
            Domains of `key`, but -1 where a node does not count.
        """
        self.keep_domain(c, key)
        if key in self.keys[c] and (of_node[self.eligible[c]] < 0).any():
            name = self._names.setdefault(of_node.tobytes(), f"{key} {len(self._names)}")
            self._parts[name] = of_node
            self.keys[c].add(name)

    def domain_of(self, c: int) -> Ints:
        """Shape (nodes,): nodes with equal numbers may exchange pods of class `c`."""
        if not self.keys[c]:
            return np.zeros(len(self.problem.nodes), dtype=np.int64)
        columns = np.stack([self._column(name) for name in sorted(self.keys[c])])
        return np.unique(columns, axis=1, return_inverse=True)[1].reshape(-1).astype(np.int64)

    def _column(self, name: str) -> Ints:
        return self._parts[name] if name in self._parts else self.problem.domains(name)
