"""Claims, volumes and storage classes: what could serve a claim on which node.

Everything here is static matching: it reads objects as they were given, never
a placement. The rules and the encoders share it.

Source: https://kubernetes.io/docs/concepts/storage/storage-classes/,
https://kubernetes.io/docs/concepts/storage/storage-capacity/
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property

from .api import CSIDriver, CSIStorageCapacity, Node, PersistentVolume, PersistentVolumeClaim, StorageClass
from .api.storage import TopologySelectorTerm
from .claims import STORAGE, Claims, bound, capacity, claim_class, requested, reserved_for, volume_class
from .labels import InvalidSelector, selects, valid_value
from .quantity import value
from .volume_reach import VolumeReach

NO_PROVISIONER = "kubernetes.io/no-provisioner"


class Binding(Enum):
    """How far a claim has come."""

    BOUND = "bound"
    IMMEDIATE = "immediate"
    """Not bound, and not kube-scheduler's to bind: its pod waits."""
    DELAYED = "delayed"
    """Bound or provisioned once a pod has its node (WaitForFirstConsumer)."""


class Provisioning(Enum):
    """Whether a volume can be made for a claim on a node."""

    POSSIBLE = "possible"
    UNAVAILABLE = "unavailable"
    """No provisioner, or not within the class's ``allowedTopologies``."""
    NO_SPACE = "no space"
    """The driver tracks capacity, and no segment of the node has room."""


@dataclass(slots=True)
class _Pool:
    """Available volumes of a class, in groups that the same nodes reach, smallest first."""

    everywhere: list[PersistentVolume] = field(default_factory=list[PersistentVolume])
    by_node: dict[str, list[list[PersistentVolume]]] = field(
        default_factory=dict[str, list[list[PersistentVolume]]]
    )


