"""Terms and scores of whole placements, against ``docs/objective.md`` in plain Python."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction
from math import ceil, floor

import pytest
from builders import cluster, node, pod
from final_states import GPU, random_state
from hypothesis import assume, given
from hypothesis import strategies as st
from kubestow.model.api import Node, NodeAffinity, Pod
from kubestow.model.eligibility import statically_admits, untolerated
from kubestow.model.errors import BadInput
from kubestow.model.evaluate import PRESETS, evaluate, preset_profile, stage_coefficients, weighted_mean
from kubestow.model.final import FinalState
from kubestow.model.labels import term_matches
from kubestow.model.profile import Profile, SchedulerConfiguration, ScoringStrategy
from kubestow.model.reasons import TermCost
from kubestow.model.resources import nonzero_requests, pod_requests, to_units
from kubestow.model.rules import RULE_BY_NAME
from kubestow.model.state import ClusterState
from kubestow.model.verify import Standing, verify

NAMES = (
    "TaintToleration", "NodeAffinity", "NodeResourcesFit", "NodeResourcesBalancedAllocation", "ImageLocality",
)  # fmt: skip
RULES = [RULE_BY_NAME[name] for name in NAMES]
SEEDS = st.integers(0, 10**6)
THREE = (("cpu", 1), ("memory", 2), (GPU, 5))
STRATEGIES = [
    ScoringStrategy(resources=THREE),
    ScoringStrategy("MostAllocated", THREE),
    ScoringStrategy("RequestedToCapacityRatio", THREE, ((0, 10), (40, 0), (100, 7))),
]
Request = Callable[[Pod, str], int]


def plain(one: Pod, name: str) -> int:
    return pod_requests(one).get(name, 0)


def nonzero(one: Pod, name: str) -> int:
    return nonzero_requests(one)[name] if name in ("cpu", "memory") else plain(one, name)


class Plain:
    """One resource of a final state, pod by pod."""

    def __init__(self, final: FinalState, name: str, request: Request) -> None:
        nodes = final.cluster.nodes
        capacity = {n.name: to_units(n.status.allocatable).get(name, 0) for n in nodes}
        self.unit = max(1, ceil(Fraction(max(capacity.values()), 2**18)))
        self.c = {n: amount // self.unit for n, amount in capacity.items()}
        living = [p for p in final.cluster.pods if p.status.phase not in ("Succeeded", "Failed")]
        q = {p.key: request(p, name) // self.unit for p in living}
        self.usage = dict.fromkeys(self.c, 0)
        self.now = dict.fromkeys(self.c, 0)
        for p in living:
            place = final.placement.get(p.key, p.node_name)
            if place in self.usage:
                self.usage[place] += q[p.key]
            if p.node_name in self.now:
                self.now[p.node_name] += q[p.key]
        self.total = sum(q.values())
        self.differs = any(request(p, name) != plain(p, name) for p in living)
        self.listed = [n for n, c in self.c.items() if c >= 1]
        self.T = sum(self.c.values())

    def most(self, n: str) -> int:
        return self.total if self.differs else max(self.c[n], self.now[n])


def segments(given_strategy: ScoringStrategy, c: int, a: int) -> list[tuple[int, float, int]]:
    """(from, to, slope) of each segment of one node's function."""
    b = sorted({k * c // 32 for k in range(33)})
    pieces: list[tuple[int, float, int]] = []
    for low, high in itertools.pairwise(b):
        match given_strategy.type:
            case "LeastAllocated":
                slope = (a * (low + high) + c // 2) // c
            case "MostAllocated":
                slope = ceil(Fraction(a * (c - low - high), c))
            case _:
                v = [a * x * (1000 - level(given_strategy, 100 * x // c)) // 1000 for x in (low, high)]
                slope = ceil(Fraction(v[1] - v[0], high - low))
        pieces.append((low, high, slope))
    match given_strategy.type:
        case "LeastAllocated":
            last = pieces[-1][2]
        case "MostAllocated":
            last = 0
        case _:
            last = a * (1000 - level(given_strategy, 100)) // 1000
    return [*pieces, (c, float("inf"), last)]


def level(given_strategy: ScoringStrategy, percent: int) -> int:
    """The shape's score in 0..1000."""
    points = given_strategy.shape
    if percent <= points[0][0]:
        return 100 * points[0][1]
    for (x0, y0), (x1, y1) in itertools.pairwise(points):
        if percent <= x1:
            return floor(100 * (y0 + Fraction((y1 - y0) * (percent - x0), x1 - x0)))
    return 100 * points[-1][1]


def value(pieces: list[tuple[int, float, int]], usage: int) -> int:
    return sum(slope * int(max(0, min(usage, high) - low)) for low, high, slope in pieces)


def plain_fit(final: FinalState, given_strategy: ScoringStrategy) -> tuple[int, int] | None:
    """Cost and worst of NodeResourcesFit's term."""
    resources = {name: Plain(final, name, nonzero) for name, _ in given_strategy.resources}
    w = {name: weight for name, weight in given_strategy.resources if resources[name].listed}
    if not sum(resources[name].total for name in w):
        return None
    most = max(ceil(Fraction(resources[s].T, w[s])) for s in w)
    cost = worst = 0
    for name in w:
        r = resources[name]
        f = {n: segments(given_strategy, r.c[n], 256 * w[name] * most // r.T) for n in r.listed}
        cost += sum(value(f[n], r.usage[n]) for n in r.listed)
        if given_strategy.type == "LeastAllocated":
            worst += (
                ceil(r.total * max(Fraction(value(f[n], r.most(n)), r.most(n)) for n in r.listed))
                if r.total
                else 0
            )
        else:
            worst += r.total * max(0, *(slope for n in r.listed for _, _, slope in f[n]))
    return (cost, worst) if worst else None


def plain_balanced(final: FinalState, names: list[str]) -> tuple[int, int] | None:
    """Cost and worst of the balance term."""
    rs = [Plain(final, name, plain) for name in names]
    part = [n.name for n in final.cluster.nodes if sum(r.c[n.name] >= 1 for r in rs) >= 2]
    if not part or not sum(r.total for r in rs):
        return None
    cost = worst = 0
    for n in part:
        listed = [r for r in rs if r.c[n] >= 1]
        size = len(listed)
        a = [(2**26 + r.c[n] // 2) // r.c[n] for r in listed]
        share = sum(Fraction(r.c[n], sum(r.c[m] for m in part)) for r in listed) / size
        k = max(1, floor(64 * len(part) * share * 4 / size**2))
        x = [f * r.usage[n] for f, r in zip(a, listed, strict=True)]
        cost += k * sum(abs(size * one - sum(x)) for one in x)
        widest = max(f * max(r.c[n], r.now[n]) for f, r in zip(a, listed, strict=True))
        worst += k * 2 * (size // 2) * ((size + 1) // 2) * widest
    return cost, worst


def plain_preference(final: FinalState, here: Callable[[Pod, Node], int]) -> tuple[int, int] | None:
    """Cost and worst of a term made of preferences of pods for nodes."""
    cost = worst = 0
    for p in final.cluster.pods:
        if p.status.phase == "Succeeded":
            continue
        own = final.configuration.profile(p.spec.scheduler_name) or final.configuration.profiles[0]
        eligible = [here(p, n) for n in final.cluster.nodes if statically_admits(p, n, own)]
        if not eligible:
            continue
        best, least = max(eligible), min(eligible)
        places = [n for n in final.cluster.nodes if n.name == final.placement.get(p.key, p.node_name)]
        cost += min(max(best - here(p, places[0]), 0), best - least) if places else best - least
        worst += best - least
    return (cost, worst) if worst else None


def matched(final: FinalState) -> Callable[[Pod, Node], int]:
    def here(p: Pod, n: Node) -> int:
        own = final.configuration.profile(p.spec.scheduler_name) or final.configuration.profiles[0]
        added = own.added_affinity.preferred if own.added_affinity else ()
        terms = (*p.spec.affinity.node_affinity.preferred, *added)
        return sum(term.weight for term in terms if term_matches(term.preference, n))

    return here


def intolerable(p: Pod, n: Node) -> int:
    return -untolerated(p, n, ["PreferNoSchedule"])


def image_score(final: FinalState) -> Callable[[Pod, Node], int]:
    """The rule's own raw score, node by node."""
    state = ClusterState.of(final.cluster, final.configuration)
    rule, profile = RULE_BY_NAME["ImageLocality"], final.configuration.profiles[0]

    def here(p: Pod, n: Node) -> int:
        before = rule.pre_score(state, profile, p, list(state.nodes.values()))
        return rule.score(state, profile, p, state.nodes[n.name], before.data)

    return here


def found(final: FinalState, name: str, profile: Profile) -> tuple[int, int] | None:
    cost = RULE_BY_NAME[name].cost(final, profile)
    return None if cost is None else (cost.cost, cost.worst)


@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda strategy: strategy.type)
@given(seed=SEEDS)
def test_fit_cost_is_as_defined(strategy: ScoringStrategy, seed: int) -> None:
    """NodeResourcesFit's term equals the document's formula, digit by digit."""
    final = random_state(seed)
    assert found(final, "NodeResourcesFit", Profile(scoring=strategy)) == plain_fit(final, strategy)


@given(seed=SEEDS, three=st.booleans())
def test_balanced_cost_is_as_defined(seed: int, three: bool) -> None:
    """NodeResourcesBalancedAllocation's term equals the document's formula, digit by digit."""
    final = random_state(seed)
    names = ["cpu", "memory", *([GPU] if three else [])]
    profile = Profile(balanced_resources=tuple((name, 1) for name in names))
    assert found(final, "NodeResourcesBalancedAllocation", profile) == plain_balanced(final, names)


@given(seed=SEEDS)
def test_preference_costs_are_as_defined(seed: int) -> None:
    """NodeAffinity, TaintToleration and ImageLocality compare each pod's node with its best eligible one."""
    final = random_state(seed)
    profile = final.configuration.profiles[0]
    assert found(final, "NodeAffinity", profile) == plain_preference(final, matched(final))
    assert found(final, "TaintToleration", profile) == plain_preference(final, intolerable)
    assert found(final, "ImageLocality", profile) == plain_preference(final, image_score(final))


@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda strategy: strategy.type)
@given(seed=SEEDS, stated=st.booleans())
def test_costs_lie_between_nothing_and_the_worst(strategy: ScoringStrategy, seed: int, stated: bool) -> None:
    """0 <= cost <= worst for every placement that overcommits no node anew."""
    final = random_state(seed, stated=stated)
    check = verify(final, rules=[RULE_BY_NAME["NodeResourcesFit"]])
    fit = [f for f in check.findings if f.violation.rule == "NodeResourcesFit"]
    assume(all(f.standing is Standing.INHERITED for f in fit))
    for rule in RULES:
        cost = rule.cost(final, Profile(scoring=strategy))
        assert cost is None or 0 <= cost.cost <= cost.worst


@given(seed=SEEDS, place=st.integers(0, 3))
def test_worst_is_a_constant_of_the_instance(seed: int, place: int) -> None:
    """Another placement of the same cluster has the same terms with the same worst."""
    final = random_state(seed)
    names = [n.name for n in final.nodes]
    other = FinalState(final.cluster, {p.key: names[place % len(names)] for p in final.pods})
    one, two = (evaluate(state, rules=RULES) for state in (final, other))
    assert [(t.name, t.worst, t.weight) for t in one.terms] == [
        (t.name, t.worst, t.weight) for t in two.terms
    ]


@given(seed=SEEDS)
def test_pack_counts_the_nodes_in_use_first(seed: int) -> None:
    """With `pack` the nodes that hold more than DaemonSet and terminating pods are a term of their own."""
    final = random_state(seed)
    used = {
        place
        for p in final.pods
        if not p.of_daemon_set and not p.terminating
        for place in [final.placement.get(p.key, p.node_name)]
        if place in final.cluster.node_index
    }
    score = evaluate(final, preset="pack", rules=RULES)
    assert [(t.name, t.cost, t.worst) for t in score.first] == [("NodesInUse", len(used), len(final.nodes))]
    assert not {"LeastAllocated", "NodesInUse"} & {t.name for t in score.terms}


def test_pods_follow_their_own_profile() -> None:
    """``addedAffinity`` counts for the pods of its profile only; the weight is the chosen profile's."""
    added = NodeAffinity.model_validate(
        {
            "preferredDuringSchedulingIgnoredDuringExecution": [
                {"weight": 5, "preference": {"matchExpressions": [{"key": "fast", "operator": "Exists"}]}}
            ]
        }
    )
    profiles = (Profile(), Profile("batch", scores={"NodeAffinity": 9}, added_affinity=added))
    two = cluster(
        [node("fast", labels={"fast": ""}), node("slow")],
        [pod("a", "slow"), pod("b", "slow", schedulerName="batch"), pod("c", "slow", schedulerName="none")],
    )
    final = FinalState(two, {}, configuration=SchedulerConfiguration(profiles))
    affinity = {name: evaluate(final, profile=name).terms for name in (None, "batch")}
    assert TermCost("NodeAffinity", 5, 5, 2) in affinity[None]
    assert affinity["batch"] == (TermCost("NodeAffinity", 5, 5, 9),)


TERMS = st.lists(
    st.builds(
        TermCost,
        name=st.uuids().map(str),
        cost=st.just(0),
        worst=st.integers(1, 2**56),
        weight=st.integers(0, 100),
    ),
    max_size=6,
)


@given(terms=TERMS)
def test_coefficients_are_in_proportion_and_bounded(terms: list[TermCost]) -> None:
    """Each is 2^K weight / worst to the nearest; the smallest reaches 256 unless K is at its limit."""
    coefficients = stage_coefficients(terms)
    weighted = [t for t in terms if t.weight]
    total = sum(coefficients[t.name] * t.worst for t in terms)
    assert all(coefficients[t.name] == 0 for t in terms if not t.weight)
    powers = [
        K
        for K in range(57)
        if all(
            coefficients[t.name] == floor(Fraction(2**K * t.weight, t.worst) + Fraction(1, 2)) for t in terms
        )
    ]
    assert powers
    assert total < 2**60
    smallest = min((coefficients[t.name] for t in weighted), default=256)
    assert smallest >= 256 or 56 in powers or 4 * total + 4 * sum(t.worst for t in terms) >= 2**60


def test_coefficients_take_the_first_power_that_reaches_256() -> None:
    """Halves are rounded upwards and K is as small as it can be, at least 0."""
    assert stage_coefficients([TermCost("a", 0, 2, 511)]) == {"a": 256}
    assert stage_coefficients([TermCost("a", 0, 4, 1), TermCost("b", 0, 64, 1)]) == {"a": 4096, "b": 256}
    assert stage_coefficients([TermCost("a", 0, 1, 1000)]) == {"a": 1000}


def test_scores_are_weighted_means() -> None:
    """A term's score falls from 100 to 0 with its cost; without terms nothing is wrong."""
    terms = (TermCost("a", 1, 4, 1), TermCost("b", 1, 1, 2))
    assert weighted_mean(terms) == pytest.approx(25)
    assert weighted_mean(()) == 100
    assert evaluate(FinalState(cluster([], [pod("p")]), {})).terms == ()


def test_images_as_large_as_numbers_get_count_in_full() -> None:
    """Sizes that would overflow when added up leave the node that has them the best."""
    holder = {"metadata": {"name": "n"}, "status": {"images": [{"names": ["x:1"], "sizeBytes": 2**63 - 1}]}}
    containers = [{"name": name, "image": "x:1"} for name in "abcd"]
    two = cluster([Node.model_validate(holder), node("m")], [pod("p", "m", containers=containers)])
    assert found(FinalState(two, {}), "ImageLocality", Profile()) == (100, 100)


def test_presets_choose_the_strategy() -> None:
    """`spread` leaves the profile alone, `pack` scores MostAllocated with the same resources."""
    profile = Profile(scoring=ScoringStrategy(resources=THREE))
    assert preset_profile(profile, "spread") is profile
    assert preset_profile(profile, "pack").scoring == ScoringStrategy("MostAllocated", THREE)
    assert PRESETS == ("spread", "pack")


def test_unknown_names_are_bad_input() -> None:
    """Presets and profiles that do not exist are refused with the names that do."""
    final = FinalState(cluster([node("n")], []), {})
    with pytest.raises(BadInput, match="'tight' is unknown; use one of spread, pack"):
        evaluate(final, preset="tight")
    with pytest.raises(BadInput, match="no profile is named 'x'; there are default-scheduler"):
        evaluate(final, profile="x")
