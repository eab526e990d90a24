"""Nodes as positions in the order of their names, which is the order of ties."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ...model.api import Node, Pod
from ...model.cluster import Cluster
from ...model.profile import Profile

Mask = NDArray[np.bool_]
Amounts = NDArray[np.int64]


class Grid:
    """The nodes of a cluster by name; every array here and elsewhere follows this order.

    Attributes
    ----------
    names : list of str
        Sorted.
    index : dict of str to int
        Position of each name.
    """

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.names = sorted(node.name for node in cluster.nodes)
        self.index = {name: position for position, name in enumerate(self.names)}
        self._order = np.array([cluster.node_index[name] for name in self.names], dtype=np.int64)
        self._domains: dict[str, Amounts] = {}

    def domains(self, key: str) -> Amounts:
        """Shape (nodes,): the domain of each node for a topology key, -1 without it. Do not write to it."""
        found = self._domains.get(key)
        if found is None:
            found = self._domains[key] = self.cluster.topology.domains(key).of_node[self._order]
        return found

    def eligible(self, pod: Pod, profile: Profile) -> Mask:
        """Shape (nodes,): the nodes that the static filters admit."""
        return self.cluster.static_nodes.eligible(pod, profile)[self._order]

    def evaluate(self, pod: Pod, profile: Profile, function: Callable[[Node], int]) -> Amounts:
        """Shape (nodes,): a static function of the nodes, which reads what `pod`'s selectors read."""
        return self.cluster.static_nodes.evaluate(pod, profile, function)[self._order]

    def tolerated(self, pod: Pod) -> Mask:
        """Shape (nodes,): the nodes whose hard taints the pod tolerates."""
        return self.cluster.static_nodes.tolerated(pod)[self._order]

    def images(self, pod: Pod) -> Amounts | None:
        """Shape (nodes,): ImageLocality's scores; None when no node has any of the images."""
        found = self.cluster.images.scores(pod)
        return None if found is None else found[self._order]
