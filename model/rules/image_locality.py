"""ImageLocality: prefer nodes that have the pod's images, large and common ones above all.

Source: ``pkg/scheduler/framework/plugins/imagelocality``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..api import Pod
from ..final import FinalState
from ..images import LEAST, MOST_PER_IMAGE, pod_images
from ..preferences import preference_cost
from ..profile import Profile
from ..reasons import TermCost
from ..state import ClusterState, NodeInfo
from .base import PreScore, Rule


class ImageLocality(Rule):
    """Raw score: sum of size x share of the nodes that have the image, between two thresholds."""

    name = "ImageLocality"

    def pre_score(
        self, state: ClusterState, profile: Profile, pod: Pod, nodes: Sequence[NodeInfo]
    ) -> PreScore:
        """PreScore: what the images of all containers and image volumes are worth where."""
        return PreScore(data=[state.cluster.images.values(image) for image in pod_images(pod)])

    def score(self, state: ClusterState, profile: Profile, pod: Pod, node: NodeInfo, data: Any) -> int:
        """Score: 0 up to 23 MiB of images on the node, 100 from 1000 MiB per image."""
        values: Sequence[Mapping[str, int]] = data
        total = sum(value.get(node.name, 0) for value in values)
        most = MOST_PER_IMAGE * len(values)
        return 100 * (min(max(total, LEAST), most) - LEAST) // (most - LEAST)

    def cost(self, final: FinalState, profile: Profile) -> TermCost | None:
        """Raw score below that of the best eligible node."""
        images = final.cluster.images
        return preference_cost(final, profile, self.name, lambda pod, _: images.scores(pod))
