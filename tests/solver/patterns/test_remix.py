"""Mixing what nodes have held: the numbers stay, every rule is kept, and the search gains by it."""

from __future__ import annotations

import math

import numpy as np
import pytest
import tiny
from kubestow.model.admission import admit
from kubestow.scenarios.generators import relational, spread
from kubestow.solver.bounds.relaxation import Relaxation
from kubestow.solver.cpsat.encode import feasible
from kubestow.solver.nodecost import node_costs, objective
from kubestow.solver.patterns.domains import domains_of_groups
from kubestow.solver.patterns.remix import Remix
from kubestow.solver.patterns.repair import Repair
from kubestow.solver.patterns.rounding import Rounding, handed_out
from kubestow.solver.search.exchange import Exchange
from kubestow.solver.search.mixing import Mixing
from kubestow.solver.search.start import guided_start
from kubestow.solver.task import pose


def started(make, seed, nodes=16, pods=90, classes=8):
    """An instance, its solved relaxation and a start."""
    instance = pose(
        admit(make(nodes=nodes, pods=pods, classes=classes, seed=seed)), tiny.CONFIGURATION
    ).instance
    relaxation = Relaxation(instance.problem, instance.eligible, instance.terms, (pods,))
    for encoder in instance.encoders:
        encoder.relax(relaxation)
    counts = guided_start(instance, relaxation, relaxation.solve())
    assert counts.sum() == pods
    assert feasible(instance, counts)
    return instance, relaxation, counts


def snapshots(instance, counts, seed, number=6):
    """Placements on the way of an exchange."""
    exchange = Exchange(instance, counts, seed)
    for _ in range(number):
        exchange.run(math.inf, lambda gain: False, 4)
        yield exchange.counts


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("make", [spread, relational])
def test_a_mix_is_as_feasible_as_what_it_is_mixed_from(make, seed):
    """Every class keeps its pods in each domain, and every rule that held holds."""
    instance, relaxation, counts = started(make, seed)
    remix = Remix.of(instance, relaxation)
    assert remix is not None
    for seen in snapshots(instance, counts, seed):
        remix.offer(seen)
    mixed = remix.mix(seen, 10.0)
    assert mixed is not None
    assert feasible(instance, mixed)
    for c, domain in enumerate(domains_of_groups(instance, relaxation.group_of)):
        of_node = domain[relaxation.group_of]
        assert (np.bincount(of_node, mixed[c]) == np.bincount(of_node, seen[c])).all()


@pytest.mark.parametrize("seed", range(4))
def test_node_costs_sum_to_the_objective(seed):
    """Where no term relates nodes, the objective is the sum over nodes and a constant."""
    instance, _, counts = started(spread, seed)
    empty = np.zeros_like(counts)
    rise = node_costs(instance.terms, counts).sum() - node_costs(instance.terms, empty).sum()
    assert rise == objective(instance.problem, instance.terms, counts) - objective(
        instance.problem, instance.terms, empty
    )


@pytest.mark.parametrize("seed", range(8))
def test_rounding_fills_groups_and_counts_what_is_astray(seed):
    """From any fractions: as many patterns as nodes, and the difference to what is wanted."""
    draw = np.random.default_rng(seed)
    size = np.array([3, 1, 4])
    group = np.sort(np.append(draw.integers(0, 3, 20), [0, 1, 2]))
    pods = draw.integers(0, 3, (len(group), 4))
    row = np.arange(4)[:, None] + 4 * np.array([0, 0, 1])[None, :]
    share = draw.random(len(group))
    share *= (size / np.bincount(group, share))[group]
    wanted = draw.integers(0, 9, 8)
    rounding = Rounding(group, pods, draw.integers(1, 99, len(group)), row, size)
    used = rounding.run(share, draw.random(len(group)), wanted)
    assert (np.bincount(group, used, 3) == size).all()
    counts = handed_out(np.array([2, 0, 0, 1, 2, 2, 0, 2]), group, pods, used)
    rows = row[:, np.array([2, 0, 0, 1, 2, 2, 0, 2])]
    found = np.bincount(rows.reshape(-1), counts.reshape(-1), 8)
    assert (rounding.astray == found - wanted).all()


@pytest.mark.parametrize("seed", range(6))
def test_a_repair_restores_the_numbers(seed):
    """Pods taken away and brought in at random are put right within every node's room."""
    instance, _, counts = started(spread, seed)
    draw = np.random.default_rng(seed)
    broken = counts.copy()
    row = np.repeat(np.arange(len(counts))[:, None], counts.shape[1], axis=1)
    for _ in range(8):
        c, n = (int(x) for x in draw.choice(np.argwhere(broken > 0)))
        broken[c, n] -= 1
    repaired = Repair(instance, broken, row, broken.sum(axis=1) - counts.sum(axis=1)).run()
    assert repaired is not None
    assert (repaired.sum(axis=1) == counts.sum(axis=1)).all()
    assert feasible(instance, repaired)


def test_a_repair_without_room_gives_up():
    """Infeasible is an answer."""
    instance, _, counts = started(spread, 0)
    row = np.repeat(np.arange(len(counts))[:, None], counts.shape[1], axis=1)
    astray = np.zeros(len(counts), dtype=np.int64)
    astray[0] = -10_000
    assert Repair(instance, counts, row, astray).run() is None


def test_mixing_gains_where_exchange_alone_is_stuck():
    """For the same rounds of exchange, on nodes of few kinds; counted, so the same on every machine."""
    instance, relaxation, counts = started(spread, 3, nodes=60, pods=600, classes=20)
    exchange = Exchange(instance, counts, 1)
    exchange.run(math.inf, lambda gain: False, 800)
    remix = Remix.of(instance, relaxation)
    mixing = Mixing(instance, remix, counts, np.random.default_rng(1))
    mixing.run(math.inf, lambda cost: False, 800)
    assert feasible(instance, mixing.counts)
    assert instance.cost(mixing.counts) < instance.cost(exchange.counts)
