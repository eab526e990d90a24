"""How kube-scheduler serves a pod's claims on one node, given what earlier pods took.

Source: ``pkg/scheduler/framework/plugins/volumebinding/binder.go``,
``k8s.io/component-helpers/storage/volume`` FindMatchingVolume.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from .api import CSIStorageCapacity, Node, PersistentVolume, PersistentVolumeClaim, Pod
from .claims import SELECTED_NODE, claim_class, claim_uses, requested, selector_problem
from .storage import Binding, Provisioning, Storage

OUT_OF_REACH = "node(s) didn't match PersistentVolume's node affinity"
NOTHING_TO_BIND = "node(s) didn't find available persistent volumes to bind"
NO_SPACE = "node(s) did not have enough free storage"
NO_VOLUME = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"


class UnreadableClaim(Exception):
    """A claim's selector or volume cannot be made sense of; VolumeBinding turns it into a failed cycle."""


@dataclass(frozen=True, slots=True)
class PodClaims:
    """A pod's claims that are bound, and those that wait for its node; one used twice is there twice."""

    bound: tuple[PersistentVolumeClaim, ...] = ()
    delayed: tuple[PersistentVolumeClaim, ...] = ()


def pod_claims(storage: Storage, pod: Pod) -> PodClaims:
    """The pod's claims that are there and not still to be bound by others."""
    claims = [use.claim for use in claim_uses(pod, storage.claims) if use.claim is not None]
    return PodClaims(
        tuple(claim for claim in claims if storage.binding(claim) is Binding.BOUND),
        tuple(claim for claim in claims if storage.binding(claim) is Binding.DELAYED),
    )


@dataclass(slots=True)
class Assumed:
    """What placed pods have reserved.

    Attributes
    ----------
    claim_of : dict of str to str
        Volume to the claim (``namespace/name``) that takes it.
    volumes_of : dict of str to list of str
        The same, from the claim's side.
    node_of : dict of str to str
        Claim to the node for which it will be provisioned.
    """

    claim_of: dict[str, str] = field(default_factory=dict[str, str])
    volumes_of: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    node_of: dict[str, str] = field(default_factory=dict[str, str])

    def reserve(self, served: Served, node: str) -> None:
        """Take the volumes, and tie to `node` what will be provisioned."""
        for claim, volume in served.static:
            self.claim_of[volume.name] = claim.key
            self.volumes_of.setdefault(claim.key, []).append(volume.name)
        for claim, _ in served.provisioned:
            self.node_of[claim.key] = node


@dataclass(slots=True)
class Served:
    """How a pod's claims would be served on a node, or why they cannot.

    Attributes
    ----------
    static : list of (claim, volume)
        Claims that would be bound to a volume that exists.
    provisioned : list of (claim, segment)
        Claims a volume would be made for; the segment of storage is None where none is tracked.
    reasons : list of str
        Empty when the node is fine.
    """

    static: list[tuple[PersistentVolumeClaim, PersistentVolume]]
    provisioned: list[tuple[PersistentVolumeClaim, CSIStorageCapacity | None]]
    reasons: list[str]


def serve(storage: Storage, assumed: Assumed, claims: PodClaims, node: Node) -> Served:
    """Check the bound claims and find a way to serve the others.

    Raises
    ------
    UnreadableClaim
        When a claim's selector cannot be parsed, or the volume it is bound to not be translated.
    """
    served = Served([], [], list(_bound_problems(storage, claims.bound, node)))
    selected = [assumed.node_of.get(c.key, c.metadata.annotations.get(SELECTED_NODE)) for c in claims.delayed]
    if any(name is not None and name != node.name for name in selected):
        served.reasons.append(NOTHING_TO_BIND)
    else:
        waiting = [c for c, name in zip(claims.delayed, selected, strict=True) if name is None]
        to_provision = [c for c, name in zip(claims.delayed, selected, strict=True) if name is not None]
        to_provision += _match(storage, assumed, waiting, node, served)
        _provision(storage, to_provision, node, served)
    served.reasons.sort()
    return served


def _bound_problems(storage: Storage, claims: Sequence[PersistentVolumeClaim], node: Node) -> Iterator[str]:
    """The first bound claim that cannot be used on the node, if any."""
    for claim in claims:
        volume = storage.volumes.get(claim.spec.volume_name)
        if volume is None:
            yield NO_VOLUME
            return
        problem = storage.reach.bound_problem(volume, node.name)
        if problem:
            raise UnreadableClaim(problem)
        if not storage.reach.bound_reaches(volume, node.name):
            yield OUT_OF_REACH
            return


def _match(
    storage: Storage, assumed: Assumed, claims: Sequence[PersistentVolumeClaim], node: Node, served: Served
) -> list[PersistentVolumeClaim]:
    """Give each claim, smallest first, the smallest volume left; return the claims without one."""
    chosen: set[str] = set()
    without: list[PersistentVolumeClaim] = []
    for claim in sorted(claims, key=requested):
        volume = _matching_volume(storage, assumed, claim, node, chosen)
        if volume is None:
            without.append(claim)
        else:
            chosen.add(volume.name)
            served.static.append((claim, volume))
    return without


def _matching_volume(
    storage: Storage, assumed: Assumed, claim: PersistentVolumeClaim, node: Node, chosen: set[str]
) -> PersistentVolume | None:
    problem = selector_problem(claim)
    if problem:
        raise UnreadableClaim(f"error creating internal label selector for claim: {claim.key}: {problem}")
    own = [storage.volumes[name] for name in assumed.volumes_of.get(claim.key, ())]
    for volume in sorted([*own, *storage.reserved(claim)], key=lambda volume: volume.name):
        if volume.name not in chosen and storage.serves(claim, volume):
            return volume if storage.reach.reaches(volume, node.name) else None
    for volume in storage.available(claim_class(claim), node.name):
        if volume.name not in chosen and volume.name not in assumed.claim_of and storage.suits(claim, volume):
            return volume
    return None


def _provision(storage: Storage, claims: Sequence[PersistentVolumeClaim], node: Node, served: Served) -> None:
    for claim in claims:
        outcome, segment = storage.provisioning(claim, node)
        if outcome is Provisioning.POSSIBLE:
            served.provisioned.append((claim, segment))
            continue
        served.provisioned.clear()
        served.reasons.append(NOTHING_TO_BIND if outcome is Provisioning.UNAVAILABLE else NO_SPACE)
        return
