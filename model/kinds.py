"""The pods of a cluster that count, grouped into kinds that no rule can tell apart.

Every final state of one cluster shares them: a placement changes none of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .api import Pod
from .api.pod import MIRROR
from .resources import nonzero_requests, pod_requests, resized
from .selection import LabelIndex

UNPLACED = -1
Index = NDArray[np.int32]


class PodKinds:
    """Pods that are not completed, and their kinds.

    Parameters
    ----------
    pods : iterable of Pod
        Completed ones are left out: they hold nothing.
    node_index : mapping of str to int
        Position of each node by name.

    Attributes
    ----------
    pods : tuple of Pod
        Positions index every pod array.
    kind_of : array, shape (pods,)
        The pod's kind.
    kinds : tuple of Pod
        One representative pod per kind; its name and node mean nothing.
    completed : tuple of Pod
        The pods left out.
    """

    def __init__(self, pods: Iterable[Pod], node_index: Mapping[str, int]) -> None:
        every = tuple(pods)
        self.pods = tuple(pod for pod in every if not pod.completed)
        self.completed = tuple(pod for pod in every if pod.completed)
        self.kind_of, self.kinds = _grouped(self.pods)
        self._node_index = node_index

    @cached_property
    def current(self) -> Index:
        """Shape (pods,): where the pod is as read; `UNPLACED` when pending or on an unknown node."""
        index = self._node_index
        places = (index.get(pod.node_name or "", UNPLACED) for pod in self.pods)
        return np.fromiter(places, dtype=np.int32, count=len(self.pods))

    @cached_property
    def named(self) -> NDArray[np.bool_]:
        """Shape (pods,): which pods have a node as read, known or not."""
        return np.fromiter((pod.node_name is not None for pod in self.pods), bool, len(self.pods))

    @cached_property
    def count(self) -> NDArray[np.int64]:
        """Shape (kinds,): how many pods each kind has."""
        return np.bincount(self.kind_of, minlength=len(self.kinds)).astype(np.int64)

    @cached_property
    def index(self) -> LabelIndex:
        """Finds kinds by namespace and labels; its positions index `kinds`."""
        return LabelIndex(self.kinds)

    @cached_property
    def by_spec(self) -> tuple[tuple[Pod, NDArray[np.int64]], ...]:
        """For each distinct spec a pod that has it, and the positions of all that do."""
        kinds: dict[int, list[int]] = {}
        for kind, pod in enumerate(self.kinds):
            kinds.setdefault(id(pod.spec), []).append(kind)
        return tuple((self.kinds[same[0]], self.members(np.array(same))) for same in kinds.values())

    @cached_property
    def _order(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        return np.argsort(self.kind_of, kind="stable"), np.concatenate(([0], np.cumsum(self.count)))

    def members(self, kinds: NDArray[np.integer]) -> NDArray[np.int64]:
        """Positions of all pods of the (distinct) `kinds`, kind after kind."""
        order, offsets = self._order
        starts, sizes = offsets[kinds], self.count[kinds]
        shift = np.repeat(starts - np.cumsum(sizes) + sizes, sizes)
        return order[shift + np.arange(int(sizes.sum()))]


def _grouped(pods: tuple[Pod, ...]) -> tuple[Index, tuple[Pod, ...]]:
    seen: dict[object, int] = {}
    kinds: list[Pod] = []
    of_pod = np.empty(len(pods), dtype=np.int32)
    for position, pod in enumerate(pods):
        key = kind_key(pod)
        kind = seen.get(key)
        if kind is None:
            kind = seen[key] = len(kinds)
            kinds.append(pod)
        of_pod[position] = kind
    return of_pod, tuple(kinds)


def kind_key(pod: Pod) -> object:
    """What makes two pods interchangeable to every rule: spec, labels, namespace, life cycle, requests."""
    metadata, status = pod.metadata, pod.status
    owner = metadata.controller
    return (
        id(pod.spec),
        metadata.namespace,
        tuple(sorted(metadata.labels.items())),
        (owner.kind, owner.name, owner.uid) if owner else (),
        MIRROR in metadata.annotations,
        metadata.deletion_timestamp is not None,
        status.nominated_node_name,
        _resized_requests(pod),
    )


def _resized_requests(pod: Pod) -> object:
    if not resized(pod):
        return ()
    return tuple(pod_requests(pod).items()), tuple(nonzero_requests(pod).items())
