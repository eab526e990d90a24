"""Affinity terms of pods: which pods a term selects, and which kinds share a term.

Static matching only (labels and namespaces), so checker and encoders share it.

Source: https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#inter-pod-affinity-and-anti-affinity
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .api import Affinity, LabelSelector, Pod, PodAffinityTerm, WeightedPodAffinityTerm
from .labels import empty, selects
from .profile import Profile
from .selection import LabelIndex, quoted, selector_text

RULE = "InterPodAffinity"
Kinds = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class AffinityTerm:
    """A pod (anti-)affinity term with its namespaces resolved.

    Parameters
    ----------
    topology_key : str
    selector : LabelSelector or None
        None selects nothing, an empty one everything.
    namespaces : frozenset of str or None
        Namespaces of the pods it selects; None for all.
    unlisted : bool
        Whether ``namespaceSelector`` selects a namespace without labels. kube-scheduler takes a
        namespace that it does not know for one, though only when it holds terms of existing pods
        against a new pod.
    text : str
        Canonical: terms that select the same pods by the same words have the same text.
    """

    topology_key: str
    selector: LabelSelector | None
    namespaces: frozenset[str] | None
    unlisted: bool
    text: str

    def selects(self, pod: Pod) -> bool:
        """Whether the term of a pod that is being placed selects `pod`."""
        within = self.namespaces is None or pod.namespace in self.namespaces
        return within and selects(self.selector, pod.labels)

    def selects_newcomer(self, pod: Pod, namespaces: Mapping[str, object]) -> bool:
        """Whether the term of an existing pod selects `pod`, which is being placed.

        Parameters
        ----------
        namespaces : mapping
            Keyed by the namespaces the cluster lists.
        """
        if self.unlisted and pod.namespace not in namespaces:
            return selects(self.selector, pod.labels)
        return self.selects(pod)

    def selected(self, index: LabelIndex) -> Kinds:
        """Ascending positions in `index` of the pods the term selects."""
        return index.selected(self.selector, self.namespaces)


WeightedTerms = tuple[tuple[int, AffinityTerm], ...]


@dataclass(frozen=True, slots=True)
class PodTerms:
    """All pod affinity terms of a pod; preferred ones with their weights."""

    affinity: tuple[AffinityTerm, ...] = ()
    anti_affinity: tuple[AffinityTerm, ...] = ()
    preferred_affinity: WeightedTerms = ()
    preferred_anti_affinity: WeightedTerms = ()

    @property
    def prefers(self) -> bool:
        """Whether there are preferred terms."""
        return bool(self.preferred_affinity or self.preferred_anti_affinity)


NO_TERMS = PodTerms()


class AffinityTerms:
    """Resolves the affinity terms of pods, once per spec and namespace.

    Parameters
    ----------
    namespaces : mapping of str to mapping of str to str
        Labels of the namespaces the cluster lists.
    """

    def __init__(self, namespaces: Mapping[str, Mapping[str, str]]) -> None:
        self.namespaces = namespaces
        self._terms: dict[tuple[int, str], tuple[Affinity, PodTerms]] = {}

    def of(self, pod: Pod) -> PodTerms:
        """The pod's terms."""
        affinity = pod.spec.affinity
        key = (id(affinity), pod.namespace)
        found = self._terms.get(key)
        if found is None:
            found = self._terms[key] = (affinity, self._resolve(affinity, pod.namespace))
        return found[1]

    def _resolve(self, affinity: Affinity, namespace: str) -> PodTerms:
        attract, repel = affinity.pod_affinity, affinity.pod_anti_affinity
        if not (attract.required or attract.preferred or repel.required or repel.preferred):
            return NO_TERMS
        return PodTerms(
            tuple(self._term(term, namespace) for term in attract.required),
            tuple(self._term(term, namespace) for term in repel.required),
            self._weighted(attract.preferred, namespace),
            self._weighted(repel.preferred, namespace),
        )

    def _weighted(self, terms: Iterable[WeightedPodAffinityTerm], namespace: str) -> WeightedTerms:
        return tuple((t.weight, self._term(t.pod_affinity_term, namespace)) for t in terms)

    def _term(self, term: PodAffinityTerm, own: str) -> AffinityTerm:
        selector, among = term.label_selector, term.namespace_selector
        namespaces = self._namespaces(term, own)
        names = None if namespaces is None else " ".join(map(quoted, sorted(namespaces)))
        where = "all namespaces" if names is None else names or "no namespace"
        text = f"{selector_text(selector)} in {where} by {quoted(term.topology_key)}"
        unlisted = among is not None and selects(among, {})
        return AffinityTerm(term.topology_key, selector, namespaces, unlisted, text)

    def _namespaces(self, term: PodAffinityTerm, own: str) -> frozenset[str] | None:
        among = term.namespace_selector
        if among is None:
            return frozenset(term.namespaces or (own,))
        if empty(among):
            return None
        found = (name for name, labels in self.namespaces.items() if selects(among, labels))
        return frozenset((*term.namespaces, *found))


