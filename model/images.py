"""Which nodes have pulled which images, and what kube-scheduler makes of it.

Source: ``pkg/scheduler/framework/plugins/imagelocality``.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .api import Node, Pod

MIB = 1024 * 1024
LEAST = 23 * MIB
MOST_PER_IMAGE = 1000 * MIB


class NodeImages:
    """The images of a cluster's nodes.

    Parameters
    ----------
    nodes : sequence of Node
        Positions index every result, shape (nodes,).
    """

    def __init__(self, nodes: Sequence[Node]) -> None:
        self._nodes = tuple(nodes)
        self._values: dict[str, dict[str, int]] = {}
        self._places: dict[str, tuple[int, NDArray[np.int64]]] = {}

    @cached_property
    def _pulled(self) -> dict[str, tuple[int, list[int]]]:
        """By every name an image has anywhere: the size that the first node reports, and who has it."""
        found: dict[str, tuple[int, list[int]]] = {}
        for position, node in enumerate(self._nodes):
            for image in node.status.images:
                for name in image.names:
                    known = found.get(name)
                    if known is None:
                        found[name] = (image.size_bytes, [position])
                    elif known[1][-1] != position:
                        known[1].append(position)
        return found

    def _value(self, size: int, holders: int) -> int:
        """What an image is worth on a node that has it: its size, less where few nodes have it."""
        return int(size * (holders / len(self._nodes)))

    def values(self, image: str) -> dict[str, int]:
        """What an image (as a pod names it) is worth, by the names of the nodes that have it."""
        found = self._values.get(image)
        if found is None:
            size, places = self._pulled.get(normalized_name(image), (0, []))
            value = self._value(size, len(places))
            found = self._values[image] = {self._nodes[position].name: value for position in places}
        return found

    def _found(self, name: str) -> tuple[int, NDArray[np.int64]]:
        """What an image is worth, and the positions of the nodes that have it."""
        found = self._places.get(name)
        if found is None:
            size, places = self._pulled[name]
            found = self._places[name] = self._value(size, len(places)), np.array(places)
        return found

    def scores(self, pod: Pod) -> NDArray[np.int64] | None:
        """Shape (nodes,): each node's raw score, 0..100; None when no node has any of the pod's images."""
        names = [normalized_name(name) for name in pod_images(pod)]
        pulled = [self._found(name) for name in names if name in self._pulled]
        if not pulled:
            return None
        most = MOST_PER_IMAGE * len(names)
        total = np.zeros(len(self._nodes), dtype=np.int64)
        for value, places in pulled:
            total[places] += min(value, most)
        return 100 * (np.clip(total, LEAST, most) - LEAST) // (most - LEAST)


def pod_images(pod: Pod) -> list[str]:
    """The images of all containers and image volumes."""
    spec = pod.spec
    volumes = [volume.image.reference for volume in spec.volumes if volume.image is not None]
    return [container.image for container in (*spec.init_containers, *spec.containers)] + volumes


def normalized_name(image: str) -> str:
    """The name with its tag; nothing else is completed."""
    return image if image.rfind(":") > image.rfind("/") else f"{image}:latest"
