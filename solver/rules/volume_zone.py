"""VolumeZone: a bound volume's zone and region labels against the node's, all static."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ...model.api import Node, PersistentVolume, PersistentVolumeClaim
from ...model.claims import claim_class, claim_uses
from ...model.csi_translation import BETA_REGION, BETA_ZONE, MULTI_ZONE, REGION, ZONE
from ...model.storage import Binding
from ..problem import PodClass, Problem
from .base import Encoder

_MODERN = {BETA_ZONE: ZONE, BETA_REGION: REGION, ZONE: ZONE, REGION: REGION}
Places = list[tuple[str, frozenset[str]]]
"""(label key, values that will do)."""


class VolumeZone(Encoder):
    """Pods stay in the zones of their volumes."""

    name = "VolumeZone"

    def applies_to(self, problem: Problem) -> bool:
        """Whether a free pod whose claims are looked at has volumes."""
        return any(cls.pod.spec.volumes for cls in _asked(problem))

    def restrict(self, problem: Problem, eligible: NDArray[np.bool_]) -> None:
        """Clear nodes outside the zones, and all nodes of classes whose claims say nothing usable."""
        for cls in _asked(problem):
            filtered = self.name in cls.profile.filters
            for use in claim_uses(cls.pod, problem.cluster.claims):
                if use.ephemeral:
                    continue
                places = None if use.claim is None else _places(problem, use.claim)
                if places is None:
                    eligible[cls.index] = False
                elif places and filtered:
                    inside = (_inside(node, places) for node in problem.nodes)
                    eligible[cls.index] &= np.fromiter(inside, dtype=bool, count=len(problem.nodes))


def _asked(problem: Problem) -> list[PodClass]:
    return [cls for cls in problem.classes if VolumeZone.name in cls.profile.prepared]


def _places(problem: Problem, claim: PersistentVolumeClaim) -> Places | None:
    """Where the claim's volume is; None when the claim keeps its pods from running anywhere."""
    storage, name = problem.cluster.storage, claim.spec.volume_name
    if name:
        volume = storage.volumes.get(name)
        return None if volume is None else list(_labelled(volume))
    known = claim_class(claim) in storage.classes
    return [] if known and storage.binding(claim) is Binding.DELAYED else None


def _labelled(volume: PersistentVolume) -> Iterator[tuple[str, frozenset[str]]]:
    for key in _MODERN:
        values = [value.strip() for value in volume.metadata.labels.get(key, "").split(MULTI_ZONE)]
        if all(values):
            yield key, frozenset(values)


def _inside(node: Node, places: Places) -> bool:
    if node.labels.keys().isdisjoint(_MODERN):
        return True
    return all(node.labels.get(key, node.labels.get(_MODERN[key])) in values for key, values in places)
