"""VolumeZone: the encoding against the checker on all placements of tiny clusters."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import pytest
from builders import ZONE, cluster, node, pod
from encoder_checks import (
    Case,
    check_bite,
    check_moves,
    check_relaxation,
    check_scopes,
    check_sets,
    check_standing,
    with_lax_pods,
)
from kubestow.model.csi_translation import BETA_ZONE
from kubestow.solver.rules.volume_zone import VolumeZone
from storage_builders import claim, storage_class, uses, volume

SEEDS = range(40)
CLAIMS = ("c0", "c1", "c2")


@cache
def drawn(seed: int) -> Case:
    """Pods with claims on volumes that carry zone labels, on nodes in a zone or in none."""
    draw = random.Random(seed)
    nodes = [node(f"n{i}", draw.choice(["", "a", "b"])) for i in range(draw.choice([2, 3]))]
    templates = [_volumes(draw) for _ in range(draw.choice([1, 2, 3]))]
    pods = [pod(f"p{i}", volumes=draw.choice(templates)) for i in range(draw.choice([2, 3]))]
    pods += [
        pod(f"q{i}", draw.choice(nodes).name, volumes=draw.choice(templates))
        for i in range(draw.choice([0, 0, 1, 2, 3]))
    ]
    return Case(cluster(nodes, pods, **_objects(draw, [each.name for each in nodes])), VolumeZone())


def _volumes(draw: random.Random) -> list[dict[str, Any]]:
    names = [
        "gone" if draw.random() < 0.05 else draw.choice(CLAIMS) for _ in range(draw.choice([0, 1, 1, 2]))
    ]
    return uses(*names)


def _objects(draw: random.Random, _: list[str]) -> dict[str, Any]:
    zones = [draw.choice(["a", "b", "a__b", "", None]) for _ in range(3)]
    labels = [{} if zone is None else {draw.choice([ZONE, BETA_ZONE]): zone} for zone in zones]
    return {
        "storage_classes": (storage_class("later"), storage_class("now", wait=False)),
        "persistent_volumes": tuple(volume(f"v{i}", labels=labels[i]) for i in range(3)),
        "persistent_volume_claims": tuple(_claim(draw, name) for name in CLAIMS),
    }


def _claim(draw: random.Random, name: str):
    bound = draw.choice(["v0", "v0", "v1", "v1", "v2", "vx", ""])
    return claim(name, bound, of=draw.choice(["later", "later", "now", "none", ""]))


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
def test_pods_whose_profile_leaves_the_filter_out(seed):
    """Both sides hold nothing against them, and do against the others."""
    case = with_lax_pods(drawn(seed), seed)
    check_sets(case)
    check_moves(case)
    check_relaxation(case, seed)


@pytest.mark.parametrize("seed", SEEDS)
def test_running_pods_may_stay(seed):
    """Preemption asks filters for arrivals alone, with profiles that leave this one out as well."""
    check_standing(drawn(seed), seed)
    check_standing(with_lax_pods(drawn(seed), seed), seed)


def test_the_cases_bite():
    """The drawn clusters hold many placements that are accepted and many that are not."""
    check_bite(drawn(seed) for seed in SEEDS)
