"""Which nodes have pulled which images, and what kube-scheduler makes of it.

Source: ``pkg/scheduler/framework/plugins/imagelocality``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .api import Node, Pod

MIB = 1024 * 1024
LEAST = 23 * MIB
MOST_PER_IMAGE = 1000 * MIB


@dataclass(frozen=True, slots=True)
class ImageState:
    """An image: the size that the first node reported, and the nodes that have it."""

    size: int
    nodes: frozenset[str]


class NodeImages:
    """The images of a cluster's nodes.

    Parameters
    ----------
    nodes : sequence of Node
        Positions index every result, shape (nodes,).
    """

    def __init__(self, nodes: Sequence[Node]) -> None:
        self._nodes = tuple(nodes)

    @cached_property
    def states(self) -> Mapping[str, ImageState]:
        """Every image by every name that a node gives it."""
        return image_states(self._nodes)

    @cached_property
    def _places(self) -> Mapping[str, tuple[int, NDArray[np.int64]]]:
        index = {node.name: position for position, node in enumerate(self._nodes)}
        nodes = len(self._nodes)
        return {
            name: (int(image.size * (len(image.nodes) / nodes)), np.array([index[n] for n in image.nodes]))
            for name, image in self.states.items()
        }

    def scores(self, pod: Pod) -> NDArray[np.int64] | None:
        """Shape (nodes,): each node's raw score, 0..100; None when no node has any of the pod's images."""
        names = [normalized_name(name) for name in pod_images(pod)]
        found = [self._places[name] for name in names if name in self._places]
        if not found:
            return None
        most = MOST_PER_IMAGE * len(names)
        total = np.zeros(len(self._nodes), dtype=np.int64)
        for size, places in found:
            total[places] += min(size, most)
        return 100 * (np.clip(total, LEAST, most) - LEAST) // (most - LEAST)


def pod_images(pod: Pod) -> list[str]:
    """The images of all containers and image volumes."""
    spec = pod.spec
    volumes = [volume.image.reference for volume in spec.volumes if volume.image is not None]
    return [container.image for container in (*spec.init_containers, *spec.containers)] + volumes


def image_states(nodes: Sequence[Node]) -> Mapping[str, ImageState]:
    """Every image by every name that a node gives it."""
    sizes: dict[str, int] = {}
    where: dict[str, set[str]] = {}
    for node in nodes:
        for image in node.status.images:
            for name in image.names:
                sizes.setdefault(name, image.size_bytes)
                where.setdefault(name, set()).add(node.name)
    return {name: ImageState(size, frozenset(where[name])) for name, size in sizes.items()}


def normalized_name(image: str) -> str:
    """The name with its tag; nothing else is completed."""
    return image if image.rfind(":") > image.rfind("/") else f"{image}:latest"
