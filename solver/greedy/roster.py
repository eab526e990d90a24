"""Pods in classes, and who came to and left which node.

The vectorised replica asks every question once per class. A class remembers how
much of the log it has seen, and catches up when it has its next turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from ...model.api import Affinity, LabelSelector, Pod
from ...model.cluster import Cluster
from ...model.resources import nonzero_requests, pod_requests, resized

Indices = NDArray[np.int64]


class Roster:
    """Numbers classes of pods that no vectorised rule can tell apart.

    Parameters
    ----------
    cluster : Cluster
        Its selectors say which labels matter.

    Attributes
    ----------
    pods : list of Pod
        One representative pod per class.
    """

    def __init__(self, cluster: Cluster) -> None:
        self.pods: list[Pod] = []
        self._labels = _referenced_labels(cluster)
        self._numbers: dict[object, int] = {}
        self._known: dict[int, tuple[Pod, int]] = {}

    def __len__(self) -> int:
        return len(self.pods)

    def of(self, pod: Pod) -> int:
        """The pod's class; a new one if nobody like it was seen before."""
        known = self._known.get(id(pod))
        if known is None:
            key = self._key(pod)
            number = self._numbers.setdefault(key, len(self.pods))
            if number == len(self.pods):
                self.pods.append(pod)
            known = self._known[id(pod)] = (pod, number)
        return known[1]

    def _key(self, pod: Pod) -> object:
        metadata = pod.metadata
        labels = metadata.labels
        owner = metadata.controller
        return (
            id(pod.spec),
            metadata.namespace,
            tuple((name, labels[name]) for name in self._labels if name in labels),
            owner and (owner.api_version, owner.kind, owner.name),
            metadata.deletion_timestamp is None,
            _requests(pod) if resized(pod) else None,
        )


def _requests(pod: Pod) -> object:
    return tuple(sorted(pod_requests(pod).items())), tuple(sorted(nonzero_requests(pod).items()))


def _referenced_labels(cluster: Cluster) -> tuple[str, ...]:
    """Keys of pod labels that some selector reads."""
    found: set[str] = set()
    for spec in {id(pod.spec): pod.spec for pod in cluster.pods}.values():
        for selector in _affinity_selectors(spec.affinity):
            found.update(_keys(selector))
        for constraint in spec.topology_spread_constraints:
            found.update(_keys(constraint.label_selector))
    for service in cluster.services:
        found.update(service.spec.selector)
    for workload in cluster.workloads:
        found.update(_keys(workload.spec.selector))
    return tuple(sorted(found))


def _affinity_selectors(affinity: Affinity) -> Iterator[LabelSelector | None]:
    for side in (affinity.pod_affinity, affinity.pod_anti_affinity):
        for term in (*side.required, *(weighted.pod_affinity_term for weighted in side.preferred)):
            yield term.label_selector


def _keys(selector: LabelSelector | None) -> Iterable[str]:
    if selector is None:
        return ()
    return (*selector.match_labels, *(requirement.key for requirement in selector.match_expressions))


class Log:
    """Arrivals (+1) and departures (-1) of pods, in order."""

    def __init__(self) -> None:
        self._entries: list[tuple[int, int, int]] = []

    def __len__(self) -> int:
        return len(self._entries)

    def add(self, node: int, number: int, sign: int) -> None:
        """A pod of class `number` comes to (or leaves) the node."""
        self._entries.append((node, number, sign))

    def touched(self, start: int) -> set[int]:
        """The nodes that entries since `start` are about."""
        return {node for node, _, _ in self._entries[start:]}

    def since(self, start: int) -> Indices:
        """Shape (3, entries): nodes, classes and signs since entry `start`."""
        return np.array(self._entries[start:], dtype=np.int64).reshape(-1, 3).T
