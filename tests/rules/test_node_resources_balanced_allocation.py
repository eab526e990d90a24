from dataclasses import replace

from builders import node, pod
from cycles import DEFAULT, container, raw_scores, with_room

NODE = with_room(node("n"), cpu="1", memory="1Gi")


def score(request_, running=None, profile=DEFAULT):
    others = [pod("r", "n", containers=[container(**running)])] if running else []
    found = raw_scores(
        "NodeResourcesBalancedAllocation",
        pod("p", containers=[container(**request_)]),
        [NODE],
        others,
        profile,
    )
    return found and found["n"]


def test_a_pod_that_requests_nothing_compared_is_skipped():
    """Defaults do not count here."""
    assert score({}) is None
    assert score({"cpu": "0"}) is None


def test_an_equal_share_of_everything_keeps_the_balance():
    """Balance 100 before and after: 50 + 50 / 2."""
    assert score({"cpu": "500m", "memory": "512Mi"}) == 75


def test_a_lopsided_pod_costs_half_of_the_balance_it_takes():
    """Shares of 1 and 0 have a deviation of one half: 50 + (50 + 50 - 100) / 2."""
    assert score({"cpu": "1"}) == 50


def test_a_pod_that_evens_out_gains():
    """From a balance of 75 to 100: 50 + (50 + 25) / 2, rounded down."""
    assert score({"memory": "512Mi"}, {"cpu": "500m"}) == 87


def test_shares_are_capped_at_the_whole_node():
    """An overcommitted node is no less balanced than a full one."""
    assert score({"memory": "1Gi"}, {"cpu": "5"}) == 50 + (50 + 100 - 50) // 2


def test_more_than_two_resources_use_the_standard_deviation():
    """Shares 1, 0, 0 deviate by sqrt(2) / 3."""
    resources = (("cpu", 1), ("memory", 1), ("ephemeral-storage", 1))
    profile = replace(DEFAULT, balanced_resources=resources)
    roomy = with_room(node("n"), cpu="1", memory="1Gi", ephemeral_storage="1Gi")
    found = raw_scores(
        "NodeResourcesBalancedAllocation", pod("p", containers=[container(cpu="1")]), [roomy], profile=profile
    )
    assert found == {"n": 50 + (50 + 52 - 100) // 2}
