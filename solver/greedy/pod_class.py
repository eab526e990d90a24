"""What one class of pods finds on every node, kept up to date as pods come and go."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...model.api import NodeSelectorTerm, Pod, PreferredSchedulingTerm
from ...model.eligibility import untolerated
from ...model.labels import term_matches
from ...model.node_selector_errors import term_errors
from ...model.profile import Profile
from ...model.rules import RULE_BY_NAME
from ...model.rules.base import Rule
from ...model.state import ClusterState, host_ports
from .company import Company, Terms
from .grid import Grid
from .room import Fit, Room
from .roster import Indices, Log, Roster
from .spreading import Spreading

Mask = NDArray[np.bool_]
Amounts = NDArray[np.int64]
NOWHERE = -1
INFEASIBLE = -(2**62)
SOFT_TAINTS = ("PreferNoSchedule",)
FEW = 4
"""So many nodes are priced one by one, by the rules themselves: that is sooner done than asking numpy."""
VECTORISED = frozenset(
    {
        "NodeName", "NodeUnschedulable", "TaintToleration", "NodeAffinity", "NodePorts", "NodeResourcesFit",
        "VolumeRestrictions", "NodeVolumeLimits", "VolumeBinding", "VolumeZone", "PodTopologySpread",
        "InterPodAffinity", "DynamicResources", "NodeResourcesBalancedAllocation", "ImageLocality",
    }
)  # fmt: skip
"""Rules that are vectorised, or have nothing to say about the pods that are."""
_STORAGE = (
    "persistent_volume_claim", "ephemeral", "gce_persistent_disk", "aws_elastic_block_store", "rbd", "iscsi",
    "csi", "azure_disk", "cinder", "vsphere_volume", "portworx_volume",
)  # fmt: skip


def vectorised(pod: Pod, profile: Profile) -> bool:
    """Whether `PodClass` knows everything that matters to the pod."""
    rules = [name for name in (*profile.prepared, *profile.scores) if name in RULE_BY_NAME]
    return (
        VECTORISED.issuperset(rules)
        and ("VolumeBinding" in profile.prepared or "VolumeBinding" not in profile.scores)
        and not host_ports(pod.spec)
        and not any(getattr(volume, source) for volume in pod.spec.volumes for source in _STORAGE)
        and not any(term_errors(term.preference, "") for term in _preferred(pod, profile))
    )


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What all classes share: the nodes, what they hold, who came and went, and the terms pods hold."""

    state: ClusterState
    grid: Grid
    room: Room
    roster: Roster
    log: Log
    terms: Terms


class PodClass:
    """One class of pods.

    Parameters
    ----------
    around : Surroundings
    profile : Profile
    pod : Pod
        Any pod of the class, one that is `vectorised`.

    Attributes
    ----------
    classes : int
        How many classes were known when this was made; once there are more it has to be made anew.
    """

    def __init__(self, around: Surroundings, profile: Profile, pod: Pod) -> None:
        grid = around.grid
        self.classes = len(around.roster)
        self._around, self._profile, self._pod = around, profile, pod
        self._fit = Fit(around.room, profile, pod)
        self._single = _Single(around.state, profile, pod)
        self._spreading = Spreading(grid, profile, pod)
        self._company = Company(grid, profile, pod, around.terms, around.roster)
        self._relational = bool(self._spreading) or bool(self._company)
        self._eligible = grid.eligible(pod, profile)
        scores = profile.scores
        images = grid.images(pod) if "ImageLocality" in scores else None
        self._images = None if images is None else scores["ImageLocality"] * images
        self._taints = _scaled(-scores.get("TaintToleration", 0), lambda: _soft_taints(grid, profile, pod))
        self._affinity = _scaled(scores.get("NodeAffinity", 0), lambda: _preferences(grid, profile, pod))
        self._points = np.full(len(grid.names), INFEASIBLE, dtype=np.int64)
        self._price(np.arange(len(grid.names), dtype=np.int64))
        self._seen = 0
        if self._relational:
            self._meet(0)
        self._seen = len(around.log)

    def catch_up(self) -> None:
        """Take note of the pods that came and went since the last turn."""
        log, seen = self._around.log, self._seen
        if seen == len(log):
            return
        if self._relational:
            self._meet(seen)
        changed = log.touched(seen)
        if len(changed) > FEW:
            self._price(np.array(list(changed), dtype=np.int64))
        else:
            for node in changed:
                self._price_one(node)
        self._seen = len(log)

    def best(self) -> int:
        """Position of the first feasible node with the highest total, or `NOWHERE`."""
        total = self._total()
        choice = int(total.argmax())
        return NOWHERE if total[choice] == INFEASIBLE else choice

    def all_best(self) -> Indices:
        """Positions of all feasible nodes with the highest total, ascending."""
        total = self._total()
        return np.flatnonzero((total == total.max()) & (total != INFEASIBLE))

    def _meet(self, start: int) -> None:
        nodes, classes, signs = self._around.log.since(start)
        if self._spreading:
            self._spreading.update(self._around.roster.pods, nodes, classes, signs)
        if self._company:
            self._company.update(nodes, classes, signs)

    def _price(self, nodes: Indices) -> None:
        fits, points = self._fit.price(nodes)
        if self._images is not None:
            points += self._images.take(nodes)
        self._points[nodes] = np.where(fits & self._eligible.take(nodes), points, INFEASIBLE)

    def _price_one(self, node: int) -> None:
        if not self._eligible[node]:
            return
        points = self._single.price(self._around.grid.names[node])
        if self._images is not None and points != INFEASIBLE:
            points += int(self._images[node])
        self._points[node] = points

    def _total(self) -> Amounts:
        """Shape (nodes,): the total score, up to a constant; `INFEASIBLE` where the pod cannot go."""
        points = self._points
        if self._relational:
            for admitted in (self._spreading.admits(), self._company.admits()):
                if admitted is not None:
                    points = np.where(admitted, points, INFEASIBLE)
        elif self._taints is None and self._affinity is None:
            return points
        feasible = points != INFEASIBLE
        if not feasible.any():
            return points
        return np.where(feasible, points + self._normalized(feasible), INFEASIBLE)

    def _normalized(self, feasible: Mask) -> Amounts | int:
        """Weighted scores scaled over the feasible nodes; what is equal everywhere may be left out."""
        total: Amounts | int = 0
        for given in (self._taints, self._affinity):
            if given is not None:
                total = total + given.over(feasible)
        for rule in (self._spreading, self._company):
            scores = rule.scores(feasible)
            if scores is not None:
                total = total + rule.weight * scores
        return total


