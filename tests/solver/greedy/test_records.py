from kubestow.model.reasons import Verdict
from kubestow.solver.greedy import Candidate, Outcome, PluginScores, Preemption, Record, render


def test_a_field_that_says_nothing_is_absent():
    """Only the node is there always, null where there is none."""
    record = Record("default/p", Outcome.GATED, message="waiting")
    assert render(record) == {"pod": "default/p", "outcome": "gated", "node": None, "message": "waiting"}


def test_a_placed_pod_shows_verdicts_and_scores():
    """A feasible node is ``ok``."""
    verdict = Verdict.unschedulable("NodePorts", "no port")
    record = Record(
        "default/p",
        Outcome.SCHEDULED,
        node="a",
        best=("a",),
        filter={"a": None, "b": verdict},
        failing={"b": {"NodePorts": verdict}},
        scores={"ImageLocality": PluginScores(2, {"a": 1}, {"a": 50})},
        total={"a": 100},
    )
    rejected = {"code": "Unschedulable", "reasons": ["no port"]}
    assert render(record) == {
        "pod": "default/p",
        "outcome": "scheduled",
        "node": "a",
        "best": ["a"],
        "filter": {"a": "ok", "b": {"plugin": "NodePorts", **rejected}},
        "failing": {"b": {"NodePorts": rejected}},
        "scores": {"ImageLocality": {"weight": 2, "raw": {"a": 1}, "normalized": {"a": 50}}},
        "total": {"a": 100},
    }


def test_preemption_shows_the_victims_of_the_nominated_node():
    """And the candidates it was chosen from."""
    candidates = {"a": Candidate(("default/x",), 1), "b": Candidate(("default/y",), 0)}
    found = render(
        Record("default/p", Outcome.UNSCHEDULABLE, preemption=Preemption("m", "b", candidates, ("b",)))
    )
    assert found["preemption"] == {
        "message": "m",
        "nominated": "b",
        "victims": ["default/y"],
        "best": ["b"],
        "candidates": {
            "a": {"victims": ["default/x"], "pdbViolations": 1},
            "b": {"victims": ["default/y"], "pdbViolations": 0},
        },
    }
