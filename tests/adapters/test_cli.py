from __future__ import annotations

import json
import subprocess
import sys

import jsonschema
import pytest
import yaml
from kubestow.adapters.output.documents import KINDS

SOLVES = {
    "compare": "Comparison",
    "solve": "Placement",
    "schedule": "Schedule",
    "explain": "Explanation",
}


@pytest.mark.parametrize("verb", SOLVES)
def test_json_matches_its_schema(run, verb):
    """Every document validates against the schema that `kubestow schema` prints for its kind."""
    status, out, _ = run(verb, "--scenario", "fragmentation", "-o", "json")
    assert status == 0
    document = json.loads(out)
    assert document["kind"] == SOLVES[verb]
    assert document["apiVersion"] == "kubestow/v1"
    status, schema, _ = run("schema", SOLVES[verb])
    assert status == 0
    jsonschema.validate(document, json.loads(schema))


def test_yaml_is_the_same_document(run):
    """``-o yaml`` and ``-o json`` say the same, apart from the timing."""
    as_json = json.loads(run("solve", "--scenario", "fragmentation", "-o", "json", "--workers", "1")[1])
    as_yaml = yaml.safe_load(run("solve", "--scenario", "fragmentation", "-o", "yaml", "--workers", "1")[1])
    assert {**as_json, "timing": {}} == {**as_yaml, "timing": {}}


@pytest.mark.parametrize("kind", KINDS)
def test_schemas_are_schemas(run, kind):
    """Each kind's schema is a valid JSON Schema."""
    status, out, _ = run("schema", kind)
    assert status == 0
    jsonschema.Draft202012Validator.check_schema(json.loads(out))


def test_placement_verifies(run, tmp_path):
    """What `solve` prints, `verify` accepts; a placement on too small a node it does not."""
    out = run("solve", "--scenario", "fragmentation", "-o", "json")[1]
    file = tmp_path / "placement.json"
    file.write_text(out)
    arguments = ("--scenario", "fragmentation", "-o", "json", "--fail-on", "violations")
    status, found, _ = run("verify", "--placement", str(file), *arguments)
    assert (status, json.loads(found)["ok"]) == (0, True)
    placement = json.loads(out)["placement"]
    node = next(node for node in placement.values() if node)
    file.write_text("pod,node\n" + "".join(f"{pod},{node}\n" for pod in placement))
    status, found, _ = run("verify", "--placement", str(file), *arguments)
    assert (status, json.loads(found)["ok"]) == (3, False)
    jsonschema.validate(json.loads(found), KINDS["Verification"].model_json_schema(by_alias=True))


def test_every_verb_shares_one_set_of_input_options(run):
    """Each verb that reads a cluster takes the same options for it."""
    shared = (
        "--file",
        "--scenario",
        "--config",
        "--scheduler-name",
        "--keep-going",
        "--workloads",
        "--cronjobs",
    )
    for verb in (*SOLVES, "verify"):
        status, out, _ = run(verb, "--help")
        assert status == 0
        assert [option for option in shared if option not in out] == []


def test_schema_without_a_kind_lists_the_kinds(run):
    """`kubestow schema` alone names every kind."""
    status, out, _ = run("schema")
    assert status == 0
    assert [line.split()[0] for line in out.splitlines()[1:]] == list(KINDS)