class _Single:
    """NodeResourcesFit and NodeResourcesBalancedAllocation on one node, asked of the rules themselves."""

    def __init__(self, state: ClusterState, profile: Profile, pod: Pod) -> None:
        self._state, self._profile, self._pod = state, profile, pod
        fit = RULE_BY_NAME["NodeResourcesFit"]
        self._filter: Rule | None = fit if fit.name in profile.filters else None
        self._checked = fit.pre_filter(state, profile, pod).data
        self._scores: list[tuple[Rule, int, object]] = []
        for rule in (fit, RULE_BY_NAME["NodeResourcesBalancedAllocation"]):
            prepared = rule.pre_score(state, profile, pod, ())
            if rule.name in profile.scores and not prepared.skip:
                self._scores.append((rule, profile.scores[rule.name], prepared.data))

    def price(self, name: str) -> int:
        """The weighted sum of both scores, or `INFEASIBLE`."""
        state, profile, pod = self._state, self._profile, self._pod
        node = state.nodes[name]
        if self._filter is not None and self._filter.admits(state, profile, pod, node, self._checked):
            return INFEASIBLE
        return sum(
            weight * rule.score(state, profile, pod, node, data) for rule, weight, data in self._scores
        )


class _Scaled:
    """Raw scores that never change, scaled to 0..100 over the feasible nodes and weighted."""

    def __init__(self, weight: int, raw: Amounts) -> None:
        self._weight, self._raw = weight, raw
        self._by_most: dict[int, Amounts] = {0: np.zeros_like(raw)}

    def over(self, feasible: Mask) -> Amounts:
        """Shape (nodes,): the highest raw score of a feasible node becomes 100."""
        most = int(self._raw.max(where=feasible, initial=0))
        found = self._by_most.get(most)
        if found is None:
            found = self._by_most[most] = self._weight * (self._raw * 100 // most)
        return found


def _scaled(weight: int, raw: Callable[[], Amounts]) -> _Scaled | None:
    """The raw scores, unless they are zero everywhere or do not count."""
    found = raw() if weight else None
    return None if found is None or not found.any() else _Scaled(weight, found)


def _soft_taints(grid: Grid, profile: Profile, pod: Pod) -> Amounts:
    return grid.evaluate(pod, profile, lambda node: untolerated(pod, node, SOFT_TAINTS))


def _preferences(grid: Grid, profile: Profile, pod: Pod) -> Amounts:
    terms = _preferred(pod, profile)
    return grid.evaluate(
        pod, profile, lambda node: sum(term.weight for term in terms if term_matches(term.preference, node))
    )


def _preferred(pod: Pod, profile: Profile) -> list[PreferredSchedulingTerm]:
    own = pod.spec.affinity.node_affinity.preferred
    added = () if profile.added_affinity is None else profile.added_affinity.preferred
    return [term for term in (*own, *added) if term.preference != NodeSelectorTerm()]
