import pytest
from kubestow.adapters.bench import priority_matters as bench
from kubestow.adapters.bench.registry import Run
from kubestow.adapters.bench.report import report
from kubestow.model.state import ClusterState


def case(method="kubestow", **changes):
    return {"nodes": 4, "density": 4, "priorities": 2, "utilization": 1.05, "method": method, **changes}


def test_the_instance_is_what_the_default_scheduler_leaves():
    """Running pods fit their nodes, and no pending pod fits any node."""
    cluster = bench.instance(4, 4, 2, 1.05, seed=1)
    state = ClusterState.of(cluster, bench._CONFIGURATION)
    free = [
        {name: node.allocatable[name] - node.requested.get(name, 0) for name in ("cpu", "memory")}
        for node in state.nodes.values()
    ]
    assert min(amount for room in free for amount in room.values()) >= 0
    pending = [pod for pod in cluster.pods if pod.node_name is None]
    assert pending
    for pod in pending:
        wanted = pod.spec.containers[0].resources.requests
        cpu, memory = wanted["cpu"] // 10**6, wanted["memory"] // 10**9
        assert not any(room["cpu"] >= cpu and room["memory"] >= memory for room in free)


def test_priorities_do_not_change_who_comes_first():
    """ReplicaSets come in the order of creation: the same pods are placed whatever the priorities."""
    one, four = (bench.instance(4, 4, number, 1.0, seed=0) for number in (1, 4))
    where = [{pod.key: pod.node_name for pod in cluster.pods} for cluster in (one, four)]
    requests = [[pod.spec.containers[0].resources.requests for pod in c.pods] for c in (one, four)]
    assert requests[0] == requests[1]
    assert where[0] == where[1]


@pytest.mark.parametrize("seed", range(3))
def test_a_proven_row_is_never_worse_than_the_published_model(seed):
    """Both methods see the same instance; what is proven optimal is placed by nobody else better."""
    ours = bench.run(Run(case(), seed, 10.0, 1))
    theirs = bench.run(Run(case("naive"), seed, 3.0, 1))
    assert ours["default"] == theirs["default"]
    assert ours["category"] in (bench.BEST, bench.CERTIFIED)
    assert ours["placed"] >= theirs["placed"]
    assert ours["placed"] >= ours["default"]


def test_without_pending_pods_nobody_is_called():
    """Such a run is a row of its own."""
    row = bench.run(Run(case(utilization=0.1), 0, 1.0, 1))
    assert row == {"category": bench.NO_CALL, "pending": 0}


@pytest.mark.parametrize(
    ("better", "equal", "optimal", "category"),
    [
        (True, False, True, bench.BEST),
        (True, False, False, bench.BETTER),
        (False, True, True, bench.CERTIFIED),
        (False, True, False, bench.FAILED),
        (False, False, True, bench.FAILED),
    ],
)
def test_categories_are_the_published_ones(better, equal, optimal, category):
    """Better needs no proof; certified needs one; everything else is a failure."""
    assert bench._category(better, equal, optimal=optimal) == category


def test_the_report_counts_called_runs_only():
    """Shares are of the runs in which a pod was pending."""
    base = {
        "seed": 0,
        "timeLimit": 1.0,
        "workers": 1,
        "machine": "m",
        "versions": "v",
        "loadAverage": 0.5,
        "benchmark": "b",
    }
    called = {"moves": 2, "movedPercent": 10.0, "seconds": 0.5, "cpuSeconds": 0.4}
    rows = [
        {**base, **case(), **called, "category": bench.BEST},
        {**base, **case(), **called, "category": bench.BETTER},
        {**base, **case(), "category": bench.NO_CALL},
    ]
    text = report(bench.BENCHMARKS["priority-matters"], rows)
    assert "2 runs were called, 1 were not" in text
    assert "| kubestow | 1 | 4 | 2 | 50 | 50 | 0 | 0 | 50 | 2 | 10 | 0.5 | 0.5 | 0.4 |" in text


def test_moves_are_held_against_a_longer_run_of_the_same_instance():
    """Cell by cell, and once more where both place the same pods."""
    base = {"benchmark": "b", "workers": 1, "machine": "m", "versions": "v", "loadAverage": 0.5}
    figures = {"category": bench.BETTER, "movedPercent": 1.0, "seconds": 1.0, "cpuSeconds": 1.0}
    runs = [(0, 1.0, [3, 4], 6), (0, 60.0, [3, 4], 5), (1, 1.0, [3, 3], 1), (1, 60.0, [3, 4], 5)]
    rows = [
        {**base, **case(), **figures, "seed": seed, "timeLimit": limit, "placed": placed, "moves": moves}
        for seed, limit, placed, moves in (*runs, (2, 1.0, [1, 1], 9))
    ]
    text = report(bench.BENCHMARKS["priority-matters"], rows)
    assert "| 4 | 4 | 2 | 1.05 | kubestow | 1 | 60 | 2 | 7 | 10 | 0.7 | 1 | 1.2 |" in text
    assert "Against longer" not in report(bench.BENCHMARKS["priority-matters"], rows[:1])
