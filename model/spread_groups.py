"""Spread constraints by identity: the kinds that share one, what it counts and where.

Static matching only, so checker and encoders share it.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .api import Pod
from .cluster import Cluster
from .eligibility import affinity_admits
from .labels import empty
from .profile import Profile
from .selection import LabelIndex
from .spread_constraints import (
    HARD,
    SpreadConstraint,
    constraint_text,
    needs_all_keys,
    spread_constraints,
)
from .topology import Domains

RULE = "PodTopologySpread"
Kinds = NDArray[np.int64]
Mask = NDArray[np.bool_]
_STATIC = Profile()
"""Spread constraints honour the pod's own node affinity only, not a profile's ``addedAffinity``."""


@dataclass(frozen=True, eq=False, slots=True)
class SpreadGroup:
    """Kinds that share a constraint.

    Constraints are the same when namespace, selector, topology key, ``maxSkew``, ``minDomains`` (of hard
    ones) and eligible nodes are.

    Parameters
    ----------
    namespace : str
    constraint : SpreadConstraint
    owners : Kinds
        Ascending.
    selected : Kinds
        Ascending; the kinds that count: in the namespace, selected, not terminating. None for an
        empty selector.
    eligible : Mask, shape (nodes,)
        Nodes that count: they have the keys and the owners' policies include them.
    domains : Domains
        Of the key; those without an eligible node do not count.
    text : str
        Identity in words.
    """

    namespace: str
    constraint: SpreadConstraint
    owners: Kinds
    selected: Kinds
    eligible: Mask
    domains: Domains
    text: str

    @property
    def eligible_domains(self) -> NDArray[np.int64]:
        """Ascending numbers of the domains that count."""
        return np.flatnonzero(self.domains.count(np.flatnonzero(self.eligible)))


def spread_groups(
    cluster: Cluster,
    kinds: Sequence[Pod],
    index: LabelIndex,
    profile_of: Callable[[Pod], Profile | None],
    action: str,
) -> list[SpreadGroup]:
    """Constraints with `action` (`HARD` or `SOFT`) by identity, in the order of their first owners.

    Hard ones of pods whose profile does not run the filter are left out.

    Parameters
    ----------
    kinds : sequence of Pod
        One pod per kind; positions are what groups refer to.
    index : LabelIndex
        Of `kinds`.
    profile_of : callable
        The profile whose default constraints apply to a pod, or None.
    """
    eligible = _Eligible(cluster, action)
    owners: dict[tuple[str, bytes], list[int]] = {}
    about: dict[tuple[str, bytes], tuple[str, SpreadConstraint, Mask]] = {}
    for kind, pod in enumerate(kinds):
        profile = profile_of(pod)
        if action == HARD and profile is not None and RULE not in profile.filters:
            continue
        constraints = spread_constraints(pod, profile, cluster.default_selectors, action)
        for constraint in constraints:
            mask = eligible.nodes(pod, profile, constraints, constraint)
            key = (constraint_text(pod.namespace, constraint), mask.tobytes())
            about.setdefault(key, (pod.namespace, constraint, mask))
            owned = owners.setdefault(key, [])
            if not owned or owned[-1] != kind:
                owned.append(kind)
    return [_group(cluster, kinds, index, *about[key], owned, key) for key, owned in owners.items()]


def _group(
    cluster: Cluster,
    kinds: Sequence[Pod],
    index: LabelIndex,
    namespace: str,
    constraint: SpreadConstraint,
    mask: Mask,
    owners: Sequence[int],
    key: tuple[str, bytes],
) -> SpreadGroup:
    selector = constraint.selector
    found: list[int] = index.selected(None if empty(selector) else selector, frozenset((namespace,))).tolist()
    counted = [kind for kind in found if not kinds[kind].terminating]
    text = key[0] if mask.all() else f"{key[0]}, nodes {zlib.crc32(key[1]):08x}"
    return SpreadGroup(
        namespace=namespace,
        constraint=constraint,
        owners=np.array(owners, dtype=np.int64),
        selected=np.array(counted, dtype=np.int64),
        eligible=mask,
        domains=cluster.topology.domains(constraint.topology_key),
        text=text,
    )


class _Eligible:
    """Which nodes count for a constraint of a pod; pods with the same static fields share the answer."""

    def __init__(self, cluster: Cluster, action: str) -> None:
        self._cluster = cluster
        self._action = action
        self._found: dict[object, Mask] = {}

    def nodes(
        self,
        pod: Pod,
        profile: Profile | None,
        constraints: Sequence[SpreadConstraint],
        constraint: SpreadConstraint,
    ) -> Mask:
        """Shape (nodes,). Do not write to it."""
        together = constraints if needs_all_keys(pod, profile, self._action) else (constraint,)
        keys = frozenset(c.topology_key for c in together)
        required = pod.spec.affinity.node_affinity.required
        identity = (
            keys,
            (frozenset(pod.spec.node_selector.items()), repr(required))
            if constraint.honor_affinity
            else None,
            repr(pod.spec.tolerations) if constraint.honor_taints else None,
        )
        found = self._found.get(identity)
        if found is None:
            found = self._found[identity] = self._evaluate(pod, keys, constraint)
        return found

    def _evaluate(self, pod: Pod, keys: frozenset[str], constraint: SpreadConstraint) -> Mask:
        static, topology = self._cluster.static_nodes, self._cluster.topology
        mask = np.ones(len(self._cluster.nodes), dtype=bool)
        for key in keys:
            mask &= topology.domains(key).of_node >= 0
        if constraint.honor_affinity:
            mask &= static.evaluate(pod, _STATIC, lambda node: affinity_admits(pod, node)) > 0
        if constraint.honor_taints:
            mask &= static.tolerated(pod)
        return mask
