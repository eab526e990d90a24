"""Storage by hand: claims, volumes, classes and CSI objects with defaults, written the way manifests are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from builders import HOSTNAME, ZONE
from kubestow.model.api import (
    CSIDriver,
    CSINode,
    CSIStorageCapacity,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
    VolumeAttachment,
)

BOUND = "pv.kubernetes.io/bind-completed"
NO_PROVISIONER = "kubernetes.io/no-provisioner"


def uses(*claims: str) -> list[dict[str, Any]]:
    """``spec.volumes`` of a pod that uses these claims."""
    return [{"name": f"v{i}", "persistentVolumeClaim": {"claimName": name}} for i, name in enumerate(claims)]


def claim(
    name: str,
    volume: str = "",
    *,
    size: str = "1Gi",
    of: str | None = "later",
    modes: Sequence[str] = ("ReadWriteOnce",),
    annotations: Mapping[str, str] | None = None,
    metadata: Mapping[str, Any] | None = None,
    phase: str = "",
    **spec: Any,
) -> PersistentVolumeClaim:
    """Claim ``default/NAME`` of class `of`; bound for good when `volume` is given."""
    notes = {**({BOUND: "yes"} if volume else {}), **(annotations or {})}
    return PersistentVolumeClaim.model_validate(
        {
            "metadata": {
                "name": name,
                "namespace": "default",
                "uid": f"uid-{name}",
                "annotations": notes,
                **(metadata or {}),
            },
            "spec": {
                "accessModes": list(modes),
                "resources": {"requests": {"storage": size}},
                "storageClassName": of,
                "volumeName": volume,
                **spec,
            },
            "status": {"phase": phase},
        }
    )


def volume(
    name: str,
    *nodes: str,
    zone: str = "",
    size: str = "1Gi",
    of: str = "later",
    reserved: str = "",
    modes: Sequence[str] = ("ReadWriteOnce",),
    labels: Mapping[str, str] | None = None,
    phase: str = "Available",
    metadata: Mapping[str, Any] | None = None,
    **spec: Any,
) -> PersistentVolume:
    """A volume that `nodes` reach, or a zone, or everybody; with a ``claimRef`` if `reserved`."""
    terms = [(HOSTNAME, nodes)] if nodes else [(ZONE, (zone,))] if zone else []
    found = [{"key": key, "operator": "In", "values": list(values)} for key, values in terms]
    affinity = {"required": {"nodeSelectorTerms": [{"matchExpressions": found}]}} if found else None
    reference = {"namespace": "default", "name": reserved, "uid": f"uid-{reserved}"} if reserved else None
    return PersistentVolume.model_validate(
        {
            "metadata": {"name": name, "labels": labels or {}, **(metadata or {})},
            "spec": {
                "capacity": {"storage": size},
                "accessModes": list(modes),
                "storageClassName": of,
                "claimRef": reference,
                "nodeAffinity": affinity,
                **spec,
            },
            "status": {"phase": phase},
        }
    )


def storage_class(
    name: str = "later", provisioner: str = NO_PROVISIONER, *, wait: bool = True, zones: Sequence[str] = ()
) -> StorageClass:
    """A class that waits for the first pod, or binds immediately; provisioning in `zones` only, if given."""
    terms = [{"matchLabelExpressions": [{"key": ZONE, "values": list(zones)}]}] if zones else []
    return StorageClass.model_validate(
        {
            "metadata": {"name": name},
            "provisioner": provisioner,
            "volumeBindingMode": "WaitForFirstConsumer" if wait else "Immediate",
            "allowedTopologies": terms,
        }
    )


def csi_node(name: str, annotations: Mapping[str, str] | None = None, **limits: int | None) -> CSINode:
    """A CSINode; drivers ``a_b`` are named ``a.b``, with their attach limit or None."""
    drivers = [
        {"name": driver.replace("_", "."), "nodeID": name, "allocatable": {"count": count}}
        for driver, count in limits.items()
    ]
    return CSINode.model_validate(
        {"metadata": {"name": name, "annotations": annotations or {}}, "spec": {"drivers": drivers}}
    )


def driver(name: str, **spec: bool) -> CSIDriver:
    """A CSIDriver with these fields of its spec."""
    return CSIDriver.model_validate({"metadata": {"name": name}, "spec": spec})


def segment(
    name: str, node: str, capacity: str | None, of: str = "later", **fields: Any
) -> CSIStorageCapacity:
    """Free space for a class on one node."""
    topology = {"matchLabels": {HOSTNAME: node}}
    data = {
        "metadata": {"name": name, "namespace": "default"},
        "storageClassName": of,
        "nodeTopology": topology,
    }
    return CSIStorageCapacity.model_validate({**data, "capacity": capacity, **fields})


def attachment(name: str, node: str, attacher: str, volume: str) -> VolumeAttachment:
    """A volume that is attached to a node."""
    source = {"persistentVolumeName": volume}
    spec = {"attacher": attacher, "nodeName": node, "source": source}
    return VolumeAttachment.model_validate({"metadata": {"name": name}, "spec": spec})
