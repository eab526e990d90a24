"""Bounds that take no search, from sums of requests.

Sums over all nodes limit how many pods are placed. As for moves, each new pod needs a
place that another one leaves: when every running pod stays, some pending pods fit
nowhere. Placing one more than so many of them then takes a node on which more such pods
arrive than running ones leave. If sums of requests rule such nodes out, there are as
many moves as arrivals.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .problem import Packing, fitting

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
_MIXES = 9
"""Combinations of resources that are tried for each sum."""


def most_placed(packing: Packing) -> int:
    """An upper bound on the tier's pods that are placed: the smallest ones, in all the room together."""
    binding, most = packing.binding, packing.most
    scale = np.maximum(packing.room[:, binding].max(axis=0, initial=1), 1)
    mixes = _mixes(len(binding))
    room = (packing.room[:, binding].sum(axis=0) / scale) @ mixes.T
    for demand in packing.demands:
        if not demand.kept:
            room -= _sorted(packing, demand.classes, scale, mixes)[: demand.least].sum(axis=0)
    used = _sorted(packing, packing.mine, scale, mixes).cumsum(axis=0)
    return int(min((used <= room * (1 + 1e-9)).sum(axis=0).min(initial=most), most))


def _sorted(packing: Packing, classes: Mask, scale: Ints, mixes: Floats) -> Floats:
    """Shape (pods, mixes): what pods of some classes request, each mix sorted on its own."""
    pods = np.repeat(packing.request[classes], packing.available[classes], axis=0)
    return np.sort((pods[:, packing.binding] / scale) @ mixes.T, axis=0)


def fewest_moves(packing: Packing, placed: int) -> int:
    """A lower bound on the moves of all packings with `placed` pods of the tier."""
    mine, own = packing.mine, packing.own
    if own[~mine].any():
        return 0
    running = int(own[mine].sum())
    free = packing.room - own.T @ packing.request
    pending = packing.available - own.sum(axis=1)
    waiting = np.flatnonzero(mine & (pending > 0))
    fits = fitting(packing.request[waiting], free) & packing.open[waiting]
    easy = fits.any(axis=1)
    arrivals = placed - running - int(pending[waiting[easy]].sum())
    stuck = np.repeat(packing.request[waiting[~easy]], pending[waiting[~easy]], axis=0)
    if arrivals <= 0 or not _one_for_one(packing, free, stuck):
        return max(0, min(arrivals, 1))
    return arrivals


def _one_for_one(packing: Packing, free: Ints, stuck: Ints) -> bool:
    """Whether no node can take more of the `stuck` pods than pods leave it."""
    binding = packing.binding
    scale = np.maximum(packing.room[:, binding].max(axis=0, initial=1), 1)
    mixes = _mixes(len(binding))
    arriving = np.sort((stuck[:, binding] / scale) @ mixes.T, axis=0).cumsum(axis=0)
    leaving = (packing.request[:, binding] / scale) @ mixes.T
    for n in range(len(packing.nodes)):
        here = np.repeat(leaving, packing.own[:, n], axis=0)
        room = (free[n, binding] / scale) @ mixes.T + np.sort(here, axis=0)[::-1].cumsum(axis=0)
        number = min(len(here), len(stuck) - 1)
        if (room[:number] >= arriving[1 : number + 1] * (1 - 1e-9)).all(axis=1).any():
            return False
    return True


def _mixes(resources: int) -> Floats:
    """Shape (mixes, resources): weights of the resources, each alone and pairs in several proportions."""
    rows = [np.eye(resources)]
    for first in range(resources):
        for second in range(first):
            share = np.linspace(0, 1, _MIXES)[1:-1]
            row = np.zeros((len(share), resources))
            row[:, first], row[:, second] = share, 1 - share
            rows.append(row)
    return np.concatenate(rows)
