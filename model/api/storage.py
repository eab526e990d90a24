"""PersistentVolume, PersistentVolumeClaim, StorageClass and the CSI kinds."""

from __future__ import annotations

from functools import cached_property
from typing import Annotated, Any

from pydantic import Field

from ..quantity import Quantity
from .base import ApiObject, Bool, one_of
from .meta import LabelSelector, LocalObjectReference, NodeSelector, ObjectMeta, ResourceRequirements

_VolumeMode = Annotated[str, one_of("Filesystem", "Block")]


class VolumeNodeAffinity(ApiObject):
    """From which nodes a volume can be reached."""

    required: NodeSelector | None = None


class CsiVolumeSource(ApiObject):
    """``csi`` of a persistent volume."""

    driver: str = ""
    volume_handle: str = ""


class PersistentVolumeSpec(ApiObject):
    """``spec`` of a persistent volume."""

    capacity: dict[str, Quantity] = Field(default_factory=dict)
    access_modes: tuple[str, ...] = ()
    storage_class_name: str = ""
    volume_mode: _VolumeMode = "Filesystem"
    claim_ref: LocalObjectReference | None = None
    node_affinity: VolumeNodeAffinity | None = None
    csi: CsiVolumeSource | None = None
    gce_persistent_disk: dict[str, Any] | None = None
    aws_elastic_block_store: dict[str, Any] | None = None
    azure_disk: dict[str, Any] | None = None
    cinder: dict[str, Any] | None = None
    portworx_volume: dict[str, Any] | None = None
    volume_attributes_class_name: str = ""


class VolumeStatus(ApiObject):
    """``status`` of a volume or claim."""

    phase: str = ""


class PersistentVolume(ApiObject):
    """A volume of the cluster."""

    metadata: ObjectMeta = ObjectMeta()
    spec: PersistentVolumeSpec = PersistentVolumeSpec()
    status: VolumeStatus = VolumeStatus()

    @cached_property
    def name(self) -> str:
        """``metadata.name``."""
        return self.metadata.name


class PersistentVolumeClaimSpec(ApiObject):
    """``spec`` of a claim. An absent class and an empty one differ."""

    access_modes: tuple[str, ...] = ()
    resources: ResourceRequirements = ResourceRequirements()
    storage_class_name: str | None = None
    volume_name: str = ""
    volume_mode: _VolumeMode = "Filesystem"
    selector: LabelSelector | None = None
    volume_attributes_class_name: str | None = None


class PersistentVolumeClaimTemplate(ApiObject):
    """Template of an ephemeral volume's or a StatefulSet's claim."""

    metadata: ObjectMeta = ObjectMeta()
    spec: PersistentVolumeClaimSpec = PersistentVolumeClaimSpec()


class PersistentVolumeClaim(ApiObject):
    """A claim to a volume."""

    metadata: ObjectMeta = ObjectMeta()
    spec: PersistentVolumeClaimSpec = PersistentVolumeClaimSpec()
    status: VolumeStatus = VolumeStatus()

    @cached_property
    def key(self) -> str:
        """``namespace/name``."""
        return f"{self.metadata.namespace}/{self.metadata.name}"


class TopologySelectorRequirement(ApiObject):
    """A label key and the values allowed."""

    key: str = ""
    values: tuple[str, ...] = ()


class TopologySelectorTerm(ApiObject):
    """Where a storage class may provision."""

    match_label_expressions: tuple[TopologySelectorRequirement, ...] = ()


class StorageClass(ApiObject):
    """How claims of a class are bound and provisioned."""

    metadata: ObjectMeta = ObjectMeta()
    provisioner: str = ""
    volume_binding_mode: Annotated[str, one_of("Immediate", "WaitForFirstConsumer")] = "Immediate"
    allowed_topologies: tuple[TopologySelectorTerm, ...] = ()

    @cached_property
    def name(self) -> str:
        """``metadata.name``."""
        return self.metadata.name


class CSIDriverSpec(ApiObject):
    """``spec`` of a CSI driver."""

    storage_capacity: Bool = False
    attach_required: Bool = True
    prevent_pod_scheduling_if_missing: Bool = False


class CSIDriver(ApiObject):
    """A CSI driver known to the cluster."""

    metadata: ObjectMeta = ObjectMeta()
    spec: CSIDriverSpec = CSIDriverSpec()

    @cached_property
    def name(self) -> str:
        """``metadata.name``."""
        return self.metadata.name


class CSIStorageCapacity(ApiObject):
    """Free space of a storage class in a part of the topology."""

    metadata: ObjectMeta = ObjectMeta()
    node_topology: LabelSelector | None = None
    storage_class_name: str = ""
    capacity: Quantity | None = None
    maximum_volume_size: Quantity | None = None


class VolumeAttachmentSource(ApiObject):
    """Which volume is attached."""

    persistent_volume_name: str = ""
    inline_volume_spec: dict[str, Any] | None = None


class VolumeAttachmentSpec(ApiObject):
    """``spec`` of a volume attachment."""

    attacher: str = ""
    node_name: str = ""
    source: VolumeAttachmentSource = VolumeAttachmentSource()


class VolumeAttachmentStatus(ApiObject):
    """``status`` of a volume attachment."""

    attached: Bool = False


class VolumeAttachment(ApiObject):
    """A volume attached to a node."""

    metadata: ObjectMeta = ObjectMeta()
    spec: VolumeAttachmentSpec = VolumeAttachmentSpec()
    status: VolumeAttachmentStatus = VolumeAttachmentStatus()
