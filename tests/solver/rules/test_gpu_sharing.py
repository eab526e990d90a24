"""GpuSharing: the encoding against the checker on all placements of tiny clusters."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np
import pytest
from builders import cluster
from device_clusters import SHARING, gpu_node, gpu_pod
from encoder_checks import (
    Case,
    check_bite,
    check_moves,
    check_relaxation,
    check_scopes,
    check_sets,
    with_running_pods,
)
from kubestow.model.profile import Profile
from kubestow.solver.rules.gpu_sharing import GpuSharing

SEEDS = range(40)
MILLI = [0, 340, 460, 510, 510, 1000, 1500, 2000]
LAX = replace(SHARING, profiles=(*SHARING.profiles, Profile("lax")))
"""A second profile that does not run the filter."""


@dataclass(frozen=True, eq=False)
class Fitting(Case):
    """Placements in which each class by itself stays within what NodeResourcesFit would allow it.

    Devices are told by the same resource, so a scope has no variables beyond that.
    """

    @cached_property
    def every(self) -> list[np.ndarray]:
        return [counts for counts in super().every if (counts <= self.problem.fit).all()]

    @cached_property
    def eligible(self) -> np.ndarray:
        return super().eligible & (self.problem.fit > 0)


@cache
def drawn(seed: int) -> Case:
    """Two or three nodes with up to three devices, pods of few kinds, some there already."""
    draw = random.Random(seed)
    nodes = [gpu_node(f"n{i}", draw.choice([0, 1, 2, 2, 3])) for i in range(draw.choice([2, 2, 3]))]
    kinds = draw.choices(MILLI, k=3)
    pods = [gpu_pod(f"p{i}", draw.choice(kinds), **_profile(draw)) for i in range(draw.choice([3, 4]))]
    pods += [
        gpu_pod(f"q{i}", draw.choice(MILLI), draw.choice(nodes).name, **_profile(draw))
        for i in range(draw.choice([0, 0, 1, 2, 3]))
    ]
    return Fitting(cluster(nodes, pods), GpuSharing(), LAX)


def _profile(draw: random.Random) -> dict[str, str]:
    return {"schedulerName": "lax"} if draw.random() < 0.15 else {}


def test_cases_bite():
    """The comparison is about something."""
    check_bite(map(drawn, SEEDS))


@pytest.mark.parametrize("seed", SEEDS)
def test_admits_what_the_checker_accepts(seed):
    """The encoder's set of placements is the checker's."""
    check_sets(drawn(seed))


@pytest.mark.parametrize("seed", SEEDS)
def test_scopes_moves_and_relaxation(seed):
    """Frozen counts count, coupled moves stay within the set, and the relaxation contains the set."""
    case = drawn(seed)
    check_scopes(case, seed)
    check_moves(case)
    check_relaxation(case, seed)


@pytest.mark.parametrize("seed", SEEDS)
def test_running_pods_may_stay(seed):
    """Preemption asks filters for arrivals alone; capacities are another rule's."""
    case = with_running_pods(drawn(seed), seed)
    check_sets(case)
    check_scopes(case, seed)
