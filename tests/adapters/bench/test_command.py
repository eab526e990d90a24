from __future__ import annotations

import json

import jsonschema
import pytest
from kubestow.adapters.output.documents import KINDS

TINY = ("greedy-speed", "--seeds", "0", "--only", "nodes=100", "--only", "method=kubestow")


@pytest.fixture
def run(run):
    """Runs ``kubestow bench``: exit status, standard output, standard error."""
    return lambda *arguments: run("bench", *arguments)


def test_json_matches_its_schema(run):
    """A document of kind Benchmark with one row per run."""
    status, out, _ = run(*TINY, "-o", "json")
    assert status == 0
    document = json.loads(out)
    jsonschema.validate(document, KINDS["Benchmark"].model_json_schema(by_alias=True))
    assert document["kind"] == "Benchmark"
    assert [row["spread"] for row in document["rows"]] == [False, True]


def test_the_report_is_markdown_and_rows_are_kept(run, tmp_path):
    """The same command again makes nothing anew: it reports the same figures."""
    path = str(tmp_path / "rows.jsonl")
    status, first, _ = run(*TINY, "--output-file", path)
    assert status == 0
    assert first.startswith("## greedy-speed\n")
    assert "| 100 | 1000 | False | kubestow | 1 |" in first
    assert run(*TINY, "--output-file", path) == (0, first, "")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("nix",), "there is no benchmark"),
        (("load", "--seeds", "x"), "seeds"),
        (("load", "--only", "size=huge"), "no case"),
        (("load", "--only", "size"), "no case"),
        (("load", "--output-file", "/nonexistent/rows"), "written"),
        (("load", "--output-file", "/dev"), "read"),
    ],
)
def test_bad_requests_exit_with_2(run, arguments, says):
    """A sentence on standard error, and nothing else."""
    status, out, err = run(*arguments)
    assert (status, out) == (2, "")
    assert says in err


def test_rows_are_reported_without_a_run(run, tmp_path):
    """Whatever seeds and limits they have; a file without any is bad input."""
    path = str(tmp_path / "rows.jsonl")
    _, first, _ = run(*TINY, "--output-file", path)
    assert run("greedy-speed", "--no-run", "--output-file", path) == (0, first, "")
    for arguments in (("load", "--no-run", "--output-file", path), ("load", "--no-run")):
        status, out, err = run(*arguments)
        assert (status, out) == (2, "")
        assert "no run of load" in err
