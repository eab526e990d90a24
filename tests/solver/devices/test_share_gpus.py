"""`share_gpus` against brute force, and what it refuses."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import pytest
from builders import cluster
from device_clusters import SHARING, gpu_cluster, gpu_node, gpu_pod
from kubestow.model.devices import DEVICE, GPU_MILLI
from kubestow.model.errors import BadInput
from kubestow.model.final import FinalState
from kubestow.model.resources import pod_requests
from kubestow.model.verify import verify
from kubestow.solver.build import build_problem
from kubestow.solver.devices.bound import Prices, exact_bound, share_sizes, upper_bound
from kubestow.solver.devices.instance import Grouped, grouped
from kubestow.solver.devices.solve import SharedGpus, share_gpus
from kubestow.solver.result import Limits, Status

SEEDS = range(12)


@cache
def every_value(seed: int) -> list[tuple[int, int]]:
    """(milli-GPUs, pods) of every valid placement."""
    it = gpu_cluster(seed)
    milli = [pod_requests(pod).get(GPU_MILLI, 0) for pod in it.pods]
    found: list[tuple[int, int]] = []
    for nodes in product([None, *(node.name for node in it.nodes)], repeat=len(milli)):
        placement = dict(zip((pod.key for pod in it.pods), nodes, strict=True))
        if verify(FinalState(it, placement, configuration=SHARING)).ok:
            placed = [amount for amount, node in zip(milli, nodes, strict=True) if node]
            found.append((sum(placed), len(placed)))
    return found


def groups_of(seed: int) -> Grouped:
    it = gpu_cluster(seed)
    return grouped(build_problem(it, SHARING, frozenset(pod.key for pod in it.pods)))


def values(found: SharedGpus) -> tuple[int, ...]:
    return tuple(stage.value for stage in found.stages)


@pytest.mark.parametrize("seed", SEEDS)
def test_finds_the_optimum_of_tiny_clusters(seed):
    """Most milli-GPUs, then most pods; no bound is crossed."""
    found = share_gpus(gpu_cluster(seed), SHARING, limits=Limits(time=1.0, workers=1))
    best = max(every_value(seed))
    assert values(found) == best
    assert found.stages[0].bound >= best[0]
    assert found.stages[1].bound >= best[1]
    assert (found.status is Status.OPTIMAL) == all(stage.gap == 0 for stage in found.stages)


@pytest.mark.parametrize("seed", SEEDS)
def test_any_prices_prove_a_bound(seed):
    """The bound that prices prove is never below the best placement, however bad the prices are."""
    instance = groups_of(seed).instance
    random = np.random.default_rng(seed)
    worths = (instance.value.tolist(), [1] * instance.classes)
    bests = (max(milli for milli, _ in every_value(seed)), max(pods for _, pods in every_value(seed)))
    for worth, best in zip(worths, bests, strict=True):
        for scale in (0.0, 0.1, 1.0, 1000.0):
            shape = (instance.groups, len(share_sizes(instance)))
            prices = Prices(
                pod=random.random(instance.classes) * scale,
                resource=random.random(instance.room.shape) * scale / 1000,
                device=random.random(instance.groups) * scale,
                share=random.random(shape) * scale,
            )
            assert exact_bound(instance, worth, prices) >= best
        assert upper_bound(instance, worth, 10.0).value >= best
        assert upper_bound(instance, worth, 0.0).value >= best


def test_the_bound_sees_that_large_shares_never_meet():
    """Three shares of 510 on two devices: sums would allow all, device patterns allow two."""
    it = cluster([gpu_node("n", 2)], [gpu_pod(f"p{i}", 510) for i in range(3)])
    found = share_gpus(it, SHARING, limits=Limits(time=1.0, workers=1))
    assert found.stages[0].value == found.stages[0].bound == 1020


def test_a_whole_batch_of_equal_nodes_is_packed_full():
    """Shares that pair up exactly fill every device, where a greedy order would strand some."""
    pods = [gpu_pod(f"a{i}", 600, cpu=1) for i in range(20)] + [
        gpu_pod(f"b{i}", 400, cpu=3) for i in range(20)
    ]
    it = cluster([gpu_node(f"n{i}", 4, cpu=16) for i in range(5)], pods)
    found = share_gpus(it, SHARING, limits=Limits(time=5.0, workers=1, gap=1e-9))
    assert found.status is Status.OPTIMAL
    assert values(found) == (20 * DEVICE, 40)
    assert found.allocated == found.bound == 100.0
    assert len(found.devices) == 40


def test_same_seed_same_placement():
    """Where the search ends before its time, the seed decides."""
    it = gpu_cluster(3, nodes=4, pods=12)
    first, second = (share_gpus(it, SHARING, limits=Limits(time=5.0, workers=1, gap=1.0)) for _ in range(2))
    assert first.placement == second.placement


def test_empty_clusters_have_nothing_in_use():
    """No nodes, no pods, or no GPUs are answers, not errors."""
    for it in (
        cluster([], []),
        cluster([gpu_node("n", 0)], [gpu_pod("p", 0)]),
        cluster([], [gpu_pod("p", 500)]),
        cluster([gpu_node("n", 2)], []),
        cluster([gpu_node("n", 2)], [gpu_pod("p", 1500)]),
    ):
        found = share_gpus(it, SHARING, limits=Limits(time=1.0, workers=1))
        assert found.stages[0].value == found.stages[0].bound == 0


def test_running_pods_without_gpus_take_their_room():
    """What they leave is what pods with GPUs can have."""
    it = cluster(
        [gpu_node("n", 2, cpu=3)], [gpu_pod("r", 0, "n", cpu=2), *(gpu_pod(f"p{i}", 1000) for i in "ab")]
    )
    found = share_gpus(it, SHARING, limits=Limits(time=1.0, workers=1))
    assert values(found) == (1000, 1)


def test_running_pods_with_gpus_are_refused():
    """Which devices they have is not known."""
    it = cluster([gpu_node("n", 2)], [gpu_pod("r", 500, "n"), gpu_pod("p", 500)])
    with pytest.raises(BadInput, match="default/r runs with"):
        share_gpus(it, SHARING)


def test_rules_that_are_not_modelled_are_named():
    """A placement that breaks another rule is no answer, and no bug."""
    ports = {"containers": [{"name": "main", "ports": [{"containerPort": 80, "hostPort": 80}]}]}
    pods = [
        gpu_pod(f"p{i}", 0).model_copy(update={"spec": _with_port(gpu_pod("x", 0), ports)}) for i in range(2)
    ]
    with pytest.raises(BadInput, match="NodePorts"):
        share_gpus(cluster([gpu_node("n", 1)], pods), SHARING, limits=Limits(time=1.0, workers=1))


def _with_port(pod, ports):
    return pod.spec.model_validate({**pod.spec.model_dump(by_alias=True), **ports})


@pytest.mark.parametrize("seconds", [1e-9, 0.05, 0.2])
def test_no_time_still_gives_a_valid_placement_and_bound(seconds):
    """Whatever phase is cut off, what fits is placed and nothing is claimed that is not there."""
    it = gpu_cluster(5, nodes=12, pods=60)
    found = share_gpus(it, SHARING, limits=Limits(time=seconds, workers=1))
    assert 0 < found.stages[0].value <= found.stages[0].bound <= found.capacity


def test_counted_work_is_refused():
    """The search is timed; a deterministic limit would be ignored silently."""
    with pytest.raises(BadInput, match="give a time limit"):
        share_gpus(cluster([], []), SHARING, limits=Limits(deterministic=1.0))
