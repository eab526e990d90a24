"""Which pods a question may place, and which running pods may be moved at all.

Source of the conventions: https://github.com/kubernetes-sigs/descheduler#pod-evictions,
https://github.com/kubernetes/autoscaler/blob/master/cluster-autoscaler/FAQ.md,
https://karpenter.sh/docs/concepts/disruption/ and
https://kubernetes.io/docs/concepts/workloads/controllers/replicaset/#pod-deletion-cost
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .admission import SYSTEM_CLASSES
from .api import Pod, Volume
from .claims import bound, claim_uses
from .cluster import Cluster
from .errors import BadInput
from .fixed import Fixed, Reason
from .labels import parse_int64
from .profile import SchedulerConfiguration
from .unmodelled import unmodelled_filters

QUESTIONS = ("pending", "preempt", "scratch")
EVICT = "descheduler.alpha.kubernetes.io/evict"
SAFE_TO_EVICT = "cluster-autoscaler.kubernetes.io/safe-to-evict"
SAFE_LOCAL_VOLUMES = "cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes"
DELETION_COST = "controller.kubernetes.io/pod-deletion-cost"
_LONGEST_INT32 = len("-2147483648")
_FORBIDDING: Mapping[str, str | None] = {
    SAFE_TO_EVICT: "false",
    "karpenter.sh/do-not-disrupt": "true",
    "descheduler.alpha.kubernetes.io/prefer-no-eviction": None,
}
"""Annotations that keep a pod where it is, with the value that does; None for any value."""


@dataclass(frozen=True)
class Free:
    """The pods of a question.

    Parameters
    ----------
    free : frozenset of str
        Keys of the pods that are placed, running ones anew.
    excluded : mapping of str to Reason
        Every other pod.
    evictable : frozenset of str
        Running pods that pending ones may displace (question ``preempt``), or that may move.
    """

    free: frozenset[str]
    excluded: Mapping[str, Reason]
    evictable: frozenset[str] = frozenset()


def free_pods(cluster: Cluster, configuration: SchedulerConfiguration, question: str = "pending") -> Free:
    """Which pods a question places.

    Parameters
    ----------
    cluster : Cluster
        After admission.
    configuration : SchedulerConfiguration
        Pods of schedulers without a profile are left out.
    question : str
        ``pending``: pods without a node; running pods stay. ``preempt``: the same, and pods of lower
        priority may be evicted. ``scratch``: running pods are placed anew as well, except forced,
        mirror, DaemonSet, volume-pinned and terminating ones and those with unmodelled fields.

    Returns
    -------
    Free

    Raises
    ------
    BadInput
        For an unknown question.
    """
    if question not in QUESTIONS:
        raise BadInput(f"question {question!r} is unknown; use one of {', '.join(QUESTIONS)}")
    anew = question == "scratch"
    reasons = {pod.key: _reason(cluster, configuration, pod, anew=anew) for pod in cluster.pods}
    free = frozenset(key for key, reason in reasons.items() if reason is None)
    excluded = {key: reason for key, reason in reasons.items() if reason is not None}
    evictable = _evictable(cluster, free) if question == "preempt" else frozenset[str]()
    return Free(free, excluded, evictable)


def movable_pods(cluster: Cluster, configuration: SchedulerConfiguration) -> Free:
    """Pending pods and, as `Free.evictable`, every running pod that may be moved (`movability`).

    Parameters
    ----------
    cluster : Cluster
        After admission.
    configuration : SchedulerConfiguration
        Pods of schedulers without a profile are left out.
    """
    free = free_pods(cluster, configuration, "scratch")
    running = {key: cluster.pod_by_key[key] for key in free.free if cluster.pod_by_key[key].node_name}
    reasons = {key: movability(pod, cluster) for key, pod in running.items()}
    staying = {key: reason for key, reason in reasons.items() if reason is not None}
    evictable = frozenset(running.keys() - staying.keys())
    return Free(free.free - running.keys(), {**free.excluded, **staying}, evictable)


def _reason(
    cluster: Cluster, configuration: SchedulerConfiguration, pod: Pod, *, anew: bool
) -> Reason | None:
    """Why a question cannot place the pod; `anew` says whether it places running pods."""
    if pod.completed:
        return Reason(Fixed.COMPLETED)
    if pod.node_name and pod.node_name not in cluster.node_index:
        return Reason(Fixed.UNKNOWN_NODE, pod.node_name)
    if pod.terminating:
        return Reason(Fixed.TERMINATING)
    if configuration.profile(pod.spec.scheduler_name) is None:
        return Reason(Fixed.OTHER_SCHEDULER, pod.spec.scheduler_name)
    if pod.node_name:
        return tied(pod, cluster) if anew else Reason(Fixed.RUNNING)
    if pod.gated:
        return Reason(Fixed.GATED, " ".join(gate.name for gate in pod.spec.scheduling_gates))
    return _not_modelled(pod)


def _not_modelled(pod: Pod) -> Reason | None:
    fields = unmodelled_filters(pod)
    return Reason(Fixed.NOT_MODELLED, ", ".join(fields)) if fields else None


def tied(pod: Pod, cluster: Cluster) -> Reason | None:
    """Why a pod that has a node belongs there and nowhere else; None when another node would do.

    Parameters
    ----------
    pod : Pod
        With a node that is in the cluster.
    cluster : Cluster
    """
    if cluster.forced(pod):
        return Reason(Fixed.FORCED)
    if pod.mirror:
        return Reason(Fixed.MIRROR)
    if pod.of_daemon_set:
        return Reason(Fixed.DAEMON_SET)
    claim = _pinning_claim(pod, cluster)
    return Reason(Fixed.VOLUME_PINNED, claim) if claim else _not_modelled(pod)


def _pinning_claim(pod: Pod, cluster: Cluster) -> str:
    """A claim that is not known to be usable on any other node; empty when there is none."""
    for use in claim_uses(pod, cluster.claims):
        if use.claim is None or not bound(use.claim):
            return use.key
        volume = cluster.volumes.get(use.claim.spec.volume_name)
        nodes = frozenset[str]() if volume is None else cluster.storage.reach.nodes(volume)
        if nodes is not None and nodes <= {pod.node_name}:
            return use.key
    return ""


def _evictable(cluster: Cluster, free: frozenset[str]) -> frozenset[str]:
    preemptors = [pod for pod in cluster.pods if pod.key in free and pod.spec.preemption_policy != "Never"]
    highest = max((pod.priority for pod in preemptors), default=None)
    if highest is None:
        return frozenset()
    return frozenset(
        pod.key
        for pod in cluster.pods
        if pod.priority < highest and not pod.completed and pod.node_name in cluster.node_index
    )


def recreated(pod: Pod, cluster: Cluster) -> bool:
    """Whether a controller creates the pod again, for a scheduler to place, when it is evicted."""
    replaced = pod.metadata.controller is not None and not pod.terminating
    return replaced and not pod.mirror and not cluster.forced(pod)


def movability(pod: Pod, cluster: Cluster) -> Reason | None:
    """Why a pod may not be moved, whatever it would gain; None when it may.

    A pod moves by being evicted and created again. The descheduler's ``evict``
    annotation and the autoscaler's ``safe-to-evict: "true"`` waive everything
    that is a matter of caution.
    """
    if pod.completed:
        return Reason(Fixed.COMPLETED)
    if not pod.node_name:
        return Reason(Fixed.PENDING)
    if pod.node_name not in cluster.node_index:
        return Reason(Fixed.UNKNOWN_NODE, pod.node_name)
    if pod.terminating:
        return Reason(Fixed.TERMINATING)
    return tied(pod, cluster) or (None if _opted_in(pod) else _cautious(pod))


def _opted_in(pod: Pod) -> bool:
    annotations = pod.metadata.annotations
    return EVICT in annotations or annotations.get(SAFE_TO_EVICT) == "true"


def _cautious(pod: Pod) -> Reason | None:
    annotations = pod.metadata.annotations
    for name, forbids in _FORBIDDING.items():
        if name in annotations and forbids in (None, annotations[name]):
            return Reason(Fixed.DO_NOT_EVICT, name)
    if pod.metadata.controller is None:
        return Reason(Fixed.BARE)
    if pod.spec.priority_class_name in SYSTEM_CLASSES or pod.priority >= min(SYSTEM_CLASSES.values()):
        return Reason(Fixed.SYSTEM_CRITICAL)
    expendable = annotations.get(SAFE_LOCAL_VOLUMES, "").split(",")
    local = [v.name for v in pod.spec.volumes if _local(v) and v.name not in expendable]
    return Reason(Fixed.LOCAL_STORAGE, local[0]) if local else None


def _local(volume: Volume) -> bool:
    if volume.host_path is not None:
        return True
    return volume.empty_dir is not None and volume.empty_dir.get("medium") != "Memory"


def disruption_cost(pod: Pod) -> int:
    """What evicting the pod counts: its ``pod-deletion-cost`` where that is more than 1, else 1."""
    text = pod.metadata.annotations.get(DELETION_COST, "")
    cost = parse_int64(text) if len(text) <= _LONGEST_INT32 else None
    return max(1, min(cost or 1, 2**31 - 1))
