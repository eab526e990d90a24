"""PodTopologySpread over many nodes at once.

The same numbers as ``model/rules/pod_topology_spread``, kept up to date from the log.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ...model.api import Pod
from ...model.eligibility import affinity_admits
from ...model.profile import Profile
from ...model.spread_constraints import (
    HARD,
    HOSTNAME,
    SOFT,
    SpreadConstraint,
    needs_all_keys,
    spread_constraints,
)
from .grid import Grid
from .roster import Indices

Mask = NDArray[np.bool_]
Amounts = NDArray[np.int64]


class _Counted:
    """Matching pods of one constraint, by domain and by node."""

    def __init__(self, grid: Grid, profile: Profile, pod: Pod, constraint: SpreadConstraint) -> None:
        self.constraint = constraint
        self.domain = grid.domains(constraint.topology_key)
        self.domains = int(self.domain.max(initial=-1)) + 1
        self.included = _included(grid, profile, pod, constraint)
        self.by_node = np.zeros(len(grid.names), dtype=np.int64)
        self._namespace = pod.namespace
        self._matching = np.zeros(0, dtype=np.int64)

    def matching(self, pods: list[Pod]) -> Amounts:
        """Shape (classes,): 1 for the classes that count."""
        new = pods[len(self._matching) :]
        if new:
            found = [int(self.constraint.counts(pod, self._namespace)) for pod in new]
            self._matching = np.concatenate((self._matching, np.array(found, dtype=np.int64)))
        return self._matching

    def update(self, nodes: Indices, amounts: Amounts) -> None:
        """Count matching pods that came (or went)."""
        np.add.at(self.by_node, nodes, amounts)


def _included(grid: Grid, profile: Profile, pod: Pod, constraint: SpreadConstraint) -> Mask:
    """The two node inclusion policies."""
    included = np.ones(len(grid.names), dtype=bool)
    if constraint.honor_affinity:
        included &= grid.evaluate(pod, profile, lambda node: affinity_admits(pod, node)).astype(bool)
    if constraint.honor_taints:
        included &= grid.tolerated(pod)
    return included


class Spreading:
    """The constraints of one class of pods."""

    def __init__(self, grid: Grid, profile: Profile, pod: Pod) -> None:
        defaults = grid.cluster.default_selectors
        filters = "PodTopologySpread" in profile.filters
        self.weight = profile.scores.get("PodTopologySpread", 0)
        hard = spread_constraints(pod, profile, defaults, HARD) if filters else ()
        soft = spread_constraints(pod, profile, defaults, SOFT) if self.weight else ()
        self._hard = [_Hard(_Counted(grid, profile, pod, c), c.selects(pod)) for c in hard]
        self._soft = [_Counted(grid, profile, pod, c) for c in soft]
        self._counted = [h.counted for h in self._hard] + self._soft
        for spread in self._hard:
            spread.counted.included &= _all_keys(grid, hard)
        every = needs_all_keys(pod, profile, SOFT)
        self._ignored = ~_all_keys(grid, soft) if every else np.zeros(len(grid.names), dtype=bool)

    def __bool__(self) -> bool:
        return bool(self._counted)

    def update(self, pods: list[Pod], nodes: Indices, classes: Indices, signs: Indices) -> None:
        """Take note of pods that came and went."""
        for counted in self._counted:
            amounts = counted.matching(pods)[classes] * signs
            counted.update(nodes, amounts)

    def admits(self) -> Mask | None:
        """Shape (nodes,): where no hard constraint objects; None when there is none."""
        if not self._hard:
            return None
        found = self._hard[0].admits()
        for spread in self._hard[1:]:
            found &= spread.admits()
        return found

    def scores(self, feasible: Mask) -> Amounts | None:
        """Shape (nodes,): normalized scores of the feasible nodes; None when all are equal."""
        if not self._soft:
            return None
        taking = feasible & ~self._ignored
        total = np.zeros(len(feasible))
        for counted in self._soft:
            crowd, weight = self._crowd(counted, taking)
            points = crowd * weight + (counted.constraint.max_skew - 1)
            total = np.where(counted.domain >= 0, total + points, total)
        return _normalized(_rounded(total), taking)

    def _crowd(self, counted: _Counted, taking: Mask) -> tuple[Amounts, float]:
        """Shape (nodes,): matching pods in each node's domain; and the constraint's weight."""
        if counted.constraint.topology_key == HOSTNAME:
            return counted.by_node, math.log(int(taking.sum()) + 2)
        domain = counted.domain + 1
        held = np.where(counted.included & ~self._ignored, counted.by_node, 0)
        by_domain = np.bincount(domain, weights=held, minlength=counted.domains + 1).astype(np.int64)
        present = np.bincount(domain[taking], minlength=counted.domains + 1) > 0
        return by_domain[domain], math.log(int(present.sum()) + 2)


class _Hard:
    """A hard constraint."""

    def __init__(self, counted: _Counted, itself: bool) -> None:
        self.counted = counted
        self._itself = int(itself)

    def admits(self) -> Mask:
        """Shape (nodes,): the pod would not push its domain more than ``maxSkew`` above the minimum."""
        counted, constraint = self.counted, self.counted.constraint
        domain = counted.domain
        eligible = counted.included & (domain >= 0)
        places = domain[eligible]
        by_domain = np.bincount(places, weights=counted.by_node[eligible], minlength=counted.domains)
        present = np.bincount(places, minlength=counted.domains) > 0
        least = 0
        if present.any() and int(present.sum()) >= constraint.min_domains:
            least = int(by_domain[present].min())
        within = by_domain + self._itself - least <= constraint.max_skew
        return (domain >= 0) & np.append(within, False)[domain]


def _all_keys(grid: Grid, constraints: tuple[SpreadConstraint, ...]) -> Mask:
    found = np.ones(len(grid.names), dtype=bool)
    for constraint in constraints:
        found &= grid.domains(constraint.topology_key) >= 0
    return found


def _rounded(total: NDArray[np.float64]) -> Amounts:
    """Half away from zero, as Go rounds."""
    whole = np.trunc(total)
    return (whole + (total - whole >= 0.5)).astype(np.int64)


def _normalized(raw: Amounts, taking: Mask) -> Amounts:
    values = raw[taking]
    least, most = (int(values.min()), int(values.max())) if len(values) else (0, 0)
    inverted = 100 * (most + least - raw) // most if most else np.full(len(raw), 100, dtype=np.int64)
    return np.where(taking, inverted, 0)
