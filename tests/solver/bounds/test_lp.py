"""Bounds recomputed from duals lose nothing that matters."""

from __future__ import annotations

import pytest
from kubestow.model.admission import admit
from kubestow.model.profile import SchedulerConfiguration
from kubestow.scenarios.generators import SIZES, soft
from kubestow.solver.bounds.relaxation import Relaxation
from kubestow.solver.instance import Instance
from kubestow.solver.solve import pose


def _relaxation(instance: Instance) -> Relaxation:
    placed = [int(instance.problem.count.sum())]
    relaxation = Relaxation(instance.problem, instance.eligible, instance.terms, placed)
    for encoder in instance.encoders:
        encoder.relax(relaxation)
    return relaxation


@pytest.mark.parametrize("seed", [0, 1])
def test_the_bound_is_as_good_as_the_relaxation(seed):
    """The solver's tolerances, times the large ranges of scaled usages, once cost most of the bound."""
    nodes, pods, classes = SIZES["small"]
    cluster = admit(soft(nodes, pods, classes, seed=seed))
    relaxation = _relaxation(pose(cluster, SchedulerConfiguration()).instance)
    solution = relaxation.solve()
    assert solution is not None
    value = float(relaxation.program().cost @ solution.primal) + relaxation.constant
    assert relaxation.bound(solution) == pytest.approx(value, rel=1e-6)