@dataclass(frozen=True, eq=False, slots=True)
class AntiAffinityGroup:
    """The kinds that share a required anti-affinity term: no pod of theirs beside a selected one."""

    term: AffinityTerm
    owners: Kinds
    selected: Kinds


@dataclass(frozen=True, eq=False, slots=True)
class AffinityGroup:
    """The kinds whose required affinity terms select the same pods over the same topology keys.

    Parameters
    ----------
    keys : tuple of str
        Sorted topology keys; a pod of the group needs company in its domain of each of them.
    owners : Kinds
        Ascending.
    selected : Kinds
        Ascending; kinds that *all* terms of an owner select.
    text : str
        The terms of the first owner.
    """

    keys: tuple[str, ...]
    owners: Kinds
    selected: Kinds
    text: str


def anti_affinity_groups(
    kinds: Sequence[Pod], terms: AffinityTerms, index: LabelIndex
) -> list[AntiAffinityGroup]:
    """Required anti-affinity, by term."""
    owners: dict[str, list[int]] = {}
    by_text: dict[str, AffinityTerm] = {}
    for kind, pod in enumerate(kinds):
        for term in {term.text: term for term in terms.of(pod).anti_affinity}.values():
            by_text.setdefault(term.text, term)
            owners.setdefault(term.text, []).append(kind)
    return [
        AntiAffinityGroup(term, np.array(owners[text], dtype=np.int64), term.selected(index))
        for text, term in by_text.items()
    ]


def filters(profile: Profile | None) -> bool:
    """Whether InterPodAffinity filters for the pods of `profile`; for those of other schedulers it does."""
    return profile is None or RULE in profile.filters


def affinity_groups(
    kinds: Sequence[Pod],
    terms: AffinityTerms,
    index: LabelIndex,
    profile_of: Callable[[Pod], Profile | None],
) -> list[AffinityGroup]:
    """Required affinity, by what it selects and the topology keys; of pods for whom it `filters`."""
    owners: dict[tuple[tuple[str, ...], bytes], list[int]] = {}
    about: dict[tuple[tuple[str, ...], bytes], tuple[Kinds, str]] = {}
    known: dict[tuple[str, ...], tuple[tuple[str, ...], bytes]] = {}
    for kind, pod in enumerate(kinds):
        required = terms.of(pod).affinity
        if not required or not filters(profile_of(pod)):
            continue
        texts = tuple(sorted({term.text for term in required}))
        if texts not in known:
            selected = all_selected(required, index)
            keys = tuple(sorted({term.topology_key for term in required}))
            known[texts] = (keys, selected.tobytes())
            about.setdefault(known[texts], (selected, " and ".join(texts)))
        owners.setdefault(known[texts], []).append(kind)
    return [
        AffinityGroup(keys, np.array(owners[keys, content], dtype=np.int64), *about[keys, content])
        for keys, content in owners
    ]


def all_selected(required: Sequence[AffinityTerm], index: LabelIndex) -> Kinds:
    """Ascending positions of what all the terms select."""
    selected = required[0].selected(index)
    for term in required[1:]:
        selected = np.intersect1d(selected, term.selected(index), assume_unique=True)
    return selected
