"""ImageLocality: nodes that have pulled a pod's images are cheaper."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...model.api import Pod
from ..preference import preference_term
from ..problem import Problem
from ..terms import Term
from .base import Encoder

Ints = NDArray[np.int64]
_MIB = 1024 * 1024
_MIN, _MAX_PER_CONTAINER = 23 * _MIB, 1000 * _MIB


class ImageLocality(Encoder):
    """Bytes of images that need no pull, scaled down by how few nodes have them."""

    name = "ImageLocality"

    def applies_to(self, problem: Problem) -> bool:
        """Whether any node lists an image."""
        return any(node.status.images for node in problem.nodes)

    def term(self, problem: Problem) -> Term | None:
        """kube-scheduler's raw score, against the best eligible node."""
        images = _Images(problem)

        return preference_term(problem, self.name, lambda pod, _: images.score(pod))


class _Images:
    def __init__(self, problem: Problem) -> None:
        self._nodes = len(problem.nodes)
        self._size: dict[str, int] = {}
        self._on: dict[str, set[int]] = {}
        for position, node in enumerate(problem.nodes):
            for image in node.status.images:
                for name in image.names:
                    self._size.setdefault(name, image.size_bytes)
                    self._on.setdefault(name, set()).add(position)
        self._scaled = {
            name: int(self._size[name] * (len(on) / self._nodes)) for name, on in self._on.items()
        }
        self._known: dict[tuple[str, ...], Ints | None] = {}

    def score(self, pod: Pod) -> Ints | None:
        """Raw score of every node, or None when no node has any of the images."""
        containers = (*pod.spec.containers, *pod.spec.init_containers)
        key = tuple(_normalized(container.image) for container in containers)
        if key not in self._known:
            self._known[key] = self._compute(key)
        return self._known[key]

    def _compute(self, names: tuple[str, ...]) -> Ints | None:
        if not any(name in self._on for name in names):
            return None
        total = np.zeros(self._nodes, dtype=np.int64)
        for name in names:
            total[list(self._on.get(name, ()))] += self._scaled.get(name, 0)
        most = _MAX_PER_CONTAINER * len(names)
        clipped = np.clip(total, _MIN, most)
        return 100 * (clipped - _MIN) // (most - _MIN)


def _normalized(image: str) -> str:
    return image if image.rfind(":") > image.rfind("/") else f"{image}:latest"
