"""PodTopologySpread: matching pods evenly over topology domains.

Source: https://kubernetes.io/docs/concepts/scheduling-eviction/topology-spread-constraints/
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..api import Node, Pod
from ..eligibility import affinity_admits, untolerated
from ..final import FinalState
from ..labels import selects
from ..profile import Profile
from ..reasons import TermCost, Verdict, Violation
from ..spread_constraints import (
    HARD,
    HOSTNAME,
    SOFT,
    SpreadConstraint,
    needs_all_keys,
    spread_constraints,
)
from ..spread_cost import spread_cost
from ..spread_violations import spread_violations
from ..state import ClusterState, NodeInfo
from .base import PreFilter, PreScore, Rule

UNEVEN = "node(s) didn't match pod topology spread constraints"
MISSING_LABEL = f"{UNEVEN} (missing required label)"


@dataclass(frozen=True, slots=True)
class Spread:
    """One hard constraint of the pod being placed.

    Parameters
    ----------
    counts : mapping of str to int
        Matching pods by eligible domain.
    """

    constraint: SpreadConstraint
    counts: Mapping[str, int]

    @property
    def minimum(self) -> int:
        """The global minimum: 0 with fewer domains than ``minDomains``."""
        few = len(self.counts) < self.constraint.min_domains
        return 0 if few else min(self.counts.values(), default=0)


@dataclass(frozen=True, slots=True)
class SoftSpread:
    """One soft constraint of the pod being placed.

    Parameters
    ----------
    counts : mapping of str to int
        Matching pods by domain of the feasible nodes; empty for the host name, which is counted node by node.
    weight : float
        Makes up for few domains holding many pods each.
    """

    constraint: SpreadConstraint
    counts: Mapping[str, int]
    weight: float


@dataclass(frozen=True, slots=True)
class SoftSpreads:
    """The pod's soft constraints, and the feasible nodes that lack a key and take no part."""

    constraints: tuple[SoftSpread, ...]
    ignored: frozenset[str]


class PodTopologySpread(Rule):
    """``DoNotSchedule`` filters, ``ScheduleAnyway`` scores; both may come from the profile's defaults."""

    name = "PodTopologySpread"

    def pre_filter(self, state: ClusterState, profile: Profile, pod: Pod) -> PreFilter:
        """PreFilter: count matching pods by eligible domain."""
        constraints = spread_constraints(pod, profile, state.cluster.default_selectors, HARD)
        nodes = [info for info in state.nodes.values() if _has_keys(info.node, constraints)]
        data = tuple(Spread(c, _counts(c, pod, nodes)) for c in constraints)
        return PreFilter(skip=not data, data=data)

    def admits(
        self, state: ClusterState, profile: Profile, pod: Pod, node: NodeInfo, data: tuple[Spread, ...]
    ) -> Verdict | None:
        """Filter: the pod may not push its domain more than ``maxSkew`` above the minimum."""
        for spread in data:
            value = node.node.labels.get(spread.constraint.topology_key)
            if value is None:
                return Verdict.unresolvable(self.name, MISSING_LABEL)
            after = spread.counts.get(value, 0) + spread.constraint.selects(pod)
            if after - spread.minimum > spread.constraint.max_skew:
                return Verdict.unschedulable(self.name, UNEVEN)
        return None

    def pod_added(
        self,
        state: ClusterState,
        profile: Profile,
        pod: Pod,
        data: tuple[Spread, ...],
        other: Pod,
        node: NodeInfo,
    ) -> tuple[Spread, ...]:
        """AddPod: count `other` on `node` too."""
        return _with(pod, data, other, node.node, 1)

    def pod_removed(
        self,
        state: ClusterState,
        profile: Profile,
        pod: Pod,
        data: tuple[Spread, ...],
        other: Pod,
        node: NodeInfo,
    ) -> tuple[Spread, ...]:
        """RemovePod: count `other` on `node` no longer."""
        return _with(pod, data, other, node.node, -1)

    def pre_score(
        self, state: ClusterState, profile: Profile, pod: Pod, nodes: Sequence[NodeInfo]
    ) -> PreScore:
        """PreScore: count matching pods in the domains of the feasible nodes."""
        constraints = spread_constraints(pod, profile, state.cluster.default_selectors, SOFT)
        if not constraints or not state.nodes:
            return PreScore(skip=True)
        every = needs_all_keys(pod, profile, SOFT)
        ignored = frozenset(info.name for info in nodes if every and not _has_keys(info.node, constraints))
        scored = [info for info in nodes if info.name not in ignored]
        counted = [info for info in state.nodes.values() if not every or _has_keys(info.node, constraints)]
        soft = tuple(_soft(c, pod, scored, counted) for c in constraints)
        return PreScore(data=SoftSpreads(soft, ignored))

    def score(
        self, state: ClusterState, profile: Profile, pod: Pod, node: NodeInfo, data: SoftSpreads
    ) -> int:
        """Score: weighted matching pods in the node's domains (fewer is better)."""
        if node.name in data.ignored:
            return 0
        total = 0.0
        for spread in data.constraints:
            value = node.node.labels.get(spread.constraint.topology_key)
            if value is not None:
                total += _crowd(spread, pod, node, value) * spread.weight + (spread.constraint.max_skew - 1)
        return _round(total)

    def normalize(
        self, state: ClusterState, profile: Profile, pod: Pod, scores: Mapping[str, int], data: SoftSpreads
    ) -> Mapping[str, int]:
        """NormalizeScore: the emptiest domains get 100, nodes without a key 0."""
        taking_part = [raw for name, raw in scores.items() if name not in data.ignored]
        least, most = min(taking_part, default=0), max(taking_part, default=0)
        return {
            name: 0 if name in data.ignored else _inverted(raw, least, most) for name, raw in scores.items()
        }

    def violations(self, final: FinalState) -> Iterable[Violation]:
        """Hard constraints that the final state breaks; see `spread_violations`."""
        return spread_violations(final)

    def cost(self, final: FinalState, profile: Profile) -> TermCost | None:
        """Excess skew of soft constraints; see `spread_cost`."""
        return spread_cost(final, profile)


