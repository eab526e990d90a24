"""The scheduler's view of a cluster while pods are placed one after another.

`ClusterState` is the counterpart of kube-scheduler's snapshot: nodes with the
pods that count there, sums of requests kept up to date. It is mutable and
small clusters only walk it; the vectorised replica keeps arrays of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

from .api import ContainerPort, Node, Pod, PodSpec
from .cluster import Cluster
from .profile import SchedulerConfiguration
from .resources import Requests, nonzero_requests, per_spec, pod_requests, to_units

ANY_ADDRESS = "0.0.0.0"  # noqa: S104
HostPort = tuple[str, str, int]
"""(host IP, protocol, port); a port without an IP is on ``0.0.0.0``."""


@dataclass(slots=True)
class NodeInfo:
    """A node and the pods that count on it.

    Attributes
    ----------
    node : Node
    allocatable : dict of str to int
        cpu in milli, everything else in whole units.
    pods : dict of str to Pod
        By ``namespace/name``, in the order they were added.
    requested, nonzero : dict of str to int
        Sums over `pods`: cpu in milli, everything else in whole units; `nonzero`
        holds cpu and memory with kube-scheduler's defaults for absent requests.
    ports : set of HostPort
        Host ports in use. A set as in kube-scheduler: where two pods hold the same
        port, the first one to go frees it.
    """

    node: Node
    allocatable: Requests
    pods: dict[str, Pod] = field(default_factory=dict[str, Pod])
    requested: Requests = field(default_factory=Requests)
    nonzero: Requests = field(default_factory=Requests)
    ports: set[HostPort] = field(default_factory=set[HostPort])

    @classmethod
    def of(cls, node: Node) -> NodeInfo:
        """The node without any pod."""
        return cls(node, to_units(allocatable(node)))

    @property
    def name(self) -> str:
        """The node's name."""
        return self.node.name

    def copy(self) -> NodeInfo:
        """The same node and pods, to be changed independently."""
        return NodeInfo(
            self.node,
            self.allocatable,
            dict(self.pods),
            dict(self.requested),
            dict(self.nonzero),
            set(self.ports),
        )

    def add(self, pod: Pod) -> None:
        """Count `pod` here."""
        self.pods[pod.key] = pod
        load = per_spec(_loads, pod, _Load.of)
        self._count(load, 1)
        self.ports.update(load.ports)

    def remove(self, pod: Pod) -> None:
        """Stop counting `pod` here."""
        del self.pods[pod.key]
        load = per_spec(_loads, pod, _Load.of)
        self._count(load, -1)
        self.ports.difference_update(load.ports)

    def _count(self, load: _Load, sign: int) -> None:
        for sums, amounts in ((self.requested, load.requested), (self.nonzero, load.nonzero)):
            for name, amount in amounts:
                sums[name] = sums.get(name, 0) + sign * amount


@dataclass(frozen=True, slots=True)
class _Load:
    """What a pod adds to its node."""

    requested: tuple[tuple[str, int], ...]
    nonzero: tuple[tuple[str, int], ...]
    ports: tuple[HostPort, ...]

    @classmethod
    def of(cls, pod: Pod) -> _Load:
        requested, nonzero = pod_requests(pod), nonzero_requests(pod)
        return cls(tuple(requested.items()), tuple(nonzero.items()), tuple(host_ports(pod.spec)))


_loads: WeakKeyDictionary[PodSpec, _Load] = WeakKeyDictionary()


def allocatable(node: Node) -> dict[str, int]:
    """What pods can use, in nano units; a node that does not say offers its capacity."""
    status = node.status
    return status.allocatable if "allocatable" in status.model_fields_set else status.capacity


def host_ports(spec: PodSpec) -> list[HostPort]:
    """Host ports the pod occupies: those of its containers and sidecars."""
    sidecars = (c for c in spec.init_containers if c.restart_policy == "Always")
    return [_host_port(port) for c in (*spec.containers, *sidecars) for port in c.ports if port.host_port > 0]


def _host_port(port: ContainerPort) -> HostPort:
    return port.host_ip or ANY_ADDRESS, port.protocol or "TCP", port.host_port


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
    started : dict of str to int
        When pods started that were placed meanwhile, in ns; others say so in their status.
    """

    cluster: Cluster
    configuration: SchedulerConfiguration
    nodes: dict[str, NodeInfo]
    assumed: dict[str, Any] = field(default_factory=dict[str, Any])
    started: dict[str, int] = field(default_factory=dict[str, int])

    @classmethod
    def of(cls, cluster: Cluster, configuration: SchedulerConfiguration) -> ClusterState:
        """The cluster as given: bound pods count on their nodes.

        Completed pods hold nothing, pods on unknown nodes count nowhere, and
        pods without a node wait. Terminating pods and pods of other schedulers count.
        Pods come to their nodes in the order of their names, whatever that of the input.
        """
        nodes = {node.name: NodeInfo.of(node) for node in cluster.nodes}
        for pod in sorted(cluster.pods, key=lambda pod: (pod.namespace, pod.name)):
            if pod.node_name in nodes and not pod.completed:
                nodes[pod.node_name].add(pod)
        return cls(cluster, configuration, nodes)

    def node_of(self, pod: Pod) -> NodeInfo | None:
        """The node on which `pod` counts, if it is known."""
        return self.nodes.get(pod.node_name) if pod.node_name else None

    def placed(self) -> Iterator[tuple[Pod, NodeInfo]]:
        """All pods that count, with their nodes."""
        for info in self.nodes.values():
            for pod in info.pods.values():
                yield pod, info
