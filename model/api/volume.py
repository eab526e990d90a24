"""Volumes of a pod."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from .base import ApiObject, Bool, Int32
from .storage import PersistentVolumeClaimTemplate


class ClaimSource(ApiObject):
    """``persistentVolumeClaim`` of a volume."""

    claim_name: str = ""
    read_only: Bool = False


class EphemeralSource(ApiObject):
    """``ephemeral`` of a volume: a claim made for this pod."""

    volume_claim_template: PersistentVolumeClaimTemplate | None = None


class GcePersistentDisk(ApiObject):
    """``gcePersistentDisk``."""

    pd_name: str = ""
    read_only: Bool = False


class AwsElasticBlockStore(ApiObject):
    """``awsElasticBlockStore``."""

    volume_id: str = Field(default="", alias="volumeID")
    read_only: Bool = False


class RbdVolume(ApiObject):
    """``rbd`` (Ceph)."""

    monitors: tuple[str, ...] = ()
    image: str = ""
    pool: str = "rbd"
    read_only: Bool = False


class IscsiVolume(ApiObject):
    """``iscsi``."""

    target_portal: str = ""
    iqn: str = ""
    lun: Int32 = 0
    read_only: Bool = False


class CsiEphemeral(ApiObject):
    """``csi``: an inline ephemeral volume."""

    driver: str = ""


class ImageVolume(ApiObject):
    """``image``: an OCI image mounted as a volume."""

    reference: str = ""


class Volume(ApiObject):
    """A volume of a pod; kinds that do not influence scheduling are not read."""

    name: str = ""
    persistent_volume_claim: ClaimSource | None = None
    ephemeral: EphemeralSource | None = None
    gce_persistent_disk: GcePersistentDisk | None = None
    aws_elastic_block_store: AwsElasticBlockStore | None = None
    rbd: RbdVolume | None = None
    iscsi: IscsiVolume | None = None
    csi: CsiEphemeral | None = None
    image: ImageVolume | None = None
    azure_disk: dict[str, Any] | None = None
    cinder: dict[str, Any] | None = None
    vsphere_volume: dict[str, Any] | None = None
    portworx_volume: dict[str, Any] | None = None
    host_path: dict[str, Any] | None = None
    empty_dir: dict[str, Any] | None = None
