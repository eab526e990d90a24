import oracle
import pytest
from fuzz_clusters import clusters
from golden_cases import committed
from hypothesis import HealthCheck, given, settings
from kubestow.adapters.read import read
from kubestow.model.admission import admit
from kubestow.model.api import OwnerReference, Pod
from kubestow.model.profile import SchedulerConfiguration
from kubestow.scenarios import generators
from kubestow.solver.greedy import schedule

MODES = (
    {"preemption": "look"},
    {"preemption": "off", "passes": None, "seed": 7},
    {"preemption": "carry-out", "passes": None},
    {"preemption": "carry-out", "seed": 1},
)
OWNER = OwnerReference(kind="ReplicaSet", name="r", uid="u", controller=True)


def disagreement(cluster, configuration=None):
    """The first mode in which the fast way decides otherwise."""
    cluster, configuration = admit(cluster), configuration or SchedulerConfiguration()
    for mode in MODES:
        slow = told(schedule(cluster, configuration, **mode))
        fast = told(schedule(cluster, configuration, detail=False, **mode))
        if slow != fast:
            return mode, slow, fast
    return None


def told(done):
    turns = [(record.pod, record.outcome, record.node) for record in done.sequence]
    return turns, done.placement, done.order, done.evicted


@pytest.mark.parametrize("case", committed(), ids=lambda case: f"{case.parent.name}/{case.stem}")
def test_without_detail_the_same_happens_on_golden_cases(case):
    """Turn by turn, in every mode."""
    given = read(case)
    assert disagreement(given.cluster, given.configuration) is None


@settings(
    max_examples=30, derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck)
)
@given(clusters())
def test_without_detail_the_same_happens_on_random_clusters(tmp_path_factory, documents):
    """Turn by turn, in every mode."""
    given = read(oracle.write(tmp_path_factory.getbasetemp() / "fast.yaml", documents))
    assert disagreement(given.cluster, given.configuration) is None


@pytest.mark.parametrize("mix", ["spread", "relational", "soft", "random"])
@pytest.mark.parametrize("seed", range(2))
def test_without_detail_the_same_happens_with_many_pods_of_a_class(mix, seed):
    """Classes catch up with more nodes than they price one by one."""
    generate = getattr(generators, mix)
    assert disagreement(generate(nodes=12, pods=80, classes=8, load=0.9, seed=seed)) is None


@pytest.mark.parametrize("seed", range(2))
def test_without_detail_the_same_pods_are_evicted(seed):
    """Of a full cluster in which half of the pods have controllers, by urgent pods that come late."""
    full = admit(generators.random(nodes=8, pods=60, classes=6, load=0.9, seed=seed))
    placement = schedule(full, SchedulerConfiguration(), detail=False).placement
    pods = [
        Pod(
            metadata=pod.metadata.model_copy(update={"owner_references": (OWNER,) if number % 2 else ()}),
            spec=pod.spec,
            node_name=placement[pod.key],
        )
        for number, pod in enumerate(full.pods)
    ]
    urgent = [
        Pod(
            metadata=pod.metadata.model_copy(update={"name": f"urgent-{number}"}),
            spec=pod.spec.model_copy(update={"priority": 10**6}),
        )
        for number, pod in enumerate(full.pods[:12])
    ]
    late = full.with_changes(pods=(*pods, *urgent))
    assert schedule(late, SchedulerConfiguration(), preemption="carry-out").evicted
    assert disagreement(late) is None
