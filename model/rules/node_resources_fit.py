"""NodeResourcesFit: what the node can allocate, is enough for what the pod requests; and how full it gets.

Source: https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/ and
https://kubernetes.io/docs/concepts/scheduling-eviction/resource-bin-packing/
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..api import Pod
from ..final import FinalState
from ..final_resources import overcommitted
from ..profile import Profile, ScoringStrategy
from ..reasons import Code, TermCost, Verdict, Violation
from ..resource_costs import fit_cost
from ..resources import CPU, MEMORY, PODS, Requests, countable, extended, pod_requests, scored_requests
from ..shapes import broken_line
from ..state import ClusterState, NodeInfo
from .base import PreFilter, PreScore, Rule

Scorer = Callable[[int, int], int]
"""(requested, allocatable) to 0..100."""


class NodeResourcesFit(Rule):
    """Raw score: the weighted mean of the strategy's score per resource, with the pod on the node."""

    name = "NodeResourcesFit"

    def pre_filter(self, state: ClusterState, profile: Profile, pod: Pod) -> PreFilter:
        """PreFilter: the requests that count."""
        checked = {
            name: amount
            for name, amount in pod_requests(pod).items()
            if amount and not ignored(name, profile)
        }
        return PreFilter(data=checked)

    def pod_added(
        self, state: ClusterState, profile: Profile, pod: Pod, data: Any, other: Pod, node: NodeInfo
    ) -> Any:
        """AddPod: requests of the pod itself do not change."""
        return data

    def pod_removed(
        self, state: ClusterState, profile: Profile, pod: Pod, data: Any, other: Pod, node: NodeInfo
    ) -> Any:
        """RemovePod: requests of the pod itself do not change."""
        return data

    def admits(
        self, state: ClusterState, profile: Profile, pod: Pod, node: NodeInfo, data: Any
    ) -> Verdict | None:
        """Filter: unresolvable when a request exceeds what the empty node could allocate."""
        requests: Requests = data
        reasons = ["Too many pods"] if len(node.pods) >= node.allocatable.get(PODS, 0) else []
        code = Code.UNSCHEDULABLE
        for name, amount in requests.items():
            allocatable = node.allocatable.get(name, 0)
            if amount > allocatable - node.requested.get(name, 0):
                reasons.append(f"Insufficient {name}")
                if amount > allocatable:
                    code = Code.UNRESOLVABLE
        return Verdict(self.name, code, tuple(sorted(reasons))) if reasons else None

    def pre_score(
        self, state: ClusterState, profile: Profile, pod: Pod, nodes: Sequence[NodeInfo]
    ) -> PreScore:
        """PreScore: requests with defaults, and the strategy."""
        return PreScore(data=(scored_requests(pod), scorer(profile.scoring)))

    def score(self, state: ClusterState, profile: Profile, pod: Pod, node: NodeInfo, data: Any) -> int:
        """Score: weighted mean over the strategy's resources that the node has."""
        requests, strategy = data
        total = weights = 0
        for name, weight in profile.scoring.resources:
            requested, allocatable = usage(node, name, requests.get(name, 0), nonzero=True)
            if allocatable == 0:
                continue
            value = strategy(requested, allocatable)
            # RequestedToCapacityRatio leaves resources without a score out of the mean, weight included.
            if value or profile.scoring.type != "RequestedToCapacityRatio":
                total += weight * value
                weights += weight
        if not weights:
            return 0
        if profile.scoring.type == "RequestedToCapacityRatio":
            return (2 * total + weights) // (2 * weights)
        return total // weights

    def violations(self, final: FinalState) -> Iterable[Violation]:
        """Overcommitted nodes, by resource; pods that arrive on them count apart."""
        return overcommitted(final)

    def cost(self, final: FinalState, profile: Profile) -> TermCost | None:
        """The scoring strategy as a sum over nodes, named after the strategy."""
        return fit_cost(final, profile)


def usage(node: NodeInfo, name: str, request: int, *, nonzero: bool) -> tuple[int, int]:
    """(requested with the pod, allocatable) of one resource as scores see it; zeros leave it out.

    Parameters
    ----------
    node : NodeInfo
    name : str
    request : int
        What the pod requests.
    nonzero : bool
        Count cpu and memory of running pods with kube-scheduler's defaults.
    """
    if name in (CPU, MEMORY):
        used = node.nonzero if nonzero else node.requested
        return used.get(name, 0) + request, node.allocatable.get(name, 0)
    if not countable(name) or (request == 0 and name != "ephemeral-storage"):
        return 0, 0
    return node.requested.get(name, 0) + request, node.allocatable.get(name, 0)


def ignored(name: str, profile: Profile) -> bool:
    """Whether the profile leaves an extended resource to somebody else."""
    group = name.partition("/")[0]
    return extended(name) and (name in profile.ignored_resources or group in profile.ignored_resource_groups)


def scorer(strategy: ScoringStrategy) -> Scorer:
    """The strategy's score of one resource."""
    if strategy.type == "LeastAllocated":
        return _least
    if strategy.type == "MostAllocated":
        return _most
    shape = [(utilization, 10 * score) for utilization, score in strategy.shape]
    return lambda requested, allocatable: broken_line(
        shape, 100 if requested > allocatable else requested * 100 // allocatable
    )


def _least(requested: int, allocatable: int) -> int:
    return 0 if requested > allocatable else (allocatable - requested) * 100 // allocatable


def _most(requested: int, allocatable: int) -> int:
    return min(requested, allocatable) * 100 // allocatable
