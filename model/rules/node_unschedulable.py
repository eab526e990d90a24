"""NodeUnschedulable: cordoned nodes take no new pods, except those that tolerate it.

Source: https://kubernetes.io/docs/concepts/architecture/nodes/#manual-node-administration
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..api import Pod
from ..eligibility import UNSCHEDULABLE_TAINT, tolerates
from ..final import FinalState
from ..final_static import unschedulable
from ..profile import Profile
from ..reasons import Verdict, Violation
from ..state import ClusterState, NodeInfo
from .base import Rule


class NodeUnschedulable(Rule):
    """``spec.unschedulable``, forgiven by a toleration of its taint, whether the taint is there or not."""

    name = "NodeUnschedulable"

    def admits(
        self, state: ClusterState, profile: Profile, pod: Pod, node: NodeInfo, data: Any
    ) -> Verdict | None:
        """Filter: the node is not cordoned, or the pod does not mind."""
        if not node.node.spec.unschedulable or tolerates(pod.spec.tolerations, UNSCHEDULABLE_TAINT):
            return None
        return Verdict.unresolvable(self.name, "node(s) were unschedulable")

    def violations(self, final: FinalState) -> Iterable[Violation]:
        """Arriving pods on cordoned nodes."""
        return unschedulable(final, self.name)
