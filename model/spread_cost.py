"""How far a final state is from soft topology spread.

Used by the checker alone: the solver encodes the same function in its own way.
"""

from __future__ import annotations

import numpy as np

from .api import Pod
from .final import FinalState
from .profile import Profile
from .reasons import TermCost
from .spread_constraints import SOFT
from .spread_groups import SpreadGroup, spread_groups

NAME = "PodTopologySpread"


def spread_cost(final: FinalState, profile: Profile) -> TermCost | None:
    """Excess skew of ``ScheduleAnyway`` constraints, the profile's defaults included.

    Each constraint (`spread_groups`) with an owner that is not terminating counts once, however many
    pods share it. Over its eligible domains ``d``, with ``count_d`` the selected pods on eligible nodes:
    ``sum_d max(0, count_d - min_e count_e - maxSkew)``. Convex in the counts.
    ``worst`` sums ``max(0, selected pods, placed or not, - maxSkew)``. A constraint
    with a single eligible domain, or with a worst of 0, is left out.
    """
    weight = profile.scores.get(NAME, 0)
    if weight <= 0:
        return None

    def profile_of(pod: Pod) -> Profile | None:
        return profile if pod.spec.scheduler_name == profile.scheduler_name else final.profile_of(pod)

    cost = worst = 0
    for group in spread_groups(final.cluster, final.kinds, final.kind_index, profile_of, SOFT):
        if _applies(final, group):
            worst += max(0, len(final.pods_of(group.selected)) - group.constraint.max_skew)
            cost += _excess(final, group)
    return TermCost(NAME, cost, worst, weight) if worst else None


def _applies(final: FinalState, group: SpreadGroup) -> bool:
    owners: list[int] = group.owners.tolist()
    alive = any(not final.kinds[kind].terminating for kind in owners)
    return alive and len(group.eligible_domains) >= 2


def _excess(final: FinalState, group: SpreadGroup) -> int:
    nodes = final.node_of[final.pods_of(group.selected)]
    nodes = nodes[nodes >= 0]
    counts = group.domains.count(nodes[group.eligible[nodes]])[group.eligible_domains]
    return int(np.maximum(counts - counts.min() - group.constraint.max_skew, 0).sum())
