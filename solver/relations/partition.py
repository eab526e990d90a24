"""Nodes in topology domains: sums over them, in numbers, in a scope, and in a relaxation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..cpsat.cp import Expr, total

if TYPE_CHECKING:
    from ..bounds.relaxation import Relaxation
    from ..cpsat.scope import Scope

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
NOWHERE = -1


@dataclass(frozen=True, slots=True)
class Bundle:
    """Domains that a relaxation cannot tell apart, because groups of nodes straddle them.

    Parameters
    ----------
    domains : array of int
    inner : list of int
        Groups whose nodes all lie in these domains.
    touching : list of int
        Groups with at least one node in them.
    """

    domains: Ints
    inner: list[int]
    touching: list[int]

    @property
    def size(self) -> int:
        """Number of domains."""
        return len(self.domains)


@dataclass(frozen=True, eq=False)
class Partition:
    """Nodes split into domains; some nodes may be left out.

    Parameters
    ----------
    of_node : array of int, shape (nodes,)
        Domain of each node, numbered from 0 without gaps, or `NOWHERE`.
    """

    of_node: Ints

    @classmethod
    def of(cls, domains: Ints, counted: Mask | None = None) -> Partition:
        """Domains as a topology key gives them (-1 for none), of the nodes that count."""
        left_out = domains < 0 if counted is None else (domains < 0) | ~counted
        numbers, of_node = np.unique(np.where(left_out, NOWHERE, domains), return_inverse=True)
        return cls(of_node.reshape(-1).astype(np.int64) - int(NOWHERE in numbers[:1]))

    @cached_property
    def size(self) -> int:
        """Number of domains."""
        return int(self.of_node.max(initial=NOWHERE)) + 1

    @cached_property
    def known(self) -> Ints:
        """Positions of the nodes that are in a domain."""
        return np.flatnonzero(self.of_node >= 0)

    @cached_property
    def single(self) -> bool:
        """Whether every node is in a domain of its own."""
        return self.size == len(self.of_node)

    @cached_property
    def _sorted(self) -> tuple[Ints, Ints]:
        """Known nodes by domain, and where each domain begins."""
        order = self.known[np.argsort(self.of_node[self.known], kind="stable")]
        return order, np.searchsorted(self.of_node[order], np.arange(self.size))

    def sums(self, values: NDArray[np.int64]) -> Ints:
        """Sums over the last axis, shape (..., nodes) to (..., domains)."""
        order, starts = self._sorted
        listed = values[..., order]
        return listed if self.size == len(order) else np.add.reduceat(listed, starts, axis=-1)

    def tally(self, scope: Scope, classes: Ints, base: Ints | None = None) -> Tally:
        """Pods of the classes per domain in a scope; `base`, shape (domains,), comes on top."""
        return Tally(self, scope, tuple(classes.tolist()), base)

    def stayers(self, scope: Scope, classes: Ints) -> Tally:
        """The same, of those alone that stay where they stand (`Problem.standing`)."""
        return Tally(self, scope, tuple(classes.tolist()), stay=True)

    def bundles(self, relaxation: Relaxation) -> list[Bundle]:
        """The finest bundles of domains such that no group of nodes straddles two."""
        group_of, groups = relaxation.group_of, relaxation.groups
        pairs = np.unique(np.stack([self.of_node, group_of], axis=1)[self.known], axis=0)
        whole = np.bincount(group_of[self.known], minlength=groups) == relaxation.size
        bundle_of = _connected(pairs, self.size, groups)
        order = np.argsort(bundle_of[pairs[:, 0]], kind="stable")
        ends = np.searchsorted(bundle_of[pairs[order, 0]], np.unique(bundle_of), side="right")
        found: list[Bundle] = []
        for part in np.split(pairs[order], ends[:-1]) if self.size else ():
            touching = np.unique(part[:, 1])
            inner = touching[whole[touching]]
            found.append(Bundle(np.unique(part[:, 0]), inner.tolist(), touching.tolist()))
        return found


def _connected(pairs: Ints, domains: int, groups: int) -> Ints:
    """Shape (domains,): equal numbers for domains that groups connect, directly or not."""
    label = np.arange(domains, dtype=np.int64)
    while True:
        least = np.full(groups, domains, dtype=np.int64)
        np.minimum.at(least, pairs[:, 1], label[pairs[:, 0]])
        lowered = label.copy()
        np.minimum.at(lowered, pairs[:, 0], least[pairs[:, 1]])
        if (lowered == label).all():
            return label
        label = lowered


class Tally:
    """Pods of some classes per domain, in a scope: variables inside, numbers outside.

    Attributes
    ----------
    fixed : array of int, shape (domains,)
        Pods that the scope cannot change.
    variables : dict of int to list of (int, int)
        By domain the (class, node) pairs whose count is variable; other domains are absent.
    """

    def __init__(
        self,
        partition: Partition,
        scope: Scope,
        classes: Sequence[int],
        base: Ints | None = None,
        *,
        stay: bool = False,
    ) -> None:
        self._scope, self._partition, self._classes, self._stay = scope, partition, list(classes), stay
        outside, standing = scope.outside[self._classes], scope.problem.standing
        if stay:
            outside = np.minimum(outside, standing[self._classes])
        self.fixed: Ints = partition.sums(outside.sum(axis=0))
        if base is not None:
            self.fixed = self.fixed + base
        self.variables: dict[int, list[tuple[int, int]]] = {}
        for c in classes:
            for n in scope.nodes_of(c):
                domain = int(partition.of_node[n])
                if domain >= 0 and (not stay or standing[c, n]):
                    self.variables.setdefault(domain, []).append((c, n))

    @cached_property
    def stood(self) -> Ints:
        """Shape (domains,): pods that stand in the domain today (`Problem.standing`)."""
        if not self._scope.problem.stands:
            return np.zeros(self._partition.size, dtype=np.int64)
        return self._partition.sums(self._scope.problem.standing[self._classes].sum(axis=0))

    @cached_property
    def arrived(self) -> Ints:
        """Shape (domains,): pods that arrive outside the scope."""
        standing = self._scope.problem.standing[self._classes]
        return self._partition.sums(np.maximum(self._scope.outside[self._classes] - standing, 0).sum(axis=0))

    def count(self, domain: int) -> Expr:
        """Pods in the domain; of stayers a number that is bounded from below only."""
        pairs = self.variables.get(domain, ())
        counted = self._scope.staying if self._stay else self._scope.count
        return total([*(counted(c, n) for c, n in pairs), int(self.fixed[domain])])

    def upper(self, domain: int) -> int:
        """At most so many pods are in the domain."""
        pairs = self.variables.get(domain, ())
        most: dict[int, int] = {}
        for c, n in pairs:
            most[c] = min(most.get(c, 0) + self._scope.upper(c, n), int(self._scope.available[c]))
        return int(self.fixed[domain]) + sum(most.values())

    def now(self, domain: int) -> int:
        """Pods in the domain in the placement so far."""
        pairs = self.variables.get(domain, ())
        return int(self.fixed[domain]) + sum(int(self._scope.counts[c, n]) for c, n in pairs)

    def occupied(self, domain: int) -> Expr:
        """Something that is 1 when there are pods in the domain; it may be 1 without."""
        if self.fixed[domain]:
            return 1
        pairs = self.variables.get(domain, ())
        if not pairs:
            return 0
        occupied = self._scope.auxiliary(0, 1, f"o{domain}", int(self.now(domain) > 0))
        for c, n in pairs:
            self._scope.model.add(self._scope.count(c, n) <= self._scope.upper(c, n) * occupied)
        return occupied

    def entered(self, domain: int) -> Expr:
        """Something that is 1 when a pod arrives in the domain; it may be 1 without."""
        return 1 if self.arrived[domain] else self._scope.arrival(self.variables.get(domain, ()))