def _has_keys(node: Node, constraints: Iterable[SpreadConstraint]) -> bool:
    return all(constraint.topology_key in node.labels for constraint in constraints)


def _includes(constraint: SpreadConstraint, pod: Pod, node: Node) -> bool:
    """The two node inclusion policies."""
    if constraint.honor_affinity and not affinity_admits(pod, node):
        return False
    return not (constraint.honor_taints and untolerated(pod, node, ("NoSchedule", "NoExecute")))


def _counts(constraint: SpreadConstraint, pod: Pod, nodes: Iterable[NodeInfo]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for info in nodes:
        if _includes(constraint, pod, info.node):
            value = info.node.labels[constraint.topology_key]
            counts[value] = counts.get(value, 0) + _matching(constraint, pod, info)
    return counts


def _matching(constraint: SpreadConstraint, pod: Pod, info: NodeInfo) -> int:
    return sum(constraint.counts(other, pod.namespace) for other in info.pods.values())


def _with(pod: Pod, data: tuple[Spread, ...], other: Pod, node: Node, sign: int) -> tuple[Spread, ...]:
    if other.namespace != pod.namespace or not _has_keys(node, (spread.constraint for spread in data)):
        return data
    return tuple(_recounted(spread, pod, other, node, sign) for spread in data)


def _recounted(spread: Spread, pod: Pod, other: Pod, node: Node, sign: int) -> Spread:
    # As in kube-scheduler, neither a deletion nor an empty selector matters here, unlike in the first count.
    if not selects(spread.constraint.selector, other.labels) or not _includes(spread.constraint, pod, node):
        return spread
    value = node.labels[spread.constraint.topology_key]
    return Spread(spread.constraint, {**spread.counts, value: spread.counts.get(value, 0) + sign})


def _soft(
    constraint: SpreadConstraint, pod: Pod, scored: Sequence[NodeInfo], counted: Iterable[NodeInfo]
) -> SoftSpread:
    key = constraint.topology_key
    if key == HOSTNAME:
        return SoftSpread(constraint, {}, math.log(len(scored) + 2))
    # A node without the key (system defaults) makes up a domain of its own here, as in kube-scheduler.
    counts = {info.node.labels.get(key, ""): 0 for info in scored}
    for info in counted:
        value = info.node.labels.get(key, "")
        if value in counts and _includes(constraint, pod, info.node):
            counts[value] += _matching(constraint, pod, info)
    return SoftSpread(constraint, counts, math.log(len(counts) + 2))


def _crowd(spread: SoftSpread, pod: Pod, node: NodeInfo, value: str) -> int:
    if spread.constraint.topology_key == HOSTNAME:
        return _matching(spread.constraint, pod, node)
    return spread.counts[value]


def _round(number: float) -> int:
    """Half away from zero, as Go rounds."""
    whole = math.trunc(number)
    return whole + (number - whole >= 0.5) - (whole - number >= 0.5)


def _inverted(raw: int, least: int, most: int) -> int:
    return 100 * (most + least - raw) // most if most else 100
