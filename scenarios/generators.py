"""Seeded clusters of any size, built without YAML: the same arguments give the same cluster everywhere."""

from __future__ import annotations

from random import Random

from ..model.api import ContainerImage, Namespace, Node, ObjectMeta, Pod, PriorityClass
from ..model.cluster import Cluster
from ..model.errors import BadInput
from .machines import MIB, machines
from .registry import generator
from .workloads import Mix, PodClass, pod_classes, scale

NAMESPACE = "default"
SIZES = {"small": (100, 1000, 50), "medium": (1000, 10000, 100), "large": (5000, 100000, 200)}
"""Nodes, pods and classes of the benchmark's sizes."""
MOST_NODES, MOST_PODS = 50_000, 1_000_000

ALL_KINDS = frozenset(
    {
        "CSIDriver", "CSINode", "CSIStorageCapacity", "Namespace", "Node", "PersistentVolume",
        "PersistentVolumeClaim", "Pod", "PodDisruptionBudget", "PriorityClass", "Service", "StorageClass",
        "VolumeAttachment",
        "CronJob", "DaemonSet", "Deployment", "Job", "ReplicaSet", "ReplicationController", "StatefulSet",
    }
)  # fmt: skip

SPREAD = Mix()
RELATIONAL = Mix(zone_spread=1 / 3, host_apart=0.1, zone_together=0.05)
SOFT = Mix(soft=1 / 3)
RANDOM = Mix(zone_spread=0.2, host_apart=0.1, zone_together=0.1, soft=1 / 3, priorities=3)


@generator
def spread(
    nodes: int = 100, pods: int = 1000, classes: int = 50, load: float = 0.6, seed: int = 0
) -> Cluster:
    """Pending pods with resource requests and static rules on mixed machines.

    Parameters
    ----------
    nodes, pods, classes : int
        Sizes; pods of a class share one spec.
    load : float
        Requests over allocatable, for cpu and for memory, in (0, 1]. Less is reached when there are so few
        pods that one would need more than half of the smallest machine.
    seed : int
        Of the random generator.

    Raises
    ------
    BadInput
        When there are fewer pods than classes, or a value is out of range.
    """
    return generate(SPREAD, nodes, pods, classes, load, seed)


@generator
def relational(
    nodes: int = 100, pods: int = 1000, classes: int = 50, load: float = 0.6, seed: int = 0
) -> Cluster:
    """As `spread`, with hard zone spread, required host anti-affinity and required zone affinity."""
    return generate(RELATIONAL, nodes, pods, classes, load, seed)


@generator
def soft(nodes: int = 100, pods: int = 1000, classes: int = 50, load: float = 0.6, seed: int = 0) -> Cluster:
    """As `spread`, with preferred affinity and anti-affinity and soft spread on a third of the classes."""
    return generate(SOFT, nodes, pods, classes, load, seed)


@generator
def random(nodes: int = 20, pods: int = 200, classes: int = 20, load: float = 0.9, seed: int = 0) -> Cluster:
    """As `spread`, with some of every rule, three priority tiers and little room."""
    return generate(RANDOM, nodes, pods, classes, load, seed)


def generate(mix: Mix, nodes: int, pods: int, classes: int, load: float, seed: int) -> Cluster:
    """A cluster of pending pods that carry the rules of `mix`; arguments as for `spread`."""
    _check(nodes, pods, classes, load)
    draw = Random(seed)
    made = pod_classes(draw, pods, classes, nodes, mix)
    images = [ContainerImage(names=(each.image,), size_bytes=draw.randint(50, 900) * MIB) for each in made]
    pool = machines(draw, nodes, images)
    scale(made, load * _allocatable(pool, "cpu") * 1000, load * _allocatable(pool, "memory") / MIB)
    return Cluster(
        nodes=pool,
        pods=_arrivals(draw, made),
        namespaces=(Namespace(metadata=ObjectMeta(name=NAMESPACE)),),
        priority_classes=_tiers(mix),
        kinds=ALL_KINDS,
    )


def _check(nodes: int, pods: int, classes: int, load: float) -> None:
    if not 1 <= nodes <= MOST_NODES or not 1 <= pods <= MOST_PODS:
        raise BadInput(
            f"{nodes} nodes and {pods} pods: give 1 to {MOST_NODES} nodes and 1 to {MOST_PODS} pods"
        )
    if classes < 1:
        raise BadInput(f"{classes} classes: give at least 1")
    if pods < classes:
        raise BadInput(f"{pods} pods in {classes} classes: give at least as many pods as classes")
    if not 0 < load <= 1:
        raise BadInput(f"load {load:g} must be above 0 and at most 1")


def _allocatable(nodes: tuple[Node, ...], resource: str) -> float:
    return sum(node.status.allocatable[resource] for node in nodes) / 10**9


def _arrivals(draw: Random, classes: list[PodClass]) -> tuple[Pod, ...]:
    """All pods in random order: a queue in which no class comes first."""
    pods: list[Pod] = []
    for each in classes:
        spec, labels, width = each.build(), each.labels, len(str(each.count - 1))
        for position in range(each.count):
            name = f"{each.name}-{position:0{width}}"
            pods.append(Pod(metadata=ObjectMeta(name=name, namespace=NAMESPACE, labels=labels), spec=spec))
    draw.shuffle(pods)
    return tuple(pods)


def _tiers(mix: Mix) -> tuple[PriorityClass, ...]:
    return tuple(
        PriorityClass(metadata=ObjectMeta(name=f"tier-{tier}"), value=tier * 1000)
        for tier in range(mix.priorities)
        if mix.priorities > 1
    )
