"""TaintToleration: NoSchedule and NoExecute taints keep pods away, PreferNoSchedule costs score.

Source: https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..api import Pod
from ..eligibility import untolerated
from ..final import FinalState
from ..final_static import tainted
from ..preferences import taint_cost
from ..profile import Profile
from ..reasons import TermCost, Verdict, Violation
from ..state import ClusterState, NodeInfo
from .base import Rule, default_normalize

HARD = ("NoSchedule", "NoExecute")
SOFT = ("PreferNoSchedule",)


class TaintToleration(Rule):
    """Raw score: how many soft taints the pod does not tolerate; fewer is better."""

    name = "TaintToleration"

    def admits(
        self, state: ClusterState, profile: Profile, pod: Pod, node: NodeInfo, data: Any
    ) -> Verdict | None:
        """Filter: the pod tolerates every NoSchedule and NoExecute taint."""
        if not untolerated(pod, node.node, HARD):
            return None
        return Verdict.unresolvable(self.name, "node(s) had untolerated taint(s)")

    def score(self, state: ClusterState, profile: Profile, pod: Pod, node: NodeInfo, data: Any) -> int:
        """Score: PreferNoSchedule taints that the pod does not tolerate."""
        return untolerated(pod, node.node, SOFT)

    def normalize(
        self, state: ClusterState, profile: Profile, pod: Pod, scores: Mapping[str, int], data: Any
    ) -> Mapping[str, int]:
        """NormalizeScore: the most taints become 0, none 100."""
        return default_normalize(scores, reverse=True)

    def violations(self, final: FinalState) -> Iterable[Violation]:
        """Arriving pods among hard taints, and staying ones that NoExecute taints evict."""
        return tainted(final, self.name)

    def cost(self, final: FinalState, profile: Profile) -> TermCost | None:
        """Soft taints not tolerated, beyond those of the best eligible node."""
        return taint_cost(final, profile, self.name, SOFT)
