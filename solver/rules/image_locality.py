"""ImageLocality: nodes that have pulled a pod's images are cheaper."""

from __future__ import annotations

from ..preference import preference_term
from ..problem import Problem
from ..terms import Term
from .base import Encoder


class ImageLocality(Encoder):
    """Bytes that need no pull, scaled down by how few nodes have them (static, see `model.images`)."""

    name = "ImageLocality"

    def applies_to(self, problem: Problem) -> bool:
        """Whether any node lists an image."""
        return any(node.status.images for node in problem.nodes)

    def term(self, problem: Problem) -> Term | None:
        """kube-scheduler's raw score, against the best eligible node."""
        images = problem.cluster.images
        return preference_term(problem, self.name, lambda pod, _: images.scores(pod))
