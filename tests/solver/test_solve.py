from __future__ import annotations

import pytest
import tiny
from kubestow.model.admission import admit
from kubestow.model.evaluate import evaluate, stage_coefficients
from kubestow.scenarios.generators import relational
from kubestow.solver.assign import counts_of
from kubestow.solver.bounds.relaxation import Relaxation
from kubestow.solver.cpsat.encode import feasible
from kubestow.solver.result import Limits, Status
from kubestow.solver.search.search import Search
from kubestow.solver.search.start import guided_start
from kubestow.solver.solve import solve
from kubestow.solver.task import pose


def _best(cluster):
    """The best stage values of all valid placements."""
    best = None
    for placement, final in tiny.valid(cluster):
        coefficients = dict(stage_coefficients(evaluate(final).terms))
        value = (
            *(-n for n in tiny.placed_by_tier(cluster, placement)),
            tiny.weighted_cost(final, coefficients),
        )
        best = value if best is None else min(best, value)
    return best


def _values(result):
    return tuple(-stage.value if stage.sense == "max" else stage.value for stage in result.stages)


@pytest.mark.parametrize("seed", range(12))
def test_optimum_is_brute_force_optimum(seed):
    """Every stage of a proven answer equals the best of all valid placements."""
    cluster = tiny.tiny_cluster(seed)
    result = solve(cluster, tiny.CONFIGURATION, limits=Limits(time=20, workers=1))
    assert result.status is Status.OPTIMAL
    assert _values(result) == _best(cluster)


@pytest.mark.parametrize("seed", range(12))
def test_relational_optimum_is_brute_force_optimum(seed):
    """The same with affinity, anti-affinity and spread, hard and soft, where an order exists."""
    cluster = tiny.tiny_cluster(100 + seed, relational=True)
    result = solve(cluster, tiny.CONFIGURATION, limits=Limits(time=20, workers=1))
    if result.status is Status.OPTIMAL:
        assert _values(result) == _best(cluster)
    assert result.status is Status.OPTIMAL or result.unadmitted


@pytest.mark.parametrize("seed", range(12))
def test_bound_never_crosses_brute_force(seed):
    """The linear relaxation's bound is on its side of the best cost of all valid placements."""
    cluster = tiny.tiny_cluster(200 + seed, relational=seed % 2 == 0)
    instance = pose(cluster, tiny.CONFIGURATION).instance
    best = _best(cluster)
    relaxation = Relaxation(
        instance.problem, instance.eligible, instance.terms, [-value for value in best[:-1]]
    )
    for encoder in instance.encoders:
        encoder.relax(relaxation)
    solution = relaxation.solve()
    assert solution is not None
    assert relaxation.bound(solution) <= best[-1]


def test_a_bound_is_renewed_when_an_earlier_stage_has_improved():
    """What no placement with fewer pods can pass says nothing about one with more."""
    task = pose(tiny.tiny_cluster(3), tiny.CONFIGURATION)
    best = counts_of(task.instance.problem, solve(tiny.tiny_cluster(3), tiny.CONFIGURATION).placement)
    cost = len(task.stages) - 1
    late, early = (
        Search(task.instance, task.stages, Limits(time=5), task.instance.problem.origin.copy()) for _ in "ab"
    )
    assert late.offer(best)
    late.bounds.find(cost, late.counts)
    early.bounds.find(cost, early.counts)
    assert early.bounds[cost] != late.bounds[cost]
    assert early.offer(best)
    early.bounds.renew(early.counts)
    assert early.bounds[cost] == late.bounds[cost]


def test_a_start_needs_no_relaxed_solution():
    """Where the linear program ran out of time, pods go where they cost least, as the rules admit."""
    cluster = admit(relational(nodes=12, pods=80, classes=8, seed=1))
    instance = pose(cluster, tiny.CONFIGURATION).instance
    relaxation = Relaxation(instance.problem, instance.eligible, instance.terms, [80])
    counts = guided_start(instance, relaxation, None)
    assert counts.sum() == 80
    assert feasible(instance, counts)
