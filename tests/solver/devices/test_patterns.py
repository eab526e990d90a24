"""Device and node patterns: what fits, what is best, what is left."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from device_clusters import SHARING, gpu_cluster
from kubestow.model.device_packing import pack
from kubestow.model.devices import DEVICE
from kubestow.solver.build import build_problem
from kubestow.solver.devices.dive import Chosen
from kubestow.solver.devices.instance import DeviceInstance, Grouped, grouped
from kubestow.solver.devices.neighbourhood import device_patterns
from kubestow.solver.devices.packing import Packing
from kubestow.solver.devices.pricing import Pattern, best_patterns

SEEDS = range(15)


def instance_of(seed: int, pods: int = 5) -> Grouped:
    it = gpu_cluster(seed, nodes=3, pods=pods)
    return grouped(build_problem(it, SHARING, frozenset(pod.key for pod in it.pods)))


def holds(instance: DeviceInstance, group: int, counts: tuple[int, ...]) -> bool:
    """Whether an empty node of the group holds these pods, by the checker's packing."""
    if any(k and not instance.eligible[c, group] for c, k in enumerate(counts)):
        return False
    shares = [int(instance.share[c]) for c, k in enumerate(counts) for _ in range(k) if instance.share[c]]
    devices = int(instance.devices[group] - np.array(counts) @ instance.whole)
    room = instance.room[group] - np.array(counts) @ instance.need
    return bool((room >= 0).all()) and devices >= 0 and pack(shares, devices) is not None


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("dealt", [False, True])
def test_patterns_fit_and_the_first_is_the_worthiest(seed, dealt):
    """Every pattern fits its node; where pods are not scarce none is worth more than the first."""
    instance = instance_of(seed).instance
    random = np.random.default_rng(seed)
    gain = np.where(instance.value > 0, random.integers(1, 100, instance.classes), 0).astype(float)
    left = instance.count if dealt else instance.count * 10
    for g in range(instance.groups):
        found = best_patterns(instance, g, gain, left, random if dealt else None)
        for worth, pattern in found:
            counts = np.zeros(instance.classes, dtype=int)
            for c, number in pattern.pods:
                counts[c] = number
            assert worth == pytest.approx(counts @ gain) == pytest.approx(pattern.amount(gain.tolist()))
            assert holds(instance, g, tuple(counts.tolist()))
            assert not dealt or (counts <= left).all()
        if not dealt:
            most = [
                min(8, int(k))
                for k in instance.fitting(instance.room, instance.devices)[:, g] * (gain > 0) * 10
            ]
            every = product(*(range(min(k, int(n)) + 1) for k, n in zip(most, left, strict=True)))
            best = max(sum(np.array(k) * gain) for k in every if holds(instance, g, k))
            assert max((worth for worth, _ in found), default=0.0) == pytest.approx(best)


def test_device_patterns_are_the_maximal_sets():
    """All sets of shares that fit on a device with none of the others, and no set twice."""
    sizes, available = [510, 340, 250], [1, 2, 3]
    every = list(product(*(range(n + 1) for n in available)))
    fitting = [k for k in every if np.dot(k, sizes) <= DEVICE]
    maximal = {
        k
        for k in fitting
        if not any(o != k and all(a >= b for a, b in zip(o, k, strict=True)) for o in fitting)
    }
    found = device_patterns(sizes, available, 100)
    assert found is not None
    assert sorted(map(tuple, found.tolist())) == sorted(maximal)
    assert device_patterns(sizes, available, 2) is None


def test_fixing_a_pattern_takes_no_more_than_is_left():
    """Pods and nodes limit how often a pattern is used."""
    chosen = Chosen(np.array([5, 3]), np.array([4]), [])
    assert chosen.fix(Pattern(0, ((0, 2), (1, 1))), 9) == 2
    assert chosen.left.tolist() == [1, 1]
    assert chosen.free.tolist() == [2]
    assert chosen.fix(Pattern(0, ((0, 2),)), 9) == 0


@pytest.mark.parametrize("seed", SEEDS)
def test_filling_leaves_nodes_that_hold_their_pods(seed):
    """What is put where it fits still fits, and no pod is made up."""
    groups = instance_of(seed, pods=12)
    packing = Packing.of(groups, Chosen(groups.instance.count.copy(), groups.instance.size.copy(), []))
    packing.fill()
    assert (packing.left >= 0).all()
    assert packing.pods > 0
    for node, group in enumerate(groups.group_of.tolist()):
        assert holds(groups.instance, group, tuple(packing.counts[node].tolist()))


def test_filling_puts_a_pod_wherever_first_fit_finds_room():
    """On a single node nothing is left that would still fit."""
    groups = instance_of(4, pods=12)
    packing = Packing.of(groups, Chosen(groups.instance.count.copy(), groups.instance.size.copy(), []))
    packing.fill()
    for c in np.flatnonzero(packing.left).tolist():
        for node, group in enumerate(groups.group_of.tolist()):
            more = packing.counts[node].copy()
            more[c] += 1
            assert not holds(groups.instance, group, tuple(more.tolist()))
