"""What a final placement costs by the pods' preferences for nodes: ``docs/objective.md``, section 4."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from .api import Node, Pod, PreferredSchedulingTerm
from .eligibility import untolerated
from .final import FinalState
from .labels import InvalidSelector, term_matches
from .profile import Profile
from .reasons import TermCost
from .usage import Ints

Values = Callable[[Pod, Profile], Ints | None]
"""Value of each node, shape (nodes,), to pods with this spec under their profile; None: all the same."""


def preference_cost(final: FinalState, profile: Profile, name: str, values: Values) -> TermCost | None:
    """How far the pods' nodes fall short of their best eligible nodes.

    Parameters
    ----------
    final : FinalState
    profile : Profile
        Gives the term's weight; eligibility and values follow each pod's own profile.
    name : str
        Name of the plugin and of the term.
    values : callable
    """
    weight = profile.scores.get(name, 0)
    cost = worst = 0
    for pod, members in final.cluster.pod_kinds.by_spec if weight else ():
        own = final.profile_or_first(pod)
        here = values(pod, own)
        if here is None:
            continue
        among = here[final.cluster.static_nodes.eligible(pod, own)]
        if not among.size or among.min() == among.max():
            continue
        best, spread = int(among.max()), int(among.max() - among.min())
        places = final.node_of[members]
        placed = np.clip(best - here[places[places >= 0]], 0, spread)
        cost += int(placed.sum()) + spread * int((places < 0).sum())
        worst += spread * len(members)
    return TermCost(name, cost, worst, weight) if worst else None


def node_affinity_cost(final: FinalState, profile: Profile, name: str) -> TermCost | None:
    """NodeAffinity: weights of the preferred terms that do not match."""

    def values(pod: Pod, own: Profile) -> Ints | None:
        added = own.added_affinity.preferred if own.added_affinity is not None else ()
        preferred = (*pod.spec.affinity.node_affinity.preferred, *added)
        if not preferred:
            return None
        return final.cluster.static_nodes.evaluate(
            pod, own, lambda node: sum(term.weight for term in preferred if _matches(term, node))
        )

    return preference_cost(final, profile, name, values)


def _matches(term: PreferredSchedulingTerm, node: Node) -> bool:
    try:
        return term_matches(term.preference, node)
    except InvalidSelector:
        return False


def taint_cost(final: FinalState, profile: Profile, name: str, effects: Sequence[str]) -> TermCost | None:
    """TaintToleration: taints with one of `effects` that pods do not tolerate."""
    if not any(taint.effect in effects for node in final.nodes for taint in node.spec.taints):
        return None

    def values(pod: Pod, own: Profile) -> Ints:
        return -final.cluster.static_nodes.evaluate(pod, own, lambda node: untolerated(pod, node, effects))

    return preference_cost(final, profile, name, values)
