"""How far a final state is from the pods' soft affinity terms.

Used by the checker alone: the solver encodes the same function in its own way.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .affinity_terms import AffinityTerm, Kinds
from .api import Pod
from .final import FinalState
from .profile import Profile
from .reasons import TermCost

NAME = "InterPodAffinity"


def pod_affinity_cost(final: FinalState, profile: Profile) -> TermCost | None:
    """The share of matching pods that are where an owner does not want them, weighted.

    For each pod `i` that is not terminating and each of its soft terms of weight ``w > 0`` (preferred
    affinity and anti-affinity, and required affinity with the profile's ``hardPodAffinityWeight``), let
    ``m`` be the number of other pods that the term selects, wherever they are. If ``m >= 1`` the term
    counts ``k = max(1, (2048 w + m) // (2 m))`` for each selected other pod outside `i`'s domain
    (affinity) or inside it (anti-affinity). Nodes without the label are outside of every domain. A term
    of a pod that is not placed counts as unmet, ``k m``. ``worst`` is the sum of ``k m``.
    """
    weight = profile.scores.get(NAME, 0)
    if weight <= 0:
        return None
    cost = worst = 0
    for attracts, amount, term, owners in _soft_terms(final, profile):
        selected = term.selected(final.kind_index)
        both = np.isin(owners, selected)
        for kinds, itself in ((owners[both], 1), (owners[~both], 0)):
            matches = len(final.pods_of(selected)) - itself
            pods = len(final.pods_of(kinds))
            if pods and matches > 0:
                each = max(1, (2048 * amount + matches) // (2 * matches))
                inside = _pairs_inside(final, term.topology_key, kinds, selected, itself)
                unplaced = pods - len(_nodes(final, kinds))
                cost += each * (pods * matches - inside if attracts else inside + unplaced * matches)
                worst += each * pods * matches
    return TermCost(NAME, cost, worst, weight) if worst else None


def _pairs_inside(final: FinalState, key: str, owners: Kinds, selected: Kinds, itself: int) -> int:
    """How many pairs of an owner and another selected pod share a domain."""
    domains = final.cluster.topology.domains(key)
    here, there = (_nodes(final, kinds) for kinds in (owners, selected))
    return int(domains.count(here) @ np.maximum(domains.count(there) - itself, 0))


def _nodes(final: FinalState, kinds: Kinds) -> Kinds:
    nodes = final.node_of[final.pods_of(kinds)]
    return nodes[nodes >= 0].astype(np.int64)


def _soft_terms(final: FinalState, profile: Profile) -> Iterator[tuple[bool, int, AffinityTerm, Kinds]]:
    """(affinity?, weight, term, kinds that own it); a kind that states a term twice owns it twice."""
    owners: dict[tuple[bool, int, str, int], list[int]] = {}
    terms: dict[str, AffinityTerm] = {}
    for kind, pod in enumerate(final.kinds):
        if pod.terminating:
            continue
        times: dict[tuple[bool, int, str], int] = {}
        for attracts, weight, term in _stated(final, profile, pod):
            terms.setdefault(term.text, term)
            stated = (attracts, weight, term.text)
            times[stated] = times.get(stated, 0) + 1
            owners.setdefault((*stated, times[stated]), []).append(kind)
    for (attracts, weight, text, _), kinds in owners.items():
        yield attracts, weight, terms[text], np.array(kinds, dtype=np.int64)


def _stated(final: FinalState, profile: Profile, pod: Pod) -> Iterator[tuple[bool, int, AffinityTerm]]:
    stated = final.cluster.affinity_terms.of(pod)
    own = profile if pod.spec.scheduler_name == profile.scheduler_name else final.profile_of(pod)
    hard = own.hard_pod_affinity_weight if own else 0
    for term in stated.affinity if hard > 0 else ():
        yield True, hard, term
    for weight, term in stated.preferred_affinity:
        if weight > 0:
            yield True, weight, term
    for weight, term in stated.preferred_anti_affinity:
        if weight > 0:
            yield False, weight, term
