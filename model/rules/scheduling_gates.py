"""SchedulingGates: a pod waits outside the queue until all its gates are gone.

Source: https://kubernetes.io/docs/concepts/scheduling-eviction/pod-scheduling-readiness/
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..api import Pod
from ..final import FinalState
from ..final_static import gated
from ..profile import Profile
from ..reasons import Verdict, Violation
from ..state import ClusterState, NodeInfo
from .base import Rule


class SchedulingGates(Rule):
    """Asked before the queue, whatever the profile says; no node changes its mind."""

    name = "SchedulingGates"

    def admits(
        self, state: ClusterState, profile: Profile, pod: Pod, node: NodeInfo, data: Any
    ) -> Verdict | None:
        """PreEnqueue: no gate is left."""
        return gate(pod)

    def violations(self, final: FinalState) -> Iterable[Violation]:
        """Arriving pods that still have gates."""
        return gated(final, self.name)


def gate(pod: Pod) -> Verdict | None:
    """None when the pod may enter the queue."""
    if not pod.gated:
        return None
    names = " ".join(gate.name for gate in pod.spec.scheduling_gates)
    return Verdict.unresolvable(SchedulingGates.name, f"waiting for scheduling gates: [{names}]")
