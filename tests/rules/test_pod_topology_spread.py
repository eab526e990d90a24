"""PodTopologySpread: verdicts, scores, and the final-state faces against naive re-implementations."""

from __future__ import annotations

import math
import zlib
from collections.abc import Mapping
from random import Random
from typing import Any

import pytest
from admitted import broken, final, placements, reachable, scores, verdict
from builders import HOSTNAME, ZONE, cluster, node, pod
from kubestow.model.api import Pod, Service, TopologySpreadConstraint, Workload
from kubestow.model.cluster import Cluster
from kubestow.model.eligibility import affinity_admits, untolerated
from kubestow.model.final import FinalState
from kubestow.model.profile import Profile, SchedulerConfiguration
from kubestow.model.reasons import Code, TermCost
from kubestow.model.rules.pod_topology_spread import MISSING_LABEL, UNEVEN, PodTopologySpread
from kubestow.model.spread_constraints import HARD, SOFT, needs_all_keys, spread_constraints
from kubestow.model.state import ClusterState

RULE = PodTopologySpread()
NODES = (node("a1", "a"), node("a2", "a"), node("b1", "b"), node("bare"))
WEB = {"app": "web"}


def constraint(
    key: str = ZONE, skew: int = 1, soft: bool = False, selector: Mapping[str, Any] | None = None, **more: Any
) -> dict[str, Any]:
    """A constraint on pods ``app=web``, or with another selector."""
    return {
        "maxSkew": skew,
        "topologyKey": key,
        "whenUnsatisfiable": SOFT if soft else HARD,
        "labelSelector": {"matchLabels": WEB} if selector is None else selector,
        **more,
    }


def spread(*constraints: dict[str, Any], **spec: Any) -> dict[str, Any]:
    """Arguments of a pod ``app=web`` with constraints."""
    return {"labels": WEB, "topologySpreadConstraints": list(constraints), **spec}


def webs(*nodes: str) -> list[Pod]:
    """Running pods ``app=web`` on `nodes`."""
    return [pod(f"old{number}", name, WEB) for number, name in enumerate(nodes)]


def service(**selector: str) -> Service:
    return Service.model_validate(
        {"metadata": {"name": "s", "namespace": "default"}, "spec": {"selector": selector}}
    )


