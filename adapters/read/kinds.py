"""Which kinds of API objects the reader takes, and where they go in a `Cluster`."""

from __future__ import annotations

from collections.abc import Mapping

from ...model import api

CLUSTER_FIELDS: Mapping[str, tuple[str, type[api.ApiObject]]] = {
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
    **dict.fromkeys(api.WORKLOAD_KINDS, ("workloads", api.Workload)),
}
"""Field of `Cluster` and model of each kind."""

NAMESPACED = frozenset(
    {
        "Pod",
        "PersistentVolumeClaim",
        "CSIStorageCapacity",
        "PodDisruptionBudget",
        "Service",
        *api.WORKLOAD_KINDS,
    }
)
"""Kinds that live in a namespace."""

_GROUPS: Mapping[str, tuple[str, ...]] = {
    "PriorityClass": ("scheduling.k8s.io",),
    "StorageClass": ("storage.k8s.io",),
    "CSINode": ("storage.k8s.io",),
    "CSIDriver": ("storage.k8s.io",),
    "CSIStorageCapacity": ("storage.k8s.io",),
    "VolumeAttachment": ("storage.k8s.io",),
    "PodDisruptionBudget": ("policy",),
    "Deployment": ("apps", "extensions"),
    "ReplicaSet": ("apps", "extensions"),
    "DaemonSet": ("apps", "extensions"),
    "StatefulSet": ("apps",),
    "Job": ("batch",),
    "CronJob": ("batch",),
}
_CORE = ("",)

NOT_MODELLED: Mapping[str, str] = {
    "ResourceClaim": "devices that pods claim are not modelled",
    "PodGroup": "pods are placed one by one, not as a group",
    "LimitRange": "its defaults are not given to pods that were not created yet",
    "ResourceQuota": "pods are taken as created even if it would forbid them",
    "RuntimeClass": "its overhead, selectors and tolerations are not given to pods that were not created yet",
}
"""Kinds that influence scheduling and are not read, and what follows from that."""


def groups_of(kind: str) -> str:
    """The API groups of a kind that goes into a `Cluster`, in words."""
    return " or ".join(group or "the core group" for group in _GROUPS.get(kind, _CORE))


def foreign(kind: str, api_version: str) -> bool:
    """Whether objects of this kind have a namesake that goes into a `Cluster`, of another group."""
    return kind in CLUSTER_FIELDS and not taken(kind, api_version)


def taken(kind: str, api_version: str) -> bool:
    """Whether objects of this kind and group go into a `Cluster`; other groups use the same kind names."""
    group = api_version.rpartition("/")[0]
    return kind in CLUSTER_FIELDS and (not api_version or group in _GROUPS.get(kind, _CORE))
