"""VolumeRestrictions: disks that two pods on a node cannot share, and claims for a single pod."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from ...model.api import Pod, Volume
from ...model.claims import READ_WRITE_ONCE_POD, ClaimUse, claim_uses
from ..bounds.relaxation import Relaxation
from ..cpsat.cp import total, when
from ..cpsat.scope import Scope
from ..problem import Problem
from ..relations.conflicts import Conflicts
from ..relations.coupling import Coupling
from ..relations.partition import Partition
from .base import Encoder


@dataclass(frozen=True, slots=True)
class DiskUse:
    """How a pod uses a disk.

    Parameters
    ----------
    disk : tuple of str
        Kind and identity.
    shared : bool
        Whether other pods that use it so may be on the same node.
    monitors : frozenset of str
        Ceph only: images behind different monitors are different.
    """

    disk: tuple[str, str]
    shared: bool
    monitors: frozenset[str] = frozenset()

    def collides(self, other: DiskUse) -> bool:
        """Whether both cannot be on one node; of the same disk."""
        same = self.disk[0] != "rbd" or bool(self.monitors & other.monitors)
        return same and not (self.shared and other.shared)


@dataclass(frozen=True, slots=True)
class SinglePod:
    """A ReadWriteOncePod claim.

    Parameters
    ----------
    classes : tuple of int
        Free classes that use it and whose profile runs the filter.
    others : tuple of int
        Free classes that use it and are not checked.
    taken : bool
        Whether a pinned pod has it.
    """

    classes: tuple[int, ...]
    others: tuple[int, ...]
    taken: bool

    def disputed(self, problem: Problem) -> bool:
        """Whether there is more than one free pod for it."""
        return sum(int(problem.count[c]) for c in (*self.classes, *self.others)) > 1


class VolumeRestrictions(Encoder):
    """GCE, RBD and iSCSI disks are shared by readers only, EBS never; ReadWriteOncePod is for one pod."""

    name = "VolumeRestrictions"

    def applies_to(self, problem: Problem) -> bool:
        """Whether a free pod whose claims are looked at has volumes."""
        return any(cls.pod.spec.volumes and self.name in cls.profile.prepared for cls in problem.classes)

    def restrict(self, problem: Problem, eligible: NDArray[np.bool_]) -> None:
        """Clear nodes whose pinned pods use a disk, and all nodes where a claim is taken or missing."""
        problem.once(disk_conflicts).restrict(eligible)
        for cls in problem.classes:
            asked = self.name in cls.profile.prepared
            if asked and any(use.claim is None for use in _uses(problem, cls.pod)):
                eligible[cls.index] = False
        for single in problem.once(single_pod_claims):
            if single.taken:
                eligible[list(single.classes)] = False

    def couple(self, problem: Problem, coupling: Coupling) -> None:
        """Users of a disk stay apart; of a claim that several want, they stay where they are."""
        problem.once(disk_conflicts).couple(coupling)
        for single in problem.once(single_pod_claims):
            if single.disputed(problem):
                coupling.frozen[[*single.classes, *single.others]] = True

    def constrain(self, scope: Scope) -> None:
        """Colliding users are not on one node; a claim for a single pod has one, if that is checked."""
        problem = scope.problem
        problem.once(disk_conflicts).constrain(scope)
        cluster = Partition(np.zeros(len(problem.nodes), dtype=np.int64))
        for single in problem.once(single_pod_claims):
            if single.disputed(problem):
                everybody = [*single.classes, *single.others]
                limit = scope.model.add(total([scope.placed(c) for c in everybody]) <= 1)
                if single.others or problem.standing[everybody].any():
                    when(cluster.tally(scope, np.array(single.classes)).entered(0), limit)

    def relax(self, relaxation: Relaxation) -> None:
        """Pods that all collide are no more than the nodes; one pod at most per claim for a single pod."""
        relaxation.problem.once(disk_conflicts).relax(relaxation)
        for single in relaxation.problem.once(single_pod_claims):
            columns = [j for c in single.classes for j in relaxation.columns(c)]
            stood = int(relaxation.problem.standing[list(single.classes)].sum())
            relaxation.row(-np.inf, float(max(1, stood)), [(j, 1.0) for j in columns])


def disk_conflicts(problem: Problem) -> Conflicts:
    """Classes that collide with each other and with pinned kinds, through a disk; one of them is checked."""
    users: dict[tuple[str, str], list[tuple[int, DiskUse]]] = {}
    for row, pod in enumerate((*(cls.pod for cls in problem.classes), *problem.pinned.kinds)):
        for use in {use for volume in pod.spec.volumes for use in disk_uses(volume)}:
            users.setdefault(use.disk, []).append((row, use))
    size, checked = len(problem.classes), problem.checked(VolumeRestrictions.name)
    pairs: set[tuple[int, int]] = set()
    for group in users.values():
        for (row, use), (other, another) in combinations_with_replacement(group, 2):
            looks = row < size and (checked[row] or (other < size and checked[other]))
            if looks and use.collides(another):
                pairs.add((row, other))
    return Conflicts(
        problem,
        sorted((c, d) for c, d in pairs if d < size),
        sorted((c, kind - size) for c, kind in pairs if kind >= size),
        checked,
    )


def disk_uses(volume: Volume) -> Iterator[DiskUse]:
    """The disks of a volume that not every pod may share."""
    if volume.gce_persistent_disk is not None:
        gce = volume.gce_persistent_disk
        yield DiskUse(("gce", gce.pd_name), gce.read_only)
    if volume.aws_elastic_block_store is not None:
        yield DiskUse(("ebs", volume.aws_elastic_block_store.volume_id), False)
    if volume.iscsi is not None:
        yield DiskUse(("iscsi", volume.iscsi.iqn), volume.iscsi.read_only)
    if volume.rbd is not None:
        rbd = volume.rbd
        yield DiskUse(("rbd", f"{rbd.pool}/{rbd.image}"), rbd.read_only, frozenset(rbd.monitors))


def single_pod_claims(problem: Problem) -> list[SinglePod]:
    """ReadWriteOncePod claims of free pods that are checked."""
    checked = problem.checked(VolumeRestrictions.name)
    users: dict[str, set[int]] = {}
    for cls in problem.classes:
        for use in _uses(problem, cls.pod):
            if use.claim is not None and READ_WRITE_ONCE_POD in use.claim.spec.access_modes:
                users.setdefault(use.key, set()).add(cls.index)
    taken = {use.key for pod in problem.pinned.kinds for use in _uses(problem, pod)} if users else set[str]()
    return [
        SinglePod(
            tuple(sorted(c for c in classes if checked[c])),
            tuple(sorted(c for c in classes if not checked[c])),
            claim in taken,
        )
        for claim, classes in users.items()
        if any(checked[c] for c in classes)
    ]


def _uses(problem: Problem, pod: Pod) -> list[ClaimUse]:
    return [use for use in claim_uses(pod, problem.cluster.claims) if not use.ephemeral]
