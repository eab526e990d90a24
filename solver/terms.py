"""Objective terms as arrays: the one shape in which search, bound and CP-SAT read them.

A rule's module builds its term; nothing here knows which rule it was. All
values are exact integers, see ``docs/objective.md``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from .bounds.relaxation import Relaxation
    from .cpsat.cp import Expr
    from .cpsat.scope import Scope

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Piecewise:
    """A sum over nodes of a piecewise linear function of one resource's usage.

    Parameters
    ----------
    amount : array, shape (classes,)
        What one pod of each class adds to the usage, in term units.
    base : array, shape (nodes,)
        Usage by pinned pods.
    size : array, shape (nodes,)
        Capacity in term units; 0 where the resource is not listed (such a node costs nothing).
    breakpoints, values, slopes : array, shape (nodes, segments + 1)
        Where each segment starts, the value there, and the slope from there; the last slope goes on.
    """

    amount: Ints
    base: Ints
    size: Ints
    breakpoints: Ints
    values: Ints
    slopes: Ints

    @property
    def convex(self) -> bool:
        """Whether slopes never decrease."""
        return bool((np.diff(self.slopes, axis=1) >= 0).all())

    def at(self, usage: Ints, nodes: Ints | slice = slice(None)) -> Ints:
        """Values for `usage`, whose last axis runs over `nodes`."""
        points, values, slopes = self.breakpoints[nodes], self.values[nodes], self.slopes[nodes]
        size = np.maximum(self.size[nodes], 1)
        last = points.shape[1] - 1
        segment = np.clip(usage * last // size, 0, last)
        rows: Ints = np.arange(points.shape[0], dtype=np.int64)
        return values[rows, segment] + slopes[rows, segment] * (usage - points[rows, segment])


@dataclass(frozen=True, eq=False)
class Deviation:
    """A sum over nodes of the mean absolute deviation between scaled usages.

    Parameters
    ----------
    amount : array, shape (resources, classes)
        What one pod adds to the usage of each resource, in term units.
    base : array, shape (resources, nodes)
        Usage by pinned pods.
    scale : array, shape (resources, nodes)
        Factor that makes usages comparable; 0 where the resource is not listed.
    listed : array, shape (nodes,)
        How many of the resources the node lists.
    weight : array, shape (nodes,)
        Weight of the node; 0 where it takes no part.
    """

    amount: Ints
    base: Ints
    scale: Ints
    listed: Ints
    weight: Ints

    def at(self, usage: Ints, nodes: Ints | slice = slice(None)) -> Ints:
        """Values for `usage`, shape (resources, ..., nodes)."""
        extra = usage.ndim - 2
        scale = self.scale[:, nodes].reshape(self.scale.shape[0], *([1] * extra), -1)
        scaled = usage * scale
        total = scaled.sum(axis=0)
        apart = np.abs(self.listed[nodes] * scaled - total) * (scale > 0)
        return self.weight[nodes] * apart.sum(axis=0)


@dataclass(frozen=True, eq=False)
class Preference:
    """A cost per pod of a class and node.

    Parameters
    ----------
    cost : array, shape (classes, nodes)
        Cost of one pod of the class on the node.
    unplaced : array, shape (classes,)
        Cost of one pod of the class that is not placed.
    """

    cost: Ints
    unplaced: Ints


@dataclass(frozen=True, eq=False)
class Price:
    """What it changes when one pod enters or leaves a domain of one topology key.

    Parameters
    ----------
    of_node : array of int, shape (nodes,)
        Each node's domain; -1, the last column, where nothing counts.
    enter, leave : array, shape (classes, domains + 1)
        Change of the value; a move within a domain changes nothing.
    doubt : array, shape (classes, domains + 1)
        What a move out of the domain may cost beyond the sum of both.
    concerned : array of bool, shape (classes,)
        Whose moves between domains may change prices.
    separate : bool
        Whether a move changes the prices of the two domains that it touches only.
    """

    of_node: Ints
    enter: Floats
    leave: Floats
    doubt: Floats
    concerned: NDArray[np.bool_]
    separate: bool


class Relational(ABC):
    """A function of how many pods of which classes share a topology domain.

    It is no sum over nodes, so it brings its own faces: exact values, a price
    for single moves, a CP-SAT expression, and linear bounds.
    """

    @property
    @abstractmethod
    def labels(self) -> Ints:
        """Shape (nodes, columns): nodes that differ here should not be merged in a relaxation."""

    @abstractmethod
    def value(self, counts: Ints) -> int:
        """The exact value for `counts`, shape (classes, nodes)."""

    @property
    @abstractmethod
    def related(self) -> list[Ints]:
        """Sets of classes whose pods change each other's prices."""

    @property
    def gathered(self) -> list[tuple[str, Ints]]:
        """Topology keys, and sets of classes that cost least in one domain of theirs."""
        return []

    @abstractmethod
    def prices(self, counts: Ints) -> list[Price]:
        """What single moves change, per topology key."""

    @abstractmethod
    def entering(self, c: int, counts: Ints) -> Floats:
        """Shape (nodes,): change of the value when one more pod of class `c` is on the node."""

    @abstractmethod
    def encode(self, scope: Scope) -> Expr:
        """An expression that is the value, constants included, where it is minimised; else at least that."""

    @abstractmethod
    def relax(self, relaxation: Relaxation, coefficient: int) -> None:
        """Add `coefficient` times a linear function that is nowhere above the value."""


Part = Piecewise | Deviation | Preference | Relational


@dataclass(frozen=True, eq=False)
class Term:
    """One term of the objective.

    Parameters
    ----------
    name : str
        As shown.
    weight : int
        The profile's weight.
    worst : int
        Largest possible cost of the whole placement.
    constant : int
        Cost that no decision changes (pinned pods).
    parts : tuple
        Functions that are summed.
    """

    name: str
    weight: int
    worst: int
    constant: int
    parts: tuple[Part, ...]


def coefficients(terms: tuple[tuple[int, int], ...]) -> tuple[int, ...]:
    """Integer coefficients of (weight, worst) pairs, as ``docs/objective.md`` defines them."""
    weighted = [(weight, worst) for weight, worst in terms if weight > 0]
    if not weighted:
        return tuple(0 for _ in terms)
    power = 0
    while power < 56 and min(_rounded(weight << power, worst) for weight, worst in weighted) < 256:
        power += 1
    while power and sum(_rounded(weight << power, worst) * worst for weight, worst in weighted) >= 2**60:
        power -= 1
    return tuple(_rounded(weight << power, worst) if weight > 0 else 0 for weight, worst in terms)


def _rounded(numerator: int, denominator: int) -> int:
    return (2 * numerator + denominator) // (2 * denominator)
