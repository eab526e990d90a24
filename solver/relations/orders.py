"""An exhaustive search for an order of arrival, for the few pods whose order matters."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ..instance import Instance, grouped
from .partition import Partition

Ints = NDArray[np.int64]
Step = tuple[int, Ints]
STATES = 5_000
"""States of one component after which a search gives up."""
State = tuple[int, ...]


class TooMany(Exception):
    """The search gave up: nothing is known."""


def components(instance: Instance) -> Ints:
    """Shape (classes,): equal numbers for classes that gates relate to each other, -1 for the others."""
    return grouped(len(instance.problem.classes), [gate.concerned for gate in instance.gates])


def search_orders(
    instance: Instance, staying: Ints, counts: Ints, classes: Ints, until: float
) -> list[Step] | None:
    """Try all orders of arrival, beside pods that are `staying`, of the pods of one component.

    Parameters
    ----------
    instance : Instance
    staying, counts : array, shape (classes, nodes)
        Pods that are there already; all pods.
    classes : array of int
        A component, see `components`: no other class matters to it.
    until : float
        When to give up (`time.monotonic`).

    Returns
    -------
    list of (int, array) or None
        Class and counts per node of every step, one pod each; None when there is no order.

    Raises
    ------
    TooMany
        When there are more states than can be tried.
    """
    return _Orders(instance, staying, counts - staying, classes, until).steps()


class _Orders:
    """A depth-first search over how many pods of each class have arrived in each cell.

    No gate can tell the nodes of a cell apart, so that only the numbers per cell matter.
    """

    def __init__(
        self, instance: Instance, staying: Ints, arriving: Ints, classes: Ints, until: float
    ) -> None:
        self._gates = {c: instance.gates_of(c) for c in classes.tolist()}
        self._arriving, self._cells, self._until = arriving, instance.cells, until
        self._first = np.unique(instance.cells, return_index=True)[1]
        wanted = Partition(instance.cells).sums(arriving[classes])
        rows, cells = np.nonzero(wanted)
        self._places = [(int(classes[row]), int(cell)) for row, cell in zip(rows, cells, strict=True)]
        self._goal: State = tuple(int(wanted[row, cell]) for row, cell in zip(rows, cells, strict=True))
        self._placed = staying.copy()
        self._seen: set[State] = set()

    def steps(self) -> list[Step] | None:
        """The steps of an order, or None."""
        state: State = (0,) * len(self._goal)
        path: list[int] = []
        stack = [self._next(state)]
        while stack:
            if state == self._goal:
                return self._concrete(path)
            found = next(stack[-1], None)
            if found is not None:
                place, state = found
                self._add(place, 1)
                path.append(place)
                stack.append(self._next(state))
                continue
            stack.pop()
            if path:
                place = path.pop()
                self._add(place, -1)
                state = (*state[:place], state[place] - 1, *state[place + 1 :])
        return None

    def _next(self, state: State) -> Iterator[tuple[int, State]]:
        """States one pod further that were not seen yet."""
        for place, arrived in enumerate(state):
            if arrived < self._goal[place] and self._admitted(place):
                following = (*state[:place], arrived + 1, *state[place + 1 :])
                if following in self._seen:
                    continue
                if len(self._seen) >= STATES or time.monotonic() > self._until:
                    raise TooMany
                self._seen.add(following)
                yield place, following

    def _add(self, place: int, number: int) -> None:
        c, cell = self._places[place]
        self._placed[c, self._first[cell]] += number

    def _admitted(self, place: int) -> bool:
        c, cell = self._places[place]
        for gate in self._gates[c]:
            domain = int(gate.partition.of_node[self._first[cell]])
            if domain >= 0 and not gate.admitted(c, self._placed)[domain]:
                return False
        return True

    def _concrete(self, path: list[int]) -> list[Step]:
        """The steps on nodes: which node of a cell comes first does not matter."""
        waiting = {place: self._nodes(place) for place in set(path)}
        return [self._step(place, next(waiting[place])) for place in path]

    def _nodes(self, place: int) -> Iterator[int]:
        c, cell = self._places[place]
        nodes = np.flatnonzero(self._cells == cell)
        return iter(np.repeat(nodes, self._arriving[c, nodes]).tolist())

    def _step(self, place: int, node: int) -> Step:
        batch = np.zeros(self._placed.shape[1], dtype=np.int64)
        batch[node] = 1
        return self._places[place][0], batch
