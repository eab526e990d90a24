"""InterPodAffinity: verdicts, scores, and the final-state faces against naive re-implementations."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from random import Random
from typing import Any

import pytest
from admitted import broken, final, placements, reachable, scores, verdict
from builders import HOSTNAME, ZONE, cluster, namespace, node, pod
from kubestow.model.affinity_terms import AffinityTerm
from kubestow.model.api import Pod
from kubestow.model.cluster import Cluster
from kubestow.model.final import FinalState
from kubestow.model.profile import Profile, SchedulerConfiguration
from kubestow.model.reasons import Code, TermCost
from kubestow.model.rules.inter_pod_affinity import (
    AFFINITY,
    ANTI_AFFINITY,
    EXISTING_ANTI_AFFINITY,
    InterPodAffinity,
)
from kubestow.model.state import ClusterState

RULE = InterPodAffinity()
NODES = (node("a1", "a"), node("a2", "a"), node("b1", "b"), node("bare"))


def term(key: str = ZONE, **labels: str) -> dict[str, Any]:
    return {"topologyKey": key, "labelSelector": {"matchLabels": labels}}


def affinity(
    near: Iterable[dict[str, Any]] = (),
    apart: Iterable[dict[str, Any]] = (),
    like: Iterable[tuple[int, dict[str, Any]]] = (),
    dislike: Iterable[tuple[int, dict[str, Any]]] = (),
) -> dict[str, Any]:
    """``spec.affinity`` with required (near, apart) and weighted (like, dislike) terms."""
    hard, soft = (f"{word}DuringSchedulingIgnoredDuringExecution" for word in ("required", "preferred"))

    def side(required: Iterable[Any], preferred: Iterable[tuple[int, Any]]) -> dict[str, Any]:
        weighted = [{"weight": weight, "podAffinityTerm": t} for weight, t in preferred]
        return {hard: list(required), soft: weighted}

    return {"podAffinity": side(near, like), "podAntiAffinity": side(apart, dislike)}


class TestFilter:
    def test_required_affinity_wants_company_in_the_domain(self) -> None:
        """A pod with required affinity fits where a selected pod is, unresolvably nowhere else."""
        it = cluster(NODES, [pod("db", "a1", {"app": "db"}), pod("web", affinity=affinity([term(app="db")]))])
        assert verdict(RULE, it, "web", "a2") is None
        for name in ("b1", "bare"):
            refused = verdict(RULE, it, "web", name)
            assert refused is not None
            assert (refused.code, refused.reasons) == (Code.UNRESOLVABLE, (AFFINITY,))

    def test_all_terms_must_select_the_same_pod(self) -> None:
        """Two pods that each satisfy one term do not satisfy both."""
        apart = [pod("db", "a1", {"app": "db"}), pod("old", "a1", {"tier": "old"})]
        both = pod("both", "b1", {"app": "db", "tier": "old"})
        web = pod("web", affinity=affinity([term(app="db"), term(tier="old")]))
        assert verdict(RULE, cluster(NODES, [*apart, web]), "web", "a1") is not None
        assert verdict(RULE, cluster(NODES, [*apart, both, web]), "web", "b1") is None

    def test_first_of_a_group_may_go_anywhere_with_the_key(self) -> None:
        """A pod that selects itself needs no company while no pod anywhere matches, but needs the label."""
        web = pod("web", labels={"app": "web"}, affinity=affinity([term(app="web")]))
        assert verdict(RULE, cluster(NODES, [web]), "web", "b1") is None
        assert verdict(RULE, cluster(NODES, [web]), "web", "bare") is not None
        second = cluster(NODES, [web, pod("other", "a1", {"app": "web"})])
        assert verdict(RULE, second, "web", "b1") is not None

    def test_pod_on_a_node_without_the_key_does_not_end_the_exception(self) -> None:
        """A selected pod that counts in no domain leaves the group without a first pod."""
        web = pod("web", labels={"app": "web"}, affinity=affinity([term(app="web")]))
        it = cluster(NODES, [web, pod("lost", "bare", {"app": "web"})])
        assert verdict(RULE, it, "web", "b1") is None

    def test_required_anti_affinity_works_both_ways(self) -> None:
        """Neither the pod with the term nor the pod it selects may come second."""
        shy = {"affinity": affinity(apart=[term(app="web")])}
        own = cluster(NODES, [pod("web", "a1", {"app": "web"}), pod("shy", **shy)])
        theirs = cluster(NODES, [pod("shy", "a1", **shy), pod("web", labels={"app": "web"})])
        for it, name, reason in ((own, "shy", ANTI_AFFINITY), (theirs, "web", EXISTING_ANTI_AFFINITY)):
            refused = verdict(RULE, it, name, "a2")
            assert refused is not None
            assert (refused.code, refused.reasons) == (Code.UNSCHEDULABLE, (reason,))
            assert verdict(RULE, it, name, "b1") is None
            assert verdict(RULE, it, name, "bare") is None

    @pytest.mark.parametrize(
        ("fields", "fits"),
        [
            ({}, False),
            ({"namespaces": ["other"]}, True),
            ({"namespaceSelector": {}}, True),
            ({"namespaceSelector": {"matchLabels": {"team": "x"}}}, True),
            ({"namespaceSelector": {"matchLabels": {"team": "y"}}}, False),
            ({"namespaces": ["other"], "namespaceSelector": {"matchLabels": {"team": "y"}}}, True),
        ],
    )
    def test_namespaces_of_a_term(self, fields: dict[str, Any], fits: bool) -> None:
        """A term selects in its own namespace, or else in those listed and those selected by label."""
        web = pod("web", affinity=affinity([{**term(app="db"), **fields}]))
        pods = [web, pod("other/db", "a1", {"app": "db"})]
        it = cluster(NODES, pods, namespaces=(namespace("default"), namespace("other", team="x")))
        assert (verdict(RULE, it, "web", "a1") is None) == fits

    def test_unlisted_namespace_is_one_without_labels_to_existing_terms_only(self) -> None:
        """Only existing pods' ``DoesNotExist`` selects a pod in a namespace that nobody listed."""
        absent = {"matchExpressions": [{"key": "team", "operator": "DoesNotExist"}]}
        apart = affinity(apart=[{**term(app="web"), "namespaceSelector": absent}])
        new = cluster(NODES, [pod("ghost/web", "a1", {"app": "web"}), pod("shy", affinity=apart)])
        assert verdict(RULE, new, "shy", "a1") is None
        old = cluster(NODES, [pod("ghost/shy", "a1", affinity=apart), pod("web", labels={"app": "web"})])
        assert verdict(RULE, old, "web", "a1") is not None

    def test_dry_runs_count_as_if_seen_from_the_start(self) -> None:
        """Adding or removing a pod gives the data that PreFilter computes with or without it."""
        web = pod("web", labels={"app": "web"}, affinity=affinity([term(app="db")], [term(app="old")]))
        others = [
            pod("db", "a1", {"app": "db"}),
            pod("old", "b1", {"app": "old"}, affinity=affinity(apart=[term(app="web")])),
        ]
        full, alone = (_prefiltered(cluster(NODES, [web, *pods])) for pods in (others, []))
        data, state, target = full
        for other in others:
            data = RULE.pod_removed(state, Profile(), target, data, other, state.nodes[other.node_name])
        assert data == alone[0]
        for other in others:
            data = RULE.pod_added(state, Profile(), target, data, other, state.nodes[other.node_name])
        assert data == full[0]


