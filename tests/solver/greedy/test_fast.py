import oracle
import pytest
from fuzz_clusters import clusters
from golden_cases import committed
from hypothesis import HealthCheck, given, settings
from kubestow.adapters.read import read
from kubestow.model.admission import admit
from kubestow.model.api import OwnerReference, Pod
from kubestow.model.profile import Profile, SchedulerConfiguration, ScoringStrategy
from kubestow.model.quantity import parse_quantity
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


@pytest.mark.parametrize(
    "scoring",
    [
        ScoringStrategy("MostAllocated", (("cpu", 1), ("memory", 3), ("ephemeral-storage", 2))),
        ScoringStrategy("RequestedToCapacityRatio", shape=((0, 3), (40, 10), (100, 0))),
    ],
)
def test_without_detail_the_same_happens_under_other_profiles(scoring):
    """Other strategies, and balance over more than two resources."""
    three = (("cpu", 1), ("memory", 1), ("ephemeral-storage", 1))
    profile = Profile(scoring=scoring, balanced_resources=three)
    cluster = generators.random(nodes=12, pods=80, classes=8, load=0.9, seed=5)
    storage = {"ephemeral-storage": parse_quantity("100Gi")}
    nodes = [
        node.model_copy(
            update={
                "status": node.status.model_copy(
                    update={"allocatable": {**node.status.allocatable, **(storage if number % 3 else {})}}
                )
            }
        )
        for number, node in enumerate(cluster.nodes)
    ]
    configuration = SchedulerConfiguration(profiles=(profile,))
    assert disagreement(cluster.with_changes(nodes=tuple(nodes)), configuration) is None


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
