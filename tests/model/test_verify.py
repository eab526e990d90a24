"""Violations of whole placements by the node-level rules: naive counterparts, admission, comparison."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import combinations
from random import Random
from typing import Any

import pytest
from admitted import placements, reachable
from builders import cluster, node, pod
from final_states import GPU, random_cluster, random_state
from hypothesis import given, settings
from hypothesis import strategies as st
from kubestow.model.api import Node, NodeAffinity, Pod
from kubestow.model.cluster import Cluster
from kubestow.model.eligibility import affinity_admits, untolerated
from kubestow.model.final import FinalState
from kubestow.model.movable import free_pods
from kubestow.model.profile import Profile, SchedulerConfiguration
from kubestow.model.quantity import MOST
from kubestow.model.reasons import Violation
from kubestow.model.resources import pod_requests, to_units
from kubestow.model.rules import RULE_BY_NAME
from kubestow.model.rules.base import Rule
from kubestow.model.state import ClusterState, host_ports
from kubestow.model.verify import PLACEMENT, Standing, verify, violations

NAMES = (
    "SchedulingGates", "NodeName", "NodeUnschedulable", "TaintToleration", "NodeAffinity", "NodePorts",
    "NodeResourcesFit",
)  # fmt: skip
RULES = [RULE_BY_NAME[name] for name in NAMES]
SEEDS = st.integers(0, 10**6)
Key = tuple[str, tuple[str, ...]]


def sized(name: str, **amounts: str) -> Node:
    """A node with these amounts; ``gpu`` stands for the extended resource."""
    listed = {"pods": "110", **{GPU if key == "gpu" else key: amount for key, amount in amounts.items()}}
    return Node.model_validate({"metadata": {"name": name}, "status": {"allocatable": listed}})


def asking(name: str, on: str | None = None, *, more: Mapping[str, Any] | None = None, **amounts: str) -> Pod:
    """A pod that requests these amounts; with a node it is running."""
    stated = {GPU if key == "gpu" else key: amount for key, amount in amounts.items()}
    container = {"name": "main", "resources": {"requests": stated}}
    return pod(name, on, status={"phase": "Running"} if on else {}, containers=[container], **(more or {}))


def placed(final: FinalState) -> dict[str, list[tuple[Pod, bool]]]:
    """By node: the pods that count there, and whether each arrives."""
    found: dict[str, list[tuple[Pod, bool]]] = {n.name: [] for n in final.cluster.nodes}
    for one in final.cluster.pods:
        place = final.placement.get(one.key, one.node_name)
        if place in found and one.status.phase != "Succeeded":
            stays = place == one.node_name and one.key not in final.unplaced_free
            found[place].append((one, not stays))
    return found


def plain_overcommitted(final: FinalState) -> dict[Key, int]:
    expected: dict[Key, int] = {}
    capacity = {n.name: to_units(n.status.allocatable) for n in final.cluster.nodes}
    for name, here in placed(final).items():
        for resource in ("cpu", "memory", GPU, "pods"):
            wants = [(1 if resource == "pods" else pod_requests(p).get(resource, 0), a) for p, a in here]
            excess = sum(amount for amount, _ in wants) - capacity[name].get(resource, 0)
            if excess > 0:
                arriving = any(amount > 0 and arrives for amount, arrives in wants)
                expected["NodeResourcesFit", (name, resource, *(["arriving"] if arriving else []))] = excess
    return expected


def plain_ports(final: FinalState) -> dict[Key, int]:
    expected: Counter[Key] = Counter()
    for name, here in placed(final).items():
        for (one, new), (other, newer) in combinations(here, 2):
            for address, protocol, port in set(host_ports(one.spec)):
                for second, *rest in set(host_ports(other.spec)):
                    clash = address == second or "0.0.0.0" in (address, second)
                    if clash and [protocol, port] == rest:
                        marker = ["arriving"] if new or newer else []
                        expected["NodePorts", (name, f"{protocol}/{port}", *marker)] += 1
    return dict(expected)


def plain_static(final: FinalState) -> dict[Key, int]:
    expected: dict[Key, int] = {}
    for n in final.cluster.nodes:
        for one, arrives in placed(final)[n.name]:
            key = (one.key, n.name)
            forgiven = any(t.key == "node.kubernetes.io/unschedulable" for t in one.spec.tolerations)
            if arrives and n.spec.unschedulable and not forgiven:
                expected["NodeUnschedulable", key] = 1
            if arrives and untolerated(one, n, ["NoSchedule", "NoExecute"]):
                expected["TaintToleration", key] = 1
            if not arrives and untolerated(one, n, ["NoExecute"]):
                expected["TaintToleration", (*key, "NoExecute")] = 1
            if arrives and not affinity_admits(one, n):
                expected["NodeAffinity", key] = 1
            if arrives and one.gated:
                expected["SchedulingGates", key] = 1
    return expected


def by_key(found: Iterable[Violation]) -> dict[Key, int]:
    """Magnitudes by rule and key, each of which occurs once."""
    listed = list(found)
    result = {(v.rule, v.key): v.magnitude for v in listed}
    assert len(result) == len(listed)
    return result


@given(seed=SEEDS)
def test_violations_are_what_a_walk_over_all_pods_finds(seed: int) -> None:
    """The vectorised rules find the same keys and magnitudes as loops over nodes and pods."""
    final = random_state(seed)
    found = by_key(v for v in violations(final, rules=RULES) if v.rule != PLACEMENT)
    assert found == {**plain_overcommitted(final), **plain_ports(final), **plain_static(final)}


@given(seed=SEEDS)
def test_pods_admitted_one_by_one_break_nothing(seed: int) -> None:
    """A state that the filters led to, pod by pod, has no new violation, whatever was inherited."""
    given_cluster = random_cluster(seed)
    configuration = SchedulerConfiguration()
    profile, state = configuration.profiles[0], ClusterState.of(given_cluster, configuration)
    placement: dict[str, str | None] = {}
    waiting = sorted(free_pods(given_cluster, configuration).free)
    Random(seed).shuffle(waiting)
    for one in (given_cluster.pod_by_key[key] for key in waiting):
        for info in state.nodes.values():
            if all(_admits(rule, state, profile, one, info.name) for rule in RULES):
                info.add(one)
                placement[one.key] = info.name
                break
    assert verify(FinalState(given_cluster, placement), rules=RULES).ok


def _admits(rule: Rule, state: ClusterState, profile: Profile, one: Pod, name: str) -> bool:
    before = rule.pre_filter(state, profile, one)
    if before.skip:
        return True
    return before.verdict is None and not rule.admits(state, profile, one, state.nodes[name], before.data)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
@settings(max_examples=40)
@given(seed=SEEDS)
def test_what_breaks_nothing_new_is_what_some_order_admits(rule: Rule, seed: int) -> None:
    """Two ways: of all placements, those without a new violation are those the filter leads to."""
    drawn = random_cluster(seed, nodes=3, pods=6)
    pending = [p for p in drawn.pods if p.node_name is None and not p.terminating][:3]
    running = [p for p in drawn.pods if p.node_name is not None]
    tiny = drawn.with_changes(pods=(*running, *pending))
    accepted = {
        chosen for chosen in placements(tiny) if verify(FinalState(tiny, dict(chosen)), rules=[rule]).ok
    }
    assert accepted == reachable(rule, tiny)


def standings(final: FinalState, rule: str) -> dict[tuple[str, ...], Standing]:
    findings = verify(final, rules=RULES).findings
    return {f.violation.key: f.standing for f in findings if f.violation.rule == rule}


class TestOvercommit:
    CROWDED = (sized("n", cpu="2", memory="1Gi"), sized("m", cpu="9", memory="9Gi"))

    def test_stays_inherited_while_nobody_adds_to_it(self) -> None:
        """What was overcommitted before is reported, and is no reason to reject a placement."""
        given_cluster = cluster(self.CROWDED, [asking("a", "n", cpu="3")])
        check = verify(FinalState(given_cluster, {}), rules=RULES)
        assert [(f.violation.key, f.standing, f.before) for f in check.findings] == [
            (("n", "cpu"), Standing.INHERITED, 1000)
        ]
        assert check.ok
        assert check.inherited == tuple(f.violation for f in check.findings)

    def test_pods_that_do_not_request_the_resource_may_arrive(self) -> None:
        """kube-scheduler never compares a resource that the pod does not request."""
        given_cluster = cluster(self.CROWDED, [asking("a", "n", cpu="3"), asking("b", memory="1Mi")])
        final = FinalState(given_cluster, {"default/b": "n"})
        assert standings(final, "NodeResourcesFit") == {("n", "cpu"): Standing.INHERITED}

    def test_an_arrival_is_new_though_more_leaves(self) -> None:
        """A pod that requests an overcommitted resource is never admitted, even if the excess shrinks."""
        given_cluster = cluster(
            self.CROWDED, [asking("a", "n", cpu="3"), asking("b", "n", cpu="2"), asking("c", cpu="1")]
        )
        final = FinalState(given_cluster, {"default/b": "m", "default/c": "n"})
        assert standings(final, "NodeResourcesFit") == {("n", "cpu", "arriving"): Standing.NEW}
        assert [v.pods for v in verify(final, rules=RULES).broken] == [("default/c",)]

    def test_a_pod_placed_anew_must_fit_where_it_was(self) -> None:
        """A pod that a question places anew arrives, even on its own node."""
        given_cluster = cluster(self.CROWDED, [asking("a", "n", cpu="3")])
        final = FinalState(given_cluster, {}, unplaced_free=frozenset({"default/a"}))
        assert standings(final, "NodeResourcesFit") == {("n", "cpu", "arriving"): Standing.NEW}

    def test_ignored_resources_are_nobodys_business(self) -> None:
        """A profile that ignores a resource admits pods beyond it; another profile's pods are judged."""
        more = {"schedulerName": "lax"}
        given_cluster = cluster(
            [sized("n", gpu="1"), sized("m", gpu="1")],
            [asking("a", gpu="2"), asking("b", gpu="2", more=more)],
        )
        lax = Profile("lax", ignored_resource_groups=("example.com",))
        final = FinalState(
            given_cluster,
            {"default/a": "n", "default/b": "m"},
            configuration=SchedulerConfiguration((Profile(), lax)),
        )
        assert standings(final, "NodeResourcesFit") == {("n", GPU, "arriving"): Standing.NEW}
        assert [v.node for v in verify(final, rules=RULES).broken] == ["n"]

    def test_sums_beyond_64_bits_are_exact(self) -> None:
        """Requests as large as amounts get do not wrap around."""
        huge = str(MOST)
        given_cluster = cluster(
            [sized("n", memory="1")], [asking(f"p{i}", "n", memory=huge) for i in range(4)]
        )
        found = by_key(RULE_BY_NAME["NodeResourcesFit"].violations(FinalState(given_cluster, {})))
        assert found == {("NodeResourcesFit", ("n", "memory")): 4 * MOST - 1}


