"""In-tree volume plugins and the CSI drivers that replaced them.

kube-scheduler reads an in-tree volume as the CSI volume it has been migrated
to. What that changes is a driver and handle to count, and a node affinity
whose zone label is the driver's.

Source: ``k8s.io/csi-translation-lib``; https://kubernetes.io/docs/concepts/storage/volumes/#csi-migration
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .api import CSINode, NodeSelector, NodeSelectorRequirement, NodeSelectorTerm, PersistentVolume, Volume

MIGRATED_PLUGINS = "storage.alpha.kubernetes.io/migrated-plugins"
ZONE, REGION = "topology.kubernetes.io/zone", "topology.kubernetes.io/region"
BETA_ZONE, BETA_REGION = "failure-domain.beta.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region"
MULTI_ZONE = "__"
_GCE = "kubernetes.io/gce-pd"


@dataclass(frozen=True, slots=True)
class InTreePlugin:
    """A plugin that is migrated on every node that has a CSINode.

    Parameters
    ----------
    name : str
        The in-tree name, such as ``kubernetes.io/aws-ebs``.
    driver : str
        The CSI driver.
    source : str
        Field of a pod's volume and of a persistent volume's spec.
    id_field : str
        Field of the source that identifies the volume.
    zone_key : str
        The driver's zone label; empty when it has none.
    """

    name: str
    driver: str
    source: str
    id_field: str
    zone_key: str = ""


PLUGINS = (
    InTreePlugin(_GCE, "pd.csi.storage.gke.io", "gce_persistent_disk", "pdName", "topology.gke.io/zone"),
    InTreePlugin(
        "kubernetes.io/aws-ebs",
        "ebs.csi.aws.com",
        "aws_elastic_block_store",
        "volumeID",
        "topology.ebs.csi.aws.com/zone",
    ),
    InTreePlugin(
        "kubernetes.io/azure-disk",
        "disk.csi.azure.com",
        "azure_disk",
        "diskURI",
        "topology.disk.csi.azure.com/zone",
    ),
    InTreePlugin(
        "kubernetes.io/cinder",
        "cinder.csi.openstack.org",
        "cinder",
        "volumeID",
        "topology.cinder.csi.openstack.org/zone",
    ),
    InTreePlugin("kubernetes.io/portworx-volume", "pxd.portworx.com", "portworx_volume", "volumeID"),
)
PLUGIN_BY_NAME: Mapping[str, InTreePlugin] = {plugin.name: plugin for plugin in PLUGINS}


def inline_plugin(volume: Volume) -> InTreePlugin | None:
    """The in-tree plugin of a volume stated in a pod."""
    return next((plugin for plugin in PLUGINS if getattr(volume, plugin.source) is not None), None)


def persistent_plugin(volume: PersistentVolume) -> InTreePlugin | None:
    """The in-tree plugin of a persistent volume."""
    return next((plugin for plugin in PLUGINS if getattr(volume.spec, plugin.source) is not None), None)


def inline_handle(plugin: InTreePlugin, volume: Volume) -> str:
    """The CSI handle of a volume stated in a pod; empty when it has none."""
    return _handle(plugin, _identity(plugin, getattr(volume, plugin.source)), "")


def persistent_handle(plugin: InTreePlugin, volume: PersistentVolume) -> str:
    """The CSI handle of an in-tree persistent volume; empty when it cannot be translated."""
    return _handle(plugin, _identity(plugin, getattr(volume.spec, plugin.source)), _zones(volume))


def _zones(volume: PersistentVolume) -> str:
    labels = volume.metadata.labels
    return labels.get(ZONE) or labels.get(BETA_ZONE, "")


def _identity(plugin: InTreePlugin, source: Any) -> str:
    if isinstance(source, Mapping):
        return str(source.get(plugin.id_field, ""))  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
    return source.pd_name if plugin.name == _GCE else source.volume_id


def _handle(plugin: InTreePlugin, identity: str, zones: str) -> str:
    if plugin.name == "kubernetes.io/aws-ebs":
        return identity.rsplit("/", 1)[-1] if identity.startswith("aws://") else identity
    return _gce_handle(identity, zones.split(MULTI_ZONE)) if plugin.name == _GCE else identity


def _gce_handle(disk: str, zones: list[str]) -> str:
    if len(zones) == 1:
        return f"projects/UNSPECIFIED/zones/{zones[0] or 'UNSPECIFIED'}/disks/{disk}"
    return "" if _region_problem(zones) else f"projects/UNSPECIFIED/regions/{_region(zones[0])}/disks/{disk}"


def _region(zone: str) -> str:
    return zone.rpartition("-")[0]


def _region_problem(zones: list[str]) -> str:
    wrong = next((zone for zone in zones if zone.count("-") != 2), None)
    if wrong is not None:
        return f"zone in unexpected format, expected: {{locale}}-{{region}}-{{zone}}, got: {wrong}"
    regions = sorted({_region(zone) for zone in zones})
    shown = " ".join(f"{region}:{{}}" for region in regions)
    return f"multiple or no regions gotten from zones, got: map[{shown}]" if len(regions) > 1 else ""


def translation_problem(plugin: InTreePlugin, volume: PersistentVolume) -> str:
    """Why kube-scheduler fails to read a persistent volume as its CSI driver's; empty where it does not."""
    zones = _zones(volume).split(MULTI_ZONE)
    problem = _region_problem(zones) if plugin.name == _GCE and len(zones) > 1 else ""
    return problem and f"could not translate pv: failed to get region from zones: {problem}"


