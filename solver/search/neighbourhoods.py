"""Which nodes to free next: the neighbourhoods of the large-neighbourhood search."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ..instance import Instance

Ints = NDArray[np.int64]
Choice = Callable[[Instance, Ints, np.random.Generator, int], Sequence[int]]


def at_random(instance: Instance, _: Ints, random: np.random.Generator, size: int) -> Sequence[int]:
    """Any nodes."""
    nodes = len(instance.problem.nodes)
    return random.choice(nodes, size=min(size, nodes), replace=False).tolist()


def of_one_class(instance: Instance, counts: Ints, random: np.random.Generator, size: int) -> Sequence[int]:
    """Nodes on which one class has pods, filled up with others that are eligible for it."""
    placed = np.flatnonzero(counts.sum(axis=1))
    if not len(placed):
        return at_random(instance, counts, random, size)
    c = int(random.choice(placed))
    here = random.permutation(np.flatnonzero(counts[c] > 0))[: max(1, size // 2)]
    others = np.setdiff1d(np.flatnonzero(instance.eligible[c]), here)
    return [*here.tolist(), *random.permutation(others)[: size - len(here)].tolist()]


def of_one_domain(instance: Instance, _: Ints, random: np.random.Generator, size: int) -> Sequence[int]:
    """Nodes of one domain of a topology key that some rule names."""
    columns = instance.problem.domain_columns
    column: list[int] = columns[:, int(random.integers(len(columns.T)))].tolist()
    chosen = column[int(random.integers(len(column)))]
    inside = [n for n, domain in enumerate(column) if domain == chosen]
    return random.permutation(inside)[:size].tolist()


def around_unplaced(
    instance: Instance, counts: Ints, random: np.random.Generator, size: int
) -> Sequence[int]:
    """Nodes that could take a pod that is not placed, the emptiest first, with some chance."""
    missing = np.flatnonzero(instance.problem.count > counts.sum(axis=1))
    if not len(missing):
        return at_random(instance, counts, random, size)
    c = int(random.choice(missing))
    able = np.flatnonzero(instance.eligible[c])
    room = instance.problem.capacity[able] - counts[:, able].T @ instance.problem.request
    wanted = instance.problem.request[c]
    lack = (np.maximum(wanted - room, 0) / np.maximum(wanted, 1)).sum(axis=1)
    weight = lack + random.exponential(0.5, size=len(able))
    return able[np.argsort(weight)[:size]].tolist()


COST: tuple[Choice, ...] = (at_random, of_one_class, of_one_domain)
PLACED: tuple[Choice, ...] = (around_unplaced, at_random, of_one_class)


class Adaptive:
    """Draws neighbourhoods by how much they have gained so far.

    Parameters
    ----------
    choices : tuple
    random : numpy Generator
    """

    def __init__(self, choices: tuple[Choice, ...], random: np.random.Generator) -> None:
        self._choices = choices
        self._random = random
        self._weight = np.ones(len(choices))
        self.size = 6

    def draw(self, instance: Instance, counts: Ints) -> tuple[int, Sequence[int]]:
        """Which choice, and its nodes in order."""
        which = int(self._random.choice(len(self._choices), p=self._weight / self._weight.sum()))
        nodes = self._choices[which](instance, counts, self._random, self.size)
        return which, sorted(nodes)

    def draw_disjoint(self, instance: Instance, counts: Ints, number: int) -> list[tuple[int, Sequence[int]]]:
        """Up to `number` draws that share no node; fewer where the nodes do not suffice."""
        taken: set[int] = set()
        found: list[tuple[int, Sequence[int]]] = []
        for _ in range(2 * number):
            which, nodes = self.draw(instance, counts)
            rest = [n for n in nodes if n not in taken]
            if not found or len(rest) > len(nodes) / 2:
                found.append((which, rest))
                taken.update(rest)
            if len(found) == number:
                break
        return found

    def learn(self, which: int, *, gained: bool, proven: bool) -> None:
        """Record an outcome: gains make a choice likelier, easy proofs make neighbourhoods larger."""
        self._weight[which] = max(0.2, 0.9 * self._weight[which] + (1.0 if gained else 0.0))
        if not proven:
            self.size = max(2, self.size - 1)
        elif not gained:
            self.size = min(40, self.size + 1)
