"""The benchmarks that need no trace, on tiny sizes."""

import json

import pytest
from kubestow.adapters.bench import greedy_speed, load, registry, runner, synthetic
from kubestow.adapters.bench.registry import Run
from kubestow.adapters.bench.snapshot import write_snapshot
from kubestow.adapters.inputs import load as read
from kubestow.model.errors import BadInput


@pytest.mark.parametrize("name", synthetic.LIMITS)
def test_a_run_gives_gap_and_greedy_beside_it(name, monkeypatch):
    """All pods are placed, and kube-scheduler's gap to the same bound is no smaller."""
    monkeypatch.setitem(synthetic.SIZES, "small", (6, 40, 5))
    row = synthetic.run(name, Run({"size": "small"}, 1, 2.0, 1))
    assert row["placed"] == row["placedBound"] == 40
    assert row["gapPercent"] >= 0
    if row["greedyGapPercent"] is not None:
        assert row["greedyGapPercent"] >= row["gapPercent"]
    assert row.get("naivePlaced", 40) == 40
    assert ("naivePlaced" in row) == (name == "spread")


def test_the_snapshot_is_read_as_it_is(tmp_path):
    """Nodes, and ReplicaSets with all their pods: nothing is expanded."""
    path = tmp_path / "snapshot.json"
    with path.open("w") as file:
        write_snapshot(file, nodes=3, pods=600, replicas=250)
    assert json.loads(path.read_text())["kind"] == "List"
    cluster = read([str(path)], None).cluster
    assert (len(cluster.nodes), len(cluster.pods)) == (3, 600)
    assert {warning.code for warning in cluster.warnings} <= {"incomplete"}
    assert sum(pod.node_name is None for pod in cluster.pods) in range(20, 120)


def test_loading_groups_pods_into_classes(monkeypatch):
    """A ReplicaSet's pods are one class."""
    monkeypatch.setitem(load.SIZES, "small", (3, 600))
    row = load.run(Run({"size": "small"}, 0, 0.0, 0))
    assert row["classes"] == 3
    assert row["readSeconds"] <= row["seconds"]


@pytest.mark.parametrize("spreading", [False, True])
def test_speed_counts_pods_that_were_placed(spreading):
    """All of them fit; when spreading, each pod has a hard and a soft constraint."""
    case = {"nodes": 6, "pods": 30, "spread": spreading, "method": "kubestow"}
    assert greedy_speed.run(Run(case, 0, 0.0, 0))["placed"] == 30
    cluster = greedy_speed.cluster_of(6, 30, 0, spreading=spreading)
    constraints = {len(pod.spec.topology_spread_constraints) for pod in cluster.pods}
    assert constraints == {2 * spreading}


def test_the_oracle_is_left_out_where_it_is_not(monkeypatch, tmp_path):
    """What is missing is named; asking for nothing else is bad input."""
    monkeypatch.setenv("KUBESTOW_SHARED", str(tmp_path))
    chosen = registry.benchmark("greedy-speed")
    made = runner.runs(chosen, [], [0], None, 1)
    assert {run.case["method"] for run in made} == {"kubestow"}
    assert runner.left_out(chosen, []) == [f"{tmp_path / 'oracle' / 'oracle.xz'} is not there"]
    with pytest.raises(BadInput, match="is not there"):
        runner.runs(chosen, ["method=oracle"], [0], None, 1)
