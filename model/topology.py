"""Topology domains: the nodes that share the value of a label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .api import Node

NO_DOMAIN = -1


@dataclass(frozen=True, eq=False, slots=True)
class Domains:
    """The domains of one topology key.

    Parameters
    ----------
    key : str
        The node label.
    values : tuple of str
        The label's values in the order of the nodes; positions number the domains.
    of_node : NDArray of int64, shape (nodes,)
        The domain of each node, `NO_DOMAIN` for a node without the label.
    """

    key: str
    values: tuple[str, ...]
    of_node: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.values)

    def count(self, nodes: NDArray[np.integer]) -> NDArray[np.int64]:
        """Shape (domains,): how many of the node positions `nodes` lie in each domain."""
        found = self.of_node[nodes]
        return np.bincount(found[found >= 0], minlength=len(self.values)).astype(np.int64)


class Topology:
    """The domains of any topology key, computed when first asked for.

    Parameters
    ----------
    nodes : sequence of Node
        Positions index every node array.
    """

    def __init__(self, nodes: Sequence[Node]) -> None:
        self._nodes = tuple(nodes)
        self._domains: dict[str, Domains] = {}

    def domains(self, key: str) -> Domains:
        """The domains of `key`."""
        found = self._domains.get(key)
        if found is None:
            found = self._domains[key] = self._number(key)
        return found

    def _number(self, key: str) -> Domains:
        numbers: dict[str, int] = {}
        of_node = np.full(len(self._nodes), NO_DOMAIN, dtype=np.int64)
        for position, node in enumerate(self._nodes):
            value = node.labels.get(key)
            if value is not None:
                of_node[position] = numbers.setdefault(value, len(numbers))
        return Domains(key, tuple(numbers), of_node)
