from builders import cluster, node, pod
from cycles import container, with_room
from kubestow.model.profile import Profile, SchedulerConfiguration
from kubestow.solver.greedy import Outcome, explain, schedule

CONFIGURATION = SchedulerConfiguration()
OWNER = {"ownerReferences": [{"kind": "ReplicaSet", "name": "r", "uid": "u", "controller": True}]}


def small(name, cpu="1", **spec):
    return with_room(node(name, **spec), cpu=cpu, memory="1Gi")


def wanting(name, cpu="600m", on=None, **fields):
    return pod(name, on, containers=[container(cpu=cpu)], **fields)


def outcomes(done):
    return [
        (record.pod.removeprefix("default/"), str(record.outcome), record.node) for record in done.sequence
    ]


def test_each_placed_pod_is_there_for_the_next():
    """The second finds the first one's node full."""
    done = schedule(
        cluster([small("a"), small("b")], [wanting("p"), wanting("q"), wanting("r")]), CONFIGURATION
    )
    assert outcomes(done) == [("p", "scheduled", "a"), ("q", "scheduled", "b"), ("r", "unschedulable", None)]
    assert done.placement == {"default/p": "a", "default/q": "b", "default/r": None}
    assert done.order == ("default/p", "default/q", "default/r")


def test_explained_pods_do_not_see_each_other():
    """Each against the cluster as given."""
    given = cluster([small("a")], [wanting("p"), wanting("q"), wanting("r")])
    assert [record.node for record in explain(given, CONFIGURATION)] == ["a", "a", "a"]
    assert [record.pod for record in explain(given, CONFIGURATION, ["default/q"])] == ["default/q"]


def test_ties_go_to_the_first_name_or_to_a_seeded_choice():
    """The same seed makes the same choices, and over seeds every best node is taken."""
    given = cluster([small("b"), small("a"), small("c", cpu="900m")], [wanting("p")])
    record = schedule(given, CONFIGURATION).sequence[0]
    assert (record.node, record.best) == ("a", ("a", "b"))
    chosen = [schedule(given, CONFIGURATION, seed=seed).placement["default/p"] for seed in range(20)]
    assert set(chosen) == {"a", "b"}
    assert chosen == [schedule(given, CONFIGURATION, seed=seed).placement["default/p"] for seed in range(20)]


def test_without_nodes_the_cycle_fails():
    """As kube-scheduler says it."""
    done = schedule(cluster([], [wanting("p")]), CONFIGURATION)
    assert outcomes(done) == [("p", "error", None)]
    assert done.sequence[0].message == "no nodes available to schedule pods"


def test_without_pods_there_is_nothing_to_do():
    """No record, no placement."""
    done = schedule(cluster([small("a")], []), CONFIGURATION, passes=None)
    assert (done.sequence, done.placement, done.order, done.evicted) == ((), {}, (), ())


def test_pods_that_have_no_cycle():
    """Of another scheduler, gated, being deleted, or with a field that is not modelled."""
    deleting = {"deletionTimestamp": "2026-01-01T00:00:00Z"}
    pods = [
        wanting("foreign", schedulerName="other", metadata=deleting),
        wanting("gated", schedulingGates=[{"name": "g"}], metadata=deleting),
        wanting("deleting", metadata=deleting),
        wanting("claiming", resourceClaims=[{"name": "gpu"}]),
    ]
    done = schedule(cluster([small("a", cpu="9")], pods), CONFIGURATION)
    assert outcomes(done) == [
        ("foreign", "otherScheduler", None),
        ("gated", "gated", None),
        ("deleting", "deleting", None),
        ("claiming", "notModelled", None),
    ]
    assert done.sequence[3].message == "not modelled: spec.resourceClaims"


def test_a_profile_per_scheduler_name():
    """Each pod is scored by its own scheduler's profile."""
    profiles = (Profile(), Profile("packer", scores={"ImageLocality": 1}))
    given = cluster([small("a")], [wanting("p", "1m"), wanting("q", "1m", schedulerName="packer")])
    done = schedule(given, SchedulerConfiguration(profiles=profiles))
    assert [len(record.scores) + len(record.skipped_scores) for record in done.sequence] == [9, 1]


