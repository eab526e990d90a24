"""VolumeRestrictions: the encoding against the checker on all placements of tiny clusters."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import pytest
from builders import cluster, node, pod
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
from kubestow.solver.rules.volume_restrictions import VolumeRestrictions
from storage_builders import claim

SEEDS = range(40)
CLAIMS = ("c0", "c1", "c2")


@cache
def drawn(seed: int) -> Case:
    """Pods with in-tree disks, read-only or not, and claims that may be ReadWriteOncePod."""
    draw = random.Random(seed)
    nodes = [node(f"n{i}", draw.choice(["", "a", "b"])) for i in range(draw.choice([2, 3]))]
    templates = [_volumes(draw) for _ in range(draw.choice([1, 2, 3]))]
    pods = [pod(f"p{i}", volumes=draw.choice(templates)) for i in range(draw.choice([2, 3]))]
    pods += [
        pod(f"q{i}", draw.choice(nodes).name, volumes=draw.choice(templates))
        for i in range(draw.choice([0, 0, 1, 2, 3]))
    ]
    return Case(cluster(nodes, pods, **_objects(draw, [each.name for each in nodes])), VolumeRestrictions())


def _volumes(draw: random.Random) -> list[dict[str, Any]]:
    made = [_disk(draw) if draw.random() < 0.7 else _claimed(draw) for _ in range(draw.choice([0, 1, 1, 2]))]
    return [{"name": f"v{i}", **source} for i, source in enumerate(made)]


def _disk(draw: random.Random) -> dict[str, Any]:
    read_only, name = draw.random() < 0.5, draw.choice("ab")
    monitors = draw.sample(["m1", "m2", "m3"], 2)
    return draw.choice(
        [
            {"gcePersistentDisk": {"pdName": name, "readOnly": read_only}},
            {"awsElasticBlockStore": {"volumeID": name, "readOnly": read_only}},
            {"iscsi": {"targetPortal": "t", "iqn": name, "lun": 0, "readOnly": read_only}},
            {"rbd": {"monitors": monitors, "image": name, "readOnly": read_only}},
        ]
    )


def _claimed(draw: random.Random) -> dict[str, Any]:
    name = "gone" if draw.random() < 0.05 else draw.choice(CLAIMS)
    return {"persistentVolumeClaim": {"claimName": name}}


def _objects(draw: random.Random, _: list[str]) -> dict[str, Any]:
    modes = ("ReadWriteOnce", "ReadWriteOncePod")
    return {"persistent_volume_claims": tuple(claim(name, modes=[draw.choice(modes)]) for name in CLAIMS)}


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
