"""NodePorts: the encoding against the checker, where running pods dispute ports."""

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
    check_sets,
    check_standing,
    with_lax_pods,
    with_running_pods,
)
from final_states import PORTS, some
from kubestow.solver.rules.node_ports import NodePorts

SEEDS = range(40)


@cache
def drawn(seed: int) -> Case:
    """Two or three nodes, pods that want some of four ports; some stay for good."""
    draw = random.Random(seed)
    nodes = [node(f"n{i}") for i in range(draw.choice([2, 2, 3]))]
    kinds = [_spec(draw) for _ in range(3)]
    pods = [pod(f"p{i}", **draw.choice(kinds)) for i in range(draw.choice([2, 3, 4]))]
    pods += [pod(f"q{i}", draw.choice(nodes).name, **draw.choice(kinds)) for i in range(draw.choice([0, 1]))]
    return Case(cluster(nodes, pods), NodePorts())


def _spec(draw: random.Random) -> dict[str, Any]:
    return {"containers": [{"name": "main", "ports": some(draw, PORTS)}]}


@pytest.mark.parametrize("seed", SEEDS)
def test_admits_what_the_checker_accepts(seed):
    """The encoder's set of placements is the checker's, with profiles that leave the filter out as well."""
    check_sets(drawn(seed))
    check_moves(drawn(seed))
    check_sets(with_lax_pods(drawn(seed), seed))


@pytest.mark.parametrize("seed", SEEDS)
def test_running_pods_may_stay(seed):
    """Disputes may stay; nobody arrives at one."""
    check_standing(drawn(seed), seed)
    check_standing(with_lax_pods(drawn(seed), seed), seed)


def test_the_cases_bite():
    """The drawn clusters hold many placements that are accepted and many that are not."""
    check_bite(drawn(seed) for seed in SEEDS)
    check_bite(with_running_pods(drawn(seed), seed) for seed in SEEDS)
