"""Clusters for VolumeBinding, and placing their pods one by one with reservations."""

from __future__ import annotations

from typing import Any

from builders import cluster, node, pod
from kubestow.model.cluster import Cluster
from kubestow.model.profile import Profile, SchedulerConfiguration
from kubestow.model.rules.volume_binding import VolumeBinding
from kubestow.model.state import ClusterState
from storage_builders import storage_class, uses

RULE = VolumeBinding()
NODES = (node("a", "x"), node("b", "y"))
SELECTED = "volume.kubernetes.io/selected-node"
CLASSES = (
    storage_class(),
    storage_class("made", "csi.x"),
    storage_class("zonal", "csi.x", zones=["x"]),
    storage_class("now", "csi.x", wait=False),
)


def of(claims: Any, volumes: Any = (), pods: Any = None, **objects: Any) -> Cluster:
    """A cluster with these claims and volumes; pod ``p`` uses all claims unless `pods` are given."""
    names = [c.metadata.name for c in claims]
    return cluster(
        NODES,
        pods or [pod("p", volumes=uses(*names))],
        persistent_volume_claims=tuple(claims),
        persistent_volumes=tuple(volumes),
        storage_classes=CLASSES,
        **objects,
    )


def place(it: Cluster, order: list[tuple[str, str]]) -> ClusterState | None:
    """Place pods one by one with their reservations; None as soon as one is rejected."""
    profile = Profile()
    state = ClusterState.of(it, SchedulerConfiguration((profile,)))
    for key, name in order:
        chosen, info = it.pod_by_key[key], state.nodes[name]
        before = RULE.pre_filter(state, profile, chosen)
        if before.verdict or (not before.skip and RULE.admits(state, profile, chosen, info, before.data)):
            return None
        RULE.reserve(state, profile, chosen, info, before.data)
        info.add(chosen)
    return state
