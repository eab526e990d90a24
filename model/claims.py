"""The claims a pod uses, and what a claim states.

Source: https://kubernetes.io/docs/concepts/storage/persistent-volumes/
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .api import (
    NodeSelectorRequirement,
    NodeSelectorTerm,
    PersistentVolume,
    PersistentVolumeClaim,
    Pod,
    Volume,
)
from .labels import LABEL_OPERATORS
from .node_selector_errors import term_errors

BIND_COMPLETED = "pv.kubernetes.io/bind-completed"
SELECTED_NODE = "volume.kubernetes.io/selected-node"
CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class"
READ_WRITE_ONCE_POD = "ReadWriteOncePod"
STORAGE = "storage"
Claims = Mapping[str, PersistentVolumeClaim]


@dataclass(frozen=True, slots=True)
class ClaimUse:
    """One of a pod's volumes that goes through a claim.

    Parameters
    ----------
    namespace, name : str
        Of the claim.
    ephemeral : bool
        The claim is made for this pod alone (generic ephemeral volume).
    claim : PersistentVolumeClaim or None
        None when there is no such claim.
    """

    namespace: str
    name: str
    ephemeral: bool
    claim: PersistentVolumeClaim | None

    @property
    def key(self) -> str:
        """``namespace/name``."""
        return f"{self.namespace}/{self.name}"

    @property
    def not_found(self) -> str:
        """What the API server says of a claim that is not there."""
        return f'persistentvolumeclaim "{self.name}" not found'


def claim_uses(pod: Pod, claims: Claims) -> tuple[ClaimUse, ...]:
    """The pod's claims in the order of its volumes; one that is used twice appears twice."""
    uses: list[ClaimUse] = []
    for volume in pod.spec.volumes:
        if volume.persistent_volume_claim is not None:
            name = volume.persistent_volume_claim.claim_name
        elif volume.ephemeral is not None:
            name = f"{pod.name}-{volume.name}"
        else:
            continue
        ephemeral = volume.persistent_volume_claim is None
        uses.append(ClaimUse(pod.namespace, name, ephemeral, claims.get(f"{pod.namespace}/{name}")))
    return tuple(uses)


def has_claim(volume: Volume) -> bool:
    """Whether the volume goes through a claim."""
    return volume.persistent_volume_claim is not None or volume.ephemeral is not None


def has_own_claims(pod: Pod) -> bool:
    """Whether the pod has claims of its own, which no other pod of its template shares."""
    return any(v.persistent_volume_claim is None and v.ephemeral is not None for v in pod.spec.volumes)


def foreign(pod: Pod, use: ClaimUse) -> str:
    """What is wrong with an ephemeral claim that was not made for `pod`; empty when nothing is."""
    if not use.ephemeral or use.claim is None:
        return ""
    owner = use.claim.metadata.controller
    if owner is not None and owner.uid == pod.metadata.uid:
        return ""
    return f"PVC {use.key} was not created for pod {pod.key} (pod is not owner)"


def claim_class(claim: PersistentVolumeClaim) -> str:
    """The claim's storage class, empty for none."""
    annotated = claim.metadata.annotations.get(CLASS_ANNOTATION)
    return (claim.spec.storage_class_name or "") if annotated is None else annotated


def volume_class(volume: PersistentVolume) -> str:
    """The volume's storage class, empty for none."""
    return volume.metadata.annotations.get(CLASS_ANNOTATION, volume.spec.storage_class_name)


def requested(claim: PersistentVolumeClaim) -> int:
    """The size asked for, in nano bytes."""
    return claim.spec.resources.requests.get(STORAGE, 0)


def capacity(volume: PersistentVolume) -> int:
    """The volume's size, in nano bytes."""
    return volume.spec.capacity.get(STORAGE, 0)


def bound(claim: PersistentVolumeClaim) -> bool:
    """Whether the claim is bound for good: it names a volume and binding was completed."""
    return bool(claim.spec.volume_name) and BIND_COMPLETED in claim.metadata.annotations


def reserved_for(volume: PersistentVolume, claim: PersistentVolumeClaim) -> bool:
    """Whether the volume's ``claimRef`` names `claim`; an absent uid matches any."""
    reference = volume.spec.claim_ref
    if reference is None:
        return False
    if (reference.namespace, reference.name) != (claim.metadata.namespace, claim.metadata.name):
        return False
    return not reference.uid or reference.uid == claim.metadata.uid


def selector_problem(claim: PersistentVolumeClaim) -> str:
    """Why the claim's selector cannot be parsed, in the API machinery's words; empty when it can."""
    selector = claim.spec.selector
    if selector is None:
        return ""
    equal = [
        NodeSelectorRequirement(key=key, operator="In", values=(value,))
        for key, value in selector.match_labels.items()
    ]
    for stated in (*equal, *selector.match_expressions):
        if stated.operator not in LABEL_OPERATORS:
            return f'"{stated.operator}" is not a valid label selector operator'
        requirement = NodeSelectorRequirement(key=stated.key, operator=stated.operator, values=stated.values)
        for error in term_errors(NodeSelectorTerm(match_expressions=(requirement,)), ""):
            return error.removeprefix(".matchExpressions[0].")
    return ""