class Storage:
    """Answers about claims and volumes, computed once per distinct question.

    Parameters
    ----------
    reach : VolumeReach
    claims : mapping of str to PersistentVolumeClaim
        By ``namespace/name``.
    volumes, classes, drivers : mapping of str to object
        By name.
    capacities : iterable of CSIStorageCapacity
    """

    def __init__(
        self,
        reach: VolumeReach,
        claims: Claims,
        volumes: Mapping[str, PersistentVolume],
        classes: Mapping[str, StorageClass],
        drivers: Mapping[str, CSIDriver],
        capacities: Iterable[CSIStorageCapacity],
    ) -> None:
        self.reach = reach
        self.claims = claims
        self.volumes = volumes
        self.classes = classes
        self._drivers = drivers
        self._capacities = tuple(capacities)
        self._pools: dict[str, _Pool] = {}
        self._allowed: dict[tuple[str, str], bool] = {}
        self._segments: dict[tuple[str, str], tuple[CSIStorageCapacity, ...]] = {}

    def binding(self, claim: PersistentVolumeClaim) -> Binding:
        """How far `claim` has come."""
        if bound(claim):
            return Binding.BOUND
        storage_class = self.classes.get(claim_class(claim))
        waits = storage_class is not None and storage_class.volume_binding_mode == "WaitForFirstConsumer"
        return Binding.DELAYED if waits and not claim.spec.volume_name else Binding.IMMEDIATE

    def reserved(self, claim: PersistentVolumeClaim) -> list[PersistentVolume]:
        """Volumes of the claim's class whose ``claimRef`` names it, by name."""
        named = self._reserved.get((claim.metadata.namespace, claim.metadata.name), ())
        wanted = claim_class(claim)
        return [v for v in named if reserved_for(v, claim) and volume_class(v) == wanted]

    @cached_property
    def _reserved(self) -> Mapping[tuple[str, str], list[PersistentVolume]]:
        found: dict[tuple[str, str], list[PersistentVolume]] = {}
        for volume in sorted(self.volumes.values(), key=lambda volume: volume.name):
            reference = volume.spec.claim_ref
            if reference is not None:
                found.setdefault((reference.namespace, reference.name), []).append(volume)
        return found

    def available(self, class_name: str, node: str) -> Iterator[PersistentVolume]:
        """Unclaimed volumes of the class within reach of `node`, smallest first, then by name."""
        pool = self._pools.get(class_name)
        if pool is None:
            pool = self._pools[class_name] = self._pool(class_name)
        return heapq.merge(pool.everywhere, *pool.by_node.get(node, ()), key=_size)

    def _pool(self, class_name: str) -> _Pool:
        pool = _Pool()
        groups: dict[frozenset[str], list[PersistentVolume]] = {}
        for volume in self._unclaimed.get(class_name, ()):
            nodes = self.reach.nodes(volume)
            (pool.everywhere if nodes is None else groups.setdefault(nodes, [])).append(volume)
        for nodes, group in groups.items():
            for node in nodes:
                pool.by_node.setdefault(node, []).append(group)
        return pool

    @cached_property
    def _unclaimed(self) -> Mapping[str, list[PersistentVolume]]:
        found: dict[str, list[PersistentVolume]] = {}
        for volume in sorted(self.volumes.values(), key=_size):
            if volume.status.phase == "Available" and volume.spec.claim_ref is None:
                found.setdefault(volume_class(volume), []).append(volume)
        return found

    def serves(self, claim: PersistentVolumeClaim, volume: PersistentVolume) -> bool:
        """Whether size, mode and attributes class fit: what even a volume reserved for the claim must."""
        given, wanted = volume.spec, claim.spec
        return (
            capacity(volume) >= requested(claim)
            and given.volume_mode == wanted.volume_mode
            and given.volume_attributes_class_name == (wanted.volume_attributes_class_name or "")
            and volume.metadata.deletion_timestamp is None
        )

    def suits(self, claim: PersistentVolumeClaim, volume: PersistentVolume) -> bool:
        """Whether an `available` volume of the claim's class can be bound to it.

        Raises
        ------
        InvalidSelector
            When the claim's selector cannot be parsed.
        """
        selector = claim.spec.selector
        return (
            self.serves(claim, volume)
            and set(claim.spec.access_modes) <= set(volume.spec.access_modes)
            and (selector is None or selects(selector, volume.metadata.labels))
        )

    def provisioning(
        self, claim: PersistentVolumeClaim, node: Node
    ) -> tuple[Provisioning, CSIStorageCapacity | None]:
        """Whether a volume can be made for `claim` on `node`, and the segment it would come from.

        The segment is None where the driver does not track capacity.
        """
        storage_class = self.classes.get(claim_class(claim))
        if storage_class is None or storage_class.provisioner in ("", NO_PROVISIONER):
            return Provisioning.UNAVAILABLE, None
        if not self._allows(storage_class, node):
            return Provisioning.UNAVAILABLE, None
        driver = self._drivers.get(storage_class.provisioner)
        if STORAGE not in claim.spec.resources.requests or driver is None or not driver.spec.storage_capacity:
            return Provisioning.POSSIBLE, None
        size = value(requested(claim))
        for segment in self._within(storage_class, node):
            if _largest(segment) >= size:
                return Provisioning.POSSIBLE, segment
        return Provisioning.NO_SPACE, None

    def _allows(self, storage_class: StorageClass, node: Node) -> bool:
        key = storage_class.name, node.name
        if key not in self._allowed:
            terms = storage_class.allowed_topologies
            self._allowed[key] = not terms or any(_topology_matches(term, node) for term in terms)
        return self._allowed[key]

    def _within(self, storage_class: StorageClass, node: Node) -> tuple[CSIStorageCapacity, ...]:
        key = storage_class.name, node.name
        if key not in self._segments:
            found = (c for c in self._capacities if c.storage_class_name == storage_class.name)
            near = [segment for segment in found if _accessible(segment, node)]
            self._segments[key] = tuple(sorted(near, key=lambda s: (s.metadata.namespace, s.metadata.name)))
        return self._segments[key]


def _size(volume: PersistentVolume) -> tuple[int, str]:
    return capacity(volume), volume.name


def _largest(segment: CSIStorageCapacity) -> int:
    limit = segment.capacity if segment.maximum_volume_size is None else segment.maximum_volume_size
    return -1 if limit is None else value(limit)


def _accessible(segment: CSIStorageCapacity, node: Node) -> bool:
    try:
        return selects(segment.node_topology, node.labels)
    except InvalidSelector:
        return False


def _topology_matches(term: TopologySelectorTerm, node: Node) -> bool:
    expressions = term.match_label_expressions
    return bool(expressions) and all(
        node.labels.get(e.key) in e.values and all(map(valid_value, e.values)) for e in expressions
    )
