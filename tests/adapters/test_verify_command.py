"""`kubestow verify`: what it reads, what it says, how it exits."""

from __future__ import annotations

import json

import pytest
import yaml

SCENARIO = ("--scenario", "priorities")
"""Four running pods, and four pending ones of which one fits."""


@pytest.fixture
def verify(run, tmp_path):
    """Verifies the text of a placement file."""

    def call(text, *arguments, scenario=SCENARIO):
        file = tmp_path / "placement"
        file.write_text(text)
        return run("verify", "--placement", str(file), *scenario, *arguments)

    return call


def test_it_counts_placed_pending_moved_and_evicted_pods(verify, run):
    """All outputs say where the pods are, those that the file does not name included."""
    document = json.loads(run("solve", *SCENARIO, "-o", "json")[1])
    running = json.loads(run("compare", *SCENARIO, "-o", "json")[1])["current"]["placed"]
    nodes = sum(tier["placed"] for tier in running.values())
    moved, evicted = "default/batch-0,beta\n", "default/batch-1,\n"
    counts = {"placed": nodes - 1, "pending": 5, "moved": 1, "evicted": 1}
    text = moved + evicted
    assert json.loads(verify(text, "-o", "json")[1])["pods"] == counts
    assert yaml.safe_load(verify(text, "-o", "yaml")[1])["pods"] == counts
    assert "3 placed, 5 pending, 1 moved, 1 evicted" in verify(text)[1]
    placed = json.loads(verify(json.dumps(document), "-o", "json")[1])["pods"]
    assert placed == {"placed": nodes + 1, "pending": 3, "moved": 0, "evicted": 0}


def test_fail_on_unplaced_sees_pods_that_the_file_does_not_name(verify):
    """A pending pod is unplaced whether the file says so or is silent about it."""
    assert verify("default/checkout,\n", "--fail-on", "unplaced")[0] == 3
    assert verify("default/batch-0,alpha\n", "--fail-on", "unplaced")[0] == 3


def test_gated_pods_are_not_unplaced(verify, run):
    """What no question would place is pending, and no reason to fail: as for `solve`."""
    scenario = ("--scenario", "cordon")
    placement = run("solve", *scenario, "-o", "yaml")[1]
    status, out, _ = verify(placement, "--fail-on", "unplaced", scenario=scenario)
    assert status == 0
    assert "2 placed, 1 pending" in out


def test_it_reads_every_format_that_kubestow_writes(verify, run):
    """Placement, Comparison and Schedule, as JSON and as YAML."""
    for verb in ("solve", "compare", "schedule"):
        for output in ("json", "yaml"):
            assert verify(run(verb, *SCENARIO, "-o", output)[1])[0] == 0


def test_a_document_may_have_nothing_to_place(verify):
    """What `solve` prints of a cluster in which no pod is pending: everything stays."""
    status, out, _ = verify('{"kind": "Placement", "placement": {}}')
    assert status == 0
    assert "0 moved, 0 evicted" in out


BAD = {
    "empty": ("", "is empty"),
    "empty list": ("[]", "maps namespace/name to node, and is not a list"),
    "empty mapping": ("{}", "names no pod"),
    "numbers": ("[1, 2, 3]", "maps namespace/name to node, and is not a list"),
    "number": ('{"placement": 7}', "is not the number 7"),
    "null placement": ('{"placement": null}', "is not null"),
    "node is a list": ('{"default/batch-0": ["alpha"]}', "a name or null, not a list"),
    "node is a number": ("default/batch-0: 7", "a name or null, not the number 7"),
    "other kind": ('{"kind": "Explanation", "independent": []}', "kind 'Explanation' holds no placement"),
    "other version": (
        '{"apiVersion": "kubestow/v2", "kind": "Placement", "placement": {}}',
        "apiVersion: must be kubestow/v1, not 'kubestow/v2'; let this kubestow write it, or give CSV",
    ),
    "other version of a comparison": (
        '{"apiVersion": "kubestow/v2", "kind": "Comparison", "optimal": {"placement": {}}}',
        "apiVersion: must be kubestow/v1, not 'kubestow/v2'",
    ),
    "null version": ('{"apiVersion": null, "placement": {}}', "must be kubestow/v1, not null"),
    "two documents": ("a: b\n---\nc: d\n", "holds 2 documents"),
    "broken JSON": ('{"a": ', "is not valid JSON"),
    "broken YAML": ("a: [", "not YAML"),
    "unknown pod": ("default/nobody,alpha\n", "the cluster has no pod default/nobody"),
    "unknown pods": ("default/a,alpha\ndefault/b,alpha\n", "the cluster has no pods default/a, default/b"),
    "unknown node": ("default/batch-0,nowhere\n", "the cluster has no node nowhere"),
    "one cell": ("default/batch-0\n", "line 1 has 1 cell"),
    "twice": ("default/batch-0,alpha\ndefault/batch-0,alpha\n", "again"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_placements_exit_with_2(verify, case):
    """Whatever is wrong with the file, one sentence names it and what was expected."""
    text, says = BAD[case]
    status, out, err = verify(text)
    assert (status, out) == (2, "")
    assert says in err
    assert "placement" in err  # the file's name


def test_a_node_that_the_cluster_itself_names_is_known(verify):
    """A pod that is on a missing node when read may stay there in the file."""
    assert verify("default/lost,gamma\n", scenario=("--scenario", "node-name"))[0] == 0
