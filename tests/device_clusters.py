"""Small clusters whose pods share GPUs."""

from __future__ import annotations

import random

from builders import cluster, node, pod
from kubestow.model.api import Node, NodeStatus, Pod
from kubestow.model.cluster import Cluster
from kubestow.model.devices import DEVICE, GPU_MILLI, GPU_MODEL
from kubestow.model.profile import FILTERS, Profile, SchedulerConfiguration

SHARING = SchedulerConfiguration((Profile(filters=(*FILTERS, "GpuSharing")),))
"""The default profile with GpuSharing."""


def gpu_node(name: str, devices: int, cpu: int = 100, model: str = "") -> Node:
    """A node with so many devices and cores."""
    plain = node(name, labels={GPU_MODEL: model} if model else None)
    room = {"cpu": str(cpu), "memory": "1Ti", "pods": "100", GPU_MILLI: str(DEVICE * devices)}
    return plain.model_copy(update={"status": NodeStatus.model_validate({"allocatable": room})})


def gpu_pod(
    name: str, milli: int, on: str | None = None, cpu: int = 1, model: str = "", **spec: object
) -> Pod:
    """A pod that asks for so many milli-GPUs and cores, and for a model of device."""
    requests = {"cpu": str(cpu)} | ({GPU_MILLI: str(milli)} if milli else {})
    container = {"name": "main", "resources": {"requests": requests}}
    selector = {"nodeSelector": {GPU_MODEL: model}} if model else {}
    return pod(name, on, containers=[container], **selector, **spec)


def gpu_cluster(seed: int, nodes: int = 2, pods: int = 5) -> Cluster:
    """Nodes of up to two devices and three to nine cores, pods that fill them more or less."""
    draw = random.Random(seed)
    made = [
        gpu_node(f"n{i}", draw.choice([1, 2]), draw.choice([3, 6, 9]), draw.choice("ab"))
        for i in range(nodes)
    ]
    kinds = [
        (
            draw.choice([0, 250, 340, 460, 510, 810, 1000, 1000, 2000]),
            draw.choice([1, 2, 3]),
            draw.choice(["", "", "a"]),
        )
        for _ in range(4)
    ]
    waiting = [(milli, cpu, model) for milli, cpu, model in draw.choices(kinds, k=pods)]
    return cluster(made, [gpu_pod(f"p{i}", m, cpu=c, model=k) for i, (m, c, k) in enumerate(waiting)])
