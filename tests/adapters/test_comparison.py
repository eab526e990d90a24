"""What `kubestow compare` says for people and for programs."""

from __future__ import annotations

import io
import json
from dataclasses import replace

import kubestow
import pytest
from kubestow.adapters.output.comparison import show_comparison
from kubestow.solver.result import StageResult, Status
from rich.console import Console


@pytest.fixture
def found():
    """A comparison in which greedy places 3 of 5 pods."""
    loaded = kubestow.read(scenario="fragmentation")
    return loaded, kubestow.compare(loaded, limits=kubestow.Limits(time=5))


def said(loaded, comparison):
    """The lines of the table output."""
    text = io.StringIO()
    show_comparison(Console(file=text, width=200), loaded, comparison)
    return text.getvalue().splitlines()


def moves(out):
    """The rows of the table of moves, as words."""
    lines = [line.split() for line in out.splitlines()]
    first = next((i for i, words in enumerate(lines) if words[:3] == ["moved", "or", "evicted"]), len(lines))
    return [words for words in lines[first + 1 :] if words[:1] and "/" in words[0]]


def with_stages(comparison, *stages, **changes):
    """The comparison with other proofs."""
    return replace(comparison, result=replace(comparison.result, stages=stages), **changes)


def test_the_verdict_gives_the_proof_of_the_stage_that_it_names(found):
    """A stage that is proven is called so, however wide the gap of a later one."""
    loaded, comparison = found
    placed, cost = comparison.result.stages
    loose = replace(cost, status=Status.FEASIBLE, bound=cost.value // 2)
    lines = said(loaded, with_stages(comparison, placed, loose))
    assert "Optimal is better than greedy in stage placed 0, 5 against 3 (proven optimal)." in lines
    short = replace(placed, status=Status.FEASIBLE, bound=6)
    lines = said(loaded, with_stages(comparison, short, cost))
    assert "Optimal is better than greedy in stage placed 0, 5 against 3 (gap 20.00 %)." in lines


def test_the_other_verdicts_name_stage_and_values(found):
    """Equal, worse, and greedy placements that break rules."""
    loaded, comparison = found
    placed = comparison.result.stages[0]
    open_cost = StageResult("cost", "min", Status.FEASIBLE, 100, 50)
    lines = said(loaded, with_stages(comparison, placed, open_cost, verdict="equal", first_difference=None))
    assert "Nothing better than greedy was found (stage cost: gap 50.00 %)." in lines
    lines = said(loaded, replace(comparison, verdict="worse"))
    assert "Greedy is better in stage placed 0, 5 against 3: the search ran out of time." in lines
    lines = said(loaded, replace(comparison, verdict="greedy-violates"))
    assert "Greedy is better in stage placed 0, 5 against 3, but breaks rules that optimal keeps." in lines


def test_a_side_without_pods_has_no_score(run):
    """Where nothing is placed, a score says nothing: a dash for people, null for programs."""
    status, out, _ = run("compare", "--scenario", "fragmentation", "-o", "json")
    assert status == 0
    sides = json.loads(out)
    assert sides["current"]["score"]["total"] is None
    assert {term["value"] for term in sides["current"]["score"]["terms"].values()} == {None}
    assert sides["greedy"]["score"]["total"] is not None
    table = run("compare", "--scenario", "fragmentation")[1]
    assert next(line for line in table.splitlines() if line.startswith("score")).split()[1] == "-"


def test_stages_have_one_shape(run):
    """The optimal side lists its stages as `solve` does; the others say what they reach in each."""
    out = json.loads(run("compare", "--scenario", "fragmentation", "-o", "json", "--workers", "1")[1])
    solved = json.loads(run("solve", "--scenario", "fragmentation", "-o", "json", "--workers", "1")[1])
    assert out["optimal"]["stages"] == solved["stages"]
    names = [stage["name"] for stage in out["optimal"]["stages"]]
    assert [*out["greedy"]["values"]] == [*out["current"]["values"]] == names


def test_pods_that_are_left_out_come_before_the_reason(run):
    """A reason that lists gates cannot be taken for a list of pods."""
    out = run("compare", "--scenario", "cordon")[1]
    assert "Left out: default/draft (scheduling gates hold it back: example.com/review)." in out


def test_what_stays_broken_is_named(run):
    """Violations of the optimal placement are not only counted."""
    out = run("compare", "--scenario", "node-name")[1]
    assert "2 violations, inherited or advisory:" in out
    assert "Placement: default/lost is on gamma, which does not exist" in out


def test_one_is_not_plural(run):
    """1 pod, 1 node."""
    out = run("compare", "--scenario", "pod-affinity")[1]
    assert "3 nodes, 1 pod with a node, 6 pending" in out


def test_evicted_pods_are_not_called_pending(run):
    """A running pod that loses its place is evicted; one that never had a place is placed by neither."""
    asked = ("--scenario", "priorities", "--question", "preempt")
    out = run("compare", *asked)[1]
    assert ["default/batch-0", "alpha", "-", "(evicted)", "-", "(evicted)"] in moves(out)
    assert "Placed by neither: default/patient, default/batch-2; kubestow explain says why." in out
    solved = run("solve", *asked)[1]
    assert moves(solved) == [["default/batch-0", "alpha", "-", "(evicted)"]]
    rows = [line.split() for line in solved.splitlines()]
    assert ["default/batch-0", "-", "(evicted)"] in rows
    assert ["default/patient", "-", "(pending)"] in rows


def test_moves_say_from_where_to_where(run):
    """Every running pod that is elsewhere in greedy's or the optimal placement has a row, ten at most."""
    asked = ("--scenario", "shop", "--question", "scratch", "--deterministic-limit", "0.5", "--workers", "1")
    document = json.loads(run("compare", *asked, "-o", "json")[1])
    nodes = {pod.key: pod.node_name for pod in kubestow.read(scenario="shop").cluster.pods if pod.node_name}
    sides = [document[side]["placement"] for side in ("greedy", "optimal")]
    moved = {
        key: [node, *(side.get(key, node) for side in sides)]
        for key, node in nodes.items()
        if any(side.get(key, node) != node for side in sides)
    }
    out = run("compare", *asked)[1]
    shown = moves(out)
    assert len(shown) == 10 < len(moved)
    assert all(moved[key] == ends for key, *ends in shown)
    assert f"… and {len(moved) - 10} more" in out


def test_where_nothing_moves_there_is_no_table_of_moves(run):
    """A question that leaves running pods alone has none."""
    for verb in ("compare", "solve"):
        assert "moved or evicted" not in run(verb, "--scenario", "shop")[1]