def _prefiltered(it: Cluster) -> tuple[Any, Any, Pod]:
    state = ClusterState.of(it, SchedulerConfiguration())
    target = it.pod_by_key["default/web"]
    return RULE.pre_filter(state, Profile(), target).data, state, target


class TestScore:
    def test_preferred_terms_add_and_subtract_by_domain(self) -> None:
        """The feasible nodes' range of summed weights becomes 0..100, rounded down."""
        web = pod(
            "web", affinity=affinity(like=[(10, term(app="db"))], dislike=[(5, term(HOSTNAME, app="db"))])
        )
        it = cluster(NODES, [web, pod("db", "a1", {"app": "db"})])
        raw, normal = scores(RULE, it, "web") or ({}, {})
        assert raw == {"a1": 5, "a2": 10, "b1": 0, "bare": 0}
        assert normal == {"a1": 50, "a2": 100, "b1": 0, "bare": 0}

    def test_terms_of_existing_pods_count(self) -> None:
        """Existing pods' preferred terms and weighted required affinity draw the pods they select."""
        pods = [
            pod("web", labels={"app": "web"}),
            pod(
                "fan", "a1", {"app": "web"}, affinity=affinity([term(app="web")], like=[(4, term(app="web"))])
            ),
            pod("foe", "b1", affinity=affinity(dislike=[(6, term(app="web"))])),
        ]
        profile = Profile(hard_pod_affinity_weight=3)
        raw, normal = scores(RULE, cluster(NODES, pods), "web", profile) or ({}, {})
        assert raw == {"a1": 7, "a2": 7, "b1": -6, "bare": 0}
        assert normal == {"a1": 100, "a2": 100, "b1": 0, "bare": 46}

    def test_existing_preferences_can_be_ignored(self) -> None:
        """With ``ignorePreferredTermsOfExistingPods`` a pod without preferences of its own is not scored."""
        pods = [
            pod("web", labels={"app": "web"}),
            pod("fan", "a1", affinity=affinity(like=[(4, term(app="web"))])),
        ]
        it = cluster(NODES, pods)
        assert scores(RULE, it, "web") is not None
        assert scores(RULE, it, "web", Profile(ignore_preferred_terms_of_existing_pods=True)) is None

    def test_nothing_matches_nothing_scored(self) -> None:
        """A pod whose terms match nobody, and whom nobody's terms match, is skipped."""
        web = pod("web", affinity=affinity(like=[(1, term(app="db"))]))
        assert scores(RULE, cluster(NODES, [web]), "web") is None