class TestComparison:
    def test_more_of_the_same_has_grown(self) -> None:
        """A third pod that stays in a dispute it was not in before makes it grow."""
        rule = _Counting()
        given_cluster = cluster([node("n"), node("m")], [pod("a", "n"), pod("b")])
        final = FinalState(given_cluster, {"default/b": "n"})
        check = verify(final, rules=[rule])
        assert [(f.standing, f.before, f.violation.magnitude) for f in check.findings] == [
            (Standing.GROWN, 1, 2)
        ]
        assert not check.ok
        before = violations(FinalState(given_cluster, {"default/b": "n"}), rules=[rule])
        assert verify(final, before=before, rules=[rule]).ok

    def test_advice_is_no_reason_to_reject(self) -> None:
        """An advisory violation is reported as new and leaves the placement acceptable."""
        final = FinalState(cluster([node("n")], [pod("a")]), {"default/a": "n"})
        check = verify(final, rules=[_Advising()])
        assert [f.standing for f in check.findings] == [Standing.NEW]
        assert check.ok


class _Counting(Rule):
    name = "Counting"

    def violations(self, final: FinalState) -> Iterable[Violation]:
        here = len(final.pods_on(0))
        return [Violation(self.name, ("n",), here)] if here else []


class _Advising(Rule):
    name = "Advising"

    def violations(self, final: FinalState) -> Iterable[Violation]:
        return [Violation(self.name, ("n",), 1, advisory=True)] if final.arriving.any() else []


