"""docs/benchmarks.md: its tables are those of the rows, and its commands run, in a tiny size."""

from __future__ import annotations

import gzip
import lzma
import shlex
import sys
from dataclasses import replace

import benchmark_page
import pytest
from kubestow.adapters.bench import load, registry, runner, synthetic
from kubestow.adapters.cli import main

TEXT = benchmark_page.PAGE.read_text()
COMMANDS = [line for line in TEXT.splitlines() if line.startswith("kubestow bench ")]
TINY = {"nodes": 4, "density": 4, "pods": 12}
TRACE = {
    "node_list_gpu_node": "sn,cpu_milli,memory_mib,gpu,model\na,64000,262144,2,P100\n",
    "pod_list": "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos\np,12000,16384,1,1000,,LS\n",
}
ORACLE = b"#!/bin/sh\necho placed=12 seconds=0.5\n"


def test_the_tables_are_those_of_the_rows():
    """``python tests/benchmark_page.py`` writes them; nobody edits them."""
    assert benchmark_page.written(TEXT) == TEXT


def test_every_benchmark_has_a_place_and_a_command():
    """In the order in which an unknown name lists them."""
    assert benchmark_page.names(TEXT) == list(registry.names())
    assert {shlex.split(command)[2] for command in COMMANDS} == set(registry.names())


@pytest.fixture
def tiny(monkeypatch, tmp_path):
    """Every benchmark is tiny, and of each size, variant and method only one run is made."""
    for sizes in (synthetic.SIZES, load.SIZES):
        for size in sizes:
            monkeypatch.setitem(sizes, size, (6, 40, 5)[: len(sizes[size])])
    trace, oracle = tmp_path / "data" / "openb", tmp_path / "oracle"
    trace.mkdir(parents=True)
    oracle.mkdir()
    (trace / "openb_node_list_gpu_node.csv.gz").write_bytes(
        gzip.compress(TRACE["node_list_gpu_node"].encode())
    )
    for variant in ("default", "gpuspec33"):
        (trace / f"openb_pod_list_{variant}.csv.gz").write_bytes(gzip.compress(TRACE["pod_list"].encode()))
    (oracle / "oracle.xz").write_bytes(lzma.compress(ORACLE))
    monkeypatch.setenv("KUBESTOW_SHARED", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    all_runs = runner.runs

    def few(*arguments):
        return list(
            {
                tuple(map(run.case.get, ("size", "variant", "method"))): run for run in all_runs(*arguments)
            }.values()
        )

    def made(chosen, run):
        case = {key: TINY.get(key, value) for key, value in run.case.items()}
        return chosen.run(replace(run, case=case, time_limit=min(run.time_limit, 0.5)))

    monkeypatch.setattr(runner, "runs", few)
    monkeypatch.setattr(runner, "_made", made)


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize("command", COMMANDS)
def test_the_commands_run(command, monkeypatch, capsys):
    """Each prints its report, and leaves its rows where the page's tables find them."""
    monkeypatch.setattr(sys, "argv", shlex.split(command))
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    name = shlex.split(command)[2]
    assert capsys.readouterr().out.startswith(f"## {name}\n")
    with open(f"{name}.jsonl") as rows:
        assert rows.readlines()
