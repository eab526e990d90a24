"""GpuSharing: verdicts, and final states against trying every assignment of shares to devices."""

from __future__ import annotations

import random
from itertools import product

import pytest
from admitted import reachable
from builders import cluster
from cycles import verdict
from device_clusters import SHARING, gpu_node, gpu_pod
from kubestow.model.cluster import Cluster
from kubestow.model.devices import DEVICE, GPU_MILLI
from kubestow.model.final import FinalState
from kubestow.model.final_devices import devices_of
from kubestow.model.profile import Profile
from kubestow.model.resources import pod_requests
from kubestow.model.rules.gpu_sharing import NO_DEVICES, NOT_WHOLE, GpuSharing
from kubestow.model.verify import verify

RULE = GpuSharing()
MILLI = [0, 200, 340, 460, 510, 810, 1000, 1500, 2000]


@pytest.mark.parametrize(
    ("wanted", "devices", "running", "code"),
    [
        (400, 1, [600], None),
        (500, 1, [600], "Unschedulable"),
        (600, 2, [600, 300], None),
        (600, 2, [600, 600], "Unschedulable"),
        (1000, 2, [10], None),
        (1000, 2, [10, 1000], "Unschedulable"),
        (2000, 2, [10], "Unschedulable"),
        (2000, 1, [], "UnschedulableAndUnresolvable"),
        (10, 0, [], "UnschedulableAndUnresolvable"),
        (0, 0, [], None),
    ],
)
def test_a_pod_fits_where_all_shares_can_be_put_on_the_devices(wanted, devices, running, code):
    """A share needs room on one device, a whole device no other user; too few devices is for good."""
    others = [gpu_pod(f"r{i}", milli, "n") for i, milli in enumerate(running)]
    found = verdict("GpuSharing", gpu_pod("p", wanted), gpu_node("n", devices), others)
    assert (found.code if found else None) == code
    if found:
        assert found.reasons == (NO_DEVICES,)


def test_a_part_beside_whole_devices_is_refused_everywhere():
    """1,500 milli is neither a share of one device nor a number of devices."""
    found = verdict("GpuSharing", gpu_pod("p", 1500), gpu_node("n", 8))
    assert found is not None
    assert (found.code, found.reasons) == ("UnschedulableAndUnresolvable", (NOT_WHOLE,))


def drawn(seed: int) -> Cluster:
    draw = random.Random(seed)
    nodes = [gpu_node(f"n{i}", draw.choice([0, 1, 2, 3])) for i in range(2)]
    running = [
        gpu_pod(f"r{i}", draw.choice(MILLI), draw.choice(["n0", "n1"])) for i in range(draw.randrange(4))
    ]
    return cluster(nodes, [*running, *(gpu_pod(f"p{i}", draw.choice(MILLI)) for i in range(3))])


def holds(milli: list[int], devices: int) -> bool:
    """Whether devices can be given to pods: one for a share, as many as it takes for more."""
    widths = [max(1, -(-each // DEVICE)) for each in milli if each]
    amounts = [each for each in milli if each]
    for places in product(range(devices), repeat=sum(widths)):
        load, given = [0] * devices, iter(places)
        for each, width in zip(amounts, widths, strict=True):
            for device in [next(given) for _ in range(width)]:
                load[device] += each if each < DEVICE else DEVICE
        if max(load, default=0) <= DEVICE:
            return True
    return False


def expected(it: Cluster, placement: dict[str, str | None]) -> bool:
    """Whether no arriving pod is odd, and every node where a pod with GPUs arrives holds its pods."""
    for node in it.nodes:
        here = [pod for pod in it.pods if placement.get(pod.key, pod.node_name) == node.name]
        arriving = [_milli(pod) for pod in here if pod.node_name is None]
        if any(milli > DEVICE and milli % DEVICE for milli in arriving):
            return False
        devices = int(node.status.allocatable[GPU_MILLI] // 10**9 // DEVICE)
        if any(arriving) and not holds([_milli(pod) for pod in here], devices):
            return False
    return True


def _milli(pod) -> int:
    return pod_requests(pod).get(GPU_MILLI, 0)


@pytest.mark.parametrize("seed", range(40))
def test_final_states_are_broken_exactly_where_devices_do_not_hold_the_pods(seed):
    """`violations` and the filter, pod by pod in any order, both agree with trying every assignment."""
    it = drawn(seed)
    waiting = [pod.key for pod in it.pods if pod.node_name is None]
    reached = reachable(RULE, it)
    for nodes in product([None, "n0", "n1"], repeat=len(waiting)):
        placement = dict(zip(waiting, nodes, strict=True))
        final = FinalState(it, placement, configuration=SHARING)
        good = expected(it, placement)
        assert verify(final, rules=(RULE,)).ok == good
        assert (frozenset((key, node) for key, node in placement.items() if node) in reached) == good


def test_only_profiles_with_the_filter_are_judged():
    """Without the plugin two large shares may arrive on one device, as in kube-scheduler."""
    it = cluster([gpu_node("n", 1)], [gpu_pod("p", 600), gpu_pod("q", 600)])
    placement = {"default/p": "n", "default/q": "n"}
    assert not list(RULE.violations(FinalState(it, placement)))
    (found,) = RULE.violations(FinalState(it, placement, configuration=SHARING))
    assert (found.key, found.magnitude, found.pods) == (("n", "arriving"), 1, ("default/p", "default/q"))
    assert found.message == "the pods on n need 2 GPU devices, it has 1"


def test_crowds_that_stay_are_inherited():
    """Pods that were too many before are no reason to reject a placement, unless another arrives."""
    running = [gpu_pod(f"r{i}", 600, "n") for i in range(2)]
    it = cluster([gpu_node("n", 1)], [*running, gpu_pod("p", 100), gpu_pod("q", 0)])
    for placement, ok in (({"default/q": "n"}, True), ({"default/p": "n"}, False)):
        assert verify(FinalState(it, placement, configuration=SHARING), rules=(RULE,)).ok == ok


def test_every_placed_pod_gets_its_devices():
    """Shares have one device without too much on it, whole devices have no other user."""
    pods = [gpu_pod("a", 600), gpu_pod("b", 400), gpu_pod("c", 2000), gpu_pod("d", 0), gpu_pod("e", 700)]
    it = cluster([gpu_node("n", 4)], pods)
    found = devices_of(FinalState(it, {pod.key: "n" for pod in pods}))
    assert found["default/a"] == found["default/b"] != found["default/e"]
    assert len(found["default/c"]) == 2
    assert len({*found["default/a"], *found["default/c"], *found["default/e"]}) == 4
    assert "default/d" not in found


def test_profile_is_opt_in():
    """kube-scheduler's default profile does not run the filter."""
    assert "GpuSharing" not in Profile().filters
