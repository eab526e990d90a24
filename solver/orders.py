"""An exhaustive search for an order of arrival, for the few pods whose order matters."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from .instance import Instance

Ints = NDArray[np.int64]
STATES = 2_000
State = tuple[int, ...]


class TooMany(Exception):
    """The search gave up: nothing is known."""


def search_orders(instance: Instance, staying: Ints, counts: Ints) -> list[tuple[int, Ints]] | None:
    """Try all orders of arrival, beside pods that are `staying`, of the classes that gates concern.

    Returns
    -------
    list of (int, array) or None
        Class and counts per node of every step; empty when the search gave up, None when there is no order.
    """
    search = _Orders(instance, staying, counts)
    try:
        return search.steps()
    except TooMany:
        return []


class _Orders:
    """A depth-first search over how many pods of each class and node have arrived."""

    def __init__(self, instance: Instance, staying: Ints, counts: Ints) -> None:
        self._instance = instance
        self._staying = staying
        arriving = counts - staying
        ordered = instance.ordered
        rows, nodes = np.nonzero(arriving[ordered])
        self._places = [(int(ordered[row]), int(n)) for row, n in zip(rows, nodes, strict=True)]
        self._goal: State = tuple(int(arriving[c, n]) for c, n in self._places)
        self._seen: set[State] = set()

    def steps(self) -> list[tuple[int, Ints]] | None:
        """The steps of an order, or None."""
        start: State = (0,) * len(self._goal)
        path: list[int] = []
        stack = [self._next(start)]
        state = start
        while stack:
            if state == self._goal:
                return [self._step(place) for place in path]
            following = next(stack[-1], None)
            if following is None:
                stack.pop()
                if path:
                    place = path.pop()
                    state = (*state[:place], state[place] - 1, *state[place + 1 :])
                continue
            place, state = following
            path.append(place)
            stack.append(self._next(state))
        return None

    def _next(self, state: State) -> Iterator[tuple[int, State]]:
        """States one pod further that were not seen yet."""
        placed = self._staying.copy()
        for (c, n), number in zip(self._places, state, strict=True):
            placed[c, n] += number
        for place, (c, n) in enumerate(self._places):
            if state[place] < self._goal[place] and self._admitted(c, n, placed):
                following = (*state[:place], state[place] + 1, *state[place + 1 :])
                if following not in self._seen:
                    if len(self._seen) >= STATES:
                        raise TooMany
                    self._seen.add(following)
                    yield place, following

    def _admitted(self, c: int, n: int, placed: Ints) -> bool:
        for gate in self._instance.gates_of(c):
            domain = int(gate.partition.of_node[n])
            if domain >= 0 and not gate.admitted(c, placed)[domain]:
                return False
        return True

    def _step(self, place: int) -> tuple[int, Ints]:
        c, n = self._places[place]
        batch = np.zeros(self._staying.shape[1], dtype=np.int64)
        batch[n] = 1
        return c, batch
