"""NodeAffinity: node selectors and node affinity, the pod's and the profile's.

Source: https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..api import NodeSelector, Pod, PreferredSchedulingTerm
from ..eligibility import affinity_admits, required_names
from ..final import FinalState
from ..final_static import off_affinity
from ..labels import node_selected, term_matches
from ..node_selector_errors import term_errors
from ..preferences import node_affinity_cost
from ..profile import Profile
from ..reasons import TermCost, Verdict, Violation
from ..state import ClusterState, NodeInfo
from .base import CycleError, PreFilter, PreScore, Rule, default_normalize

ENFORCED = "node(s) didn't match scheduler-enforced node affinity"
POD = "node(s) didn't match Pod's node affinity/selector"
CONFLICT = "pod affinity terms conflict"


class NodeAffinity(Rule):
    """Raw score: sum of the weights of the preferred terms that match."""

    name = "NodeAffinity"

    def pre_filter(self, state: ClusterState, profile: Profile, pod: Pod) -> PreFilter:
        """PreFilter: narrow the nodes down where every required term names them."""
        required = pod.spec.affinity.node_affinity.required
        if required is None and not pod.spec.node_selector and _enforced(profile) is None:
            return PreFilter(skip=True)
        names = required_names(pod)
        if names is not None and not names:
            return PreFilter(verdict=Verdict.unresolvable(self.name, CONFLICT))
        return PreFilter(nodes=names)

    def admits(
        self, state: ClusterState, profile: Profile, pod: Pod, node: NodeInfo, data: Any
    ) -> Verdict | None:
        """Filter: the profile's required terms, then the pod's selector and terms."""
        enforced = _enforced(profile)
        if enforced is not None and not node_selected(enforced, node.node):
            return Verdict.unresolvable(self.name, ENFORCED)
        return None if affinity_admits(pod, node.node) else Verdict.unresolvable(self.name, POD)

    def pre_score(
        self, state: ClusterState, profile: Profile, pod: Pod, nodes: Sequence[NodeInfo]
    ) -> PreScore:
        """PreScore: parse the preferred terms; one that cannot be parsed fails the cycle."""
        own = pod.spec.affinity.node_affinity.preferred
        added = profile.added_affinity.preferred if profile.added_affinity is not None else ()
        if not own and not added:
            return PreScore(skip=True)
        return PreScore(data=(*_parsed(own), *_parsed(added)))

    def score(self, state: ClusterState, profile: Profile, pod: Pod, node: NodeInfo, data: Any) -> int:
        """Score: sum of the weights of the preferred terms that match."""
        terms: Sequence[PreferredSchedulingTerm] = data
        return sum(term.weight for term in terms if term_matches(term.preference, node.node))

    def normalize(
        self, state: ClusterState, profile: Profile, pod: Pod, scores: Mapping[str, int], data: Any
    ) -> Mapping[str, int]:
        """NormalizeScore: the largest sum becomes 100."""
        return default_normalize(scores)

    def violations(self, final: FinalState) -> Iterable[Violation]:
        """Arriving pods on nodes that their selectors, or the profile's, do not select."""
        return off_affinity(final, self.name)

    def cost(self, final: FinalState, profile: Profile) -> TermCost | None:
        """Weights of the preferred terms that match less than on the best eligible node."""
        return node_affinity_cost(final, profile, self.name)


def _enforced(profile: Profile) -> NodeSelector | None:
    return None if profile.added_affinity is None else profile.added_affinity.required


def _parsed(terms: Sequence[PreferredSchedulingTerm]) -> list[PreferredSchedulingTerm]:
    """Terms that say something; one that cannot be parsed fails the whole cycle."""
    stated = [
        (position, term)
        for position, term in enumerate(terms)
        if term.weight and (term.preference.match_expressions or term.preference.match_fields)
    ]
    errors = [error for position, term in stated for error in term_errors(term.preference, f"[{position}]")]
    if errors:
        raise CycleError(errors[0] if len(errors) == 1 else f"[{', '.join(dict.fromkeys(errors))}]")
    return [term for _, term in stated]
