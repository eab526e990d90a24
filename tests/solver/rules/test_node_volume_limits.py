"""NodeVolumeLimits: the encoding against the checker on all placements of tiny clusters."""

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
from kubestow.solver.rules.node_volume_limits import NodeVolumeLimits
from storage_builders import attachment, claim, csi_node, driver, storage_class, volume

SEEDS = range(40)
CLAIMS = ("c0", "c1", "c2")
DRIVERS = ("x.csi", "y.csi")


@cache
def drawn(seed: int) -> Case:
    """Pods with claims of two drivers, on nodes that attach none, one, two or any number."""
    draw = random.Random(seed)
    nodes = [node(f"n{i}", draw.choice(["", "a", "b"])) for i in range(draw.choice([2, 3]))]
    templates = [_volumes(draw) for _ in range(draw.choice([1, 2, 3]))]
    pods = [pod(f"p{i}", volumes=draw.choice(templates)) for i in range(draw.choice([2, 3]))]
    pods += [
        pod(f"q{i}", draw.choice(nodes).name, volumes=draw.choice(templates))
        for i in range(draw.choice([0, 0, 1, 2, 3]))
    ]
    return Case(cluster(nodes, pods, **_objects(draw, [each.name for each in nodes])), NodeVolumeLimits())


def _volumes(draw: random.Random) -> list[dict[str, Any]]:
    return [{"name": f"v{i}", **_source(draw)} for i in range(draw.choice([0, 1, 1, 2]))]


def _source(draw: random.Random) -> dict[str, Any]:
    if draw.random() < 0.15:
        return {"awsElasticBlockStore": {"volumeID": "e"}}
    name = "gone" if draw.random() < 0.05 else draw.choice(CLAIMS)
    return {"persistentVolumeClaim": {"claimName": name}}


def _objects(draw: random.Random, nodes: list[str]) -> dict[str, Any]:
    bound = [draw.random() < 0.7 for _ in CLAIMS]
    drivers = (driver("x.csi", preventPodSchedulingIfMissing=True),) if draw.random() < 0.3 else ()
    attached = [
        attachment(f"a{i}", draw.choice(nodes), draw.choice(DRIVERS), f"v{i}")
        for i in range(draw.choice([0, 0, 1, 2]))
    ]
    return {
        "persistent_volumes": tuple(_volume(draw, i) for i in range(len(CLAIMS))),
        "persistent_volume_claims": tuple(
            claim(name, f"v{i}") if bound[i] else claim(name, of=draw.choice(DRIVERS))
            for i, name in enumerate(CLAIMS)
        ),
        "storage_classes": tuple(storage_class(name, name) for name in DRIVERS),
        "csi_nodes": tuple(_csi_node(draw, name) for name in nodes if draw.random() < 0.85),
        "csi_drivers": drivers,
        "volume_attachments": tuple(attached),
    }


def _volume(draw: random.Random, number: int):
    handle = 0 if draw.random() < 0.2 else number
    return volume(f"v{number}", csi={"driver": draw.choice(DRIVERS), "volumeHandle": f"h{handle}"})


def _csi_node(draw: random.Random, name: str):
    limits = {
        each.replace(".", "_"): draw.choice([None, 0, 1, 1, 2]) for each in DRIVERS if draw.random() < 0.8
    }
    return csi_node(name, **limits)


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
