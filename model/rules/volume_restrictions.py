"""VolumeRestrictions: disks that two pods cannot share, and claims for a single pod.

Source: ``pkg/scheduler/framework/plugins/volumerestrictions``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np

from ..api import Pod, Volume
from ..claim_users import Findings, User, judged, users
from ..claims import READ_WRITE_ONCE_POD, ClaimUse, claim_uses
from ..final import FinalState
from ..profile import Profile
from ..reasons import Verdict, Violation
from ..state import ClusterState, NodeInfo
from .base import PreFilter, Rule

DISK = "node(s) had no available disk"
SINGLE_POD = (
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode "
    "already in-use by another pod"
)


@dataclass(frozen=True, slots=True)
class Disk:
    """One use of a disk that only readers may share.

    Parameters
    ----------
    kind : str
        Field of the volume source.
    identity : str
        What two uses of the same disk have in common.
    read_only : bool
        Never True for AWS EBS, which readers cannot share either.
    monitors : frozenset of str
        Ceph monitors; the images differ when they have none in common.
    """

    kind: str
    identity: str
    read_only: bool
    monitors: frozenset[str] = frozenset()

    def conflicts(self, other: Disk) -> bool:
        """Whether two pods on one node cannot both have this."""
        if (self.kind, self.identity) != (other.kind, other.identity):
            return False
        if self.kind == "rbd" and not self.monitors & other.monitors:
            return False
        return not (self.read_only and other.read_only)


def disks(pod: Pod) -> tuple[Disk, ...]:
    """The pod's disks that not every pod can share, each use once."""
    return tuple(dict.fromkeys(disk for volume in pod.spec.volumes for disk in _disks(volume)))


def _disks(volume: Volume) -> Iterator[Disk]:
    if (gce := volume.gce_persistent_disk) is not None:
        yield Disk("gcePersistentDisk", gce.pd_name, gce.read_only)
    if (ebs := volume.aws_elastic_block_store) is not None:
        yield Disk("awsElasticBlockStore", ebs.volume_id, False)
    if (iscsi := volume.iscsi) is not None:
        yield Disk("iscsi", iscsi.iqn, iscsi.read_only)
    if (rbd := volume.rbd) is not None:
        yield Disk("rbd", f"{rbd.pool}/{rbd.image}", rbd.read_only, frozenset(rbd.monitors))


@dataclass(frozen=True, slots=True)
class InUse:
    """The pod's ReadWriteOncePod claims (names), and how many of them are in use."""

    claims: frozenset[str]
    count: int


class VolumeRestrictions(Rule):
    """GCE, RBD and iSCSI disks are shared by readers only, EBS never; ReadWriteOncePod is for one pod."""

    name = "VolumeRestrictions"

    def pre_filter(self, state: ClusterState, profile: Profile, pod: Pod) -> PreFilter:
        """PreFilter: look up the pod's ReadWriteOncePod claims; a claim that is missing turns it down."""
        uses = _plain_uses(pod, state.cluster.claims)
        missing = next((use for use in uses if use.claim is None), None)
        if missing is not None:
            return PreFilter(verdict=Verdict.unresolvable(self.name, missing.not_found))
        single = frozenset(use.name for use in uses if _single(use))
        used = _used(state, pod.namespace, single) if single else 0
        return PreFilter(skip=not used and not disks(pod), data=InUse(single, used))

    def pod_added(
        self, state: ClusterState, profile: Profile, pod: Pod, data: Any, other: Pod, node: NodeInfo
    ) -> InUse:
        """AddPod: each of its volumes with a claim of that name counts, whatever its namespace."""
        return _recounted(data, other, 1)

    def pod_removed(
        self, state: ClusterState, profile: Profile, pod: Pod, data: Any, other: Pod, node: NodeInfo
    ) -> InUse:
        """RemovePod: the opposite of `pod_added`."""
        return _recounted(data, other, -1)

    def admits(
        self, state: ClusterState, profile: Profile, pod: Pod, node: NodeInfo, data: Any
    ) -> Verdict | None:
        """Filter: no disk conflict on the node, no ReadWriteOncePod claim in use anywhere."""
        in_use: InUse = data
        mine = disks(pod)
        if mine and any(_conflict(mine, disks(other)) for other in node.pods.values()):
            return Verdict.unschedulable(self.name, DISK)
        return Verdict.unschedulable(self.name, SINGLE_POD) if in_use.count > 0 else None

    def violations(self, final: FinalState) -> Iterable[Violation]:
        """Pairs of pods in conflict, by node and disk; pods beyond the first, by ReadWriteOncePod claim.

        Pods whose profile does not run the filter count only against others that do and arrive.
        """
        yield from self._disk_conflicts(final)
        findings = Findings(self.name, final)
        contested = {
            use.key for user in judged(final, self.name) if user.arriving for use in _singles(final, user)
        }
        for user in users(final):
            checked = final.checked(user.pod, self.name)
            for use in _singles(final, user):
                if checked or use.key in contested:
                    message = f"claim {use.key} is ReadWriteOncePod, but several pods use it"
                    who = ("arriving",) if use.key in contested else ()
                    findings.add(("single", use.key, *who), user.placed, message)
            asked = final.prepared(user.pod, self.name)
            for use in _plain_uses(user.pod, final.cluster.claims) if asked else ():
                if use.claim is None:
                    message = f"{use.not_found}, but pods with it arrive on nodes"
                    findings.add(("claim", use.key), user.arriving, message)
        yield from findings.beyond({"single": 1})

    def _disk_conflicts(self, final: FinalState) -> Iterator[Violation]:
        """Group the pods by node, disk and use; conflicts are counted between the groups."""
        groups: dict[tuple[int, str, str], dict[frozenset[Disk], _Users]] = {}
        for kind, pod in enumerate(final.kinds):
            checked = final.checked(pod, self.name)
            for (name, identity), use in _by_identity(disks(pod)).items() if pod.spec.volumes else ():
                for position in final.pods_of(np.array([kind])).tolist():
                    node = int(final.node_of[position])
                    if node >= 0:
                        group = groups.setdefault((node, name, identity), {})
                        arriving = bool(final.arriving[position])
                        group.setdefault(use, _Users()).add(position, checked=checked, arriving=arriving)
        for (node, name, identity), group in groups.items():
            positions = sorted(position for users in group.values() for position in users.positions)
            staying = _conflicting_pairs(group, staying=True)
            arriving = _conflicting_pairs(group) - staying
            for who, pairs in (((), staying), (("arriving",), arriving)):
                if pairs:
                    yield self._conflict(final, node, (name, identity, *who), positions, pairs)

    def _conflict(
        self, final: FinalState, node: int, disk: tuple[str, ...], positions: list[int], pairs: int
    ) -> Violation:
        name, (kind, identity, *_) = final.nodes[node].name, disk
        pods = tuple(sorted(final.pods[position].key for position in positions))
        return Violation(
            self.name,
            ("disk", name, *disk),
            pairs,
            pods,
            name,
            f"{len(pods)} pods on node {name} use {kind} {identity}; {pairs} pairs of them conflict",
        )


