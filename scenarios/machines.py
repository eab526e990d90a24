"""Node pools for generated clusters: six machine types over three zones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeVar

from ..model.api import ContainerImage, Node, NodeSpec, NodeStatus, ObjectMeta, Taint

ZONES = ("zone-a", "zone-b", "zone-c")
ZONE = "topology.kubernetes.io/zone"
HOSTNAME = "kubernetes.io/hostname"
INSTANCE_TYPE = "node.kubernetes.io/instance-type"
SSD_SHARE, DEDICATED_SHARE, SPOT_SHARE = 0.7, 0.1, 0.1
DEDICATED = Taint(key="dedicated", value="batch", effect="NoSchedule")
SPOT = Taint(key="spot", value="true", effect="PreferNoSchedule")
MIB = 2**20
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class MachineType:
    """What a machine offers to pods.

    Parameters
    ----------
    name : str
        Value of the instance type label.
    cpu : int
        Allocatable milli cores, after what the system keeps.
    memory : int
        Allocatable MiB.
    weight : int
        How often the type occurs, relative to the others.
    """

    name: str
    cpu: int
    memory: int
    weight: int


TYPES = (
    MachineType("general-4", 3900, 15000, 4),
    MachineType("general-8", 7900, 30500, 4),
    MachineType("general-16", 15900, 62000, 3),
    MachineType("compute-16", 15900, 30500, 2),
    MachineType("memory-8", 7900, 62000, 2),
    MachineType("general-32", 31800, 125000, 1),
)


def machines(random: Random, count: int, images: Sequence[ContainerImage]) -> tuple[Node, ...]:
    """`count` nodes of mixed types; shares of disks, taints and zones are exact, who has them is random."""
    types = random.choices(TYPES, weights=[machine.weight for machine in TYPES], k=count)
    pulled = {machine.name: _pulled(random, images) for machine in TYPES}
    zones = _dealt(random, [ZONES[position % len(ZONES)] for position in range(count)])
    ssd = _dealt(random, _flags(count, round(SSD_SHARE * count)))
    dedicated, spot = int(DEDICATED_SHARE * count), int(SPOT_SHARE * count)
    taints = _dealt(random, [(DEDICATED,)] * dedicated + [(SPOT,)] * spot + [()] * (count - dedicated - spot))
    width = len(str(count - 1))
    return tuple(
        _node(f"node-{position:0{width}}", machine, zone, disk, taint, pulled[machine.name])
        for position, (machine, zone, disk, taint) in enumerate(zip(types, zones, ssd, taints, strict=True))
    )


def _pulled(random: Random, images: Sequence[ContainerImage]) -> tuple[ContainerImage, ...]:
    return tuple(image for image in images if random.random() < 0.5)


def _flags(count: int, true: int) -> list[bool]:
    return [position < true for position in range(count)]


def _dealt(random: Random, items: list[T]) -> list[T]:
    random.shuffle(items)
    return items


def _node(
    name: str,
    machine: MachineType,
    zone: str,
    ssd: bool,
    taints: tuple[Taint, ...],
    images: tuple[ContainerImage, ...],
) -> Node:
    labels = {HOSTNAME: name, ZONE: zone, INSTANCE_TYPE: machine.name, "disk": "ssd" if ssd else "hdd"}
    size = {"cpu": f"{machine.cpu}m", "memory": machine.memory * MIB, "pods": 110}
    return Node(
        metadata=ObjectMeta(name=name, labels=labels),
        spec=NodeSpec(taints=taints),
        status=NodeStatus(capacity=size, allocatable=size, images=images),
    )
