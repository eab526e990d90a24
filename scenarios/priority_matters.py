"""Nearly full clusters of ReplicaSets with priorities, on which a greedy scheduler leaves pods pending.

The instances of H. D. Christensen, S. Giallorenzo and J. Mauro, "Priority Matters: Optimising Kubernetes
Clusters Usage with Constraint-Based Pod Packing", https://arxiv.org/abs/2511.08373, drawn anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from random import Random
from typing import Any

from ..model.api import (
    LabelSelector,
    Namespace,
    Node,
    NodeStatus,
    ObjectMeta,
    OwnerReference,
    Pod,
    PodSpec,
    PriorityClass,
    Workload,
    WorkloadSpec,
)
from ..model.cluster import Cluster
from ..model.errors import BadInput
from .generators import ALL_KINDS, NAMESPACE
from .machines import HOSTNAME
from .registry import generator

LEAST_REQUEST, MOST_REQUEST = 100, 1000
MOST_REPLICAS, MOST_PODS = 4, 110
MOST_NODES, MOST_DENSITY, MOST_PRIORITIES, MOST_UTILIZATION = 10_000, 100, 1000, 100
SECOND = 10**9


@generator
def priority_matters(
    nodes: int = 8, density: int = 4, priorities: int = 2, utilization: float = 0.95, seed: int = 0
) -> Cluster:
    """Pending ReplicaSets with priorities on equal nodes that are just large enough.

    ReplicaSets have 1 to 4 replicas, which request U{100..1000} milli-CPU and U{100..1000} MB, and a
    priority U{1..priorities}; the last one is cut so that the number of pods is exact. Pods are listed, and
    have timestamps, in the order in which their ReplicaSets are created.

    Parameters
    ----------
    nodes : int
        Equal nodes.
    density : int
        Pods per node.
    priorities : int
        Number of priorities.
    utilization : float
        Requests over capacity, for cpu and for memory. Node sizes are rounded up to whole milli-CPU and MB,
        and hold the largest pod.
    seed : int
        Of the random generator.

    Raises
    ------
    BadInput
        When a value is out of range.
    """
    _check(nodes, density, priorities, utilization)
    draw = Random(seed)
    sizes = _replicas(draw, nodes * density)
    cpu, memory = ([draw.randint(LEAST_REQUEST, MOST_REQUEST) for _ in sizes] for _ in range(2))
    tiers = [draw.randint(1, priorities) for _ in sizes]
    sets = [
        _Set(f"rs-{number:03}", *each)
        for number, each in enumerate(zip(sizes, cpu, memory, tiers, strict=True))
    ]
    capacity = tuple(_capacity(each, sizes, nodes, utilization) for each in (cpu, memory))
    width = len(str(nodes - 1))
    return Cluster(
        nodes=tuple(_node(f"node-{number:0{width}}", *capacity) for number in range(nodes)),
        pods=tuple(pod for number, each in enumerate(sets) for pod in each.pods(number * SECOND)),
        namespaces=(Namespace(metadata=ObjectMeta(name=NAMESPACE)),),
        priority_classes=tuple(
            PriorityClass(metadata=ObjectMeta(name=f"p{tier}"), value=tier)
            for tier in range(1, priorities + 1)
        ),
        workloads=tuple(each.workload() for each in sets),
        kinds=ALL_KINDS,
    )


@dataclass(frozen=True, slots=True)
class _Set:
    """One ReplicaSet: cpu in milli, memory in MB."""

    name: str
    replicas: int
    cpu: int
    memory: int
    priority: int

    @property
    def labels(self) -> dict[str, str]:
        return {"app": self.name}

    def spec(self) -> PodSpec:
        requests = {"cpu": f"{self.cpu}m", "memory": f"{self.memory}M"}
        container = {"name": "main", "resources": {"requests": requests}}
        name = f"p{self.priority}"
        fields = {"containers": [container], "priorityClassName": name, "priority": self.priority}
        return PodSpec.model_validate(fields)

    def workload(self) -> Workload:
        spec = WorkloadSpec(replicas=self.replicas, selector=LabelSelector(match_labels=self.labels))
        return Workload(kind="ReplicaSet", metadata=self._metadata(self.name), spec=spec)

    def pods(self, created: int) -> list[Pod]:
        """The replicas; they share one spec."""
        owner = OwnerReference(kind="ReplicaSet", name=self.name, controller=True, api_version="apps/v1")
        spec, more = self.spec(), {"owner_references": (owner,), "creation_timestamp": created}
        return [
            Pod(metadata=self._metadata(f"{self.name}-{number}", **more), spec=spec)
            for number in range(self.replicas)
        ]

    def _metadata(self, name: str, **more: Any) -> ObjectMeta:
        return ObjectMeta(name=name, namespace=NAMESPACE, labels=self.labels, **more)


def _check(nodes: int, density: int, priorities: int, utilization: float) -> None:
    sizes = (
        ("nodes", nodes, MOST_NODES),
        ("density", density, MOST_DENSITY),
        ("priorities", priorities, MOST_PRIORITIES),
    )
    for name, value, most in sizes:
        if not 1 <= value <= most:
            raise BadInput(f"{name}={value}: give 1 to {most}")
    if not 0 < utilization <= MOST_UTILIZATION:
        raise BadInput(f"utilization {utilization:g} must be above 0 and at most {MOST_UTILIZATION}")


def _replicas(draw: Random, pods: int) -> list[int]:
    sizes: list[int] = []
    while pods > 0:
        sizes.append(draw.randint(1, min(MOST_REPLICAS, pods)))
        pods -= sizes[-1]
    return sizes


def _capacity(amounts: list[int], sizes: list[int], nodes: int, utilization: float) -> int:
    """What one node offers."""
    total = sum(amount * size for amount, size in zip(amounts, sizes, strict=True))
    return max(*amounts, 0, ceil(ceil(total / utilization) / nodes))


def _node(name: str, cpu: int, memory: int) -> Node:
    size = {"cpu": f"{cpu}m", "memory": f"{memory}M", "pods": MOST_PODS}
    return Node(
        metadata=ObjectMeta(name=name, labels={HOSTNAME: name}),
        status=NodeStatus(capacity=size, allocatable=size),
    )
