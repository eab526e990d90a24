from kubestow.model.reasons import Verdict
from kubestow.solver.greedy import texts


def test_reasons_are_counted_and_sorted_as_text():
    """A node with two reasons counts twice, and 10 comes before 2."""
    short = Verdict.unschedulable("NodeResourcesFit", "Insufficient cpu", "Too many pods")
    tainted = Verdict.unresolvable("TaintToleration", "node(s) had untolerated taint(s)")
    sentence = texts.fit_error(14, [short] * 10 + [tainted] * 2, None)
    assert sentence == (
        "0/14 nodes are available: 10 Insufficient cpu, 10 Too many pods, 2 node(s) had untolerated taint(s)."
    )


def test_a_pod_turned_down_at_once_shows_that_reason_alone():
    """Without counts."""
    verdict = Verdict.unresolvable("VolumeBinding", "no claim", "no class")
    assert texts.fit_error(3, [verdict] * 3, verdict) == "0/3 nodes are available: no claim, no class."


def test_several_errors_are_listed_once_each():
    """One stands alone."""
    assert texts.errors(["a", "a"]) == "a"
    assert texts.errors(["a", "b", "a"]) == "[a, b]"
