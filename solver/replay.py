"""An order in which kube-scheduler's own filters admit every newly placed pod.

A final state without violations need not have one: with zone and host rules
mixed, some states can only be reached through states that the filters refuse.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..model.api import Pod
from ..model.cluster import Cluster
from ..model.profile import Profile, SchedulerConfiguration
from ..model.rules import RULES
from ..model.state import ClusterState, NodeInfo


@dataclass(frozen=True, slots=True)
class Replay:
    """What a replay found.

    Parameters
    ----------
    order : tuple of str
        Pods in an order in which each was admitted.
    stuck : tuple of str
        Pods that no order tried could admit.
    """

    order: tuple[str, ...]
    stuck: tuple[str, ...]


def replay(
    cluster: Cluster, configuration: SchedulerConfiguration, placement: Mapping[str, str | None]
) -> Replay:
    """Admit the placed pods one by one, again and again over those that are refused.

    Parameters
    ----------
    cluster : Cluster
        After admission, with the pods of `placement` pending.
    placement : mapping of str to (str or None)

    Returns
    -------
    Replay
    """
    state = ClusterState.of(cluster, configuration)
    waiting: Sequence[Pod] = [pod for pod in cluster.pods if placement.get(pod.key)]
    waiting = sorted(waiting, key=lambda pod: (-pod.priority, pod.metadata.creation_timestamp or 0))
    order: list[str] = []
    while waiting:
        refused: list[Pod] = []
        for pod in waiting:
            if _place(state, pod, placement[pod.key] or ""):
                order.append(pod.key)
            else:
                refused.append(pod)
        if len(refused) == len(waiting):
            break
        waiting = refused
    return Replay(tuple(order), tuple(pod.key for pod in waiting))


def _place(state: ClusterState, pod: Pod, name: str) -> bool:
    profile = state.configuration.profile(pod.spec.scheduler_name)
    if profile is None:
        return False
    node = state.nodes[name]
    active = _admit(state, profile, pod, node)
    if active is None:
        return False
    for rule, data in active:
        rule.reserve(state, profile, pod, node, data)
    node.add(pod.model_copy(update={"node_name": name}))
    return True


def _admit(
    state: ClusterState, profile: Profile, pod: Pod, node: NodeInfo
) -> list[tuple[object, object]] | None:
    active: list[tuple[object, object]] = []
    for rule in RULES:
        if rule.name not in profile.filters:
            continue
        found = rule.pre_filter(state, profile, pod)
        if found.verdict is not None or (found.nodes is not None and node.name not in found.nodes):
            return None
        if found.skip:
            continue
        if rule.admits(state, profile, pod, node, found.data) is not None:
            return None
        active.append((rule, found.data))
    return active
