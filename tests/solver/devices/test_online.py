"""The published online policies: each choice is the one with the least loss."""

from __future__ import annotations

import pytest
from builders import cluster
from device_clusters import SHARING, gpu_cluster, gpu_node, gpu_pod
from kubestow.model.errors import BadInput
from kubestow.solver.devices.online import POLICIES
from kubestow.solver.devices.solve import share_gpus_online


def placed(policy: str, nodes, pods) -> dict[str, str | None]:
    found = share_gpus_online(cluster(nodes, pods), SHARING, policy)
    return {key.partition("/")[2]: node for key, node in found.placement.items()}


def test_best_fit_fills_the_node_that_has_least_left():
    """The smaller node, then the fuller one."""
    nodes = [gpu_node("large", 4), gpu_node("small", 1)]
    assert placed("best-fit", nodes, [gpu_pod("a", 500), gpu_pod("b", 500)]) == {"a": "small", "b": "small"}


def test_fgd_keeps_whole_what_others_need_whole():
    """A share goes on the device that is broken already, where most pods want whole devices."""
    nodes = [gpu_node("n", 1), gpu_node("m", 1)]
    pods = [gpu_pod("a", 500), gpu_pod("b", 500), gpu_pod("c", 1000), gpu_pod("d", 1000)]
    found = placed("fgd", nodes, pods)
    assert found["a"] == found["b"] != found["c"]


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("seed", range(8))
def test_placements_are_checked_and_leave_no_room(policy, seed):
    """What the rules accept, with a status of the order of arrival alone."""
    it = gpu_cluster(seed, nodes=3, pods=12)
    first, second = (share_gpus_online(it, SHARING, policy, seed=seed) for _ in range(2))
    assert first.placement == second.placement
    assert first.bound is None
    assert first.stages[1].value > 0


def test_an_unknown_policy_is_bad_input():
    """The message names those there are."""
    with pytest.raises(BadInput, match="best-fit, fgd"):
        share_gpus_online(cluster([], []), SHARING, "worst-fit")
