"""Pods with claims in a final state, and what is found wrong with them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .api import Pod
from .claims import has_claim, has_own_claims
from .final import FinalState
from .reasons import Violation


@dataclass(frozen=True, slots=True)
class User:
    """Pods that use the same claims.

    Parameters
    ----------
    pod : Pod
        One of them; its spec, namespace and claims are those of all.
    staying, arriving, unplaced : sequence of int
        Positions of those that are on a node and were or were not there before, and of the others.
    """

    pod: Pod
    staying: Sequence[int]
    arriving: Sequence[int]
    unplaced: Sequence[int]

    @property
    def placed(self) -> Sequence[int]:
        """Positions of those that are on a node."""
        return [*self.staying, *self.arriving]

    @property
    def apart(self) -> Iterator[tuple[tuple[str, ...], Sequence[int]]]:
        """Positions of those that stay and of those that arrive, with what to add to the findings' keys."""
        yield (), self.staying
        yield ("arriving",), self.arriving


def uses_claims(pod: Pod) -> bool:
    """Whether a volume of the pod goes through a claim."""
    return any(map(has_claim, pod.spec.volumes))


def users(final: FinalState, concerns: Callable[[Pod], bool] = uses_claims) -> Iterator[User]:
    """Pods that a rule concerns: kind by kind, or one by one where they have claims of their own."""
    kinds = [kind for kind, pod in enumerate(final.kinds) if concerns(pod)]
    chosen = np.array(kinds, dtype=np.int64)
    positions: list[int] = final.pods_of(chosen).tolist()
    ends: list[int] = np.cumsum(final.cluster.pod_kinds.count[chosen]).tolist()
    standing = _Standing(final.staying.tolist(), final.arriving.tolist())
    start = 0
    for kind, end in zip(kinds, ends, strict=True):
        pod, group = final.kinds[kind], positions[start:end]
        start = end
        if has_own_claims(pod):
            yield from (standing.user(final.pods[position], [position]) for position in group)
        else:
            yield standing.user(pod, group)


def judged(final: FinalState, rule: str, concerns: Callable[[Pod], bool] = uses_claims) -> Iterator[User]:
    """Those of `users` whose profile runs the filter `rule`."""
    return (user for user in users(final, concerns) if final.checked(user.pod, rule))


def prepared(final: FinalState, rule: str) -> Iterator[User]:
    """Those of `users` whose profile runs the PreFilter of `rule`, be it without its Filter."""
    return (user for user in users(final) if final.prepared(user.pod, rule))


@dataclass(frozen=True, slots=True)
class _Standing:
    """Per pod, whether it stays or arrives; lists, because single elements are asked for."""

    staying: list[bool]
    arriving: list[bool]

    def user(self, pod: Pod, members: Sequence[int]) -> User:
        staying = [position for position in members if self.staying[position]]
        arriving = [position for position in members if self.arriving[position]]
        placed = {*staying, *arriving}
        return User(pod, staying, arriving, [position for position in members if position not in placed])


class Findings:
    """Violations that are counted in pods.

    Parameters
    ----------
    rule : str
    final : FinalState
    """

    def __init__(self, rule: str, final: FinalState) -> None:
        self._rule = rule
        self._final = final
        self._found: dict[tuple[str, ...], tuple[set[int], str | None, str]] = {}

    def add(
        self, key: tuple[str, ...], positions: Sequence[int], message: str, node: str | None = None
    ) -> None:
        """Count the pods at `positions` against `key`; no pods are no finding."""
        if positions:
            pods, _, _ = self._found.setdefault(key, (set(), node, message))
            pods.update(positions)

    def by_node(self, positions: Sequence[int]) -> Mapping[int, Sequence[int]]:
        """The positions of placed pods by the position of their node."""
        found: dict[int, list[int]] = {}
        for position in positions:
            found.setdefault(int(self._final.node_of[position]), []).append(position)
        return found

    def beyond(self, allowed: Mapping[str, int]) -> Iterator[Violation]:
        """What exceeds ``allowed[key[0]]`` pods, 0 where absent."""
        for key, (positions, node, message) in self._found.items():
            excess = len(positions) - allowed.get(key[0], 0)
            if excess > 0:
                pods = tuple(sorted(self._final.pods[position].key for position in positions))
                yield Violation(self._rule, key, excess, pods, node, message)

    def __iter__(self) -> Iterator[Violation]:
        return self.beyond({})
