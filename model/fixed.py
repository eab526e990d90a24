"""Why a pod is fixed: neither placed nor moved.

*Forced* is a pod whose owner's template names the node, or a bare pod with a
node and an empty status: it bypassed the scheduler. Any other pod with a node
is *bound*; one without is *pending*.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from .api import Pod, PodTemplateSpec, Workload


class Fixed(StrEnum):
    """Why a pod is neither placed nor moved; the value is a stable identifier."""

    COMPLETED = "completed"
    UNKNOWN_NODE = "unknown-node"
    TERMINATING = "terminating"
    GATED = "gated"
    OTHER_SCHEDULER = "other-scheduler"
    NOT_MODELLED = "not-modelled"
    RUNNING = "running"
    FORCED = "forced"
    MIRROR = "mirror"
    DAEMON_SET = "daemon-set"
    VOLUME_PINNED = "volume-pinned"
    PENDING = "pending"
    BARE = "bare"
    SYSTEM_CRITICAL = "system-critical"
    LOCAL_STORAGE = "local-storage"
    DO_NOT_EVICT = "do-not-evict"


_TEXTS: Mapping[Fixed, str] = {
    Fixed.COMPLETED: "it has completed",
    Fixed.UNKNOWN_NODE: "its node {} is not in the cluster",
    Fixed.TERMINATING: "it is being deleted",
    Fixed.GATED: "scheduling gates hold it back: {}",
    Fixed.OTHER_SCHEDULER: "no profile is named after its scheduler {}",
    Fixed.NOT_MODELLED: "{} influences where it may run and is not modelled",
    Fixed.RUNNING: "running pods stay where they are",
    Fixed.FORCED: "it was created with a node name",
    Fixed.MIRROR: "the kubelet runs it from a file",
    Fixed.DAEMON_SET: "its DaemonSet runs it on each node",
    Fixed.VOLUME_PINNED: "its claim {} cannot be used on another node",
    Fixed.PENDING: "it has no node yet",
    Fixed.BARE: "no controller would create it again",
    Fixed.SYSTEM_CRITICAL: "it is critical to the system",
    Fixed.LOCAL_STORAGE: "it would lose its volume {}",
    Fixed.DO_NOT_EVICT: "its annotation {} forbids it",
}


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a pod is fixed.

    Parameters
    ----------
    code : Fixed
    detail : str
        The name that matters: scheduler, node, gates, fields, claim.
    """

    code: Fixed
    detail: str = ""

    def __str__(self) -> str:
        return _TEXTS[self.code].format(self.detail)


class Forced:
    """Tells which pods of a cluster were created with a node name.

    Parameters
    ----------
    workloads : iterable of Workload
        Where owners' templates are looked up; an owner that is missing is taken to name no node.
    """

    def __init__(self, workloads: Iterable[Workload]) -> None:
        self._templates = {workload.key: _template(workload) for workload in workloads}

    def __call__(self, pod: Pod) -> bool:
        """Whether `pod` bypassed the scheduler."""
        if not pod.node_name:
            return False
        owner = pod.metadata.controller
        if owner is None:
            status = pod.status
            return not (status.phase or status.conditions or status.start_time is not None)
        template = self._templates.get(f"{owner.kind}/{pod.namespace}/{owner.name}")
        return template is not None and bool(template.node_name)


def _template(workload: Workload) -> PodTemplateSpec:
    job = workload.spec.job_template
    return workload.spec.template if job is None else job.spec.template
