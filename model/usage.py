"""What pods request and nodes offer, summed per node over a final state, exactly.

Amounts are Python integers per kind of pod and per node. Arrays hold 64-bit
integers where no sum can leave them, and Python integers otherwise: requests
come from hostile input and may be as large as a quantity gets.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from .api import Node, Pod
from .final import FinalState
from .profile import Profile
from .resources import CPU, MEMORY, PODS, extended, nonzero_requests, pod_requests, to_units
from .state import allocatable

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
LARGEST = 2**62


def integers(values: Sequence[int], bound: int) -> Ints:
    """`values` as an array that stays exact while sums and products keep below `bound`."""
    return cast(Ints, np.array(values, dtype=np.int64 if bound < LARGEST else object))


def widened(values: Ints, bound: int) -> Ints:
    """`values` itself, or as Python integers when results may reach `bound` beyond 64 bits."""
    return values if bound < LARGEST else values.astype(cast(Any, object))


def capacities(nodes: Sequence[Node], name: str) -> tuple[int, ...]:
    """Allocatable amount of resource `name` per node, in scheduler units; 0 where it is not listed."""
    return tuple(to_units({name: allocatable(node).get(name, 0)})[name] for node in nodes)


def plain_request(pod: Pod, name: str) -> int:
    """What the pod takes of resource `name`; one of ``pods``."""
    return 1 if name == PODS else pod_requests(pod).get(name, 0)


def nonzero_request(pod: Pod, name: str) -> int:
    """What NodeResourcesFit's score counts: cpu and memory with defaults where nothing is stated."""
    if name not in (CPU, MEMORY):
        return pod_requests(pod).get(name, 0)
    return nonzero_requests(pod).get(name, 0)


def resource_names(final: FinalState) -> tuple[str, ...]:
    """Resources that some pod requests, sorted."""
    return tuple(
        sorted({name for kind in final.kinds for name, amount in pod_requests(kind).items() if amount})
    )


def per_kind(final: FinalState, name: str, request: Callable[[Pod, str], int]) -> tuple[int, ...]:
    """`request` of resource `name` for each kind of pod."""
    return tuple(request(kind, name) for kind in final.kinds)


def total(final: FinalState, amounts: Sequence[int]) -> int:
    """Sum over all pods, placed or not, of amounts given per kind."""
    counts = final.cluster.pod_kinds.count.tolist()
    return sum(amount * count for amount, count in zip(amounts, counts, strict=True))


def by_node(final: FinalState, amounts: Sequence[int], places: NDArray[np.int32] | None = None) -> Ints:
    """Sum of amounts given per kind over the pods on each node.

    Parameters
    ----------
    amounts : sequence of int, one per kind
    places : array, shape (pods,), optional
        Node position of each pod, or -1; where the pods end up, if not given.

    Returns
    -------
    array, shape (nodes,)
    """
    places = final.node_of if places is None else places
    bound = max(amounts, default=0) * len(final.pods)
    of_kind = integers(amounts, bound)
    sums = integers([0] * len(final.nodes), bound)
    on = places >= 0
    np.add.at(sums, places[on], of_kind[final.kind_of[on]])
    return sums


def checks(profile: Profile, name: str) -> bool:
    """Whether the profile's NodeResourcesFit filter looks at resource `name`.

    Source: ``NodeResourcesFitArgs.ignoredResources`` and ``ignoredResourceGroups``.
    """
    if "NodeResourcesFit" not in profile.filters:
        return False
    if not extended(name):
        return True
    return name not in profile.ignored_resources and name.split("/")[0] not in profile.ignored_resource_groups
