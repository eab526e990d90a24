"""What pods attach through CSI drivers, and how much a node can attach.

Source: https://kubernetes.io/docs/concepts/storage/storage-limits/
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from .api import CSIDriver, CSINode, PersistentVolumeClaim, Pod, PodSpec, Volume, VolumeAttachment
from .claims import claim_class, claim_uses, foreign, has_claim, has_own_claims
from .csi_translation import (
    PLUGIN_BY_NAME,
    inline_handle,
    inline_plugin,
    persistent_handle,
    persistent_plugin,
)
from .storage import Storage

UNBOUND = "unbound:"


@dataclass(frozen=True, slots=True)
class Attachable:
    """A volume that takes one of a driver's attachments on a node, however often it is used there.

    Parameters
    ----------
    driver, handle : str
        A claim without a volume yet counts under a handle of its own.
    migrated : bool
        An in-tree volume: counted only where the node has a CSINode.
    """

    driver: str
    handle: str
    migrated: bool = False

    @property
    def volume(self) -> tuple[str, str]:
        """Identity of the volume."""
        return self.driver, self.handle


class Csi:
    """Drivers, their limits on nodes, and the volumes of pods.

    Parameters
    ----------
    nodes : mapping of str to CSINode
        By node name.
    drivers : mapping of str to CSIDriver
    attachments : iterable of VolumeAttachment
    storage : Storage
    """

    def __init__(
        self,
        nodes: Mapping[str, CSINode],
        drivers: Mapping[str, CSIDriver],
        attachments: Iterable[VolumeAttachment],
        storage: Storage,
    ) -> None:
        self._nodes = nodes
        self._drivers = drivers
        self._storage = storage
        self._attached: dict[str, set[tuple[str, str]]] = {}
        for attachment in attachments:
            self._attach(attachment)
        self._limits: dict[str, Mapping[str, int]] = {}
        self._known: dict[tuple[int, str], tuple[PodSpec, tuple[Attachable, ...]]] = {}

    def _attach(self, attachment: VolumeAttachment) -> None:
        spec = attachment.spec
        volume = self._storage.volumes.get(spec.source.persistent_volume_name)
        if spec.attacher and volume is not None and volume.spec.csi is not None:
            self._attached.setdefault(spec.node_name, set()).add(
                (spec.attacher, volume.spec.csi.volume_handle)
            )

    def limits(self, node: str) -> Mapping[str, int]:
        """Driver to the most volumes it can attach to the node; a driver without a limit is absent."""
        known = self._limits.get(node)
        if known is None:
            found = self._nodes.get(node)
            known = self._limits[node] = {
                driver.name: driver.allocatable.count
                for driver in (found.spec.drivers if found else ())
                if driver.allocatable is not None and driver.allocatable.count is not None
            }
        return known

    def attached(self, node: str) -> frozenset[tuple[str, str]]:
        """Volumes that are attached to the node according to VolumeAttachment objects."""
        return frozenset(self._attached.get(node, ()))

    def counts_on(self, attachable: Attachable, node: str) -> bool:
        """Whether the volume is one of its CSI driver's on that node."""
        return not attachable.migrated or node in self._nodes

    def lacks_driver(self, driver: str, node: str) -> bool:
        """Whether the driver wants no pods on nodes without it, and the node is without it."""
        wanted = self._drivers.get(driver)
        if wanted is None or not wanted.spec.prevent_pod_scheduling_if_missing:
            return False
        found = self._nodes.get(node)
        return found is None or all(installed.name != driver for installed in found.spec.drivers)

    def attachables(self, pod: Pod) -> tuple[Attachable, ...]:
        """The pod's distinct attachable volumes; claims that are missing or another pod's are left out."""
        key = id(pod.spec), pod.key if has_own_claims(pod) else pod.namespace
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = pod.spec, tuple(dict.fromkeys(self._attachables(pod)))
        return known[1]

    def _attachables(self, pod: Pod) -> Iterator[Attachable]:
        for volume in pod.spec.volumes:
            if (inline := self._inline(volume)) is not None:
                yield inline
        for use in claim_uses(pod, self._storage.claims):
            if use.claim is not None and not foreign(pod, use):
                claimed = self.of_claim(use.claim)
                if claimed is not None:
                    yield claimed

    def _inline(self, volume: Volume) -> Attachable | None:
        plugin = None if has_claim(volume) else inline_plugin(volume)
        return plugin and _attachable(plugin.driver, inline_handle(plugin, volume), migrated=True)

    def of_claim(self, claim: PersistentVolumeClaim) -> Attachable | None:
        """The volume behind a claim, or the place it will take; None when no driver attaches it."""
        volume = self._storage.volumes.get(claim.spec.volume_name)
        if volume is None:
            return self._to_be_provisioned(claim)
        if volume.spec.csi is not None:
            return _attachable(volume.spec.csi.driver, volume.spec.csi.volume_handle)
        plugin = persistent_plugin(volume)
        return plugin and _attachable(plugin.driver, persistent_handle(plugin, volume), migrated=True)

    def _to_be_provisioned(self, claim: PersistentVolumeClaim) -> Attachable | None:
        storage_class = self._storage.classes.get(claim_class(claim))
        if storage_class is None:
            return None
        handle = f"{UNBOUND}{claim.key}"
        plugin = PLUGIN_BY_NAME.get(storage_class.provisioner)
        if plugin is not None:
            return Attachable(plugin.driver, handle, migrated=True)
        return _attachable(storage_class.provisioner, handle)


def _attachable(driver: str, handle: str, *, migrated: bool = False) -> Attachable | None:
    return Attachable(driver, handle, migrated) if driver and handle else None