class TestViolations:
    def test_arriving_pods_are_held_against_everybody(self) -> None:
        """An arriving pod breaks an anti-affinity, whichever side the term is on."""
        shy = {"affinity": affinity(apart=[term(app="web")])}
        it = cluster(NODES, [pod("shy", "a1", **shy), pod("web", labels={"app": "web"})])
        (found,) = broken(RULE, final(it, frozenset({("default/web", "a2")})))
        assert found.key == ("anti-affinity", f"app=web in default by {ZONE}", "a", "arriving")
        assert (found.magnitude, found.pods) == (1, ("default/web",))
        assert not broken(RULE, final(it, frozenset({("default/web", "b1")})))

    def test_staying_pods_are_advisory(self) -> None:
        """Two staying pods in conflict are reported as such and do not reject the state."""
        shy = {"affinity": affinity(apart=[term(app="shy")])}
        it = cluster(
            NODES, [pod("one", "a1", {"app": "shy"}, **shy), pod("two", "a2", {"app": "shy"}, **shy)]
        )
        (found,) = RULE.violations(final(it))
        assert found.advisory
        assert found.key[-1] == "staying"
        assert found.pods == ("default/one", "default/two")

    def test_pods_placed_anew_must_be_admitted(self) -> None:
        """A running pod that is placed anew counts as arriving, even where it was."""
        shy = {"affinity": affinity(apart=[term(app="shy")])}
        it = cluster(
            NODES, [pod("one", "a1", {"app": "shy"}, **shy), pod("two", "a2", {"app": "shy"}, **shy)]
        )
        (found,) = broken(RULE, FinalState(it, {}, frozenset({"default/one", "default/two"})))
        assert found.magnitude == 2

    def test_supporter_that_leaves_is_advisory(self) -> None:
        """A staying pod whose company moves away is reported, not forbidden."""
        it = cluster(
            NODES, [pod("db", "a1", {"app": "db"}), pod("web", "a2", affinity=affinity([term(app="db")]))]
        )
        state = FinalState(it, {"default/db": "b1"})
        assert not broken(RULE, state)
        (found,) = RULE.violations(state)
        assert found.key == ("affinity", f"app=db in default by {ZONE}", ZONE, "a", "staying")

    def test_profile_without_the_filter(self) -> None:
        """Pods whose profile leaves the filter out break nothing when they arrive."""
        profile = Profile(filters=("NodeName",))
        shy = {"affinity": affinity([term(app="db")], [term(app="web")])}
        it = cluster(NODES, [pod("shy", "a1", **shy), pod("web", labels={"app": "web"}, **shy)])
        state = FinalState(it, {"default/web": "a2"}, configuration=SchedulerConfiguration((profile,)))
        assert not broken(RULE, state)
        assert len(broken(RULE, FinalState(it, {"default/web": "a2"}))) == 2

    def test_pods_cannot_justify_each_other(self) -> None:
        """Two arriving groups that each want the other are grounded nowhere; one staying pod grounds both."""
        pods = [
            pod("egg", labels={"app": "egg"}, affinity=affinity([term(app="hen")])),
            pod("hen", labels={"app": "hen"}, affinity=affinity([term(app="egg")])),
        ]
        together = frozenset({("default/egg", "a1"), ("default/hen", "a2")})
        assert len(broken(RULE, final(cluster(NODES, pods), together))) == 2
        stays = pod("old", "a1", {"app": "egg"})
        assert not broken(RULE, final(cluster(NODES, [*pods, stays]), together))

    def test_group_starts_in_one_domain(self) -> None:
        """Of the domains a self-selecting group enters without company, the fullest is its start."""
        spec = {"labels": {"app": "web"}, "affinity": affinity([term(app="web")])}
        it = cluster(NODES, [pod(name, **spec) for name in ("one", "two", "three")])
        where = {"one": "a1", "two": "b1", "three": "a2"}
        (found,) = broken(RULE, final(it, frozenset((f"default/{n}", at) for n, at in where.items())))
        assert found.pods == ("default/two",)
        assert found.key == ("affinity", f"app=web in default by {ZONE}", ZONE, "b", "arriving")

    def test_node_without_the_key(self) -> None:
        """On a node without the topology key the domain of the violation is the node."""
        web = pod("web", labels={"app": "web"}, affinity=affinity([term(app="web")]))
        (found,) = broken(RULE, final(cluster(NODES, [web]), frozenset({("default/web", "bare")})))
        assert found.node == "bare"
        assert found.key[3] == f"node bare has no label {ZONE}"