class TestFilter:
    def test_skew_is_held_after_placing(self) -> None:
        """A domain may end ``maxSkew`` above the emptiest eligible domain, not more."""
        it = cluster(NODES, [*webs("a1", "a1"), pod("new", **spread(constraint(skew=2)))])
        refused = verdict(RULE, it, "new", "a2")
        assert refused is not None
        assert (refused.code, refused.reasons) == (Code.UNSCHEDULABLE, (UNEVEN,))
        assert verdict(RULE, it, "new", "b1") is None
        wider = cluster(NODES, [*webs("a1", "a1"), pod("new", **spread(constraint(skew=3)))])
        assert verdict(RULE, wider, "new", "a2") is None

    def test_pod_that_is_not_selected_adds_nothing(self) -> None:
        """A pod that its own selector does not match may join a domain at the limit."""
        new = spread(constraint()) | {"labels": {"app": "db"}}
        full, above = webs("a1"), webs("a1", "a2")
        assert verdict(RULE, cluster(NODES, [*full, pod("new", **new)]), "new", "a1") is None
        assert verdict(RULE, cluster(NODES, [*above, pod("new", **new)]), "new", "a1") is not None

    def test_node_without_the_key(self) -> None:
        """A node without a key is turned down for good."""
        it = cluster(NODES, [pod("new", **spread(constraint()))])
        refused = verdict(RULE, it, "new", "bare")
        assert refused is not None
        assert (refused.code, refused.reasons) == (Code.UNRESOLVABLE, (MISSING_LABEL,))

    def test_terminating_pods_and_other_namespaces_do_not_count(self) -> None:
        """Only living pods of the pod's own namespace are counted."""
        others = [
            pod("gone", "a1", WEB, metadata={"deletionTimestamp": "2026-01-01T00:00:00Z"}),
            pod("other/web", "a1", WEB),
        ]
        assert (
            verdict(RULE, cluster(NODES, [*others, pod("new", **spread(constraint()))]), "new", "a1") is None
        )

    @pytest.mark.parametrize(("selector", "fits"), [({}, True), ({"matchLabels": WEB}, False)])
    def test_empty_selector_counts_nothing(self, selector: dict[str, Any], fits: bool) -> None:
        """``{}`` selects everything elsewhere, but counts no pod here."""
        it = cluster(NODES, [*webs("a1", "a2"), pod("new", **spread(constraint(selector=selector)))])
        assert (verdict(RULE, it, "new", "a1") is None) == fits

    @pytest.mark.parametrize(("domains", "fits"), [(2, True), (3, False)])
    def test_fewer_domains_than_wanted(self, domains: int, fits: bool) -> None:
        """With fewer domains than ``minDomains`` the minimum is 0."""
        it = cluster(NODES, [*webs("a1", "b1"), pod("new", **spread(constraint(minDomains=domains)))])
        assert (verdict(RULE, it, "new", "a1") is None) == fits

    def test_only_nodes_with_all_keys_count(self) -> None:
        """A node that lacks the key of another hard constraint neither counts nor makes a domain."""
        nodes = (*NODES, node("c1", "c", {"rack": "r"}), node("d1", "d", {"rack": "r"}))
        both = spread(constraint(), constraint("rack", 9))
        it = cluster(nodes, [*webs("a1", "c1"), pod("new", **both)])
        assert verdict(RULE, it, "new", "c1") is not None
        assert verdict(RULE, it, "new", "d1") is None

    @pytest.mark.parametrize(
        ("policies", "fits"),
        [
            ({}, True),
            ({"nodeAffinityPolicy": "Ignore"}, False),
            ({"nodeTaintsPolicy": "Honor"}, True),
            ({"nodeAffinityPolicy": "Ignore", "nodeTaintsPolicy": "Honor"}, True),
        ],
    )
    def test_policies_choose_the_nodes_that_count(self, policies: dict[str, Any], fits: bool) -> None:
        """An empty zone raises no skew when the pod's node selector, or its tolerations, exclude it."""
        taint = {"key": "k", "effect": "NoSchedule"}
        nodes = (
            node("a1", "a", {"disk": "ssd"}),
            node("b1", "b", {"disk": "ssd"}),
            node("c1", "c", taints=[taint]),
        )
        new = pod("new", **spread(constraint(**policies), nodeSelector={"disk": "ssd"}))
        assert (verdict(RULE, cluster(nodes, [*webs("a1", "b1"), new]), "new", "a1") is None) == fits

    def test_default_constraints_filter(self) -> None:
        """A profile's hard default applies to pods without constraints that a service selects."""
        hard = TopologySpreadConstraint(max_skew=1, topology_key=ZONE, when_unsatisfiable=HARD)
        profile = Profile(defaulting="List", default_constraints=(hard,))
        pods = [*webs("a1"), pod("new", labels=WEB)]
        assert (
            verdict(RULE, cluster(NODES, pods, services=(service(**WEB),)), "new", "a2", profile) is not None
        )
        assert verdict(RULE, cluster(NODES, pods), "new", "a2", profile) is None
        own = [*webs("a1"), pod("new", **spread(constraint(soft=True)))]
        assert verdict(RULE, cluster(NODES, own, services=(service(**WEB),)), "new", "a2", profile) is None

    def test_dry_runs_count_as_if_seen_from_the_start(self) -> None:
        """Adding or removing a pod gives the data that PreFilter computes with or without it."""
        new = pod("new", **spread(constraint(), constraint(HOSTNAME, 2)))
        others = [*webs("a1", "b1"), pod("other/web", "a1", WEB), pod("db", "a1", {"app": "db"})]
        data, state = _prefiltered(cluster(NODES, [new, *others]))
        alone, _ = _prefiltered(cluster(NODES, [new]))
        without = data
        for other in others:
            at = state.nodes[other.node_name]
            without = RULE.pod_removed(state, Profile(), new, without, other, at)
        assert without == alone
        for other in others:
            at = state.nodes[other.node_name]
            without = RULE.pod_added(state, Profile(), new, without, other, at)
        assert without == data


def _prefiltered(it: Cluster) -> tuple[Any, ClusterState]:
    state = ClusterState.of(it, SchedulerConfiguration())
    return RULE.pre_filter(state, Profile(), it.pod_by_key["default/new"]).data, state


