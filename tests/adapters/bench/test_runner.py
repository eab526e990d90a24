import json

import pytest
from kubestow.adapters.bench import registry, runner
from kubestow.adapters.bench.registry import Benchmark, Run
from kubestow.adapters.bench.report import averages, report, span, spans, table
from kubestow.model.errors import BadInput

CASES = tuple({"size": size, "fast": fast} for size in (1, 2) for fast in (False, True))


def counting(made):
    """A benchmark that notes its runs in `made`."""

    def run(wanted):
        made.append(wanted)
        return {"value": wanted.case["size"] * 10 + wanted.seed}

    return Benchmark("counting", CASES, run, lambda case: float(case["size"]), averages("size", "fast"))


@pytest.mark.parametrize("name", registry.names())
def test_every_benchmark_has_cases_with_the_same_keys(name):
    """A name leads to a benchmark of that name, with a limit for every case."""
    found = registry.benchmark(name)
    assert found.name == name
    assert len({tuple(case) for case in found.cases}) == 1
    assert len({json.dumps(case) for case in found.cases}) == len(found.cases)
    assert all(found.time_limit(case) >= 0 for case in found.cases)


def test_an_unknown_name_lists_all():
    """The way out is in the message."""
    with pytest.raises(BadInput, match="priority-matters, openb, spread"):
        registry.benchmark("nix")


@pytest.mark.parametrize(
    ("text", "seeds"), [("3", [3]), ("0..2", [0, 1, 2]), ("0..1,7,1..2", [0, 1, 7, 2]), ("4..4", [4])]
)
def test_seeds_are_numbers_and_ranges(text, seeds):
    """In the order given, each once."""
    assert runner.seeds_of(text) == seeds


@pytest.mark.parametrize("text", ["", "a", "1..", "2..1", "-1", "0..99999999999", "1.5"])
def test_other_seeds_are_bad_input(text):
    """Nothing half understood."""
    with pytest.raises(BadInput, match="write"):
        runner.seeds_of(text)


def test_conditions_choose_cases():
    """All conditions hold, and a condition may list values."""
    chosen = counting([])
    assert runner.selected(chosen, ["size=2", "fast=true"]) == ({"size": 2, "fast": True},)
    assert len(runner.selected(chosen, ["size=1|2"])) == 4
    for conditions, says in ((["colour=1"], "size, fast"), (["size=3"], "no case")):
        with pytest.raises(BadInput, match=says):
            runner.selected(chosen, conditions)


def test_the_usual_limit_is_the_case_s_own():
    """Unless a limit is given."""
    chosen = counting([])
    assert [run.time_limit for run in runner.runs(chosen, [], [0], None, 1)] == [1.0, 1.0, 2.0, 2.0]
    assert {run.time_limit for run in runner.runs(chosen, [], [0, 1], 9.0, 1)} == {9.0}


def test_runs_in_the_file_are_not_made_again(tmp_path):
    """A row is found by case, seed and limits; the file grows by what is new."""
    made, path = [], tmp_path / "rows.jsonl"
    chosen = counting(made)
    first = runner.carry_out(chosen, runner.runs(chosen, ["size=1"], [0], None, 1), path, str)
    again = runner.carry_out(chosen, runner.runs(chosen, [], [0], None, 1), path, str)
    assert again[: len(first)] == first
    assert len(made) == len(again) == len(path.read_text().splitlines()) == 4
    runner.carry_out(chosen, runner.runs(chosen, ["size=1"], [0], 5.0, 1), path, str)
    runner.carry_out(chosen, runner.runs(chosen, ["size=1"], [0], None, 2), path, str)
    assert len(made) == 8


def test_rows_say_where_they_were_made():
    """Machine and versions are part of every row."""
    chosen = counting([])
    (row,) = runner.carry_out(chosen, [Run(CASES[0], 3, 1.0, 2)], None, str)
    assert row["value"] == 13
    assert "cores" in row["machine"]
    assert "ortools" in row["versions"]


@pytest.mark.parametrize("text", ["{", "[1]", '{"a": 1}'])
def test_another_file_is_not_overwritten(tmp_path, text):
    """What is no row of a benchmark is bad input with its line, and stays as it is."""
    path = tmp_path / "rows.jsonl"
    path.write_text('{"benchmark": "counting"}\n' + text + "\n")
    chosen = counting([])
    with pytest.raises(BadInput, match="line 2"):
        runner.carry_out(chosen, runner.runs(chosen, [], [0], None, 1), path, str)
    assert path.read_text().endswith(text + "\n")


def test_a_run_apart_knows_its_peak_memory():
    """A run in a process of its own gives the same row and its memory."""
    chosen = registry.benchmark("greedy-speed")
    apart = Benchmark(**{**chosen.__dict__, "apart": True})
    case = {"nodes": 2, "pods": 6, "spread": False, "method": "kubestow"}
    (row,) = runner.carry_out(apart, [Run(case, 0, 0.0, 1)], None, str)
    assert row["placed"] == 6
    assert 0 < row["peakGiB"] < 10


def test_a_report_has_machine_seeds_limits_and_means():
    """One line per case, means over the seeds."""
    chosen = counting([])
    rows = runner.carry_out(chosen, runner.runs(chosen, ["fast=false"], [0, 1, 2, 5], None, 0), None, str)
    text = report(chosen, rows)
    assert "seeds 0..2, 5; 8 runs" in text
    assert "1 s with all workers; 2 s with all workers" in text
    assert "| 1 | False | 4 | 12 |" in text
    assert "| 2 | False | 4 | 22 |" in text


def test_numbers_stand_on_the_right():
    """Columns of numbers are aligned to the right, others to the left; bars in a cell are escaped."""
    assert table(["a", "b"], [["x|y", 1.23456], ["z", None]]) == [
        "| a | b |", "| --- | ---: |", "| x\\|y | 1.235 |", "| z |  |",
    ]  # fmt: skip
    assert spans([1, 2, 3, 7, 9, 10]) == "1..3, 7, 9..10"


def test_a_mean_comes_with_its_extremes_where_they_differ():
    """A range says how much the seeds matter."""
    rows = [{"a": 1.0, "b": 2, "c": None}, {"a": 2.0, "b": 2}]
    assert [str(span(rows, key)) for key in "abc"] == ["1.5 (1..2)", "2", "None"]
    (*_, line) = averages("b", ranges=("a",))(rows)
    assert line == "| 2 | 2 | 1.5 (1..2) |"