def random_cluster(seed: int, soft: bool = False) -> Cluster:
    """A tiny cluster in which most pods carry terms about each other."""
    random = Random(seed)
    nodes = [node("a1", "a"), node("a2", "a" if random.random() < 0.7 else ""), node("b1", "b")]

    def some_term() -> dict[str, Any]:
        chosen = term(
            random.choice((ZONE, ZONE, HOSTNAME)), **{random.choice(("app", "tier")): random.choice("xy")}
        )
        return chosen if random.random() < 0.85 else {**chosen, "labelSelector": {}}

    def terms(chance: float) -> list[dict[str, Any]]:
        return [some_term() for _ in range(random.choice((1, 1, 2)))] if random.random() < chance else []

    def weighted() -> list[tuple[int, dict[str, Any]]]:
        return [(random.choice((1, 7, 100)), t) for t in terms(0.6)] if soft else []

    pods: list[Pod] = []
    for number in range(random.randint(3, 6)):
        labels = {"app": random.choice("xy"), "tier": random.choice("xy")}
        spec = {"affinity": affinity(terms(0.6), terms(0.25), weighted(), weighted())}
        ends = {"deletionTimestamp": "2026-01-01T00:00:00Z"} if random.random() < 0.1 else {}
        stays = number >= 4 or random.random() < 0.25
        where = random.choice(nodes).name if stays else None
        pods.append(pod(f"p{number}", where, labels, metadata=ends if stays else {}, **spec))
    return cluster(nodes, pods)


@pytest.mark.parametrize("seed", range(20))
def test_no_violation_means_there_is_an_order(seed: int) -> None:
    """What the filter admits one by one breaks nothing; what breaks nothing is admitted in some order.

    The one exception are placements in which two groups need a first pod each, which may exclude each other.
    """
    it = random_cluster(seed)
    found = reachable(RULE, it)
    for placed in placements(it):
        fine = not broken(RULE, final(it, placed))
        assert fine or placed not in found, sorted(placed)
        assert not fine or placed in found or _starts(final(it, placed)) >= 2, sorted(placed)


def _starts(state: FinalState) -> int:
    """The fewest groups that need a first pod so that everybody is grounded."""
    return min(used for used, left in _groundings(state) if not left)


def _some(it: Cluster, seed: int, number: int) -> Iterable[frozenset[tuple[str, str]]]:
    every = placements(it)
    return Random(seed).sample(every, min(number, len(every)))


