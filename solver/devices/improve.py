"""Neighbourhood search: a few nodes at a time, around what is left or idle."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from .instance import Ints
from .neighbourhood import Neighbourhood
from .packing import Packing

Floats = NDArray[np.float64]

SECONDS = 4.0
"""Per neighbourhood."""
_SIZE = 6
_SEEDS = 1 << 31
_CLASSES = 12
"""Classes of pods that are left, of which a neighbourhood sees the pods."""


def improve(
    packing: Packing,
    random: np.random.Generator,
    *,
    workers: int,
    until: float,
    enough: Callable[[Packing], bool],
) -> bool:
    """Place more pods on the nodes of a packing.

    Parameters
    ----------
    packing : Packing
        Changed in place; never for the worse.
    random : numpy Generator
    workers : int
        Neighbourhoods, without nodes in common, that are solved at the same time.
    until : float
        By the monotonic clock.
    enough : callable
        Whether to stop.

    Returns
    -------
    bool
        Whether nothing better exists, as a neighbourhood that was the whole problem tells.
    """
    if not len(packing.group_of):
        return True
    with ThreadPoolExecutor(workers) as pool:
        while time.monotonic() < until and not enough(packing):
            drawn = _draw(packing, random, workers)
            seconds = min(SECONDS, until - time.monotonic())
            solving = [pool.submit(each.solve, seconds, seed) for _, each, seed in drawn]
            for (nodes, each, _), future in zip(drawn, solving, strict=True):
                counts, proven = future.result()
                if counts is not None:
                    packing.counts[nodes] = counts
                if proven and each.whole:
                    return True
    return False


def _draw(
    packing: Packing, random: np.random.Generator, number: int
) -> list[tuple[list[int], Neighbourhood, int]]:
    """Node sets without a node or a pod in common, each with a seed."""
    appeal = random.random(len(packing.group_of)) * (packing.idle + 30)
    left = packing.left
    drawn: list[tuple[list[int], Neighbourhood, int]] = []
    for _ in range(number):
        nodes = _choose(packing, random, appeal, left)
        extra = _extra(packing, random, nodes, left)
        left, appeal[nodes] = left - extra, -1.0
        if nodes:
            drawn.append((nodes, Neighbourhood(packing, nodes, extra), int(random.integers(_SEEDS))))
    return drawn


def _choose(packing: Packing, random: np.random.Generator, appeal: Floats, left: Ints) -> list[int]:
    """Nodes with much idle: anywhere, of one group, or half of them eligible for a class with pods left."""
    kind = random.integers(3)
    waiting: list[int] = np.flatnonzero(left).tolist()
    first = list[int]()
    if kind == 0:
        group = packing.group_of[int(random.integers(len(packing.group_of)))]
        return _top(np.where(packing.group_of == group, appeal, -1.0), _SIZE)
    if kind == 1 and waiting:
        c = waiting[int(random.integers(len(waiting)))]
        eligible = packing.instance.eligible[c, packing.group_of]
        first = _top(np.where(eligible, appeal, -1.0), _SIZE // 2)
    rest = appeal.copy()
    rest[first] = -1.0
    return first + _top(rest, _SIZE - len(first))


def _top(appeal: Floats, number: int) -> list[int]:
    order: list[int] = np.argsort(-appeal, kind="stable")[:number].tolist()
    return [node for node in order if appeal[node] >= 0]


def _extra(packing: Packing, random: np.random.Generator, nodes: list[int], left: Ints) -> Ints:
    """Pods that are left of some classes, those with many GPUs likelier."""
    instance = packing.instance
    useful = np.flatnonzero((left > 0) & instance.eligible[:, packing.group_of[nodes]].any(axis=1))
    appeal = random.random(len(useful)) * (instance.value[useful] + 1)
    chosen = useful[np.argsort(-appeal, kind="stable")[:_CLASSES]]
    extra = np.zeros_like(left)
    extra[chosen] = left[chosen]
    return extra
