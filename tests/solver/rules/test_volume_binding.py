"""VolumeBinding: the encoding against the checker on all placements of tiny clusters."""

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
    check_term,
    with_lax_pods,
)
from kubestow.model.api import PersistentVolumeClaim
from kubestow.solver.rules.volume_binding import VolumeBinding
from storage_builders import NO_PROVISIONER, claim, driver, segment, storage_class, uses, volume

SEEDS = range(40)
CLAIMS = ("c0", "c1", "c2")
SELECTED_NODE = "volume.kubernetes.io/selected-node"


@cache
def drawn(seed: int) -> Case:
    """Pods with bound and waiting claims, volumes that some nodes reach, and perhaps a provisioner."""
    draw = random.Random(seed)
    nodes = [node(f"n{i}", draw.choice(["", "a", "b"])) for i in range(draw.choice([2, 3]))]
    templates = [_volumes(draw) for _ in range(draw.choice([1, 2, 3]))]
    pods = [pod(f"p{i}", volumes=draw.choice(templates)) for i in range(draw.choice([2, 3]))]
    pods += [
        pod(f"q{i}", draw.choice(nodes).name, volumes=draw.choice(templates))
        for i in range(draw.choice([0, 0, 1, 2, 3]))
    ]
    return Case(cluster(nodes, pods, **_objects(draw, [each.name for each in nodes])), VolumeBinding())


def _volumes(draw: random.Random) -> list[dict[str, Any]]:
    names = [
        "gone" if draw.random() < 0.05 else draw.choice(CLAIMS) for _ in range(draw.choice([0, 1, 1, 2]))
    ]
    return uses(*names)


def _objects(draw: random.Random, nodes: list[str]) -> dict[str, Any]:
    provisioner = draw.choice([NO_PROVISIONER, "p"])
    return {
        "storage_classes": (
            storage_class("later", provisioner, zones=draw.choice([(), ("a",)])),
            storage_class("now", wait=False),
        ),
        "persistent_volumes": tuple(_volume(draw, f"v{i}", nodes) for i in range(draw.choice([1, 2, 3]))),
        "persistent_volume_claims": tuple(_claim(draw, name, nodes) for name in CLAIMS),
    }


def _volume(draw: random.Random, name: str, nodes: list[str]):
    within = draw.choice([(), (draw.choice(nodes),), ("n0", "n1")])
    return volume(name, *within, size=draw.choice(["1Gi", "2Gi"]), reserved=draw.choice(["", "", "c0", "c1"]))


def _claim(draw: random.Random, name: str, nodes: list[str]) -> PersistentVolumeClaim:
    return claim(
        name,
        draw.choice(["", "", "", "v0", "vx"]),
        size=draw.choice(["1Gi", "2Gi"]),
        of=draw.choice(["later"] * 6 + ["now"]),
        annotations={SELECTED_NODE: draw.choice(nodes)} if draw.random() < 0.15 else {},
        phase="Lost" if draw.random() < 0.05 else "",
    )


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


@pytest.mark.parametrize("seed", SEEDS)
def test_term_is_the_cost(seed):
    """The preference for nodes whose storage is used well is the documented cost."""
    check_term(drawn(seed), seed)


def _ephemeral(name: str) -> PersistentVolumeClaim:
    owner = {"apiVersion": "v1", "kind": "Pod", "name": name, "uid": f"uid-{name}", "controller": True}
    return claim(f"{name}-scratch", metadata={"name": f"{name}-scratch", "ownerReferences": [owner]})


def test_ephemeral_claims_tell_pods_apart():
    """Pods of one spec with claims of their own compete for a node's volume one by one."""
    template = {"spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}
    volumes = [{"name": "scratch", "ephemeral": {"volumeClaimTemplate": template}}]
    pods = [pod(f"p{i}", metadata={"uid": f"uid-p{i}"}, volumes=volumes) for i in range(2)]
    objects = {
        "storage_classes": (storage_class(),),
        "persistent_volumes": (volume("v0", "n0"), volume("v1", "n1")),
        "persistent_volume_claims": tuple(_ephemeral(each.name) for each in pods),
    }
    case = Case(cluster([node("n0"), node("n1")], pods, **objects), VolumeBinding())
    assert len(case.problem.classes) == 2
    assert len(case.admitted) == 7
    check_sets(case)


def test_storage_capacity_prefers_nodes():
    """Nodes whose segment would be fuller cost more, for placed and unplaced pods alike."""
    pods = [pod("p0", volumes=uses("c0")), pod("q0", "n0", volumes=uses("c1"))]
    objects = {
        "storage_classes": (storage_class(provisioner="p"),),
        "csi_drivers": (driver("p", storageCapacity=True),),
        "csi_storage_capacities": (segment("s0", "n0", "2Gi"), segment("s1", "n1", "10Gi")),
        "persistent_volume_claims": (claim("c0"), claim("c1")),
    }
    case = Case(cluster([node("n0"), node("n1")], pods, **objects), VolumeBinding())
    assert case.encoder.term(case.problem) is not None
    check_term(case, 0)
