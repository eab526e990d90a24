"""NodeResourcesBalancedAllocation: prefer nodes whose resources get equally full.

Source: ``pkg/scheduler/framework/plugins/noderesources/balanced_allocation.go``.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Any

from ..api import Pod
from ..final import FinalState
from ..profile import Profile
from ..reasons import TermCost
from ..resource_costs import balanced_cost
from ..resources import Requests, pod_requests
from ..state import ClusterState, NodeInfo
from .base import PreScore, Rule
from .node_resources_fit import usage


class NodeResourcesBalancedAllocation(Rule):
    """Raw score: 50 plus half of (50 + balance with the pod - balance without it)."""

    name = "NodeResourcesBalancedAllocation"

    def pre_score(
        self, state: ClusterState, profile: Profile, pod: Pod, nodes: Sequence[NodeInfo]
    ) -> PreScore:
        """PreScore: skip a pod that requests none of the compared resources."""
        requests = pod_requests(pod)
        stated = any(requests.get(name, 0) for name, _ in profile.balanced_resources)
        return PreScore(data=requests) if stated else PreScore(skip=True)

    def score(self, state: ClusterState, profile: Profile, pod: Pod, node: NodeInfo, data: Any) -> int:
        """Score: above 75 when the pod makes the node more balanced."""
        requests: Requests = data
        after: list[float] = []
        before: list[float] = []
        for name, _ in profile.balanced_resources:
            request = requests.get(name, 0)
            requested, allocatable = usage(node, name, request, nonzero=False)
            if allocatable:
                after.append(min(1.0, requested / allocatable))
                before.append(min(1.0, (requested - request) / allocatable))
        gain = 50 + balance(after) - balance(before)
        return 50 + (gain // 2 if gain >= 0 else -(-gain // 2))

    def cost(self, final: FinalState, profile: Profile) -> TermCost | None:
        """How far apart the nodes' resources are used, as ``BalancedAllocation``."""
        return balanced_cost(final, profile)


def balance(fractions: Sequence[float]) -> int:
    """100 for equal fractions, less by their standard deviation, rounded down."""
    if len(fractions) == 2:
        deviation = abs((fractions[0] - fractions[1]) / 2)
    elif len(fractions) > 2:
        mean = 0.0
        for fraction in fractions:
            mean += fraction
        mean /= len(fractions)
        variance = 0.0
        for fraction in fractions:
            variance += (fraction - mean) * (fraction - mean)
        deviation = sqrt(variance / len(fractions))
    else:
        deviation = 0.0
    return int((1 - deviation) * 100)