class TestDefaultSelector:
    @pytest.mark.parametrize(
        ("owner", "version", "counted"),
        [
            (None, "", ["plain", "rev"]),
            ("ReplicaSet", "apps/v1", ["rev"]),
            ("StatefulSet", "apps/v1", ["rev"]),
            ("ReplicationController", "v1", ["rev"]),
            ("ReplicaSet", "v1", ["plain", "rev"]),
            ("Job", "batch/v1", ["plain", "rev"]),
        ],
    )
    def test_services_and_owners(self, owner: str | None, version: str, counted: list[str]) -> None:
        """The selector is what the services and the controller (of the right API group) select together."""
        labels = {**WEB, "rev": "1"}
        reference = {"kind": owner, "name": "w", "apiVersion": version, "controller": True}
        new = pod("new", labels=labels, metadata={"ownerReferences": [reference]} if owner else {})
        pods = [new, pod("plain", "a1", WEB), pod("rev", "a1", {**labels, "x": "y"})]
        workload = {
            "kind": owner or "Job",
            "metadata": {"name": "w", "namespace": "default"},
            "spec": {"selector": {"matchLabels": {"rev": "1"}}},
        }
        it = cluster(NODES, pods, services=(service(**WEB),), workloads=(Workload.model_validate(workload),))
        (first, *_) = spread_constraints(new, Profile(), it.default_selectors, SOFT)
        assert [p.name for p in pods[1:] if first.counts(p, "default")] == counted


