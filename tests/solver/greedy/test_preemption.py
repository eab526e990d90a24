import pytest
from builders import cluster, node, pod
from cycles import container, with_room
from kubestow.model.api import PodDisruptionBudget
from kubestow.model.profile import Profile, SchedulerConfiguration
from kubestow.solver.greedy import schedule
from kubestow.solver.greedy.records import Preemption


def small(name, **spec):
    return with_room(node(name, **spec), cpu="1", memory="1Gi")


def wanting(name, cpu, on=None, priority=0, **fields):
    return pod(name, on, containers=[container(cpu=cpu)], priority=priority, **fields)


def running(name, on, cpu="500m", second=0, **fields):
    return wanting(name, cpu, on, status={"startTime": f"2026-01-01T00:00:0{second}Z"}, **fields)


def preemption(nodes, pods, profile=None, **objects):
    """What the first pending pod would do."""
    profiles = (profile or Profile(),)
    return schedule(cluster(nodes, pods, **objects), SchedulerConfiguration(profiles)).sequence[0].preemption


def victims(nodes, pods, **objects):
    return [name.removeprefix("default/") for name in preemption(nodes, pods, **objects).victims]


def budget(allowed, **labels):
    return PodDisruptionBudget.model_validate(
        {
            "metadata": {"name": "b", "namespace": "default"},
            "spec": {"selector": {"matchLabels": labels}},
            "status": {"disruptionsAllowed": allowed},
        }
    )


def test_only_as_many_as_needed_and_the_least_important_ones():
    """By priority, then the youngest first."""
    pods = [running("old", "a", second=1), running("young", "a", second=2), wanting("p", "400m", priority=5)]
    assert victims([small("a")], pods) == ["young"]
    pods = [
        running("old", "a", second=1, priority=-1),
        running("young", "a", second=2),
        wanting("p", "400m", priority=5),
    ]
    assert victims([small("a")], pods) == ["old"]


def test_a_pod_without_a_start_is_the_youngest():
    """It has only just begun."""
    pods = [
        wanting("unstarted", "500m", "a"),
        running("started", "a", second=9),
        wanting("p", "400m", priority=5),
    ]
    assert victims([small("a")], pods) == ["unstarted"]


def test_pods_within_their_budget_go_first():
    """Budget violators are put back first, whatever their importance."""
    guarded = running("guarded", "a", labels={"app": "db"}, second=9)
    pods = [guarded, running("free", "a", second=1), wanting("p", "400m", priority=5)]
    assert victims([small("a")], pods) == ["guarded"]
    assert victims([small("a")], pods, pod_disruption_budgets=(budget(0, app="db"),)) == ["free"]
    assert victims([small("a")], pods, pod_disruption_budgets=(budget(1, app="db"),)) == ["guarded"]


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ([{"priority": 1}], [{"labels": {"app": "db"}}]),
        ([{"priority": 1}], [{"priority": 2}]),
        ([{"cpu": "1"}], [{}, {}]),
        ([{"second": 5}], [{"second": 4}]),
        ([{}], [{}]),
    ],
)
def test_the_candidate_that_costs_least_is_nominated(left, right):
    """Fewest violations, lowest top priority, lowest sum, fewest victims, latest start, then the name."""
    sides = {"a": left, "b": right}
    full = {"cpu": "1"}
    pods = [
        running(f"{name}{number}", name, **{**({} if len(fields) > 1 else full), **one})
        for name, fields in sides.items()
        for number, one in enumerate(fields)
    ]
    found = preemption(
        [small("a"), small("b")],
        [*pods, wanting("p", "1", priority=5)],
        pod_disruption_budgets=(budget(0, app="db"),),
    )
    assert set(found.candidates) == {"a", "b"}
    assert found.nominated == "a"
    assert found.best == (("a", "b") if left == right else ("a",))


@pytest.mark.parametrize(
    ("pods", "message"),
    [
        ([running("r", "a", priority=5), wanting("p", "1", priority=5)],
         "0/1 nodes are available: 1 No preemption victims found for incoming pod."),
        ([running("r", "a"), wanting("p", "2", priority=5)],
         "0/1 nodes are available: 1 Preemption is not helpful for scheduling."),
        ([running("r", "a"), running("s", "a", priority=9), wanting("p", "1", priority=5)],
         "0/1 nodes are available: 1 Insufficient cpu."),
        ([running("r", "a"), wanting("p", "1", priority=5, preemptionPolicy="Never")],
         "not eligible due to preemptionPolicy=Never."),
    ],
)  # fmt: skip
def test_why_preemption_does_not_help(pods, message):
    """No lesser pod, a hopeless node, too little even without the lesser pods, or not wanted."""
    found = preemption([small("a")], pods)
    assert found.message == f"preemption: {message}"
    assert found.nominated is None


def test_a_pod_waits_for_the_victims_it_already_has():
    """While one of them is terminating on its nominated node, it does not ask for more."""
    dying = wanting(
        "dying",
        "1",
        "a",
        metadata={"deletionTimestamp": "2026-01-01T00:00:00Z"},
        status={
            "conditions": [{"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"}]
        },
    )
    waiting = wanting("p", "1", priority=5, status={"nominatedNodeName": "a"})
    found = preemption([small("a")], [dying, waiting])
    assert found.message == "preemption: not eligible due to a terminating pod on the nominated node."


def test_a_profile_without_the_plugin_does_not_preempt():
    """Then the event ends after the reasons."""
    pods = [running("r", "a"), wanting("p", "1", priority=5)]
    assert preemption([small("a")], pods, Profile(post_filters=())) is None


def test_another_post_filter_plugin_runs_and_finds_nothing():
    """Then the event ends after the reasons as well."""
    pods = [running("r", "a"), wanting("p", "1", priority=5)]
    profile = Profile(post_filters=("DynamicResources",))
    [record] = schedule(cluster([small("a")], pods), SchedulerConfiguration((profile,))).sequence
    assert record.preemption == Preemption("")
    assert record.event == record.fit_error


def test_affinity_to_a_victim_makes_its_node_no_candidate():
    """The pod would not fit once its company is gone."""
    term = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "db"}}}
    needs = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    pods = [running("db", "a", "1", labels={"app": "db"}), wanting("p", "500m", priority=5, affinity=needs)]
    assert preemption([small("a")], pods).nominated is None


def test_evicting_a_hostile_pod_lifts_its_anti_affinity():
    """What the victims forbid is forgotten with them."""
    term = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "web"}}}
    hates = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    pods = [
        running("hostile", "a", "1m", affinity=hates),
        running("friendly", "a", "1m"),
        wanting("p", "1m", priority=5, labels={"app": "web"}),
    ]
    assert victims([small("a")], pods) == ["hostile"]
