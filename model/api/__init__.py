"""Pydantic models of the Kubernetes API objects that matter to scheduling.

Field names are the API's, in snake_case; quantities are ``int`` nano units
(see `quantity`), times ``int`` nanoseconds. Objects are immutable.
"""

from .base import ApiObject, parse_time
from .meta import (
    Condition,
    LabelSelector,
    LabelSelectorRequirement,
    NodeSelector,
    NodeSelectorRequirement,
    NodeSelectorTerm,
    ObjectMeta,
    OwnerReference,
    ResourceRequirements,
)
from .node import ContainerImage, CSINode, Namespace, Node, NodeSpec, NodeStatus, Taint
from .pod import (
    Affinity,
    Container,
    ContainerPort,
    ContainerStatus,
    NodeAffinity,
    Pod,
    PodAffinity,
    PodAffinityTerm,
    PodSpec,
    PodStatus,
    PreferredSchedulingTerm,
    Toleration,
    TopologySpreadConstraint,
    WeightedPodAffinityTerm,
)
from .policy import PodDisruptionBudget, PriorityClass, Service
from .storage import (
    CSIDriver,
    CSIStorageCapacity,
    PersistentVolume,
    PersistentVolumeClaim,
    PersistentVolumeClaimTemplate,
    StorageClass,
    VolumeAttachment,
)
from .volume import Volume
from .workload import WORKLOAD_KINDS, PodTemplateSpec, Workload, WorkloadSpec

__all__ = [
    "WORKLOAD_KINDS",
    "Affinity",
    "ApiObject",
    "CSIDriver",
    "CSINode",
    "CSIStorageCapacity",
    "Condition",
    "Container",
    "ContainerImage",
    "ContainerPort",
    "ContainerStatus",
    "LabelSelector",
    "LabelSelectorRequirement",
    "Namespace",
    "Node",
    "NodeAffinity",
    "NodeSelector",
    "NodeSelectorRequirement",
    "NodeSelectorTerm",
    "NodeSpec",
    "NodeStatus",
    "ObjectMeta",
    "OwnerReference",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "PersistentVolumeClaimTemplate",
    "Pod",
    "PodAffinity",
    "PodAffinityTerm",
    "PodDisruptionBudget",
    "PodSpec",
    "PodStatus",
    "PodTemplateSpec",
    "PreferredSchedulingTerm",
    "PriorityClass",
    "ResourceRequirements",
    "Service",
    "StorageClass",
    "Taint",
    "Toleration",
    "TopologySpreadConstraint",
    "Volume",
    "VolumeAttachment",
    "WeightedPodAffinityTerm",
    "Workload",
    "WorkloadSpec",
    "parse_time",
]