class Naive:
    """Pod by pod, the way the documentation puts it."""

    def __init__(self, state: FinalState) -> None:
        self.state = state
        self.pods = [p for p in state.cluster.pods if not p.completed]
        self.at = {p.key: state.placement.get(p.key, p.node_name) for p in self.pods}
        self.nodes = {n.name: n for n in state.cluster.nodes}
        self.placed = [p for p in self.pods if self.at[p.key]]
        self.stays = {p.key for p in self.placed if self.at[p.key] == p.node_name}

    def terms(self, one: Pod) -> Any:
        return self.state.cluster.affinity_terms.of(one)

    def domain(self, one: Pod, key: str) -> str | None:
        place = self.at[one.key]
        return self.nodes[place].labels.get(key) if place else None

    def together(self, one: Pod, other: Pod, key: str) -> bool:
        return self.domain(one, key) is not None and self.domain(one, key) == self.domain(other, key)

    def repelled(self, one: Pod, among: Iterable[Pod], t: AffinityTerm) -> bool:
        return any(o is not one and t.selects(o) and self.together(one, o, t.topology_key) for o in among)


def _naive_anti_affinity(state: FinalState) -> set[tuple[tuple[str, ...], int, bool]]:
    naive = Naive(state)
    hurt: dict[tuple[str, str, str], set[str]] = {}
    for one in naive.placed:
        for t in naive.terms(one).anti_affinity:
            domain = naive.domain(one, t.topology_key) or ""
            arriving = hurt.setdefault((t.text, domain, "arriving"), set())
            if one.key not in naive.stays and naive.repelled(one, naive.placed, t):
                arriving.add(one.key)
            for other in naive.placed:
                selected = (
                    other is not one and t.selects(other) and naive.together(one, other, t.topology_key)
                )
                if selected and other.key not in naive.stays:
                    arriving.add(other.key)
            stay = [o for o in naive.placed if o.key in naive.stays]
            if one.key in naive.stays and naive.repelled(one, stay, t):
                hurt.setdefault((t.text, domain, "staying"), set()).add(one.key)
    return {
        (("anti-affinity", text, domain, who), len(pods), who == "staying")
        for (text, domain, who), pods in hurt.items()
        if pods
    }


def _groundings(state: FinalState) -> Iterable[tuple[int, frozenset[str]]]:
    """For each choice of first pods: how many, and which arriving pods are left ungrounded."""
    naive = Naive(state)
    selects = {
        p.key: [o for o in naive.pods if all(t.selects(o) for t in naive.terms(p).affinity)]
        for p in naive.placed
        if naive.terms(p).affinity
    }
    keys = {p.key: {t.topology_key for t in naive.terms(p).affinity} for p in naive.placed}
    owners = [p for p in naive.placed if p.key in selects and p.key not in naive.stays]
    fit = [p for p in owners if all(naive.domain(p, key) is not None for key in keys[p.key])]
    groups: dict[Any, list[str | None]] = {}
    for p in fit:
        counted = any(
            o.key in naive.stays and any(naive.domain(o, key) is not None for key in keys[p.key])
            for o in selects[p.key]
        )
        choices = groups.setdefault(
            (frozenset(keys[p.key]), frozenset(o.key for o in selects[p.key])), [None]
        )
        if not counted and p in selects[p.key]:
            choices.append(p.key)
    free = {p.key for p in naive.placed} - {p.key for p in owners}
    for choice in product(*groups.values()):
        grounded = free | {first for first in choice if first}
        while True:
            more = {
                p.key
                for p in fit
                if p.key not in grounded
                and all(
                    any(o.key in grounded and naive.together(p, o, key) for o in selects[p.key])
                    for key in keys[p.key]
                )
            }
            if not more:
                break
            grounded |= more
        left = frozenset(p.key for p in owners if p.key not in grounded)
        yield sum(first is not None for first in choice), left


