"""Between counts and pods: which pod of a class goes to which of its nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ..model.api import Pod
from ..model.movable import disruption_cost
from .problem import Problem

Ints = NDArray[np.int64]


def placement_of(problem: Problem, counts: Ints) -> dict[str, str | None]:
    """Hand out nodes: running pods stay where their class keeps a place, the rest follow in queue order.

    Where not all of a class stay on a node, those do whose disruption costs most.

    Returns
    -------
    dict
        Node name, or None, of every free pod by ``namespace/name``.
    """
    index = problem.cluster.node_index
    placement: dict[str, str | None] = {}
    for cls in problem.classes:
        left = counts[cls.index].copy()
        waiting: list[str] = []
        members = [problem.free[position] for position in cls.members]
        for pod in sorted(members, key=lambda pod: -disruption_cost(pod)) if _running(members) else members:
            place = index.get(pod.node_name or "", -1)
            if place >= 0 and left[place] > 0:
                left[place] -= 1
                placement[pod.key] = pod.node_name
            else:
                waiting.append(pod.key)
        places = np.repeat(np.arange(len(left)), left).tolist()
        for key, place in zip(waiting, places, strict=False):
            placement[key] = problem.nodes[place].name
        for key in waiting[len(places) :]:
            placement[key] = None
    return placement


def _running(pods: Sequence[Pod]) -> bool:
    return any(pod.node_name for pod in pods)


def counts_of(problem: Problem, placement: Mapping[str, str | None]) -> Ints:
    """Shape (classes, nodes): the counts of a placement of the free pods."""
    index = problem.cluster.node_index
    counts = np.zeros((len(problem.classes), len(problem.nodes)), dtype=np.int64)
    for cls in problem.classes:
        for position in cls.members:
            place = index.get(placement.get(problem.free[position].key) or "", -1)
            if place >= 0:
                counts[cls.index, place] += 1
    return counts