class TestPlacement:
    """Names that stand for nothing, and pods that may not move."""

    CLUSTER: Cluster = cluster(
        [node("n"), node("m")],
        [
            pod("free"),
            pod("bound", "n", status={"phase": "Running"}),
            pod("lost", "gone", status={"phase": "Running"}),
            pod("done", "n", status={"phase": "Succeeded"}),
            pod("forced", "n"),
            pod(
                "ending",
                "n",
                metadata={"deletionTimestamp": "2026-01-01T00:00:00Z"},
                status={"phase": "Running"},
            ),
        ],
    )

    @pytest.mark.parametrize(
        ("placement", "expected"),
        [
            ({}, set()),
            ({"default/free": "m", "default/bound": "m"}, set()),
            ({"default/bound": None}, set()),
            ({"default/nobody": "n"}, {("unknown-pod", "default/nobody")}),
            ({"default/free": "nowhere"}, {("unknown-node", "default/free", "nowhere")}),
            ({"default/bound": "nowhere"}, {("unknown-node", "default/bound", "nowhere")}),
            ({"default/done": "m"}, {("completed", "default/done")}),
            ({"default/done": "n"}, set()),
            ({"default/done": None}, set()),
            ({"default/lost": "n"}, {("fixed", "default/lost")}),
            ({"default/ending": "m"}, {("fixed", "default/ending")}),
            ({"default/forced": "m"}, {("fixed", "default/forced"), ("default/forced", "m")}),
            ({"default/forced": "n"}, set()),
            ({"default/forced": None, "default/ending": None}, set()),
        ],
    )
    def test_names_and_moves(self, placement: dict[str, str | None], expected: set[tuple[str, ...]]) -> None:
        """Unknown names, completed pods and pods tied to their node are violations."""
        check = verify(FinalState(self.CLUSTER, placement), rules=RULES)
        assert {v.key for v in check.broken} == expected

    def test_a_pod_on_a_missing_node_is_inherited(self) -> None:
        """What the cluster says of itself is reported and not held against the placement."""
        check = verify(FinalState(self.CLUSTER, {}), rules=RULES)
        assert [v.key for v in check.inherited] == [("unknown-node", "default/lost", "gone")]
        assert check.ok

    def test_only_the_pods_of_the_question_may_move(self) -> None:
        """With a list of pods that may move, every other one must stay."""
        final = FinalState(self.CLUSTER, {"default/free": "m", "default/bound": "m"})
        check = verify(final, may_move=frozenset({"default/free"}), rules=RULES)
        assert [v.key for v in check.broken] == [("fixed", "default/bound")]
        assert check.broken[0].message == "default/bound may not go from n to m"


