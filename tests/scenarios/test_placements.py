"""Each scenario's comment says where pods go; these tests read it, so that it stays true."""

import re
from pathlib import Path

import pytest
from kubestow import scenarios
from kubestow.adapters.inputs import load
from kubestow.model.final import FinalState
from kubestow.model.rules import RULES
from kubestow.solver.compare import compare
from kubestow.solver.greedy import schedule
from kubestow.solver.result import Limits, Status

FILES = sorted(path.stem for path in Path(scenarios.__file__).parent.glob("*.yaml"))
PENDING = "pending"


def claimed(name, arrow):
    """Pod to node, by the lines of the leading comment that have `arrow` in them."""
    return dict(re.findall(rf"^#   (\S+) {arrow} (\S+)$", scenarios.text(name), re.MULTILINE))


IMPROVABLE = [name for name in FILES if claimed(name, "=>")]


def by_name(placement):
    return {key.partition("/")[2]: node or PENDING for key, node in placement.items()}


@pytest.mark.parametrize("name", FILES)
def test_kube_scheduler_places_what_the_comment_says(name):
    """The greedy replica puts every pending pod exactly where the comment says."""
    loaded = load([], name)
    placement = schedule(loaded.cluster, loaded.configuration).placement
    assert by_name(placement) == claimed(name, "->")


@pytest.mark.parametrize("name", IMPROVABLE)
def test_the_better_placement_breaks_nothing(name):
    """The batch placement in the comment covers the same pods and violates no rule."""
    cluster, better = load([], name).cluster, claimed(name, "=>")
    assert set(better) == set(claimed(name, "->"))
    keys = {pod.name: pod.key for pod in cluster.pods}
    final = FinalState(cluster, {keys[pod]: node for pod, node in better.items()})
    assert [violation for rule in RULES for violation in rule.violations(final)] == []


@pytest.mark.parametrize("name", FILES)
def test_the_optimum_is_proven_and_better_where_the_comment_says_so(name):
    """Every file is small enough for a proof; greedy is beaten wherever a better placement is claimed."""
    loaded = load([], name)
    found = compare(loaded.cluster, loaded.configuration, limits=Limits(time=60))
    assert found.result.status is Status.OPTIMAL
    assert found.verdict in ("better", "proven-equal")
    if name in IMPROVABLE:
        claim, placed = claimed(name, "=>"), by_name(found.optimal.placement)
        assert found.verdict == "better"
        assert list(placed.values()).count(PENDING) == list(claim.values()).count(PENDING)


def test_greedy_leaves_pods_pending_that_fit():
    """In four scenarios at least, greedy leaves pods pending and the better placement none."""
    stuck = [name for name in IMPROVABLE if PENDING in claimed(name, "->").values()]
    assert len(stuck) >= 4
    assert not any(PENDING in claimed(name, "=>").values() for name in stuck)


def test_every_documented_behaviour_has_a_scenario():
    """The behaviours that the Kubernetes documentation teaches are all there to try."""
    assert set(FILES) >= {
        "cordon", "disk-conflict", "host-ports", "image-locality", "least-requested", "node-affinity",
        "node-name", "node-selector", "operators", "pod-affinity", "pod-anti-affinity", "priorities",
        "resources", "taints", "topology-spread",
    }  # fmt: skip