def test_a_reader_that_leaves_is_no_error():
    """Where ``head`` has seen enough, the command ends as others do: by SIGPIPE, without a word."""
    arguments = ("explain", "--scenario", "spread,nodes=100,pods=300,classes=30", "-o", "yaml")
    program = subprocess.Popen(
        (sys.executable, "-m", "kubestow", *arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert program.stdout is not None
    program.stdout.readline()
    program.stdout.close()
    assert program.stderr is not None
    assert program.stderr.read() == b""
    assert program.wait() == -13


def test_fail_on_unplaced(run):
    """``--fail-on unplaced`` exits with 3 exactly when a pod stays pending."""
    assert run("solve", "--scenario", "fragmentation", "--fail-on", "unplaced")[0] == 0
    assert run("schedule", "--scenario", "fragmentation", "--fail-on", "unplaced")[0] == 3


def test_explain_does_not_promise_a_place(run):
    """A pod that only loses to others is judged alone, and the words say so."""
    asked = ("--scenario", "priorities")
    scheduled = json.loads(run("schedule", *asked, "-o", "json")[1])["placement"]
    records = {
        each["pod"]: each for each in json.loads(run("explain", *asked, "-o", "json")[1])["independent"]
    }
    loser = "default/batch-2"
    assert (scheduled[loser], records[loser]["outcome"]) == (None, "scheduled")
    lines = run("explain", *asked)[1].splitlines()
    assert lines[0].startswith("Each pod is judged alone, against the cluster as it is;")
    assert f"{loser}: alone, it would be scheduled on {records[loser]['node']}" in lines
    assert "default/patient: unschedulable" in lines
    assert not any("chosen" in line and "would be chosen" not in line for line in lines)


@pytest.mark.parametrize(
    ("verb", "reasons"),
    [
        (("compare",), ["unplaced", "violations", "gap"]),
        (("solve",), ["unplaced", "violations", "gap"]),
        (("schedule",), ["unplaced"]),
        (("verify", "--placement", "-"), ["unplaced", "violations"]),
    ],
    ids=lambda given: given[0],
)
def test_fail_on_offers_what_the_verb_can_tell(run, verb, reasons):
    """A reason that a verb never has, or always, is bad usage there, and the message names those it has."""
    for reason in {"unplaced", "violations", "gap"}.difference(reasons) | {"nothing"}:
        status, out, err = run(*verb, "--scenario", "fragmentation", "--fail-on", reason)
        assert (status, out) == (2, "")
        assert [other for other in ("unplaced", "violations", "gap") if f"'{other}'" in err] == [
            each for each in ("unplaced", "violations", "gap") if each in (*reasons, reason)
        ]
        assert f"'{reason}'" in err


BAD_USAGE = {
    "no input": ("compare",),
    "file and scenario": ("compare", "-f", "x.yaml", "--scenario", "shop"),
    "unknown scenario": ("compare", "--scenario", "nowhere"),
    "missing file": ("solve", "-f", "does-not-exist.yaml"),
    "unknown profile": ("solve", "--scenario", "fragmentation", "--profile", "nobody"),
    "unknown option": ("solve", "--frobnicate"),
    "unknown verb": ("frobnicate",),
    "unknown kind": ("schema", "Frobnication"),
    "unknown pod": ("explain", "nowhere/nobody", "--scenario", "fragmentation"),
    "bad number": ("solve", "--scenario", "fragmentation", "--time-limit", "soon"),
}


@pytest.mark.parametrize("case", BAD_USAGE)
def test_bad_usage_exits_with_2(run, case):
    """Bad usage exits with 2 and says why on standard error, with nothing on standard output."""
    status, out, err = run(*BAD_USAGE[case])
    assert status == 2
    assert out == ""
    assert err.strip()


OPTIONS = {
    "choice": ("--question", "x", "'x' is not one of 'pending', 'preempt', 'scratch'"),
    "least": ("--time-limit", "0", "must be greater than or equal to 0.1, not '0'"),
    "most": ("--seed", "9999999999", "must be less than or equal to 2147483647, not '9999999999'"),
    "number": ("--gap", "small", "must be a number, not 'small'"),
    "whole number": ("--workers", "1.5", "must be a whole number, not '1.5'"),
}


@pytest.mark.parametrize("case", OPTIONS)
def test_a_bad_option_is_said_as_plainly_as_bad_input(run, case):
    """The option, what it must be and what it is, whichever library found out."""
    option, value, says = OPTIONS[case]
    status, out, err = run("solve", "--scenario", "fragmentation", option, value)
    assert (status, out) == (2, "")
    assert f"Invalid value for '{option}': {says}" in err


def test_two_inputs_are_one_too_many(run):
    """With both -f and --scenario the message says which two, and what to do."""
    assert "-f and --scenario are both there; give one, not both" in run(*BAD_USAGE["file and scenario"])[2]


BAD_INPUT = {
    "broken yaml": (b"kind: [", "document"),
    "empty": (b"", "no document"),
    "impossible quantity": (
        b"apiVersion: v1\nkind: Node\nmetadata: {name: n}\nstatus: {allocatable: {cpu: lots}}\n",
        "cpu",
    ),
    "negative quantity": (
        b"apiVersion: v1\nkind: Node\nmetadata: {name: n}\nstatus: {allocatable: {cpu: -1}}\n",
        "negative",
    ),
    "wrong type": (b"apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: 7}\n", "containers"),
    "duplicate": (
        b"apiVersion: v1\nkind: Node\nmetadata: {name: n}\n---\n"
        b"apiVersion: v1\nkind: Node\nmetadata: {name: n, labels: {a: b}}\n",
        "n",
    ),
    "alias bomb": (
        b"a: &a [x, x, x, x, x, x, x, x, x]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a]\n"
        b"c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b]\nd: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c]\n"
        b"e: &e [*d, *d, *d, *d, *d, *d, *d, *d, *d]\nf: &f [*e, *e, *e, *e, *e, *e, *e, *e, *e]\n"
        b"g: &g [*f, *f, *f, *f, *f, *f, *f, *f, *f]\n",
        "alias",
    ),
    "terminal characters in a name": (
        b'apiVersion: v1\nkind: Node\nmetadata: {name: "n\\e[31mred"}\n',
        "name",
    ),
    "unknown operator": (
        b"apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers: [{name: c}]\n  affinity:\n"
        b"    nodeAffinity:\n      requiredDuringSchedulingIgnoredDuringExecution:\n"
        b"        nodeSelectorTerms:\n"
        b"        - matchExpressions: [{key: a, operator: Near, values: [b]}]\n",
        "Near",
    ),
}


@pytest.mark.parametrize("case", BAD_INPUT)
def test_bad_input_exits_with_2(run, case):
    """Bad input exits with 2 and a line that names what is wrong; control characters are escaped."""
    text, word = BAD_INPUT[case]
    status, out, err = run("compare", "-f", "-", stdin=text)
    assert (status, out) == (2, "")
    assert word in err
    assert "\x1b" not in err


def test_pod_on_unknown_node_is_reported(run):
    """A pod bound to a node that does not exist is possible in a real cluster: a warning, no error."""
    text = (
        b"apiVersion: v1\nkind: Node\nmetadata: {name: n}\n"
        b"status: {allocatable: {cpu: 1, memory: 1Gi, pods: 9}}\n---\n"
        b"apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: default}\n"
        b"spec: {nodeName: gone, containers: [{name: c}]}\nstatus: {phase: Running}\n"
    )
    status, out, _ = run("compare", "-f", "-", "-o", "json", stdin=text)
    assert status == 0
    assert any("gone" in warning["message"] for warning in json.loads(out)["warnings"])


def test_cluster_without_nodes_is_an_answer(run):
    """With no node at all every pod stays pending, and that is said."""
    text = b"apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c}]}\n"
    status, out, _ = run("compare", "-f", "-", "-o", "json", stdin=text)
    assert status == 0
    assert json.loads(out)["optimal"]["placement"] == {"default/p": None}
