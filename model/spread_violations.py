"""What a final state breaks of hard topology spread constraints.

Used by the checker alone: the solver encodes the same law in its own way.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from .final import FinalState
from .reasons import Violation
from .selection import quoted
from .spread_constraints import HARD
from .spread_groups import SpreadGroup, spread_groups

RULE = "PodTopologySpread"
Counts = NDArray[np.int64]


def spread_violations(final: FinalState) -> Iterator[Violation]:
    """Violations of ``DoNotSchedule`` constraints.

    For each constraint (`spread_groups`), over its eligible nodes: ``low`` of a domain is the number of
    selected pods that stay there plus the number of selected *owners* that arrive there; ``min`` is the
    smallest final count of selected pods over the eligible domains, 0 with fewer domains than
    ``minDomains``. Every domain in which an owner arrives needs ``low - min <= maxSkew``, and an owner
    may not arrive on a node without a key of its hard constraints.

    Advisory: the final count itself exceeds ``min + maxSkew`` in a domain with an owner (pods
    without the constraint came later, or the skew was there before).

    Notes
    -----
    Keys are ``("skew", constraint, domain, "arriving" or "staying")`` with the excess as magnitude, and
    ``("missing label", topology key, node, "arriving" or "staying")`` with the number of pods.
    """
    groups = spread_groups(final.cluster, final.kinds, final.kind_index, final.profile_of, HARD)
    for group in groups:
        yield from _skews(final, group)
    yield from _missing_labels(final, groups)


def _skews(final: FinalState, group: SpreadGroup) -> Iterator[Violation]:
    eligible = group.eligible_domains
    if not len(eligible) or not len(group.selected):
        return
    selected, owners = _counted(final, group, group.selected), _counted(final, group, group.owners)
    domains, where = group.domains, final.node_of
    newcomers = owners[final.arriving[owners]]
    final_counts = domains.count(where[selected])
    arrived = newcomers[np.isin(final.kind_of[newcomers], group.selected)]
    low = domains.count(where[selected[final.staying[selected]]]) + domains.count(where[arrived])
    few = len(eligible) < group.constraint.min_domains
    allowed = group.constraint.max_skew + (0 if few else int(final_counts[eligible].min()))
    entered = domains.count(where[newcomers]) > 0
    broken = entered & (low > allowed)
    exceeded = (domains.count(where[owners]) > 0) & (final_counts > allowed) & ~broken
    for domain in np.flatnonzero(broken).tolist():
        yield _skew(final, group, domain, int(low[domain]), allowed, newcomers, advisory=False)
    for domain in np.flatnonzero(exceeded).tolist():
        yield _skew(final, group, domain, int(final_counts[domain]), allowed, owners, advisory=True)


def _counted(final: FinalState, group: SpreadGroup, kinds: NDArray[np.int64]) -> Counts:
    """Pods of `kinds` on eligible nodes."""
    pods = final.pods_of(kinds)
    pods = pods[final.node_of[pods] >= 0]
    return pods[group.eligible[final.node_of[pods]]]


def _skew(
    final: FinalState,
    group: SpreadGroup,
    domain: int,
    count: int,
    allowed: int,
    among: Counts,
    *,
    advisory: bool,
) -> Violation:
    value = group.domains.values[domain]
    here = among[group.domains.of_node[final.node_of[among]] == domain]
    place = f"{group.domains.key}={quoted(value)}"
    return Violation(
        RULE,
        ("skew", group.text, value, "staying" if advisory else "arriving"),
        count - allowed,
        final.keys_of(here),
        message=f"{count} pods {group.text}: {place} may hold {allowed}",
        advisory=advisory,
    )


def _missing_labels(final: FinalState, groups: list[SpreadGroup]) -> Iterator[Violation]:
    owners: dict[str, list[NDArray[np.int64]]] = {}
    for group in groups:
        owners.setdefault(group.domains.key, []).append(group.owners)
    for key, kinds in owners.items():
        pods = final.pods_of(np.unique(np.concatenate(kinds)))
        pods = pods[final.node_of[pods] >= 0]
        lost = pods[final.cluster.topology.domains(key).of_node[final.node_of[pods]] < 0]
        for who, which in (("arriving", final.arriving), ("staying", final.staying)):
            yield from _on_nodes(final, key, who, lost[which[lost]])


def _on_nodes(final: FinalState, key: str, who: str, pods: NDArray[np.int64]) -> Iterator[Violation]:
    nodes: list[int] = np.unique(final.node_of[pods]).tolist()
    for node in nodes:
        names = final.keys_of(pods[final.node_of[pods] == node])
        name = final.nodes[node].name
        message = f"{len(names)} pods that spread by {key} are on node {name}, which has no such label"
        identity = ("missing label", key, name, who)
        yield Violation(RULE, identity, len(names), names, name, message, advisory=who == "staying")
