from dataclasses import replace

import pytest
from builders import node, pod
from cycles import DEFAULT, container, raw_scores, verdict, with_room
from kubestow.model.profile import ScoringStrategy

GPU = "nvidia.com/gpu"


def wanting(name, on=None, **requests):
    return pod(name, on, containers=[container(**requests)])


def small(**amounts):
    return with_room(node("n"), **{"cpu": "1", "memory": "1Gi", **amounts})


@pytest.mark.parametrize(
    ("request_", "running", "code", "reasons"),
    [
        ({"cpu": "1"}, {}, None, ()),
        ({"cpu": "500m"}, {"cpu": "500m"}, None, ()),
        ({"cpu": "501m"}, {"cpu": "500m"}, "Unschedulable", ("Insufficient cpu",)),
        ({"cpu": "1001m"}, {}, "UnschedulableAndUnresolvable", ("Insufficient cpu",)),
        ({"cpu": "1", "memory": "2Gi"}, {"cpu": "1m"}, "UnschedulableAndUnresolvable",
         ("Insufficient cpu", "Insufficient memory")),
        ({"ephemeral-storage": "1"}, {}, "UnschedulableAndUnresolvable", ("Insufficient ephemeral-storage",)),
        ({GPU: "1"}, {}, "UnschedulableAndUnresolvable", (f"Insufficient {GPU}",)),
        ({"cpu": "0", GPU: "0"}, {"cpu": "5"}, None, ()),
        ({}, {"cpu": "5"}, None, ()),
    ],
)  # fmt: skip
def test_a_request_must_fit_into_what_is_left(request_, running, code, reasons):
    """Beyond the whole node it is unresolvable; what is not requested does not matter."""
    found = verdict("NodeResourcesFit", wanting("p", **request_), small(), [wanting("r", "n", **running)])
    assert (found and found.code, found.reasons if found else ()) == (code, reasons)


def test_the_pod_count_is_a_resource():
    """A node that does not say takes none."""
    found = verdict("NodeResourcesFit", pod("p"), small(pods="1"), [pod("r", "n")])
    assert (found.code, found.reasons) == ("Unschedulable", ("Too many pods",))
    assert verdict("NodeResourcesFit", pod("p"), small(pods="0")).reasons == ("Too many pods",)


@pytest.mark.parametrize(
    "profile",
    [replace(DEFAULT, ignored_resources=(GPU,)), replace(DEFAULT, ignored_resource_groups=("nvidia.com",))],
)
def test_ignored_extended_resources_are_not_checked(profile):
    """By name or by group."""
    assert verdict("NodeResourcesFit", wanting("p", **{GPU: "9"}), small(), profile=profile) is None


def score(strategy, request_, running=()):
    profile = replace(DEFAULT, scoring=strategy)
    return raw_scores("NodeResourcesFit", wanting("p", **request_), [small()], running, profile)["n"]


def test_least_allocated_is_the_mean_free_share_rounded_down_twice():
    """66 of cpu and 49 of memory make 57."""
    assert score(ScoringStrategy(), {"cpu": "333m", "memory": "513Mi"}) == (66 + 49) // 2


def test_most_allocated_is_the_mean_used_share():
    """33 and 50 make 41, with weights 1 and 3 they make 45."""
    assert score(ScoringStrategy("MostAllocated"), {"cpu": "333m", "memory": "513Mi"}) == 41
    weighted = ScoringStrategy("MostAllocated", (("cpu", 1), ("memory", 3)))
    assert score(weighted, {"cpu": "333m", "memory": "513Mi"}) == 45


def test_requested_to_capacity_follows_its_shape_and_leaves_zeros_out():
    """Cpu at 25 % scores 50; memory at 0 % scores nothing and does not count."""
    shape = ScoringStrategy("RequestedToCapacityRatio", shape=((0, 0), (50, 10), (100, 0)))
    assert score(shape, {"cpu": "250m", "memory": "0"}) == 50
    assert score(shape, {"cpu": "750m", "memory": "512Mi"}) == 75


def test_silent_containers_count_with_defaults_in_the_score():
    """100m and 200 MiB for the pending pod and for the running one; a stated 0 is not silent."""
    silent, zero = {"cpu": "0"}, {"cpu": "0", "memory": "0"}
    memory = ScoringStrategy(resources=(("memory", 1),))
    assert score(memory, zero) == 100
    assert score(memory, silent) == (1024 - 200) * 100 // 1024
    assert score(memory, silent, [wanting("r", "n")]) == (1024 - 400) * 100 // 1024
    cpu = ScoringStrategy(resources=(("cpu", 1),))
    assert score(cpu, {}, [wanting("r", "n")]) == 80


def test_an_overfull_node_scores_nothing_under_least_allocated():
    """More than everything is not negative."""
    assert (
        score(ScoringStrategy(), {"cpu": "1", "memory": "1Gi"}, [wanting("r", "n", cpu="1", memory="1Gi")])
        == 0
    )


def test_extended_resources_take_part_only_where_requested_and_present():
    """Otherwise they are left out of the mean."""
    strategy = ScoringStrategy("MostAllocated", (("cpu", 1), (GPU, 1)))
    profile = replace(DEFAULT, scoring=strategy)
    nodes = [small(), with_room(node("g"), cpu="1", **{GPU: "2"})]
    with_gpu = wanting("p", cpu="200m", **{GPU: "1"})
    assert raw_scores("NodeResourcesFit", with_gpu, nodes, profile=profile) == {"n": 20, "g": 35}
    without = wanting("p", cpu="200m")
    assert raw_scores("NodeResourcesFit", without, nodes, profile=profile) == {"n": 20, "g": 20}