def _plain_uses(pod: Pod, claims: Mapping[str, Any]) -> list[ClaimUse]:
    return [use for use in claim_uses(pod, claims) if not use.ephemeral]


def _singles(final: FinalState, user: User) -> list[ClaimUse]:
    return [use for use in _plain_uses(user.pod, final.cluster.claims) if _single(use)]


def _single(use: ClaimUse) -> bool:
    return use.claim is not None and READ_WRITE_ONCE_POD in use.claim.spec.access_modes


def _used(state: ClusterState, namespace: str, names: frozenset[str]) -> int:
    found = {
        name
        for other, _ in state.placed()
        if other.spec.volumes and other.namespace == namespace
        for name in _claim_names(other)
    }
    return len(names & found)


def _claim_names(pod: Pod) -> list[str]:
    claims = (volume.persistent_volume_claim for volume in pod.spec.volumes)
    return [claim.claim_name for claim in claims if claim is not None]


def _recounted(in_use: InUse, other: Pod, sign: int) -> InUse:
    references = sum(name in in_use.claims for name in _claim_names(other))
    return replace(in_use, count=in_use.count + sign * references)


def _conflict(mine: Iterable[Disk], others: tuple[Disk, ...]) -> bool:
    return any(disk.conflicts(other) for disk in mine for other in others)


def _by_identity(uses: tuple[Disk, ...]) -> dict[tuple[str, str], frozenset[Disk]]:
    found: dict[tuple[str, str], set[Disk]] = {}
    for disk in uses:
        found.setdefault((disk.kind, disk.identity), set()).add(disk)
    return {identity: frozenset(group) for identity, group in found.items()}


@dataclass(slots=True)
class _Users:
    """Pods on a node with the same use of a disk: judged ones, those of them that arrive, and others."""

    positions: list[int] = field(default_factory=list[int])
    judged: int = 0
    arriving: int = 0
    others: int = 0

    def add(self, position: int, *, checked: bool, arriving: bool) -> None:
        """Count a pod; `checked` says whether its profile runs the filter."""
        self.positions.append(position)
        self.judged += checked
        self.arriving += checked and arriving
        self.others += not checked


def _conflicting_pairs(users: Mapping[frozenset[Disk], _Users], *, staying: bool = False) -> int:
    """How many pairs of pods conflict over one disk: judged ones, or one of them arriving and another pod.

    Only of those that stay, if `staying`.
    """
    judged = {use: u.judged - u.arriving * staying for use, u in users.items()}
    within = sum(n * (n - 1) // 2 for use, n in judged.items() if _conflict(use, tuple(use)))
    across = sum(judged[a] * judged[b] for a, b in combinations(users, 2) if _conflict(a, tuple(b)))
    if staying:
        return within + across
    mixed = sum(users[a].arriving * users[b].others for a in users for b in users if _conflict(a, tuple(b)))
    return within + across + mixed
