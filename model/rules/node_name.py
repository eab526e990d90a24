"""NodeName: a pod that names its node goes there and nowhere else.

Source: https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#nodename
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..api import Pod
from ..final import FinalState
from ..final_static import misplaced
from ..profile import Profile
from ..reasons import Verdict, Violation
from ..state import ClusterState, NodeInfo
from .base import Rule


class NodeName(Rule):
    """``spec.nodeName``; a pending pod has none and passes."""

    name = "NodeName"

    def admits(
        self, state: ClusterState, profile: Profile, pod: Pod, node: NodeInfo, data: Any
    ) -> Verdict | None:
        """Filter: the node is the one that the pod names."""
        if pod.node_name in (None, node.name):
            return None
        return Verdict.unresolvable(self.name, "node(s) didn't match the requested node name")

    def violations(self, final: FinalState) -> Iterable[Violation]:
        """Pods that were created for a node and are placed on another."""
        return misplaced(final, self.name)
