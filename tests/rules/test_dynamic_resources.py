from builders import cluster, node, pod
from cycles import scores, verdict
from kubestow.model.movable import free_pods
from kubestow.model.profile import SchedulerConfiguration
from kubestow.solver.greedy import schedule
from kubestow.solver.solve import solve

CLAIMS = [{"name": "gpu", "resourceClaimName": "shared"}]


def test_a_pod_without_claims_goes_anywhere_for_nothing():
    """Without claims the plugin rejects no node and scores 0 on all."""
    assert verdict("DynamicResources", pod("p"), node("n")) is None
    assert scores("DynamicResources", pod("p"), [node("n"), node("m")]) == {"n": 0, "m": 0}


def test_a_pod_with_claims_is_left_alone_on_both_sides():
    """Greedy and solve leave a claiming pod unplaced, and the reason names the field."""
    given = cluster([node("n")], [pod("plain"), pod("claiming", resourceClaims=CLAIMS)])
    configuration = SchedulerConfiguration()
    assert schedule(given, configuration).placement.get("default/claiming") is None
    assert solve(given, configuration).placement == {"default/plain": "n"}
    reason = free_pods(given, configuration).excluded["default/claiming"]
    assert "spec.resourceClaims" in str(reason)