class TestScore:
    def test_own_soft_constraints(self) -> None:
        """Counts are weighted by log(domains + 2); nodes without a key get 0 and take no part."""
        it = cluster(NODES, [*webs("a1", "a2", "b1"), pod("new", **spread(constraint(skew=2, soft=True)))])
        raw, normal = scores(RULE, it, "new") or ({}, {})
        a, b = (round(count * math.log(4) + 1) for count in (2, 1))
        assert raw == {"a1": a, "a2": a, "b1": b, "bare": 0}
        assert normal == {"a1": 100 * b // a, "a2": 100 * b // a, "b1": 100, "bare": 0}

    def test_system_defaults(self) -> None:
        """A pod that a service selects spreads by host and zone; a node without a zone takes part by host."""
        it = cluster(NODES, [*webs("a1", "a1"), pod("new", labels=WEB)], services=(service(**WEB),))
        raw, _ = scores(RULE, it, "new") or ({}, {})
        host, zone = math.log(4 + 2), math.log(3 + 2)
        assert raw == {
            "a1": round(2 * host + 2 + 2 * zone + 4),
            "a2": round(2 + 2 * zone + 4),
            "b1": 6,
            "bare": 2,
        }

    def test_nothing_to_spread_by(self) -> None:
        """A pod without soft constraints, services or known owners is not scored."""
        assert scores(RULE, cluster(NODES, [*webs("a1"), pod("new", labels=WEB)]), "new") is None

    def test_all_equal_is_the_best(self) -> None:
        """When every raw score is 0, every node gets 100."""
        it = cluster(NODES[:3], [pod("new", **spread(constraint(soft=True)))])
        assert scores(RULE, it, "new") == (
            dict.fromkeys(("a1", "a2", "b1"), 0),
            dict.fromkeys(("a1", "a2", "b1"), 100),
        )


class TestViolations:
    def test_arriving_skew(self) -> None:
        """A domain that receives pods with the constraint stays within ``maxSkew`` of the final minimum."""
        it = cluster(NODES, [pod(name, **spread(constraint())) for name in ("one", "two")])
        (found,) = broken(RULE, final(it, frozenset({("default/one", "a1"), ("default/two", "a2")})))
        assert found.key == (
            "skew",
            f"app=web in default by {ZONE}, skew 1, nodes {_digest('1110')}",
            "a",
            "arriving",
        )
        assert (found.magnitude, found.pods) == (1, ("default/one", "default/two"))
        assert not broken(RULE, final(it, frozenset({("default/one", "a1"), ("default/two", "b1")})))

    def test_pods_without_the_constraint_come_later(self) -> None:
        """What pods without the constraint add to a domain is reported, not forbidden."""
        it = cluster(NODES, [pod("new", **spread(constraint())), pod("free", labels=WEB)])
        state = final(it, frozenset({("default/new", "a1"), ("default/free", "a1")}))
        assert not broken(RULE, state)
        (found,) = RULE.violations(state)
        assert (found.key[-2:], found.magnitude) == (("a", "staying"), 1)

    def test_missing_label(self) -> None:
        """Arriving on a node without the key is a violation of that node."""
        it = cluster(NODES, [pod("new", **spread(constraint()))])
        (found,) = broken(RULE, final(it, frozenset({("default/new", "bare")})))
        assert found.key == ("missing label", ZONE, "bare", "arriving")

    def test_profile_without_the_filter(self) -> None:
        """Pods whose profile leaves the filter out break nothing when they arrive."""
        it = cluster(NODES, [*webs("a1"), pod("new", **spread(constraint()))])
        plain = SchedulerConfiguration((Profile(filters=("NodeName",)),))
        assert broken(RULE, FinalState(it, {"default/new": "a2"}))
        assert not broken(RULE, FinalState(it, {"default/new": "a2"}, configuration=plain))

    def test_profile_defaults_are_held(self) -> None:
        """Hard default constraints of the configuration bind final states too."""
        hard = TopologySpreadConstraint(max_skew=1, topology_key=ZONE, when_unsatisfiable=HARD)
        configuration = SchedulerConfiguration((Profile(defaulting="List", default_constraints=(hard,)),))
        it = cluster(NODES, [*webs("a1"), pod("new", labels=WEB)], services=(service(**WEB),))
        placed = {"default/new": "a2"}
        assert broken(RULE, FinalState(it, placed, configuration=configuration))
        assert not broken(RULE, FinalState(it, placed))


def _digest(mask: str) -> str:
    return f"{zlib.crc32(bytes(int(bit) for bit in mask)):08x}"


def random_cluster(seed: int, soft: bool = False) -> Cluster:
    """A tiny cluster in which most pods spread; some carry no constraint, some end."""
    random = Random(seed)
    taints = [{"key": "k", "effect": "NoSchedule"}]
    nodes = [
        node(
            name,
            zone,
            {"disk": "ssd"} if random.random() < 0.6 else {},
            taints=taints if random.random() < 0.2 else [],
        )
        for name, zone in (("a1", "a"), ("a2", "a"), ("b1", random.choice(("b", ""))))
    ]

    def some_constraint(key: str) -> dict[str, Any]:
        policies = {}
        if random.random() < 0.3:
            policies["nodeAffinityPolicy"] = random.choice(("Honor", "Ignore"))
        if random.random() < 0.3:
            policies["nodeTaintsPolicy"] = random.choice(("Honor", "Ignore"))
        if random.random() < 0.2 and not soft:
            policies["minDomains"] = random.randint(1, 3)
        selector = random.choice(({"matchLabels": {"app": "x"}}, {"matchLabels": {"tier": "x"}}, {}))
        return constraint(key, random.randint(1, 2), soft, selector, **policies)

    pods: list[Pod] = []
    for number in range(random.randint(4, 8)):
        labels = {"app": random.choice("xxy"), "tier": random.choice("xy")}
        keys = random.choice(((), (ZONE,), (ZONE,), (HOSTNAME,), (ZONE, HOSTNAME)))
        spec: dict[str, Any] = {"topologySpreadConstraints": [some_constraint(key) for key in keys]}
        if random.random() < 0.15:
            spec["nodeSelector"] = {"disk": "ssd"}
        if random.random() < 0.3:
            spec["tolerations"] = [{"operator": "Exists"}]
        stays = number >= 4 or random.random() < 0.1
        ends = {"deletionTimestamp": "2026-01-01T00:00:00Z"} if stays and random.random() < 0.15 else {}
        where = random.choice(nodes).name if stays else None
        pods.append(pod(f"p{number}", where, labels, metadata=ends, **spec))
    services = (service(app="x"),) if soft and random.random() < 0.6 else ()
    return cluster(nodes, pods, services=services)


@pytest.mark.parametrize("seed", range(20))
def test_what_is_admitted_one_by_one_breaks_nothing(seed: int) -> None:
    """A placement that the filter admits in some order has no violation."""
    it = random_cluster(seed)
    for placed in reachable(RULE, it):
        assert not broken(RULE, final(it, placed)), sorted(placed)


def _some(it: Cluster, seed: int, number: int) -> list[frozenset[tuple[str, str]]]:
    every = placements(it)
    return Random(seed).sample(every, min(number, len(every)))


class Naive:
    """Constraint by constraint and pod by pod, the way the documentation puts it."""

    def __init__(self, state: FinalState, action: str) -> None:
        self.state = state
        self.pods = [p for p in state.cluster.pods if not p.completed]
        self.at = {p.key: state.placement.get(p.key, p.node_name) for p in self.pods}
        self.labels = {n.name: n.labels for n in state.cluster.nodes}
        self.owners: dict[Any, list[Pod]] = {}
        self.constraints: dict[Any, Any] = {}
        self.lost: dict[tuple[str, str, str], set[str]] = {}
        for one in self.pods:
            own = spread_constraints(one, Profile(), state.cluster.default_selectors, action)
            for c in own:
                every = own if needs_all_keys(one, Profile(), action) else (c,)
                eligible = frozenset(n.name for n in state.cluster.nodes if self.includes(one, n, c, every))
                key = (one.namespace, str(c.selector), c.topology_key, c.max_skew, c.min_domains, eligible)
                self.owners.setdefault(key, []).append(one)
                self.constraints[key] = c
                place = self.at[one.key]
                if place and c.topology_key not in self.labels[place]:
                    who = "staying" if self.stays(one) else "arriving"
                    self.lost.setdefault((c.topology_key, place, who), set()).add(one.key)

    def includes(self, one: Pod, at: Any, c: Any, every: Any) -> bool:
        if any(other.topology_key not in at.labels for other in every):
            return False
        if c.honor_affinity and not affinity_admits(one, at):
            return False
        return not (c.honor_taints and untolerated(one, at, ("NoSchedule", "NoExecute")))

    def stays(self, one: Pod) -> bool:
        return one.node_name is not None and self.at[one.key] == one.node_name

    def counts(self, key: Any, which: Any) -> dict[str, int]:
        """Matching pods by eligible domain."""
        namespace, _, topology, _, _, eligible = key
        found = {self.labels[name][topology]: 0 for name in eligible}
        for one in self.pods:
            place = self.at[one.key]
            if place in eligible and self.constraints[key].counts(one, namespace) and which(one):
                found[self.labels[place][topology]] += 1
        return found


def _naive_violations(state: FinalState) -> list[tuple[str, str, int]]:
    naive = Naive(state, HARD)
    found = [("lost", f"{key} {at} {who}", len(pods)) for (key, at, who), pods in naive.lost.items()]
    for key, owners in naive.owners.items():
        _, _, topology, skew, few, eligible = key
        every = naive.counts(key, lambda one: True)
        low = naive.counts(key, lambda one, owners=owners: naive.stays(one) or one in owners)
        if not any(naive.constraints[key].counts(one, key[0]) for one in naive.pods):
            continue
        least = min(every.values(), default=0) if len(every) >= few else 0
        inside = [one for one in owners if naive.at[one.key] in eligible]
        for domain in every:
            here = [one for one in inside if naive.labels[naive.at[one.key]][topology] == domain]
            arrives = any(not naive.stays(one) for one in here)
            if arrives and low[domain] - least > skew:
                found.append(("arriving", domain, low[domain] - least - skew))
            elif here and every[domain] - least > skew:
                found.append(("staying", domain, every[domain] - least - skew))
    return sorted(found)


@pytest.mark.parametrize("seed", range(40))
def test_violations_equal_the_naive_ones(seed: int) -> None:
    """Kind by kind and pod by pod give the same domains, magnitudes and standing."""
    it = random_cluster(seed)
    for placed in _some(it, seed, 25):
        state = final(it, placed)
        found = [
            ("lost", " ".join(v.key[1:]), v.magnitude)
            if v.key[0] == "missing label"
            else (v.key[-1], v.key[-2], v.magnitude)
            for v in RULE.violations(state)
        ]
        assert sorted(found) == _naive_violations(state)


def test_system_defaults_cost_by_host_without_zones() -> None:
    """A node without a zone is a domain of the system's host constraint, and of none by zone."""
    it = cluster((node("a1", "a"), node("bare")), webs(*["a1"] * 6, "bare"), services=(service(**WEB),))
    assert RULE.cost(final(it), Profile()) == TermCost(RULE.name, 6 - 1 - 3, 7 - 3, 2)


@pytest.mark.parametrize("seed", range(60))
def test_cost(seed: int) -> None:
    """The cost is the documented excess skew, each constraint counted once, and stays within its worst."""
    it = random_cluster(seed, soft=True)
    for placed in _some(it, seed, 5):
        state = final(it, placed)
        naive = Naive(state, SOFT)
        cost = worst = 0
        for key, owners in naive.owners.items():
            counts = naive.counts(key, lambda one: True)
            if len(counts) < 2 or all(one.terminating for one in owners):
                continue
            total = sum(naive.constraints[key].counts(one, key[0]) for one in naive.pods)
            cost += sum(max(0, count - min(counts.values()) - key[3]) for count in counts.values())
            worst += max(0, total - key[3])
        assert RULE.cost(state, Profile()) == (TermCost(RULE.name, cost, worst, 2) if worst else None)
        assert 0 <= cost <= worst