def test_filters_that_a_profile_does_not_run_are_not_held_against_its_pods() -> None:
    """A profile without a filter admits what the filter would refuse."""
    ports = [{"name": "main", "ports": [{"hostPort": 80}]}]
    given_cluster = cluster(
        [node("n", unschedulable=True)],
        [pod("a", containers=ports), pod("b", containers=ports, nodeSelector={"disk": "ssd"})],
    )
    placement = {"default/a": "n", "default/b": "n"}
    none = SchedulerConfiguration((Profile(filters=("NodeName",)),))
    all_rules = {"NodeUnschedulable", "NodeAffinity", "NodePorts"}
    assert {v.rule for v in verify(FinalState(given_cluster, placement), rules=RULES).broken} == all_rules
    assert verify(FinalState(given_cluster, placement, configuration=none), rules=RULES).findings == ()


def test_what_a_profile_does_not_check_is_no_violation_once_the_pods_stay() -> None:
    """Two pods share ports, room, a disk and anti-affinity: a violation where both are checked for it."""
    lax = SchedulerConfiguration((Profile(), Profile("lax", filters=("NodeName",))))

    def crowded(*schedulers: str) -> set[str]:
        pods = [exclusive(f"p{i}", schedulerName=name) for i, name in enumerate(schedulers)]
        labelled = Node.model_validate(
            {
                "metadata": {"name": "n", "labels": {"host": "n"}},
                "status": {"allocatable": {"memory": "1", "pods": "9"}},
            }
        )
        state = FinalState(cluster([labelled], pods), {}, configuration=lax)
        return {violation.rule for violation in violations(state)}

    every = {"NodePorts", "NodeResourcesFit", "VolumeRestrictions", "InterPodAffinity"}
    assert crowded("default-scheduler", "default-scheduler") == every
    assert crowded("lax", "lax") == set()
    assert crowded("default-scheduler", "lax") == set()


def exclusive(name: str, **spec: Any) -> Pod:
    """A running pod that fits its node alone, and never beside another one like it."""
    container = {"name": "main", "ports": [{"hostPort": 80}], "resources": {"requests": {"memory": "1"}}}
    term = {"topologyKey": "host", "labelSelector": {"matchLabels": {"app": "a"}}}
    return pod(
        name,
        "n",
        {"app": "a"},
        status={"phase": "Running"},
        containers=[container],
        volumes=[{"name": "disk", "awsElasticBlockStore": {"volumeID": "vol"}}],
        affinity={"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}},
        **spec,
    )


def test_added_affinity_binds_the_pods_of_its_profile() -> None:
    """``addedAffinity`` turns nodes down for arriving pods of that profile."""
    added = NodeAffinity.model_validate(
        {
            "requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [{"matchExpressions": [{"key": "disk", "operator": "Exists"}]}]
            }
        }
    )
    configuration = SchedulerConfiguration((Profile(added_affinity=added),))
    given_cluster = cluster([node("n")], [pod("a"), pod("b", "n", status={"phase": "Running"})])
    final = FinalState(given_cluster, {"default/a": "n"}, configuration=configuration)
    assert [v.key for v in violations(final, rules=RULES)] == [("default/a", "n")]
