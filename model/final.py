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
from .kinds import UNPLACED as UNPLACED
from .kinds import Index
from .kinds import kind_key as kind_key
from .profile import Profile, SchedulerConfiguration
from .selection import LabelIndex


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
        return self.cluster.pod_kinds.pods

    @cached_property
    def node_of(self) -> Index:
        """Shape (pods,): the node's position, or `UNPLACED`."""
        index, placement = self.cluster.node_index, self.placement
        if not placement:
            return self.current
        return np.fromiter(
            (index.get(placement.get(pod.key, pod.node_name) or "", UNPLACED) for pod in self.pods),
            dtype=np.int32,
            count=len(self.pods),
        )

    @property
    def current(self) -> Index:
        """Shape (pods,): where the pod is in the placement that was read; `UNPLACED` when pending."""
        return self.cluster.pod_kinds.current

    @cached_property
    def origin(self) -> Index:
        """Shape (pods,): where the pod is now; `UNPLACED` for pending pods and pods placed anew."""
        if not self.unplaced_free:
            return self.current
        anew = np.fromiter((pod.key in self.unplaced_free for pod in self.pods), bool, len(self.pods))
        return np.where(anew, np.int32(UNPLACED), self.current)

    @cached_property
    def staying(self) -> NDArray[np.bool_]:
        """Shape (pods,): on a node, and already there before."""
        return (self.node_of >= 0) & (self.node_of == self.origin)

    @cached_property
    def arriving(self) -> NDArray[np.bool_]:
        """Shape (pods,): on a node, and not there before: it must be admitted."""
        return (self.node_of >= 0) & (self.node_of != self.origin)

    @property
    def kind_of(self) -> Index:
        """Shape (pods,): the pod's kind."""
        return self.cluster.pod_kinds.kind_of

    @property
    def kinds(self) -> tuple[Pod, ...]:
        """One representative pod per kind; its name and node mean nothing."""
        return self.cluster.pod_kinds.kinds

    @property
    def kind_index(self) -> LabelIndex:
        """Finds kinds by namespace and labels; its positions index `kinds`."""
        return self.cluster.pod_kinds.index

    def pods_of(self, kinds: NDArray[np.integer]) -> NDArray[np.int64]:
        """Positions of all pods of the (distinct) `kinds`, kind after kind."""
        return self.cluster.pod_kinds.members(kinds)

    def profile_of(self, pod: Pod) -> Profile | None:
        """The profile of the pod's scheduler, or None when there is none."""
        return self.configuration.profile(pod.spec.scheduler_name)

    def profile_or_first(self, pod: Pod) -> Profile:
        """The profile of the pod's scheduler, or the first one for pods of other schedulers."""
        return self.profile_of(pod) or self.configuration.profiles[0]

    def checked(self, pod: Pod, rule: str) -> bool:
        """Whether the pod's profile runs the filter `rule`: what others break of it is no violation."""
        return rule in self.profile_or_first(pod).filters

    def prepared(self, pod: Pod, rule: str) -> bool:
        """Whether the pod's profile runs the PreFilter of `rule`, be it without its Filter."""
        return rule in self.profile_or_first(pod).prepared

    def keys_of(self, positions: NDArray[np.integer]) -> tuple[str, ...]:
        """Sorted keys of the pods at `positions`."""
        listed: list[int] = positions.tolist()
        return tuple(sorted(self.pods[position].key for position in listed))

    def stands(self, positions: NDArray[np.integer]) -> list[tuple[Pod, Node]]:
        """The pods at `positions`, all placed, each with its node."""
        listed: list[int] = positions.tolist()
        places: list[int] = self.node_of[positions].tolist()
        return [(self.pods[p], self.nodes[n]) for p, n in zip(listed, places, strict=True)]

    @cached_property
    def _by_node(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        order = np.argsort(self.node_of, kind="stable")
        return order, np.searchsorted(self.node_of[order], np.arange(len(self.nodes) + 1))

    def pods_on(self, node: int) -> NDArray[np.int64]:
        """Positions of the pods on a node, ascending."""
        order, offsets = self._by_node
        return order[offsets[node] : offsets[node + 1]]

    def count_by_node(self, which: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Shape (nodes,): how many of the pods in mask `which` (shape (pods,)) are on each node."""
        places = self.node_of[which]
        return np.bincount(places[places >= 0], minlength=len(self.nodes)).astype(np.int64)
