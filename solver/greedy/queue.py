"""The order in which kube-scheduler takes pending pods."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heapify, heappop, heappush
from itertools import count

from ...model.api import Pod

EARLIEST, LATEST = -(2**63), 2**63
_Key = tuple[int, int, int]
"""Priority from high to low, then creationTimestamp (a pod without one first), then position."""


def pending(pods: Iterable[Pod]) -> list[Pod]:
    """Pods without a node that are not completed, in queue order."""
    waiting = [pod for pod in pods if pod.node_name is None and not pod.completed]
    return sorted(waiting, key=lambda pod: (-pod.priority, _created(pod)))


def _created(pod: Pod) -> int:
    created = pod.metadata.creation_timestamp
    return EARLIEST if created is None else created


class Queue:
    """Pods that wait for their turn, by key; `pods` come in queue order."""

    def __init__(self, pods: Iterable[Pod]) -> None:
        self._positions = count()
        self._keys: dict[str, _Key] = {
            pod.key: (-pod.priority, _created(pod), next(self._positions)) for pod in pods
        }
        self._heap = [(key, name) for name, key in self._keys.items()]
        heapify(self._heap)

    def __bool__(self) -> bool:
        return bool(self._heap)

    def pop(self) -> str:
        """Take the next pod."""
        return heappop(self._heap)[1]

    def again(self, pod: Pod) -> None:
        """The pod returns to the place it had."""
        heappush(self._heap, (self._keys[pod.key], pod.key))

    def late(self, pod: Pod) -> None:
        """A pod that was created only now: behind all others of its priority."""
        self._keys[pod.key] = (-pod.priority, LATEST, next(self._positions))
        self.again(pod)
