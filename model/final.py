"""A placement as a final state: where every pod ends up, without an order.

Arrays are indexed by pod and node positions; pods that no rule can tell apart
share a *kind*, so that a rule does its matching once per kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .api import Node, Pod
from .cluster import Cluster
from .profile import Profile, SchedulerConfiguration
from .selection import LabelIndex

UNPLACED = -1
Index = NDArray[np.int32]


@dataclass(frozen=True)
class FinalState:
    """Where every pod of a cluster ends up.

    Parameters
    ----------
    cluster : Cluster
        After admission. Its ``node_name`` fields are the current placement.
    placement : mapping of str to (str or None)
        Node of each pod by ``namespace/name``; a pod that is absent stays where it is.
    unplaced_free : frozenset of str
        Pods that a question places anew although they run (`scratch`): their origin does
        not count as staying.
    configuration : SchedulerConfiguration
        The profiles whose arguments (added affinity, default spread constraints) rules read.

    Notes
    -----
    Completed pods are left out: they hold nothing. Pods on nodes that do not
    exist count nowhere: they are `UNPLACED` with an `origin` of `UNPLACED`.
    """

    cluster: Cluster
    placement: Mapping[str, str | None]
    unplaced_free: frozenset[str] = frozenset()
    configuration: SchedulerConfiguration = field(default_factory=SchedulerConfiguration)

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        """The nodes; positions index every node array."""
        return self.cluster.nodes

    @cached_property
    def pods(self) -> tuple[Pod, ...]:
        """Pods that are not completed; positions index every pod array."""
        return tuple(pod for pod in self.cluster.pods if not pod.completed)

    @cached_property
    def node_of(self) -> Index:
        """Shape (pods,): the node's position, or `UNPLACED`."""
        index, placement = self.cluster.node_index, self.placement
        return np.fromiter(
            (index.get(placement.get(pod.key, pod.node_name) or "", UNPLACED) for pod in self.pods),
            dtype=np.int32,
            count=len(self.pods),
        )

    @cached_property
    def origin(self) -> Index:
        """Shape (pods,): where the pod is now; `UNPLACED` for pending pods and pods placed anew."""
        index, anew = self.cluster.node_index, self.unplaced_free
        return np.fromiter(
            (UNPLACED if pod.key in anew else index.get(pod.node_name or "", UNPLACED) for pod in self.pods),
            dtype=np.int32,
            count=len(self.pods),
        )

    @cached_property
    def staying(self) -> NDArray[np.bool_]:
        """Shape (pods,): on a node, and already there before."""
        return (self.node_of >= 0) & (self.node_of == self.origin)

    @cached_property
    def arriving(self) -> NDArray[np.bool_]:
        """Shape (pods,): on a node, and not there before: it must be admitted."""
        return (self.node_of >= 0) & (self.node_of != self.origin)

    @cached_property
    def _kinds(self) -> tuple[Index, tuple[Pod, ...]]:
        seen: dict[object, int] = {}
        kinds: list[Pod] = []
        of_pod = np.empty(len(self.pods), dtype=np.int32)
        for position, pod in enumerate(self.pods):
            key = kind_key(pod)
            kind = seen.get(key)
            if kind is None:
                kind = seen[key] = len(kinds)
                kinds.append(pod)
            of_pod[position] = kind
        return of_pod, tuple(kinds)

    @property
    def kind_of(self) -> Index:
        """Shape (pods,): the pod's kind."""
        return self._kinds[0]

    @property
    def kinds(self) -> tuple[Pod, ...]:
        """One representative pod per kind; its name and node mean nothing."""
        return self._kinds[1]

    @cached_property
    def kind_index(self) -> LabelIndex:
        """Finds kinds by namespace and labels; its positions index `kinds`."""
        return LabelIndex(self.kinds)

    @cached_property
    def _by_kind(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        order = np.argsort(self.kind_of, kind="stable")
        sizes = np.bincount(self.kind_of, minlength=len(self.kinds))
        return order, np.concatenate(([0], np.cumsum(sizes)))

    def pods_of(self, kinds: NDArray[np.integer]) -> NDArray[np.int64]:
        """Positions of all pods of the (distinct) `kinds`, kind after kind."""
        order, offsets = self._by_kind
        starts, sizes = offsets[kinds], offsets[kinds + 1] - offsets[kinds]
        shift = np.repeat(starts - np.cumsum(sizes) + sizes, sizes)
        return order[shift + np.arange(int(sizes.sum()))]

    def profile_of(self, pod: Pod) -> Profile | None:
        """The profile of the pod's scheduler, or None when there is none."""
        return self.configuration.profile(pod.spec.scheduler_name)

    def count_by_node(self, which: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Shape (nodes,): how many of the pods in mask `which` (shape (pods,)) are on each node."""
        places = self.node_of[which]
        return np.bincount(places[places >= 0], minlength=len(self.nodes)).astype(np.int64)


def kind_key(pod: Pod) -> object:
    """What makes two pods interchangeable to every rule: spec, labels, namespace, life cycle, resize."""
    status = pod.status
    owner = pod.metadata.controller
    resized = bool(status.resources or status.allocated_resources or status.container_statuses)
    return (
        id(pod.spec),
        pod.metadata.namespace,
        tuple(sorted(pod.metadata.labels.items())),
        (owner.kind, owner.name, owner.uid) if owner else (),
        pod.terminating,
        status.nominated_node_name,
        id(status) if resized else 0,
    )
