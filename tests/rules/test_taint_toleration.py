import pytest
from builders import node, pod
from cycles import raw_scores, scores, verdict

HARD = {"key": "dedicated", "value": "gpu", "effect": "NoSchedule"}


@pytest.mark.parametrize(
    ("toleration", "tolerated"),
    [
        (None, False),
        ({"key": "dedicated", "value": "gpu"}, True),
        ({"key": "dedicated", "operator": "Equal", "value": "gpu", "effect": "NoSchedule"}, True),
        ({"key": "dedicated", "value": "cpu"}, False),
        ({"key": "dedicated", "operator": "Exists"}, True),
        ({"operator": "Exists"}, True),
        ({"key": "other", "operator": "Exists"}, False),
        ({"key": "dedicated", "operator": "Exists", "effect": "NoExecute"}, False),
    ],
)
def test_a_hard_taint_keeps_out_what_does_not_tolerate_it(toleration, tolerated):
    """Key, operator, value and effect must all fit."""
    tolerations = [toleration] if toleration else []
    found = verdict("TaintToleration", pod("p", tolerations=tolerations), node("n", taints=[HARD]))
    assert (found is None) == tolerated
    if found is not None:
        assert found.code == "UnschedulableAndUnresolvable"
        assert found.reasons == ("node(s) had untolerated taint(s)",)


@pytest.mark.parametrize(
    ("effect", "rejects"), [("NoSchedule", 1), ("NoExecute", 1), ("PreferNoSchedule", 0)]
)
def test_only_hard_effects_reject(effect, rejects):
    """PreferNoSchedule is a matter of score."""
    tainted = node("n", taints=[{"key": "k", "effect": effect}])
    assert bool(verdict("TaintToleration", pod("p"), tainted)) == bool(rejects)


def test_untolerated_soft_taints_are_counted_and_cost_score():
    """The node with the most ends at 0, one without any at 100."""
    soft = [{"key": key, "effect": "PreferNoSchedule"} for key in ("a", "b", "c")]
    nodes = [node("clean"), node("one", taints=soft[:1]), node("three", taints=soft)]
    tolerant = pod("p", tolerations=[{"key": "a", "operator": "Exists"}])
    assert raw_scores("TaintToleration", tolerant, nodes) == {"clean": 0, "one": 0, "three": 2}
    assert scores("TaintToleration", pod("q"), nodes) == {"clean": 100, "one": 67, "three": 0}
