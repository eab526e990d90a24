"""VolumeZone: a bound volume's zone and region labels against the node's.

Source: ``pkg/scheduler/framework/plugins/volumezone``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..api import Node, PersistentVolume, Pod
from ..claim_users import Findings, prepared
from ..claims import ClaimUse, claim_class, claim_uses
from ..csi_translation import BETA_REGION, BETA_ZONE, MULTI_ZONE, REGION, ZONE
from ..final import FinalState
from ..profile import Profile
from ..reasons import Verdict, Violation
from ..state import ClusterState, NodeInfo
from ..storage import Binding, Storage
from .base import PreFilter, Rule

CONFLICT = "node(s) had no available volume zone"
KEYS = (BETA_ZONE, BETA_REGION, ZONE, REGION)
_GENERAL: Mapping[str, str] = {BETA_ZONE: ZONE, BETA_REGION: REGION}


@dataclass(frozen=True, slots=True)
class VolumeTopology:
    """Where a volume is, by one of its labels.

    Parameters
    ----------
    volume, key : str
    values : frozenset of str
        A label ``a__b`` is in a and in b.
    """

    volume: str
    key: str
    values: frozenset[str]

    def admits(self, node: Node) -> bool:
        """Whether the node is there too; a beta label is compared with the general one as well."""
        label = node.labels.get(self.key)
        if label is None:
            label = node.labels.get(_GENERAL.get(self.key, self.key))
        return label in self.values


def topologies(volume: PersistentVolume) -> Iterator[VolumeTopology]:
    """The volume's zones and regions; a label with an empty part is ignored."""
    for key in KEYS:
        parts = [part.strip() for part in volume.metadata.labels.get(key, "").split(MULTI_ZONE)]
        if all(parts):
            yield VolumeTopology(volume.name, key, frozenset(parts))


class VolumeZone(Rule):
    """A node without any zone or region label passes; so does a claim that waits for its first pod."""

    name = "VolumeZone"

    def pre_filter(self, state: ClusterState, profile: Profile, pod: Pod) -> PreFilter:
        """PreFilter: look up the volumes of the pod's claims; the first problem turns it down."""
        found: list[VolumeTopology] = []
        for use in _plain_uses(pod, state.cluster.storage):
            problem = _problem(use, state.cluster.storage)
            if problem:
                return PreFilter(verdict=Verdict.unresolvable(self.name, problem))
            found.extend(_of_use(use, state.cluster.storage))
        return PreFilter(skip=not found, data=found)

    def admits(
        self, state: ClusterState, profile: Profile, pod: Pod, node: NodeInfo, data: Any
    ) -> Verdict | None:
        """Filter: the node is in one of the zones of every label of every volume."""
        found: Sequence[VolumeTopology] = data
        if not _zoned(node.node) or all(topology.admits(node.node) for topology in found):
            return None
        return Verdict.unresolvable(self.name, CONFLICT)

    def violations(self, final: FinalState) -> Iterable[Violation]:
        """Pods on a node outside a volume's zones, by claim and node; arriving pods with a bad claim."""
        findings, storage = Findings(self.name, final), final.cluster.storage
        for user in prepared(final, self.name):
            for use in _plain_uses(user.pod, storage):
                problem = _problem(use, storage)
                if problem:
                    findings.add(("claim", use.key), user.arriving, f"claim {use.key}: {problem}")
                    continue
                found = list(_of_use(use, storage)) if final.checked(user.pod, self.name) else []
                for who, some in user.apart if found else ():
                    for place, positions in findings.by_node(some).items():
                        node = final.nodes[place]
                        for topology in found if _zoned(node) else ():
                            if not topology.admits(node):
                                message, key = _outside(use, topology, node), ("claim", use.key, node.name)
                                findings.add((*key, *who), positions, message, node.name)
        return findings


def _plain_uses(pod: Pod, storage: Storage) -> list[ClaimUse]:
    return [use for use in claim_uses(pod, storage.claims) if not use.ephemeral]


def _problem(use: ClaimUse, storage: Storage) -> str:
    """Why the claim turns its pods down on every node; empty when it does not."""
    if not use.name:
        return "PersistentVolumeClaim had no name"
    if use.claim is None:
        return use.not_found
    name = use.claim.spec.volume_name
    if name:
        return "" if name in storage.volumes else f'persistentvolume "{name}" not found'
    class_name = claim_class(use.claim)
    if not class_name:
        return "PersistentVolumeClaim had no pv name and storageClass name"
    if class_name not in storage.classes:
        return f'storageclass.storage.k8s.io "{class_name}" not found'
    return "" if storage.binding(use.claim) is Binding.DELAYED else "PersistentVolume had no name"


def _of_use(use: ClaimUse, storage: Storage) -> Iterator[VolumeTopology]:
    if use.claim is not None and use.claim.spec.volume_name:
        yield from topologies(storage.volumes[use.claim.spec.volume_name])


def _zoned(node: Node) -> bool:
    return any(key in node.labels for key in KEYS)


def _outside(use: ClaimUse, topology: VolumeTopology, node: Node) -> str:
    zones, label = " or ".join(sorted(topology.values)), node.labels.get(topology.key)
    return (
        f"claim {use.key}: volume {topology.volume} is in {topology.key} {zones}, "
        f"node {node.name} in {label or 'none'}"
    )
