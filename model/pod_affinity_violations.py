"""What a final state breaks of required pod affinity and anti-affinity.

Used by the checker alone: the solver encodes the same law in its own way.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from .affinity_terms import AffinityGroup, AntiAffinityGroup, affinity_groups, anti_affinity_groups, filters
from .final import FinalState
from .grounding import Grounding, placed
from .reasons import Violation
from .selection import quoted
from .topology import Domains

RULE = "InterPodAffinity"
Pods = NDArray[np.int64]
Flags = NDArray[np.bool_]


def pod_affinity_violations(final: FinalState) -> Iterator[Violation]:
    """Violations of required terms.

    A pod that arrives breaks its required anti-affinity when a selected pod is in its domain, and that of a
    pod in whose domain it is selected; it breaks its required affinity when it is not grounded
    (`grounding`). Pods that stay are held against each other alone and their violations are
    advisory: a required affinity without company, an anti-affinity between two that stay. Pods whose
    profile does not run the filter break nothing; but pods that arrive must respect those that stay.

    Notes
    -----
    Keys are ``("anti-affinity", term, domain, who)`` and ``("affinity", terms, topology key, domain,
    who)`` with ``who`` either ``arriving`` or ``staying``; a node without the label has the domain
    ``node NAME``. The magnitude is the number of `Violation.pods`.
    """
    known, index = final.cluster.affinity_terms, final.kind_index
    checked = _checked(final)
    for group in anti_affinity_groups(final.kinds, known, index):
        yield from _conflicts(final, group, checked)
    groups = affinity_groups(final.kinds, known, index, final.profile_of)
    if groups:
        grounded = Grounding(final, groups).grounded()
        for group in groups:
            yield from _ungrounded(final, group, grounded)
            yield from _left_alone(final, group)


def _conflicts(final: FinalState, group: AntiAffinityGroup, checked: Flags) -> Iterator[Violation]:
    domains = final.cluster.topology.domains(group.term.topology_key)
    pods = placed(final, np.union1d(group.owners, group.selected))
    pods = pods[(domains.of_node[final.node_of[pods]] >= 0) & (final.staying | checked)[pods]]
    domain = domains.of_node[final.node_of[pods]]
    owner = np.isin(final.kind_of[pods], group.owners)
    selected = np.isin(final.kind_of[pods], group.selected)
    stays = final.staying[pods]
    held = stays & checked[pods]
    arriving = owner & _others(domain, selected) | selected & _others(domain, owner)
    staying = owner & _others(domain, selected & held)
    about = f"anti-affinity to pods {group.term.text}"
    key = ("anti-affinity", group.term.text)
    yield from _report(final, domains, key, about, pods[arriving & ~stays], advisory=False)
    yield from _report(final, domains, key, about, pods[staying & held], advisory=True)


def _checked(final: FinalState) -> Flags:
    """Shape (pods,): pods for which the rule filters; of the others, those that arrive disturb nobody."""
    return np.array([filters(final.profile_of(kind)) for kind in final.kinds], dtype=bool)[final.kind_of]


def _others(domain: NDArray[np.int64], which: Flags) -> Flags:
    """For each pod, whether another one of `which` is in its domain."""
    counts = np.bincount(domain[which], minlength=int(domain.max(initial=-1)) + 1)
    return counts[domain] - which > 0


def _ungrounded(final: FinalState, group: AffinityGroup, grounded: Flags) -> Iterator[Violation]:
    owners = placed(final, group.owners)
    pods = owners[final.arriving[owners] & ~grounded[owners]]
    company = placed(final, group.selected)
    yield from _unmet(final, group, pods, company[grounded[company]], advisory=False)


def _left_alone(final: FinalState, group: AffinityGroup) -> Iterator[Violation]:
    owners, company = placed(final, group.owners), placed(final, group.selected)
    yield from _unmet(final, group, owners[final.staying[owners]], company, advisory=True)


def _unmet(
    final: FinalState, group: AffinityGroup, pods: Pods, company: Pods, advisory: bool
) -> Iterator[Violation]:
    """Report `pods` under the first key for which nobody else of `company` is in their domain."""
    if not len(pods):
        return
    topology = final.cluster.topology
    pods = pods[~_exempt(final, group, pods, company)]
    for name in group.keys:
        domains = topology.domains(name)
        here = domains.of_node[final.node_of[pods]]
        there = domains.of_node[final.node_of[company]]
        counts = np.bincount(there[there >= 0], minlength=len(domains))
        own = np.isin(pods, company)
        met = (here >= 0) & (np.append(counts, 0)[here] > own)
        key = ("affinity", group.text, name)
        about = f"affinity to pods {group.text}"
        yield from _report(final, domains, key, about, pods[~met], advisory=advisory)
        pods = pods[met]


def _exempt(final: FinalState, group: AffinityGroup, pods: Pods, company: Pods) -> Flags:
    """Pods that all terms select, on nodes with all keys, when no other selected pod counts anywhere."""
    of_node = np.stack([final.cluster.topology.domains(key).of_node for key in group.keys])
    counted = company[(of_node[:, final.node_of[company]] >= 0).any(axis=0)]
    alone = len(counted) == 1
    return np.isin(pods, counted) & alone & (of_node[:, final.node_of[pods]] >= 0).all(axis=0)


def _report(
    final: FinalState, domains: Domains, key: tuple[str, ...], about: str, pods: Pods, *, advisory: bool
) -> Iterator[Violation]:
    """One violation per domain (or node without the label) that holds some of `pods`."""
    if not len(pods):
        return
    nodes = final.node_of[pods]
    domain = domains.of_node[nodes]
    place = np.where(domain >= 0, domain, len(domains) + nodes)
    numbers: list[int] = np.unique(place).tolist()
    for number in numbers:
        names = final.keys_of(pods[place == number])
        who = "staying" if advisory else "arriving"
        node, where = _place(final, domains, number)
        message = f"{len(names)} {who} pods break their or others' {about}: {where}"
        identity = (*key, where if node else domains.values[number], who)
        yield Violation(RULE, identity, len(names), names, node, message, advisory)


def _place(final: FinalState, domains: Domains, number: int) -> tuple[str | None, str]:
    if number < len(domains):
        return None, f"{domains.key}={quoted(domains.values[number])}"
    name = final.nodes[number - len(domains)].name
    return name, f"node {name} has no label {domains.key}"
