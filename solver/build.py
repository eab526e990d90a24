"""From a cluster and its free pods to the arrays of a `Problem`."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ..model.api import Pod
from ..model.claims import has_own_claims
from ..model.cluster import Cluster
from ..model.eligibility import StaticNodes
from ..model.final import kind_key
from ..model.profile import Profile, SchedulerConfiguration
from ..model.resources import PODS, pod_requests
from ..model.usage import checks
from .problem import Pinned, PodClass, Problem, allocatable_array, profile_for
from .signatures import Signatures

Ints = NDArray[np.int64]


def build_problem(
    cluster: Cluster,
    configuration: SchedulerConfiguration,
    free: frozenset[str],
    *,
    question: str = "pending",
    profile: Profile | None = None,
) -> Problem:
    """Build the arrays of a placement problem.

    Parameters
    ----------
    cluster : Cluster
        After admission (`model.admission.admit`).
    configuration : SchedulerConfiguration
    free : frozenset of str
        Keys of the pods to place; every other pod with a known node is pinned.
    question : str
    profile : Profile, optional
        The profile that node terms follow; default the first.

    Returns
    -------
    Problem
    """
    free_pods = tuple(sorted((pod for pod in cluster.pods if pod.key in free), key=_queue_key))
    classes = _classes(cluster, configuration, free_pods)
    pinned = _pinned(cluster, free)
    resources, demand = _requests([cls.pod for cls in classes], None)
    compared = [[checks(cls.profile, name) for name in resources] for cls in classes]
    return Problem(
        cluster=cluster,
        configuration=configuration,
        profile=profile or configuration.profiles[0],
        question=question,
        nodes=cluster.nodes,
        free=free_pods,
        classes=classes,
        pinned=pinned,
        resources=resources,
        demand=demand,
        request=demand * np.array(compared, dtype=bool).reshape(demand.shape),
        capacity=_capacity(cluster, pinned, resources),
        origin=_origins(cluster, classes, free_pods),
        idle=_idle(cluster, free),
        static=StaticNodes(cluster.nodes),
    )


def _queue_key(pod: Pod) -> tuple[int, int]:
    return -pod.priority, pod.metadata.creation_timestamp or 0


def _classes(
    cluster: Cluster, configuration: SchedulerConfiguration, free: tuple[Pod, ...]
) -> tuple[PodClass, ...]:
    signatures = Signatures(cluster)
    members: dict[object, list[int]] = {}
    of_kind: dict[object, object] = {}
    for position, pod in enumerate(free):
        kind = _kind(pod)
        signature = of_kind.get(kind)
        if signature is None:
            signature = of_kind[kind] = signatures.of(pod, profile_for(configuration, pod))
        members.setdefault(signature, []).append(position)
    return tuple(
        PodClass(index, free[group[0]], profile_for(configuration, free[group[0]]), tuple(group))
        for index, group in enumerate(members.values())
    )


def _kind(pod: Pod) -> object:
    """What makes pods interchangeable; claims of its own make a pod unique."""
    return kind_key(pod), pod.name if has_own_claims(pod) else "", pod.node_name is None


def _pinned(cluster: Cluster, free: frozenset[str]) -> Pinned:
    index = cluster.node_index
    numbers: dict[object, int] = {}
    kinds: list[Pod] = []
    kind: list[int] = []
    node: list[int] = []
    for pod in cluster.pods:
        place = index.get(pod.node_name) if pod.node_name else None
        if place is None or pod.completed or pod.key in free:
            continue
        number = numbers.setdefault(_kind(pod), len(kinds))
        if number == len(kinds):
            kinds.append(pod)
        kind.append(number)
        node.append(place)
    return Pinned(tuple(kinds), np.array(kind, dtype=np.int64), np.array(node, dtype=np.int64))


def _idle(cluster: Cluster, free: frozenset[str]) -> tuple[tuple[Pod, int], ...]:
    index = cluster.node_index
    kinds: dict[object, tuple[Pod, int]] = {}
    for pod in cluster.pods:
        if pod.completed or pod.key in free or (pod.node_name or "") in index:
            continue
        key = _kind(pod)
        kinds[key] = (pod, kinds.get(key, (pod, 0))[1] + 1)
    return tuple(kinds.values())


def _requests(pods: list[Pod], names: tuple[str, ...] | None) -> tuple[tuple[str, ...], Ints]:
    wanted: list[Mapping[str, int]] = [{**pod_requests(pod), PODS: 1} for pod in pods]
    if names is None:
        used = sorted({name for amounts in wanted for name, amount in amounts.items() if amount} - {PODS})
        names = (PODS, *used)
    rows = [[amounts.get(name, 0) for name in names] for amounts in wanted]
    return names, np.array(rows, dtype=np.int64).reshape(len(pods), len(names))


def _capacity(cluster: Cluster, pinned: Pinned, resources: tuple[str, ...]) -> Ints:
    allocatable = allocatable_array(cluster.nodes, resources)
    _, amounts = _requests(list(pinned.kinds), resources)
    return allocatable - pinned.usage(amounts, len(cluster.nodes))


def _origins(cluster: Cluster, classes: tuple[PodClass, ...], free: tuple[Pod, ...]) -> Ints:
    index = cluster.node_index
    origin = np.zeros((len(classes), len(cluster.nodes)), dtype=np.int64)
    for cls in classes:
        for position in cls.members:
            place = index.get(free[position].node_name or "")
            if place is not None:
                origin[cls.index, place] += 1
    return origin


def without_nodes(cluster: Cluster, free: frozenset[str]) -> Cluster:
    """The cluster with the free pods pending."""
    if not any(pod.node_name and pod.key in free for pod in cluster.pods):
        return cluster
    pods = tuple(
        pod.model_copy(update={"node_name": None}) if pod.key in free and pod.node_name else pod
        for pod in cluster.pods
    )
    return cluster.with_changes(pods=pods)
