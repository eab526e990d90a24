"""InterPodAffinity: pods near, or away from, other pods.

Source: https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#inter-pod-affinity-and-anti-affinity
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ..affinity_terms import AffinityTerm, PodTerms
from ..api import Node, Pod
from ..final import FinalState
from ..pod_affinity_cost import pod_affinity_cost
from ..pod_affinity_violations import pod_affinity_violations
from ..profile import Profile
from ..reasons import TermCost, Verdict, Violation
from ..state import ClusterState, NodeInfo
from .base import PreFilter, PreScore, Rule

AFFINITY = "node(s) didn't match pod affinity rules"
ANTI_AFFINITY = "node(s) didn't match pod anti-affinity rules"
EXISTING_ANTI_AFFINITY = "node(s) didn't satisfy existing pods anti-affinity rules"

Pair = tuple[str, str]
"""A topology key and a value: one domain."""
Counts = Mapping[Pair, int]


@dataclass(frozen=True, slots=True)
class Company:
    """How many pods in each domain matter to the pod being placed; no zeros are kept.

    Parameters
    ----------
    wanted : Counts
        Pods that all its required affinity terms select.
    unwanted : Counts
        Pods that a required anti-affinity term of its own selects.
    hostile : Counts
        Terms of existing pods' required anti-affinity that select it.
    """

    terms: PodTerms
    wanted: Counts
    unwanted: Counts
    hostile: Counts


class InterPodAffinity(Rule):
    """Required terms filter, preferred terms score; existing pods' terms count as well."""

    name = "InterPodAffinity"

    def pre_filter(self, state: ClusterState, profile: Profile, pod: Pod) -> PreFilter:
        """PreFilter: count by domain the pods that the required terms are about."""
        terms = state.cluster.affinity_terms.of(pod)
        wanted, unwanted, hostile = dict[Pair, int](), dict[Pair, int](), dict[Pair, int]()
        for other, info in state.placed():
            _tally(wanted, _wanted(terms, other, info.node), 1)
            _tally(unwanted, _unwanted(terms, other, info.node), 1)
            _tally(hostile, _hostile(state, pod, other, info.node), 1)
        skip = not (hostile or terms.affinity or terms.anti_affinity)
        return PreFilter(skip=skip, data=Company(terms, wanted, unwanted, hostile))

    def admits(
        self, state: ClusterState, profile: Profile, pod: Pod, node: NodeInfo, data: Company
    ) -> Verdict | None:
        """Filter: company of the wanted kind in every domain, none of the unwanted kind, nobody hostile."""
        labels = node.node.labels
        if not _has_company(pod, labels, data):
            return Verdict.unresolvable(self.name, AFFINITY)
        if any(_count(data.unwanted, term, labels) > 0 for term in data.terms.anti_affinity):
            return Verdict.unschedulable(self.name, ANTI_AFFINITY)
        if any(data.hostile.get(pair, 0) > 0 for pair in labels.items()):
            return Verdict.unschedulable(self.name, EXISTING_ANTI_AFFINITY)
        return None

    def pod_added(
        self, state: ClusterState, profile: Profile, pod: Pod, data: Company, other: Pod, node: NodeInfo
    ) -> Company:
        """AddPod: count `other` on `node` too."""
        return _with(state, pod, data, other, node.node, 1)

    def pod_removed(
        self, state: ClusterState, profile: Profile, pod: Pod, data: Company, other: Pod, node: NodeInfo
    ) -> Company:
        """RemovePod: count `other` on `node` no longer."""
        return _with(state, pod, data, other, node.node, -1)

    def pre_score(
        self, state: ClusterState, profile: Profile, pod: Pod, nodes: Sequence[NodeInfo]
    ) -> PreScore:
        """PreScore: sum by domain the weights of the pod's and of existing pods' preferred terms."""
        terms = state.cluster.affinity_terms.of(pod)
        if profile.ignore_preferred_terms_of_existing_pods and not terms.prefers:
            return PreScore(skip=True)
        weights: dict[Pair, int] = {}
        for other, info in state.placed():
            if info.node.labels:
                for term, weight in _weighted(state, profile, terms, pod, other):
                    _tally_weight(weights, term, info.node, weight)
        return PreScore(skip=not weights, data=weights)

    def score(self, state: ClusterState, profile: Profile, pod: Pod, node: NodeInfo, data: Counts) -> int:
        """Score: the weights of the node's domains; negative where anti-affinity prevails."""
        return sum(data.get(pair, 0) for pair in node.node.labels.items())

    def normalize(
        self, state: ClusterState, profile: Profile, pod: Pod, scores: Mapping[str, int], data: Counts
    ) -> Mapping[str, int]:
        """NormalizeScore: the feasible nodes' range of raw scores becomes 0..100."""
        least, most = min(scores.values(), default=0), max(scores.values(), default=0)
        if most == least:
            return dict.fromkeys(scores, 0)
        # The order of these float operations is kube-scheduler's; another one rounds differently.
        return {name: int(100.0 * ((raw - least) / (most - least))) for name, raw in scores.items()}

    def violations(self, final: FinalState) -> Iterable[Violation]:
        """Required terms that the final state breaks; see `pod_affinity_violations`."""
        return pod_affinity_violations(final)

    def cost(self, final: FinalState, profile: Profile) -> TermCost | None:
        """Preferred terms (and weighted required affinity) unmet; see `pod_affinity_cost`."""
        return pod_affinity_cost(final, profile)


