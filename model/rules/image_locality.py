"""ImageLocality: prefer nodes that have the pod's images, large and common ones above all.

Source: ``pkg/scheduler/framework/plugins/imagelocality``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..api import Node, Pod
from ..profile import Profile
from ..state import ClusterState, NodeInfo
from .base import PreScore, Rule

MIB = 1024 * 1024
LEAST = 23 * MIB
MOST_PER_IMAGE = 1000 * MIB


@dataclass(frozen=True, slots=True)
class ImageState:
    """An image: the size that the first node reported, and the nodes that have it."""

    size: int
    nodes: frozenset[str]


class ImageLocality(Rule):
    """Raw score: sum of size x share of the nodes that have the image, between two thresholds."""

    name = "ImageLocality"

    def pre_score(
        self, state: ClusterState, profile: Profile, pod: Pod, nodes: Sequence[NodeInfo]
    ) -> PreScore:
        """PreScore: look up the images of all containers and image volumes."""
        images: Mapping[str, ImageState] | None = state.assumed.get(self.name)
        if images is None:
            images = state.assumed[self.name] = image_states(state.cluster.nodes)
        return PreScore(data=[images.get(normalized_name(name)) for name in pod_images(pod)])

    def score(self, state: ClusterState, profile: Profile, pod: Pod, node: NodeInfo, data: Any) -> int:
        """Score: 0 up to 23 MiB of images on the node, 100 from 1000 MiB per image."""
        images: Sequence[ImageState | None] = data
        total = sum(
            int(image.size * (len(image.nodes) / len(state.nodes)))
            for image in images
            if image is not None and node.name in image.nodes
        )
        most = MOST_PER_IMAGE * len(images)
        return 100 * (min(max(total, LEAST), most) - LEAST) // (most - LEAST)


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