def migrated_on(plugin: InTreePlugin, csi_node: CSINode | None) -> bool:
    """Whether the node announces the migration: its volumes' node affinity is then read translated."""
    if csi_node is None:
        return False
    return plugin.name in csi_node.metadata.annotations.get(MIGRATED_PLUGINS, "").split(",")


def translated_affinity(plugin: InTreePlugin, volume: PersistentVolume) -> NodeSelector | None:
    """The node affinity as the CSI driver states it: zones under the driver's own label."""
    affinity = volume.spec.node_affinity
    required = affinity.required if affinity else None
    if not plugin.zone_key:
        return required
    beta = _is_beta(required, volume)
    zone = BETA_ZONE if beta else ZONE
    if _mentions(required, zone):
        required = _renamed(required, zone, plugin.zone_key)
    else:
        required = _extended(required, plugin.zone_key, volume.metadata.labels.get(zone, ""))
    return _renamed(required, BETA_REGION, REGION) if beta else required


def _is_beta(required: NodeSelector | None, volume: PersistentVolume) -> bool:
    if _mentions(required, ZONE):
        return False
    if _mentions(required, BETA_ZONE):
        return True
    return ZONE not in volume.metadata.labels and BETA_ZONE in volume.metadata.labels


def _mentions(required: NodeSelector | None, key: str) -> bool:
    terms = required.node_selector_terms if required else ()
    return any(r.key == key for term in terms for r in term.match_expressions)


def _renamed(required: NodeSelector | None, old: str, new: str) -> NodeSelector | None:
    if required is None:
        return None

    def term(given: NodeSelectorTerm) -> NodeSelectorTerm:
        renamed = (r.model_copy(update={"key": new}) if r.key == old else r for r in given.match_expressions)
        return given.model_copy(update={"match_expressions": tuple(renamed)})

    return NodeSelector(node_selector_terms=tuple(map(term, required.node_selector_terms)))


def _extended(required: NodeSelector | None, key: str, zones: str) -> NodeSelector | None:
    values = tuple(sorted({zone for zone in zones.split(MULTI_ZONE) if zone}))
    if not values:
        return required
    added = NodeSelectorRequirement(key=key, operator="In", values=values)
    terms = (required.node_selector_terms if required else ()) or (NodeSelectorTerm(),)
    return NodeSelector(
        node_selector_terms=tuple(
            term.model_copy(update={"match_expressions": (*term.match_expressions, added)}) for term in terms
        )
    )
