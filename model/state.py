"""The scheduler's view of a cluster while pods are placed one after another.

`ClusterState` is the counterpart of kube-scheduler's snapshot: nodes with the
pods that count there, sums of requests kept up to date. It is mutable and
small clusters only walk it; the vectorised replica keeps arrays of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from .api import Node, Pod
from .cluster import Cluster
from .profile import SchedulerConfiguration
from .resources import Requests, nonzero_requests, pod_requests


@dataclass(slots=True)
class NodeInfo:
    """A node and the pods that count on it.

    Attributes
    ----------
    node : Node
    pods : dict of str to Pod
        By ``namespace/name``, in the order they were added.
    requested, nonzero : dict of str to int
        Sums over `pods`: cpu in milli, everything else in whole units; `nonzero`
        holds cpu and memory with kube-scheduler's defaults for absent requests.
    """

    node: Node
    allocatable: Requests
    pods: dict[str, Pod] = field(default_factory=dict[str, Pod])
    requested: Requests = field(default_factory=Requests)
    nonzero: Requests = field(default_factory=Requests)

    @property
    def name(self) -> str:
        """The node's name."""
        return self.node.name

    def add(self, pod: Pod) -> None:
        """Count `pod` here."""
        self.pods[pod.key] = pod
        self._count(pod, 1)

    def remove(self, pod: Pod) -> None:
        """Stop counting `pod` here."""
        del self.pods[pod.key]
        self._count(pod, -1)

    def _count(self, pod: Pod, sign: int) -> None:
        for name, amount in pod_requests(pod).items():
            self.requested[name] = self.requested.get(name, 0) + sign * amount
        for name, amount in nonzero_requests(pod).items():
            self.nonzero[name] = self.nonzero.get(name, 0) + sign * amount


@dataclass(slots=True)
class ClusterState:
    """A cluster in which pods are being placed.

    Attributes
    ----------
    cluster : Cluster
        What was read, after admission (`admission.admit`). Never changed.
    configuration : SchedulerConfiguration
    nodes : dict of str to NodeInfo
        In the order of the input.
    assumed : dict
        Room for rules whose decisions on a placed pod outlive its cycle, such as
        volumes reserved by VolumeBinding: rule name -> whatever the rule keeps.
    """

    cluster: Cluster
    configuration: SchedulerConfiguration
    nodes: dict[str, NodeInfo]
    assumed: dict[str, Any] = field(default_factory=dict[str, Any])

    def node_of(self, pod: Pod) -> NodeInfo | None:
        """The node on which `pod` counts, if it is known."""
        return self.nodes.get(pod.node_name) if pod.node_name else None

    def placed(self) -> Iterator[tuple[Pod, NodeInfo]]:
        """All pods that count, with their nodes."""
        for info in self.nodes.values():
            for pod in info.pods.values():
                yield pod, info
