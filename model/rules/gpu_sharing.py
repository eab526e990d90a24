"""GpuSharing: shares of GPUs stay on one device each, whole devices are shared by nobody.

Not a plugin of kube-scheduler's default profile: it works where a profile names
it among its filters, as clusters with a GPU-sharing scheduler plugin do.

Source: cluster-trace-gpu-v2023 of https://github.com/alibaba/clusterdata.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..api import Pod
from ..devices import GPU_MILLI, demand, device_count
from ..final import FinalState
from ..final_devices import Load, crowded, unservable
from ..profile import Profile
from ..reasons import Verdict, Violation
from ..resources import pod_requests
from ..state import ClusterState, NodeInfo
from .base import PreFilter, Rule

NO_DEVICES = "Insufficient GPU devices"
NOT_WHOLE = "GPU request above one device is not a multiple of it"


class GpuSharing(Rule):
    """A pod fits where the shares of all pods on the node can be put on its devices."""

    name = "GpuSharing"

    def pre_filter(self, state: ClusterState, profile: Profile, pod: Pod) -> PreFilter:
        """PreFilter: nothing to do for pods without GPUs; a part of a device beside whole ones is refused."""
        milli = pod_requests(pod).get(GPU_MILLI, 0)
        if not milli:
            return PreFilter(skip=True)
        if demand(milli) is None:
            return PreFilter(verdict=Verdict.unresolvable(self.name, NOT_WHOLE))
        return PreFilter(data=milli)

    def admits(
        self, state: ClusterState, profile: Profile, pod: Pod, node: NodeInfo, data: Any
    ) -> Verdict | None:
        """Filter: unresolvable when the node has not enough devices even without other pods."""
        devices = device_count(node.allocatable.get(GPU_MILLI, 0))
        load = Load.of([data])
        if not load.fits(devices):
            return Verdict.unresolvable(self.name, NO_DEVICES)
        others = [pod_requests(other).get(GPU_MILLI, 0) for other in node.pods.values()]
        load = Load.of([data, *others])
        return None if load.fits(devices) else Verdict.unschedulable(self.name, NO_DEVICES)

    def violations(self, final: FinalState) -> Iterable[Violation]:
        """Nodes whose devices do not hold the pods' shares; arriving pods that no device can serve."""
        yield from crowded(final, self.name)
        yield from unservable(final, self.name)
