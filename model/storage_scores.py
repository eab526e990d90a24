"""What VolumeBinding's score says about a node: how full it leaves the storage that serves a pod.

Source: ``pkg/scheduler/framework/plugins/volumebinding/scorer.go``,
https://kubernetes.io/docs/concepts/storage/storage-capacity/
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .api import Node, PersistentVolumeClaim
from .claim_serving import Assumed, PodClaims, Served, UnreadableClaim, serve
from .claims import SELECTED_NODE, capacity, claim_class, requested
from .quantity import value
from .selection import selector_text
from .shapes import broken_line
from .storage import Storage

NOT_SERVED = -1
Shape = Sequence[tuple[int, int]]
"""(utilization 0..100, score 0..10)."""


def storage_score(served: Served, shape: Shape) -> int:
    """The mean over storage classes of the shape at the class's utilisation, 0..100.

    Volumes that exist count with their sizes; only where there is none, segments
    of storage count, each class with the segment of its last claim.
    """
    used: dict[str, tuple[int, int]] = {}
    if served.static:
        for claim, volume in served.static:
            name = volume.spec.storage_class_name
            asked, offered = used.get(name, (0, 0))
            used[name] = asked + value(requested(claim)), offered + value(capacity(volume))
    else:
        for claim, segment in served.provisioned:
            if segment is not None:
                name = claim.spec.storage_class_name or ""
                asked, _ = used.get(name, (0, 0))
                used[name] = asked + value(requested(claim)), value(segment.capacity or 0)
    total = sum(_score(asked, offered, shape) for asked, offered in used.values())
    return (2 * total + len(used)) // (2 * len(used)) if used else 0


def _score(asked: int, offered: int, shape: Shape) -> int:
    percent = 100 if asked > offered or not offered else asked * 100 // offered
    return broken_line([(utilization, 10 * score) for utilization, score in shape], percent)


class StorageScores:
    """Scores of nodes for a pod's claims in the cluster as given, where nobody has reserved anything yet.

    Parameters
    ----------
    storage : Storage
    nodes : sequence of Node
        Positions index every result.
    """

    def __init__(self, storage: Storage, nodes: Sequence[Node]) -> None:
        self._storage = storage
        self._nodes = tuple(nodes)
        self._known: dict[object, NDArray[np.int64]] = {}

    def of(self, claims: PodClaims, shape: Shape) -> NDArray[np.int64]:
        """Shape (nodes,): the score of each node, `NOT_SERVED` where the claims cannot be served.

        Claims that ask for the same share one computation. Do not write to the result.
        """
        key = (tuple(map(self._signature, (*claims.bound, *claims.delayed))), tuple(shape))
        known = self._known.get(key)
        if known is None:
            scores = (self._score(claims, node, shape) for node in self._nodes)
            known = self._known[key] = np.fromiter(scores, dtype=np.int64, count=len(self._nodes))
        return known

    def _score(self, claims: PodClaims, node: Node, shape: Shape) -> int:
        try:
            served = serve(self._storage, Assumed(), claims, node)
        except UnreadableClaim:
            return NOT_SERVED
        return NOT_SERVED if served.reasons else storage_score(served, shape)

    def _signature(self, claim: PersistentVolumeClaim) -> object:
        """What decides how `claim` is served: two claims with the same signature have the same scores."""
        if (
            claim.spec.volume_name
            or SELECTED_NODE in claim.metadata.annotations
            or self._storage.reserved(claim)
        ):
            return claim.key
        spec = claim.spec
        return (
            claim_class(claim),
            spec.storage_class_name,
            tuple(sorted(spec.resources.requests.items())),
            tuple(sorted(spec.access_modes)),
            spec.volume_mode,
            spec.volume_attributes_class_name,
            selector_text(spec.selector) if spec.selector is not None else None,
        )
