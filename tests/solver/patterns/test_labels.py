"""Labels bound the cheapest pattern from below, as closely as their number allows."""

from __future__ import annotations

import numpy as np
import pytest
from kubestow.model.admission import admit
from kubestow.model.profile import SchedulerConfiguration
from kubestow.scenarios.generators import relational, spread
from kubestow.solver.patterns import labels
from kubestow.solver.patterns.labels import LabelPricer
from kubestow.solver.patterns.pricing import LocalCost, Pricer
from kubestow.solver.task import pose


@pytest.mark.parametrize("made", [spread, relational])
@pytest.mark.parametrize("most", [20, 1000])
@pytest.mark.parametrize("seed", range(5))
def test_labels_beside_an_exact_pricing(monkeypatch, made, most, seed):
    """At random prices: no bound above the optimum or far below it, and a pattern that fits."""
    monkeypatch.setattr(labels, "LABELS", most)
    cluster = admit(made(6, 60, 8, seed=seed))
    instance = pose(cluster, SchedulerConfiguration()).instance
    random, local = np.random.default_rng(seed), LocalCost(instance)
    for node in range(6):
        alone = np.eye(len(instance.problem.classes), dtype=np.int64)
        mean = np.array([local.of(node, pods) for pods in alone])
        prices = np.rint(-mean * random.uniform(0.5, 3.0, len(mean))).astype(np.int64)
        exact = Pricer(instance, node).price(prices, 20.0)
        found = LabelPricer(instance, node).price(prices, [])
        value = local.of(node, found.pods) + int(prices @ found.pods)
        best = local.of(node, exact.pods) + int(prices @ exact.pods)
        assert best - exact.bound <= 2 + abs(best) * 1e-6
        assert found.bound <= best <= value
        assert best - found.bound <= 0.3 * abs(best)
        assert (found.pods @ instance.problem.request <= instance.problem.capacity[node]).all()
