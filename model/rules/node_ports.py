"""NodePorts: a host port is used once per address and protocol on a node.

Source: ``pkg/scheduler/framework/plugins/nodeports``, ``HostPortInfo`` of the scheduling framework.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..api import Pod
from ..final import FinalState
from ..final_ports import conflicting, ports_conflict
from ..profile import Profile
from ..reasons import Verdict, Violation
from ..state import ClusterState, HostPort, NodeInfo, host_ports
from .base import PreFilter, Rule


class NodePorts(Rule):
    """``0.0.0.0`` (or no host IP) is every address; ``::`` is an address like any other."""

    name = "NodePorts"

    def pre_filter(self, state: ClusterState, profile: Profile, pod: Pod) -> PreFilter:
        """PreFilter: skip a pod without host ports."""
        wanted = host_ports(pod.spec)
        return PreFilter(data=wanted) if wanted else PreFilter(skip=True)

    def admits(
        self, state: ClusterState, profile: Profile, pod: Pod, node: NodeInfo, data: Any
    ) -> Verdict | None:
        """Filter: no port in use conflicts with one that the pod wants."""
        wanted: list[HostPort] = data
        if not any(ports_conflict(port, used) for port in wanted for used in node.ports):
            return None
        return Verdict.unschedulable(self.name, "node(s) didn't have free ports for the requested pod ports")

    def violations(self, final: FinalState) -> Iterable[Violation]:
        """Disputed ports, by node, protocol and port."""
        return conflicting(final)
