"""Bounds on terms that pull at the same pods: preferred affinity to pods that spread."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from builders import HOSTNAME, ZONE, cluster, node, pod
from encoder_checks import relaxed
from kubestow.model.profile import SchedulerConfiguration
from kubestow.solver.bounds.relaxation import Relaxation
from kubestow.solver.build import build_problem
from kubestow.solver.cpsat.encode import feasible
from kubestow.solver.instance import Instance

PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def _spread(draw: random.Random) -> list[dict[str, Any]]:
    return [
        {
            "topologyKey": draw.choice([ZONE, ZONE, HOSTNAME]),
            "labelSelector": {"matchLabels": {"app": draw.choice("xxy")}},
            "maxSkew": draw.choice([1, 2]),
            "whenUnsatisfiable": draw.choice(["DoNotSchedule", "ScheduleAnyway"]),
        }
    ]


def _affinity(draw: random.Random) -> dict[str, Any]:
    term = {"topologyKey": ZONE, "labelSelector": {"matchLabels": {"app": draw.choice("xxy")}}}
    kind = draw.choice(["podAffinity", "podAffinity", "podAntiAffinity"])
    return {kind: {PREFERRED: [{"weight": 100, "podAffinityTerm": term}]}}


def _instance(seed: int) -> Instance:
    draw = random.Random(seed)
    zones = draw.choice(["a", "ab", "abb", "abc"])
    nodes = [node(f"n{i}", zone) for i, zone in enumerate(zones)]
    spread, together = {"topologySpreadConstraints": _spread(draw)}, {"affinity": _affinity(draw)}
    pods = [
        *(pod(f"x{i}", None, {"app": "x"}, **spread) for i in range(draw.choice([2, 3]))),
        *(pod(f"y{i}", None, {"app": "y"}, **together) for i in range(draw.choice([1, 2]))),
        *(
            pod(f"q{i}", f"n{draw.randrange(len(zones))}", {"app": "x"})
            for i in range(draw.choice([0, 0, 1]))
        ),
    ]
    read = cluster(nodes, pods)
    free = frozenset(each.key for each in read.pods if each.node_name is None)
    return Instance(build_problem(read, SchedulerConfiguration(), free))


@pytest.mark.parametrize("seed", range(40))
def test_relaxation_is_nowhere_above_the_cost(seed):
    """For random feasible counts the relaxation with all rules and terms is feasible and at most the cost."""
    instance, draw = _instance(seed), np.random.default_rng(seed)
    problem = instance.problem
    checked = 0
    for _ in range(40):
        counts = np.stack(
            [
                draw.multinomial(draw.integers(k + 1), np.full(len(problem.nodes), 1 / len(problem.nodes)))
                for k in problem.count
            ]
        )
        if not feasible(instance, counts):
            continue
        relaxation = Relaxation(problem, instance.eligible, instance.terms, ())
        for encoder in instance.encoders:
            encoder.relax(relaxation)
        least = relaxed(relaxation, counts)
        assert least is not None
        assert least <= instance.cost(counts) * (1 + 1e-9)
        checked += 1
        if checked == 8:
            break
    assert checked
