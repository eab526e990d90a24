"""Which rules are blind because a snapshot of a live cluster lacks kinds.

A file that someone wrote is complete: what it does not name is not there. A
capture is of a cluster that has more, so where its pods refer to a kind that
it does not list, somebody has to know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from .api import PersistentVolumeClaim, Pod, PodAffinity, Volume
from .cluster import Cluster
from .reasons import Warning

OWNER_KINDS = frozenset({"ReplicaSet", "ReplicationController", "StatefulSet"})


def captured(cluster: Cluster) -> bool:
    """Whether the objects come from an API server: it gives every object a uid."""
    return any(thing.metadata.uid for kind in (cluster.nodes, cluster.pods) for thing in kind)


def incomplete(cluster: Cluster) -> tuple[Warning, ...]:
    """One warning for each kind that is missing from a capture and matters to its pods."""
    if not captured(cluster):
        return ()
    return tuple(_missing(cluster))


def _missing(cluster: Cluster) -> Iterator[Warning]:
    for kind, (matters, consequence) in _KINDS.items():
        if kind not in cluster.kinds and matters(cluster):
            yield Warning("incomplete", kind, "", f"none were read: {consequence}")
    if cluster.pods and not cluster.kinds & (OWNER_KINDS | {"Service"}) and _any_default_spread(cluster):
        message = "none were read, nor ReplicaSets: PodTopologySpread's default constraints score nothing"
        yield Warning("incomplete", "Service", "", message)


def _any_default_spread(cluster: Cluster) -> bool:
    return any(pod.metadata.controller and not pod.spec.topology_spread_constraints for pod in cluster.pods)


def _any_running(cluster: Cluster) -> bool:
    return any(pod.node_name and not pod.completed and _evictable(pod) for pod in cluster.pods)


def _evictable(pod: Pod) -> bool:
    owner = pod.metadata.controller
    return owner is not None and owner.kind not in ("DaemonSet", "Node")


def _any_claim(cluster: Cluster) -> bool:
    return any(volume.persistent_volume_claim or volume.ephemeral for volume in _volumes(cluster))


def _volumes(cluster: Cluster) -> Iterator[Volume]:
    for pod in cluster.pods:
        if not pod.completed:
            yield from pod.spec.volumes


def _any_bound_claim(cluster: Cluster) -> bool:
    return any(claim.spec.volume_name for claim in cluster.persistent_volume_claims)


def _any_unbound_claim(cluster: Cluster) -> bool:
    return any(_unbound(claim) for claim in cluster.persistent_volume_claims)


def _unbound(claim: PersistentVolumeClaim) -> bool:
    return not claim.spec.volume_name and bool(claim.spec.storage_class_name)


def _any_csi_volume(cluster: Cluster) -> bool:
    return any(volume.spec.csi is not None for volume in cluster.persistent_volumes)


def _any_namespace_selector(cluster: Cluster) -> bool:
    return any(_selects_namespaces(side) for pod in cluster.pods for side in _sides(pod))


def _sides(pod: Pod) -> tuple[PodAffinity, PodAffinity]:
    return pod.spec.affinity.pod_affinity, pod.spec.affinity.pod_anti_affinity


def _selects_namespaces(side: PodAffinity) -> bool:
    terms = (*side.required, *(weighted.pod_affinity_term for weighted in side.preferred))
    selectors = (term.namespace_selector for term in terms)
    return any(selector and (selector.match_labels or selector.match_expressions) for selector in selectors)


def _any_unknown_priority(cluster: Cluster) -> bool:
    return any(pod.spec.priority_class_name and pod.spec.priority is None for pod in cluster.pods)


_KINDS: Mapping[str, tuple[Callable[[Cluster], bool], str]] = {
    "PodDisruptionBudget": (_any_running, "every pod counts as evictable, whatever its budget"),
    "PersistentVolumeClaim": (
        _any_claim,
        "VolumeBinding, VolumeZone, VolumeRestrictions and NodeVolumeLimits cannot see what pods claim, "
        "and pending pods with claims stay pending",
    ),
    "PersistentVolume": (
        _any_bound_claim,
        "VolumeBinding and VolumeZone do not know where bound claims can be reached",
    ),
    "StorageClass": (_any_unbound_claim, "VolumeBinding does not know how unbound claims are bound"),
    "CSINode": (_any_csi_volume, "NodeVolumeLimits knows no limits"),
    "Namespace": (_any_namespace_selector, "InterPodAffinity's namespace selectors match nothing"),
    "PriorityClass": (_any_unknown_priority, "pods whose priority is not filled in count as 0"),
}
"""Kind -> whether the cluster's pods need it, and what follows when it is missing."""