def test_a_later_pass_places_what_an_earlier_one_made_possible():
    """The affinity of the first pod is to the second: one pass is not enough, a third finds nothing to do."""
    term = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "db"}}}
    needs = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    pods = [
        wanting("web", "1m", affinity=needs),
        wanting("db", "1m", labels={"app": "db"}),
        wanting("big", "2"),
    ]
    given = cluster([small("a"), small("b")], pods)
    assert schedule(given, CONFIGURATION).placement["default/web"] is None
    done = schedule(given, CONFIGURATION, passes=None)
    assert done.placement["default/web"] == done.placement["default/db"]
    assert [record.pod for record in done.sequence].count("default/big") == 3


def test_a_feasible_nominated_node_is_taken_whatever_the_scores_say():
    """It is the only best one."""
    given = cluster([small("a"), small("b", cpu="2")], [wanting("p", status={"nominatedNodeName": "a"})])
    record = schedule(given, CONFIGURATION).sequence[0]
    assert (record.node, record.best) == ("a", ("a",))
    assert record.total["b"] > record.total["a"]


def test_a_nominated_pod_holds_its_place_against_lesser_pods():
    """Also while it is gated; not against more important ones."""
    nominee = wanting("nominee", status={"nominatedNodeName": "a"}, schedulingGates=[{"name": "g"}])
    lesser, greater = wanting("lesser"), wanting("greater", priority=5)
    assert (
        schedule(cluster([small("a")], [nominee, lesser]), CONFIGURATION).placement["default/lesser"] is None
    )
    assert (
        schedule(cluster([small("a")], [nominee, greater]), CONFIGURATION).placement["default/greater"] == "a"
    )


def test_preemption_is_looked_at_carried_out_or_left_out():
    """Looking changes nothing; without it the event ends after the reasons."""
    given = cluster([small("a")], [wanting("victim", on="a"), wanting("p", priority=5)])
    look = schedule(given, CONFIGURATION).sequence[0]
    assert look.preemption.victims == ("default/victim",)
    assert look.event == f"{look.fit_error} {look.preemption.message}"
    off = schedule(given, CONFIGURATION, preemption="off").sequence[0]
    assert (off.preemption, off.event) == (None, "0/1 nodes are available: 1 Insufficient cpu.")
    done = schedule(given, CONFIGURATION, preemption="carry-out")
    assert outcomes(done) == [("p", "unschedulable", None), ("p", "scheduled", "a")]
    assert done.placement == {"default/p": "a", "default/victim": None}
    assert done.evicted == ("default/victim",)


def test_an_evicted_pod_with_a_controller_waits_again():
    """Behind the others of its priority, and it may find another node."""
    victim = wanting("victim", on="a", metadata=OWNER)
    pods = [
        victim,
        wanting("p", "900m", priority=5),
        wanting("minor", "500m"),
        wanting("tiny", "1m", priority=-1),
    ]
    done = schedule(
        cluster([small("a"), small("b", cpu="700m")], pods), CONFIGURATION, preemption="carry-out"
    )
    assert outcomes(done) == [
        ("p", "unschedulable", None),
        ("p", "scheduled", "a"),
        ("minor", "scheduled", "b"),
        ("victim", "unschedulable", None),
        ("tiny", "scheduled", "b"),
    ]
    assert done.placement["default/victim"] is None


def test_the_preemptor_takes_the_nomination_of_lesser_pods():
    """They must find another place."""
    nominee = wanting("nominee", status={"nominatedNodeName": "a"}, priority=1)
    pods = [wanting("victim", on="a"), nominee, wanting("p", priority=5)]
    done = schedule(cluster([small("a")], pods), CONFIGURATION, preemption="carry-out")
    assert done.placement == {"default/p": "a", "default/nominee": None, "default/victim": None}


def test_an_unschedulable_pod_says_why_by_reason():
    """Reasons are counted over nodes and sorted as text."""
    nodes = [small(f"n{number}") for number in range(10)] + [small("cordoned", unschedulable=True)]
    record = schedule(cluster(nodes, [wanting("p", "2")]), CONFIGURATION).sequence[0]
    assert record.outcome is Outcome.UNSCHEDULABLE
    assert record.fit_error == "0/11 nodes are available: 1 node(s) were unschedulable, 10 Insufficient cpu."
