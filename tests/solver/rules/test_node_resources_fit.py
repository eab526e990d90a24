"""NodeResourcesFit: the encoding against the checker, where running pods overcommit nodes."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import pytest
from builders import cluster, pod
from encoder_checks import Case, check_bite, check_sets, check_standing, with_lax_pods, with_running_pods
from kubestow.model.api import Node
from kubestow.solver.rules.node_resources_fit import NodeResourcesFit

SEEDS = range(40)


@cache
def drawn(seed: int) -> Case:
    """Two or three small nodes, pods that ask for cpu, memory, a device, or nothing; some stay for good."""
    draw = random.Random(seed)
    nodes = [_node(draw, f"n{i}") for i in range(draw.choice([2, 2, 3]))]
    kinds = [_spec(draw) for _ in range(3)]
    pods = [pod(f"p{i}", **draw.choice(kinds)) for i in range(draw.choice([2, 3, 4]))]
    pods += [
        pod(f"q{i}", draw.choice(nodes).name, **draw.choice(kinds)) for i in range(draw.choice([0, 0, 1, 2]))
    ]
    return Case(cluster(nodes, pods), NodeResourcesFit())


def _node(draw: random.Random, name: str) -> Node:
    room = {
        "cpu": draw.choice(["1", "2", "3"]),
        "memory": draw.choice(["1Gi", "2Gi"]),
        "pods": draw.choice(["1", "2", "10"]),
        **({"example.com/gpu": "1"} if draw.random() < 0.5 else {}),
    }
    return Node.model_validate({"metadata": {"name": name}, "status": {"allocatable": room}})


def _spec(draw: random.Random) -> dict[str, Any]:
    requests = {
        **({"cpu": draw.choice(["500m", "1", "1500m"])} if draw.random() < 0.8 else {}),
        **({"memory": draw.choice(["512Mi", "1Gi"])} if draw.random() < 0.5 else {}),
        **({"example.com/gpu": "1"} if draw.random() < 0.3 else {}),
    }
    return {"containers": [{"name": "main", "resources": {"requests": requests}}]}


@pytest.mark.parametrize("seed", SEEDS)
def test_admits_what_the_checker_accepts(seed):
    """The encoder's set of placements is the checker's, with profiles that leave the filter out as well."""
    check_sets(drawn(seed))
    check_sets(with_lax_pods(drawn(seed), seed))


@pytest.mark.parametrize("seed", SEEDS)
def test_running_pods_may_stay(seed):
    """Nodes may stay overcommitted, and take pods that ask for nothing that they lack."""
    check_standing(drawn(seed), seed)
    check_standing(with_lax_pods(drawn(seed), seed), seed)


def test_the_cases_bite():
    """The drawn clusters hold many placements that are accepted and many that are not."""
    check_bite(drawn(seed) for seed in SEEDS)
    check_bite(with_running_pods(drawn(seed), seed) for seed in SEEDS)