def _has_company(pod: Pod, labels: Mapping[str, str], data: Company) -> bool:
    required = data.terms.affinity
    if any(term.topology_key not in labels for term in required):
        return False
    if all(_count(data.wanted, term, labels) > 0 for term in required):
        return True
    # The first pod of a group that wants its own kind would otherwise wait for ever.
    return not data.wanted and all(term.selects(pod) for term in required)


def _count(counts: Counts, term: AffinityTerm, labels: Mapping[str, str]) -> int:
    value = labels.get(term.topology_key)
    return 0 if value is None else counts.get((term.topology_key, value), 0)


def _wanted(terms: PodTerms, other: Pod, node: Node) -> Iterator[Pair]:
    if terms.affinity and all(term.selects(other) for term in terms.affinity):
        yield from _pairs(terms.affinity, node)


def _unwanted(terms: PodTerms, other: Pod, node: Node) -> Iterator[Pair]:
    return _pairs((term for term in terms.anti_affinity if term.selects(other)), node)


def _hostile(state: ClusterState, pod: Pod, other: Pod, node: Node) -> Iterator[Pair]:
    known = state.cluster.affinity_terms
    return _pairs(
        (term for term in known.of(other).anti_affinity if term.selects_newcomer(pod, known.namespaces)), node
    )


def _pairs(terms: Iterable[AffinityTerm], node: Node) -> Iterator[Pair]:
    for term in terms:
        value = node.labels.get(term.topology_key)
        if value is not None:
            yield term.topology_key, value


def _tally(counts: dict[Pair, int], pairs: Iterable[Pair], sign: int) -> None:
    for pair in pairs:
        counts[pair] = counts.get(pair, 0) + sign
        if not counts[pair]:
            del counts[pair]


def _with(state: ClusterState, pod: Pod, data: Company, other: Pod, node: Node, sign: int) -> Company:
    wanted, unwanted, hostile = dict(data.wanted), dict(data.unwanted), dict(data.hostile)
    _tally(wanted, _wanted(data.terms, other, node), sign)
    _tally(unwanted, _unwanted(data.terms, other, node), sign)
    _tally(hostile, _hostile(state, pod, other, node), sign)
    return replace(data, wanted=wanted, unwanted=unwanted, hostile=hostile)


def _weighted(
    state: ClusterState, profile: Profile, terms: PodTerms, pod: Pod, other: Pod
) -> Iterator[tuple[AffinityTerm, int]]:
    known = state.cluster.affinity_terms
    for weight, term in terms.preferred_affinity:
        if term.selects(other):
            yield term, weight
    for weight, term in terms.preferred_anti_affinity:
        if term.selects(other):
            yield term, -weight
    theirs = known.of(other)
    hard = profile.hard_pod_affinity_weight
    drawn = [(hard, term) for term in theirs.affinity if hard > 0]
    for weight, term in (*drawn, *theirs.preferred_affinity):
        if term.selects_newcomer(pod, known.namespaces):
            yield term, weight
    for weight, term in theirs.preferred_anti_affinity:
        if term.selects_newcomer(pod, known.namespaces):
            yield term, -weight


def _tally_weight(weights: dict[Pair, int], term: AffinityTerm, node: Node, weight: int) -> None:
    for pair in _pairs((term,), node):
        # A sum of 0 stays: one matching term is enough for the pod to be scored.
        weights[pair] = weights.get(pair, 0) + weight
