"""A cluster: every API object that scheduling reads, immutable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from .affinity_terms import AffinityTerms
from .api import (
    CSIDriver,
    CSINode,
    CSIStorageCapacity,
    Namespace,
    Node,
    PersistentVolume,
    PersistentVolumeClaim,
    Pod,
    PodDisruptionBudget,
    PriorityClass,
    Service,
    StorageClass,
    VolumeAttachment,
    Workload,
)
from .csi import Csi
from .eligibility import StaticNodes
from .fixed import Forced
from .images import NodeImages
from .kinds import PodKinds
from .reasons import Warning
from .spread_constraints import DefaultSelectors
from .storage import Storage
from .storage_scores import StorageScores
from .topology import Topology
from .volume_reach import VolumeReach


@dataclass(frozen=True)
class Cluster:
    """All objects of one cluster, each kind in the order of the input.

    Parameters
    ----------
    nodes, pods, ... : tuple
        The objects. Nodes, pods and namespaced objects have unique names.
    kinds : frozenset of str
        Kinds that the input can be assumed to list completely; a kind that is
        absent leaves its rules blind, which `warnings` says.
    warnings : tuple of Warning
        What the reader found: fields not modelled, kinds missing, duplicates merged.
    """

    nodes: tuple[Node, ...] = ()
    pods: tuple[Pod, ...] = ()
    namespaces: tuple[Namespace, ...] = ()
    priority_classes: tuple[PriorityClass, ...] = ()
    persistent_volumes: tuple[PersistentVolume, ...] = ()
    persistent_volume_claims: tuple[PersistentVolumeClaim, ...] = ()
    storage_classes: tuple[StorageClass, ...] = ()
    csi_nodes: tuple[CSINode, ...] = ()
    csi_drivers: tuple[CSIDriver, ...] = ()
    csi_storage_capacities: tuple[CSIStorageCapacity, ...] = ()
    volume_attachments: tuple[VolumeAttachment, ...] = ()
    pod_disruption_budgets: tuple[PodDisruptionBudget, ...] = ()
    services: tuple[Service, ...] = ()
    workloads: tuple[Workload, ...] = ()
    kinds: frozenset[str] = frozenset()
    warnings: tuple[Warning, ...] = field(default=())

    @cached_property
    def node_index(self) -> Mapping[str, int]:
        """Position of each node by name."""
        return {node.name: position for position, node in enumerate(self.nodes)}

    @cached_property
    def pod_by_key(self) -> Mapping[str, Pod]:
        """Each pod by ``namespace/name``."""
        return {pod.key: pod for pod in self.pods}

    @cached_property
    def namespace_labels(self) -> Mapping[str, Mapping[str, str]]:
        """Labels of each known namespace."""
        return {namespace.name: namespace.metadata.labels for namespace in self.namespaces}

    @cached_property
    def claims(self) -> Mapping[str, PersistentVolumeClaim]:
        """Each claim by ``namespace/name``."""
        return {claim.key: claim for claim in self.persistent_volume_claims}

    @cached_property
    def volumes(self) -> Mapping[str, PersistentVolume]:
        """Each persistent volume by name."""
        return {volume.name: volume for volume in self.persistent_volumes}

    @cached_property
    def classes(self) -> Mapping[str, StorageClass]:
        """Each storage class by name."""
        return {storage_class.name: storage_class for storage_class in self.storage_classes}

    @cached_property
    def pod_kinds(self) -> PodKinds:
        """The pods that count, grouped into kinds."""
        return PodKinds(self.pods, self.node_index)

    @cached_property
    def images(self) -> NodeImages:
        """Which nodes have pulled which images."""
        return NodeImages(self.nodes)

    @cached_property
    def topology(self) -> Topology:
        """The nodes' domains by topology key."""
        return Topology(self.nodes)

    @cached_property
    def static_nodes(self) -> StaticNodes:
        """Static functions of pod and node, evaluated over all nodes."""
        return StaticNodes(self.nodes)

    @cached_property
    def affinity_terms(self) -> AffinityTerms:
        """The pods' affinity terms, with namespaces resolved."""
        return AffinityTerms(self.namespace_labels)

    @cached_property
    def forced(self) -> Forced:
        """Tells which pods were created with a node name."""
        return Forced(self.workloads)

    @cached_property
    def default_selectors(self) -> DefaultSelectors:
        """The selectors that default spread constraints take from services and owners."""
        return DefaultSelectors(self.services, self.workloads)

    @cached_property
    def storage(self) -> Storage:
        """What could serve each claim on which node."""
        return Storage(
            VolumeReach(self.nodes, {csi_node.name: csi_node for csi_node in self.csi_nodes}),
            self.claims,
            self.volumes,
            self.classes,
            {driver.name: driver for driver in self.csi_drivers},
            self.csi_storage_capacities,
        )

    @cached_property
    def storage_scores(self) -> StorageScores:
        """VolumeBinding's scores in the cluster as given."""
        return StorageScores(self.storage, self.nodes)

    @cached_property
    def csi(self) -> Csi:
        """What pods attach through CSI drivers, and the nodes' limits."""
        return Csi(
            {csi_node.name: csi_node for csi_node in self.csi_nodes},
            {driver.name: driver for driver in self.csi_drivers},
            self.volume_attachments,
            self.storage,
        )

    def with_changes(self, **changes: Any) -> Cluster:
        """A copy with some fields replaced."""
        return replace(self, **changes)
