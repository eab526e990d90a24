"""Whether a cluster's amounts can be added up in 64 bits, as every part of kubestow does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from .api import Node, Pod
from .cluster import Cluster
from .errors import BadInput
from .quantity import CPU, MOST
from .resources import nonzero_requests, pod_requests, to_units
from .state import allocatable

Thing = TypeVar("Thing", Node, Pod)


@dataclass(slots=True)
class _Sum:
    """Of one resource over all nodes or pods, and who has most of it."""

    total: int = 0
    largest: int = 0
    name: str = ""


def check_sizes(cluster: Cluster) -> None:
    """See that no sum over all nodes or all pods, of any resource, exceeds `quantity.MOST` units.

    Parameters
    ----------
    cluster : Cluster
        After admission: limits without requests count.

    Raises
    ------
    BadInput
        Naming the object that has most of the resource.
    """
    waiting = [pod for pod in cluster.pods if not pod.completed]
    _check(cluster.nodes, _offers, "Node/{0.name}", "all nodes together offer {} of {}")
    _check(waiting, _requests, "Pod/{0.key}", "all pods together request {} of {}")


def _check(
    things: Iterable[Thing], amounts: Callable[[Thing], Mapping[str, int]], name: str, sentence: str
) -> None:
    sums: dict[str, _Sum] = {}
    for thing in things:
        for resource, amount in amounts(thing).items():
            found = sums.setdefault(resource, _Sum())
            found.total += amount
            if amount > found.largest:
                found.largest, found.name = amount, name.format(thing)
    for resource, found in sums.items():
        if found.total > MOST:
            unit = "m" if resource == CPU else ""
            together = sentence.format(f"{found.total}{unit}", resource)
            raise BadInput(
                f"{together}, this one {found.largest}{unit}; sums must stay within {MOST}{unit}, 62 bits",
                object=found.name,
                field=resource,
            )


def _offers(node: Node) -> Mapping[str, int]:
    return to_units(allocatable(node))


def _requests(pod: Pod) -> Mapping[str, int]:
    plain, counted = pod_requests(pod), nonzero_requests(pod)
    return {name: max(plain.get(name, 0), counted.get(name, 0)) for name in {**plain, **counted}}
