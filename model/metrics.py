"""Figures about a placement that no objective uses: how full, how even, how fair.

All amounts are plain requests in scheduler units; pods that are not completed
count, placed or not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .final import FinalState
from .resource_costs import nodes_in_use
from .resources import CPU, MEMORY, PODS
from .usage import by_node, capacities, per_kind, plain_request, resource_names

Reals = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Metrics:
    """Figures of one placement.

    Parameters
    ----------
    utilization : mapping of str to float
        Per resource, requested of what all nodes together can allocate (1 = all).
    imbalance : mapping of str to float
        Per resource, standard deviation of the utilisation over the nodes that list it.
    fragmentation : mapping of str to float
        Per resource, share of the free amount that lies on nodes without room for a typical pod:
        one that requests, of each resource, the median of the pods that request it at all.
    fairness : float
        Jain's index of the namespaces' dominant shares, 1/n (one has all) to 1 (all have the same);
        a namespace's dominant share is its largest share of any resource, placed pods only.
    nodes_in_use : int
        Nodes that hold a pod which is not of a DaemonSet, mirrored or terminating.
    placed : mapping of int to (int, int)
        Per priority, highest first: pods placed, and pods there are.
    """

    utilization: Mapping[str, float]
    imbalance: Mapping[str, float]
    fragmentation: Mapping[str, float]
    fairness: float
    nodes_in_use: int
    placed: Mapping[int, tuple[int, int]]


def measure(final: FinalState) -> Metrics:
    """Figures of a final placement.

    Resources are cpu, memory and whatever else pods request, as far as some node lists it.
    """
    resources = [_Resource.of(final, name) for name in dict.fromkeys((CPU, MEMORY, *resource_names(final)))]
    resources = [resource for resource in resources if resource.offered.any()]
    in_use = nodes_in_use(final)
    return Metrics(
        utilization={r.name: float(r.used.sum() / r.offered.sum()) for r in resources},
        imbalance={r.name: float(np.std(r.used[r.lists] / r.offered[r.lists])) for r in resources},
        fragmentation=_fragmentation(final, resources),
        fairness=jain(_dominant_shares(final, resources)),
        nodes_in_use=0 if in_use is None else in_use.cost,
        placed=_placed(final),
    )


@dataclass(frozen=True, eq=False)
class _Resource:
    name: str
    requests: Reals
    offered: Reals
    used: Reals

    @classmethod
    def of(cls, final: FinalState, name: str) -> _Resource:
        amounts = per_kind(final, name, plain_request)
        return cls(
            name,
            np.array(amounts, dtype=np.float64),
            np.array(capacities(final.nodes, name), dtype=np.float64),
            by_node(final, amounts).astype(np.float64),
        )

    @property
    def lists(self) -> NDArray[np.bool_]:
        """Shape (nodes,): which nodes list the resource."""
        return self.offered > 0

    @property
    def free(self) -> Reals:
        """Shape (nodes,): what is left."""
        return np.maximum(self.offered - self.used, 0)


def _fragmentation(final: FinalState, resources: Sequence[_Resource]) -> dict[str, float]:
    everyone = np.ones(len(final.pods), dtype=bool)
    slots = np.array(capacities(final.nodes, PODS)) - final.count_by_node(everyone)
    room = slots >= 1
    for resource in resources:
        wanted = resource.requests[final.kind_of]
        if wanted.any():
            room &= resource.free >= np.median(wanted[wanted > 0])
    free = {resource.name: resource.free for resource in resources}
    return {name: float(left[~room].sum() / left.sum()) if left.any() else 0.0 for name, left in free.items()}


def _dominant_shares(final: FinalState, resources: Sequence[_Resource]) -> list[float]:
    """Largest share of any resource, per namespace that requests something."""
    numbers: dict[str, int] = {}
    of_kind = np.array([numbers.setdefault(k.namespace, len(numbers)) for k in final.kinds], dtype=np.int64)
    namespace = of_kind[final.kind_of]
    placed = final.node_of >= 0
    wanted = np.zeros(len(numbers))
    shares = np.zeros(len(numbers))
    for resource in resources:
        amounts = resource.requests[final.kind_of] / resource.offered.sum()
        wanted += np.bincount(namespace, amounts, len(numbers))
        shares = np.maximum(shares, np.bincount(namespace[placed], amounts[placed], len(numbers)))
    return shares[wanted > 0].tolist()


def jain(shares: Sequence[float]) -> float:
    """Jain's fairness index: squared sum over n times the sum of squares; 1 when nobody has anything.

    Source: R. Jain, D. Chiu, W. Hawe, "A quantitative measure of fairness", DEC-TR-301, 1984.
    """
    squares = sum(share * share for share in shares)
    return sum(shares) ** 2 / (len(shares) * squares) if squares else 1.0


def _placed(final: FinalState) -> dict[int, tuple[int, int]]:
    priorities = np.array([kind.priority for kind in final.kinds], dtype=np.int64)[final.kind_of]
    placed = final.node_of >= 0
    tiers: list[int] = sorted(set(priorities.tolist()), reverse=True)
    return {
        tier: (int((placed & (priorities == tier)).sum()), int((priorities == tier).sum())) for tier in tiers
    }
