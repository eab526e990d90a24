"""One raw document to one model object."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from ...model import api

CLUSTER_FIELDS: dict[str, tuple[str, type[api.ApiObject]]] = {
    "Node": ("nodes", api.Node),
    "Pod": ("pods", api.Pod),
    "Namespace": ("namespaces", api.Namespace),
    "PriorityClass": ("priority_classes", api.PriorityClass),
    "PersistentVolume": ("persistent_volumes", api.PersistentVolume),
    "PersistentVolumeClaim": ("persistent_volume_claims", api.PersistentVolumeClaim),
    "StorageClass": ("storage_classes", api.StorageClass),
    "CSINode": ("csi_nodes", api.CSINode),
    "CSIDriver": ("csi_drivers", api.CSIDriver),
    "CSIStorageCapacity": ("csi_storage_capacities", api.CSIStorageCapacity),
    "VolumeAttachment": ("volume_attachments", api.VolumeAttachment),
    "PodDisruptionBudget": ("pod_disruption_budgets", api.PodDisruptionBudget),
    "Service": ("services", api.Service),
    **{kind: ("workloads", api.Workload) for kind in api.WORKLOAD_KINDS},
}
"""Where objects of each kind go in a `Cluster`, and their type."""

NAMESPACED = frozenset(
    {"Pod", "PersistentVolumeClaim", "CSIStorageCapacity", "PodDisruptionBudget", "Service", *api.WORKLOAD_KINDS}
)
"""Kinds that live in a namespace."""


class BadObject(ValueError):
    """An object that cannot be used; the reader turns it into BadInput."""

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(message)
        self.field = field


def parse(kind: str, raw: dict[str, Any]) -> api.ApiObject:
    """The model object of a raw one."""
    _, model = CLUSTER_FIELDS[kind]
    if kind in NAMESPACED:
        metadata = raw.get("metadata")
        if isinstance(metadata, dict) and not metadata.get("namespace"):
            raw = {**raw, "metadata": {**metadata, "namespace": "default"}}
    try:
        return model.model_validate(raw)
    except ValidationError as error:
        first = error.errors()[0]
        raise BadObject(first["msg"], ".".join(str(part) for part in first["loc"])) from None
