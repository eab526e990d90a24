"""The order in which kube-scheduler takes pending pods."""

from __future__ import annotations

from collections.abc import Iterable

from ...model.api import Pod


def pending(pods: Iterable[Pod]) -> list[Pod]:
    """Pods without a node that are not completed, in queue order.

    Priority from high to low, then creationTimestamp (a pod without one first), then position.
    """
    waiting = [pod for pod in pods if pod.node_name is None and not pod.completed]
    return sorted(waiting, key=lambda pod: (-pod.priority, pod.metadata.creation_timestamp or -(2**63)))
