"""Node patterns: the bound beside brute force, and what is put together from them."""

from __future__ import annotations

import math

import numpy as np
import pytest
import tiny
from kubestow.model.admission import admit
from kubestow.model.evaluate import evaluate, stage_coefficients
from kubestow.scenarios.generators import relational, spread
from kubestow.solver.assign import counts_of
from kubestow.solver.bounds.relaxation import Relaxation
from kubestow.solver.cpsat.encode import feasible
from kubestow.solver.patterns.generate import Generation
from kubestow.solver.patterns.pricing import LocalCost, Pricer
from kubestow.solver.result import Limits
from kubestow.solver.solve import solve
from kubestow.solver.task import pose


def generation(instance, counts):
    """Patterns for the cost stage with as many pods placed as in `counts`."""
    relaxation = Relaxation(instance.problem, instance.eligible, instance.terms, instance.placed(counts))
    for encoder in instance.encoders:
        encoder.relax(relaxation)
    solution = relaxation.solve()
    return Generation(instance, relaxation, solution, counts), relaxation.bound(solution)


@pytest.mark.parametrize("seed", range(10))
def test_the_bound_is_below_brute_force(seed):
    """Round after round, on clusters with and without rules that relate nodes."""
    cluster = tiny.tiny_cluster(300 + seed, relational=seed % 2 == 0)
    task = pose(cluster, tiny.CONFIGURATION)
    valid = [
        (tiny.placed_by_tier(cluster, placement), placement, final)
        for placement, final in tiny.valid(cluster)
    ]
    most = max(placed for placed, _, _ in valid)
    finals = [(placement, final) for placed, placement, final in valid if placed == most]
    costs = [
        tiny.weighted_cost(final, dict(stage_coefficients(evaluate(final).terms))) for _, final in finals
    ]
    counts = counts_of(task.instance.problem, finals[0][0])
    found, plain = generation(task.instance, counts)
    while found.round(math.inf, counted=True):
        assert found.bound <= min(costs)
    assert found.bound <= min(costs)
    assert found.bound >= plain - 1e-6 * abs(plain)


@pytest.mark.parametrize("make", [spread, relational])
def test_a_choice_is_feasible_and_no_worse(make):
    """Whole patterns keep every rule that the placement they come from keeps."""
    cluster = admit(make(nodes=8, pods=40, classes=6, seed=2))
    task = pose(cluster, tiny.CONFIGURATION)
    start = solve(cluster, tiny.CONFIGURATION, limits=Limits(time=0.3, workers=1))
    counts = counts_of(task.instance.problem, start.placement)
    found, plain = generation(task.instance, counts)
    for _ in range(6):
        found.round(math.inf, counted=True)
    assert found.bound > plain
    chosen = found.choose(Limits(workers=1), 5.0, counted=True)
    assert (chosen.sum(axis=1) == counts.sum(axis=1)).all()
    assert feasible(task.instance, chosen)
    assert task.instance.cost(chosen) <= task.instance.cost(counts)


@pytest.mark.parametrize("seed", range(4))
def test_a_price_is_the_cheapest_pattern(seed):
    """Over all that fits on one node."""
    instance = pose(tiny.tiny_cluster(400 + seed), tiny.CONFIGURATION).instance
    problem, local = instance.problem, LocalCost(instance)
    conflict = instance.coupling.conflict
    alone, apart = np.diag(conflict), conflict & ~np.eye(len(conflict), dtype=bool)
    draw = np.random.default_rng(seed)
    prices = -draw.integers(0, 2**44, len(problem.classes))
    for node in range(len(problem.nodes)):
        most = np.where(instance.eligible[:, node], np.minimum(problem.fit[:, node], problem.count), 0)
        fitting = [
            pods
            for pods in map(np.array, np.ndindex(*(most + 1)))
            if (pods @ problem.request <= problem.capacity[node]).all()
            and not (apart & np.outer(pods > 0, pods > 0)).any()
            and (pods[alone] <= 1).all()
        ]
        best = min(local.of(node, pods) + int(prices @ pods) for pods in fitting)
        found = Pricer(instance, node).price(prices, 10.0, counted=True)
        assert local.of(node, found.pods) + int(prices @ found.pods) == best
        assert best - 2 <= found.bound <= best