class TestAgainstNaive:
    @pytest.mark.parametrize("seed", range(40))
    def test_anti_affinity(self, seed: int) -> None:
        """Keys, magnitudes and standing of anti-affinity violations equal those found pod by pod."""
        it = random_cluster(seed)
        for placed in _some(it, seed, 25):
            state = final(it, placed)
            found = {
                (v.key, v.magnitude, v.advisory)
                for v in RULE.violations(state)
                if v.key[0] == "anti-affinity"
            }
            assert found == _naive_anti_affinity(state)

    @pytest.mark.parametrize("seed", range(40))
    def test_grounding(self, seed: int) -> None:
        """Affinity is broken exactly when no choice of first pods grounds every arriving pod."""
        it = random_cluster(seed)
        for placed in _some(it, seed, 25):
            state = final(it, placed)
            left = {p for v in broken(RULE, state) if v.key[0] == "affinity" for p in v.pods}
            possible = [ungrounded for _, ungrounded in _groundings(state)]
            assert (frozenset() in possible) == (not left)
            assert frozenset(left) in possible

    @pytest.mark.parametrize("seed", range(60))
    def test_cost(self, seed: int) -> None:
        """The cost equals the documented sum over owners, terms and other pods."""
        it = random_cluster(seed, soft=True)
        profile = Profile(hard_pod_affinity_weight=seed % 3)
        for placed in _some(it, seed, 5):
            state = final(it, placed)
            found = RULE.cost(state, profile)
            cost, worst = _naive_cost(state, profile)
            assert found == (TermCost("InterPodAffinity", cost, worst, 2) if worst else None)
            assert 0 <= cost <= worst


def _naive_cost(state: FinalState, profile: Profile) -> tuple[int, int]:
    naive = Naive(state)
    cost = worst = 0
    for owner in naive.pods:
        terms = naive.terms(owner)
        stated = [(True, profile.hard_pod_affinity_weight, t) for t in terms.affinity]
        stated += [(True, weight, t) for weight, t in terms.preferred_affinity]
        stated += [(False, weight, t) for weight, t in terms.preferred_anti_affinity]
        for attracts, weight, t in stated:
            others = [o for o in naive.pods if o is not owner and t.selects(o)]
            if owner.terminating or weight <= 0 or not others:
                continue
            each = max(1, int(weight * 1024 / len(others) + 0.5))
            unmet = [o for o in others if naive.together(owner, o, t.topology_key) != attracts]
            cost += each * len(unmet if naive.at[owner.key] else others)
            worst += each * len(others)
    return cost, worst


def _arriving(**places: tuple[str, dict[str, str], list[dict[str, Any]]]) -> tuple[Cluster, FinalState]:
    """Pods by name: where each arrives, its labels, its required affinity."""
    pods = [pod(name, labels=labels, affinity=affinity(near)) for name, (_, labels, near) in places.items()]
    it = cluster(NODES, pods)
    return it, final(it, frozenset((f"default/{name}", at) for name, (at, _, _) in places.items()))


class TestGroundingAcrossGroups:
    """What a group's pods do for the pods of other groups."""

    def test_company_comes_in_a_chain(self) -> None:
        """A pod may be justified by one that is justified by a third."""
        _, state = _arriving(
            last=("a1", {}, [term(app="middle")]),
            middle=("a2", {"app": "middle"}, [term(app="free")]),
            free=("a1", {"app": "free"}, []),
        )
        assert not broken(RULE, state)

    def test_first_place_is_chosen_after_the_others_have_helped(self) -> None:
        """A group starts where no other group's pods will give it company."""
        fan = {"app": "fan", "x": ""}
        it, state = _arriving(
            fan1=("a1", fan, [term(x="")]),
            fan2=("a2", fan, [term(x="")]),
            fan3=("b1", fan, [term(x="")]),
            star=("a1", {"app": "star", "x": ""}, [term(app="star")]),
        )
        assert frozenset(state.placement.items()) in reachable(RULE, it)
        assert not broken(RULE, state)

    def test_every_first_place_is_tried_in_a_circle(self) -> None:
        """Where groups support each other, the one place that grounds everybody is found."""
        it, state = _arriving(
            a=("a2", {"app": "x"}, [term(HOSTNAME, app="x")]),
            b=("a1", {"app": "x"}, [term(HOSTNAME, app="x")]),
            c=("a1", {"app": "x", "c": ""}, [term(ZONE, app="x")]),
        )
        assert frozenset(state.placement.items()) in reachable(RULE, it)
        assert not broken(RULE, state)
