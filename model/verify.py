"""Whether a final placement breaks anything that was not broken before.

Solver-free and order-free: the rules judge the final state as a whole, and the
placement that was read is judged in the same way, for comparison.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from .api import Pod
from .final import FinalState
from .movable import tied
from .reasons import Violation
from .rules import RULES, Rule

PLACEMENT = "Placement"
"""Stands for the rule in violations of the placement itself: unknown names, pods that may not move."""


class Standing(StrEnum):
    """How a violation compares with the placement that was read."""

    INHERITED = "inherited"
    """It was there before, at least as badly."""
    GROWN = "grown"
    """It was there before, but not as badly."""
    NEW = "new"


@dataclass(frozen=True, slots=True)
class Finding:
    """A violation of a final placement.

    Parameters
    ----------
    violation : Violation
    standing : Standing
    before : int
        Its magnitude in the placement that was read; 0 when it is new.
    """

    violation: Violation
    standing: Standing
    before: int


@dataclass(frozen=True, slots=True)
class Changes:
    """Where the pods of a final placement are, against the placement that was read.

    Pods that have completed are in none of these; a node that does not exist is no node.

    Parameters
    ----------
    placed, pending : tuple of str
        Keys of all pods on a node, and of all others.
    moved, evicted : tuple of str
        Keys of those that were on another node, and of those that were on a node and are no more.
    """

    placed: tuple[str, ...]
    pending: tuple[str, ...]
    moved: tuple[str, ...]
    evicted: tuple[str, ...]

    @classmethod
    def of(cls, final: FinalState) -> Changes:
        """The changes that a final state makes."""
        before, now = final.current, final.node_of
        return cls(
            placed=_keys(final, now >= 0),
            pending=_keys(final, now < 0),
            moved=_keys(final, (before >= 0) & (now >= 0) & (before != now)),
            evicted=_keys(final, (before >= 0) & (now < 0)),
        )


def _keys(final: FinalState, which: NDArray[np.bool_]) -> tuple[str, ...]:
    positions: list[int] = np.flatnonzero(which).tolist()
    return tuple(final.pods[position].key for position in positions)


@dataclass(frozen=True, slots=True)
class Verification:
    """What a check found.

    Parameters
    ----------
    findings : tuple of Finding
        In the order of the rules, violations of the placement itself first.
    final : FinalState
        What was checked.
    """

    findings: tuple[Finding, ...]
    final: FinalState = field(repr=False)

    @property
    def changes(self) -> Changes:
        """Which pods are placed, pending, moved and evicted."""
        return Changes.of(self.final)

    @property
    def broken(self) -> tuple[Violation, ...]:
        """Violations that are new or have grown: reasons to reject the placement."""
        return tuple(
            finding.violation
            for finding in self.findings
            if finding.standing is not Standing.INHERITED and not finding.violation.advisory
        )

    @property
    def inherited(self) -> tuple[Violation, ...]:
        """Violations that were there before and are no worse."""
        return tuple(f.violation for f in self.findings if f.standing is Standing.INHERITED)

    @property
    def ok(self) -> bool:
        """Whether nothing speaks against the placement."""
        return not self.broken


def verify(
    final: FinalState,
    *,
    may_move: frozenset[str] | None = None,
    before: Sequence[Violation] | None = None,
    rules: Sequence[Rule] = RULES,
) -> Verification:
    """Check a final placement against every rule.

    Parameters
    ----------
    final : FinalState
        Also names the pods that are placed anew (`FinalState.unplaced_free`): they must be
        admitted even where they were.
    may_move : frozenset of str, optional
        Keys of the pods whose node may differ from the one read (`movable.free_pods`: free and evictable);
        by default pods that are not tied to their node, and all that are evicted.
    before : sequence of Violation, optional
        `violations` of the placement that was read, where they are known already.
    rules : sequence of Rule

    Returns
    -------
    Verification
    """
    if before is None:
        before = violations(as_read(final), rules=rules)
    known: dict[tuple[str, tuple[str, ...]], int] = {}
    for violation in before:
        identity = (violation.rule, violation.key)
        known[identity] = max(known.get(identity, 0), violation.magnitude)
    found = violations(final, may_move=may_move, rules=rules)
    return Verification(tuple(_finding(v, known.get((v.rule, v.key), 0)) for v in found), final)


def _finding(violation: Violation, before: int) -> Finding:
    if not before:
        return Finding(violation, Standing.NEW, 0)
    grown = violation.magnitude > before
    return Finding(violation, Standing.GROWN if grown else Standing.INHERITED, before)


def as_read(final: FinalState) -> FinalState:
    """The placement that was read, as a final state."""
    return FinalState(final.cluster, {}, configuration=final.configuration)


def violations(
    final: FinalState, *, may_move: frozenset[str] | None = None, rules: Sequence[Rule] = RULES
) -> list[Violation]:
    """Everything that is broken in a final state, inherited or not.

    Parameters
    ----------
    final : FinalState
    may_move : frozenset of str, optional
        As for `verify`.
    rules : sequence of Rule
    """
    found = [*_unknown(final), *_moved(final, may_move)]
    for rule in rules:
        found.extend(rule.violations(final))
    return found


def _unknown(final: FinalState) -> Iterator[Violation]:
    """Names in the placement, or in the pods themselves, that stand for nothing."""
    for key in sorted(final.placement.keys() - final.cluster.pod_by_key.keys()):
        yield _violation(("unknown-pod", key), (key,), final.placement[key], f"the cluster has no pod {key}")
    for pod in final.cluster.pod_kinds.completed:
        node = final.placement.get(pod.key)
        if node not in (None, pod.node_name):
            message = f"{pod.key} has completed and cannot be placed on {node}"
            yield _violation(("completed", pod.key), (pod.key,), node, message)
    nowhere: list[int] = (final.node_of < 0).nonzero()[0].tolist()
    for pod in (final.pods[position] for position in nowhere):
        node = final.placement.get(pod.key, pod.node_name)
        if node:
            message = f"{pod.key} is on {node}, which does not exist"
            yield _violation(("unknown-node", pod.key, node), (pod.key,), node, message)


def _moved(final: FinalState, may_move: frozenset[str] | None) -> Iterator[Violation]:
    """Pods that leave their node, or get one, and may not."""
    positions: list[int] = (final.node_of != final.current).nonzero()[0].tolist()
    for pod in (final.pods[position] for position in positions):
        if not (_loose(final, pod) if may_move is None else pod.key in may_move):
            was, now = pod.node_name or "no node", final.placement.get(pod.key) or "no node"
            yield _violation(("fixed", pod.key), (pod.key,), now, f"{pod.key} may not go from {was} to {now}")


def _loose(final: FinalState, pod: Pod) -> bool:
    """Whether the pod can have another node than it has, or lose it: a preemptor may evict any pod."""
    if not final.placement.get(pod.key, pod.node_name):
        return True
    if pod.terminating:
        return False
    return not pod.node_name or (
        pod.node_name in final.cluster.node_index and tied(pod, final.cluster) is None
    )


def _violation(key: tuple[str, ...], pods: tuple[str, ...], node: str | None, message: str) -> Violation:
    return Violation(rule=PLACEMENT, key=key, magnitude=1, pods=pods, node=node, message=message)
