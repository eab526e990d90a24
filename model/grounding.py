"""Which pods with required affinity could have arrived: nobody may justify each other in a circle.

A pod that stays, or that requires no company, is *grounded*. A pod that requires company becomes grounded
once a grounded pod that all its terms select is in its domain of every topology key. One pod per group
may become grounded alone (the first pod of a group that selects itself), unless a selected pod stays on a
node with one of the group's keys.

Used by the checker alone: the solver encodes the same law in its own way.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .affinity_terms import AffinityGroup
from .final import FinalState

Pods = NDArray[np.int64]
Flags = NDArray[np.bool_]
SEARCH_LIMIT = 64
"""How many first places are tried where groups depend on each other in a circle."""


@dataclass(frozen=True, eq=False, slots=True)
class Members:
    """The pods of a group on nodes.

    Parameters
    ----------
    selected : Pods
        Placed pods that all terms select.
    waiting : Pods
        Arriving owners on nodes with all keys.
    selected_in, waiting_in : NDArray of int64, shape (keys, pods)
        Domain by topology key; `selected_in` may hold `NO_DOMAIN`.
    first : Flags, shape (waiting,)
        Which of `waiting` may be the first of their group.
    """

    selected: Pods
    waiting: Pods
    selected_in: NDArray[np.int64]
    waiting_in: NDArray[np.int64]
    first: Flags


def members(final: FinalState, group: AffinityGroup) -> Members:
    """Look up the pods of `group`."""
    of_node = np.stack([final.cluster.topology.domains(key).of_node for key in group.keys])
    selected, owners = placed(final, group.selected), placed(final, group.owners)
    selected_in = of_node[:, final.node_of[selected]]
    waiting = owners[final.arriving[owners] & (of_node[:, final.node_of[owners]] >= 0).all(axis=0)]
    counted = final.staying[selected] & (selected_in >= 0).any(axis=0)
    alone = np.isin(final.kind_of[waiting], group.selected) & (not counted.any())
    return Members(selected, waiting, selected_in, of_node[:, final.node_of[waiting]], alone)


def placed(final: FinalState, kinds: NDArray[np.int64]) -> Pods:
    """Positions of the pods of `kinds` that are on nodes."""
    pods = final.pods_of(kinds)
    return pods[final.node_of[pods] >= 0]


class Grounding:
    """Finds the grounded pods of a final state.

    Parameters
    ----------
    final : FinalState
    groups : sequence of AffinityGroup
    """

    def __init__(self, final: FinalState, groups: Sequence[AffinityGroup]) -> None:
        self._members = [members(final, group) for group in groups]
        self._supports = _supports(len(final.kinds), groups)
        grounded = final.node_of >= 0
        for group in groups:
            pods = final.pods_of(group.owners)
            grounded[pods] &= final.staying[pods]
        self._start = grounded

    def grounded(self) -> Flags:
        """Shape (pods,): the pods that could have arrived (or stay)."""
        grounded = self._spread(self._start, range(len(self._members)))
        for circle in _circles(self._supports):
            grounded = self._with_first_pods(grounded, circle)
        return grounded

    def _spread(self, grounded: Flags, groups: Iterable[int]) -> Flags:
        """Ground whatever is in grounded company, group after group until nothing changes."""
        grounded = grounded.copy()
        pending = dict.fromkeys(groups)
        while pending:
            number = next(iter(pending))
            del pending[number]
            found = _in_company(self._members[number], grounded)
            if len(found):
                grounded[found] = True
                pending.update(dict.fromkeys(self._supports[number]))
        return grounded

    def _with_first_pods(self, grounded: Flags, circle: tuple[int, ...]) -> Flags:
        """Let each group of a circle have its first pod, at the places that ground the most pods."""
        best, tries = grounded, SEARCH_LIMIT
        stack = self._choices(grounded, circle)
        while stack and tries and self._waiting(best, circle):
            before, number, pod, rest = stack.pop()
            after = before.copy()
            after[pod] = True
            after = self._spread(after, (number, *self._supports[number]))
            if after.sum() > best.sum():
                best = after
            stack.extend(self._choices(after, rest))
            tries -= 1
        return best

    def _choices(self, grounded: Flags, groups: tuple[int, ...]) -> list[Choice]:
        """Places for the first pod of the first group that still waits; the best place comes last."""
        for number in groups:
            places = _first_places(self._members[number], grounded)
            if len(places):
                rest = tuple(group for group in groups if group != number)
                # Which place it is matters only to groups that support each other.
                chosen = places[:SEARCH_LIMIT] if rest or len(groups) > 1 else places[:1]
                return [(grounded, number, int(pod), rest) for pod in chosen[::-1]]
        return []

    def _waiting(self, grounded: Flags, groups: Iterable[int]) -> bool:
        return any(not grounded[self._members[number].waiting].all() for number in groups)


Choice = tuple[Flags, int, int, tuple[int, ...]]
"""Grounded pods so far, a group, its first pod, the groups after it."""


def _in_company(group: Members, grounded: Flags) -> Pods:
    """Waiting pods with a grounded selected pod in their domain of every key."""
    waits = ~grounded[group.waiting]
    present = grounded[group.selected]
    for selected_in, waiting_in in zip(group.selected_in, group.waiting_in, strict=True):
        waits &= np.isin(waiting_in, selected_in[present])
    return group.waiting[waits]


def _first_places(group: Members, grounded: Flags) -> Pods:
    """One candidate for the first pod per combination of domains, the most crowded combination first."""
    waits = np.flatnonzero(group.first & ~grounded[group.waiting])
    if not len(waits):
        return waits
    _, index, counts = np.unique(group.waiting_in[:, waits], axis=1, return_index=True, return_counts=True)
    return group.waiting[waits[index[np.argsort(-counts, kind="stable")]]]


def _supports(kinds: int, groups: Sequence[AffinityGroup]) -> list[list[int]]:
    """For each group, the other groups that select pods of its owners."""
    group_of = np.full(kinds, -1, dtype=np.int64)
    for number, group in enumerate(groups):
        group_of[group.owners] = number
    supports: list[list[int]] = [[] for _ in groups]
    for number, group in enumerate(groups):
        others: list[int] = np.unique(group_of[group.selected]).tolist()
        for other in others:
            if other not in (-1, number):
                supports[other].append(number)
    return supports


def _circles(supports: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
    """Groups that support each other, a circle after all that support it from outside."""
    reach = [frozenset((number, *_reachable(supports, number))) for number in range(len(supports))]
    circles: dict[frozenset[int], list[int]] = {}
    for number in sorted(range(len(supports)), key=lambda number: -len(reach[number])):
        circles.setdefault(reach[number], []).append(number)
    return [tuple(numbers) for numbers in circles.values()]


def _reachable(supports: Sequence[Sequence[int]], start: int) -> set[int]:
    found: set[int] = set()
    pending = list(supports[start])
    while pending:
        number = pending.pop()
        if number not in found:
            found.add(number)
            pending.extend(supports[number])
    return found
