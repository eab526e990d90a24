"""InterPodAffinity over many nodes at once.

The same numbers as ``model/rules/inter_pod_affinity``, kept up to date from the log.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from ...model.affinity_terms import AffinityTerm, PodTerms
from ...model.api import Pod
from ...model.profile import Profile
from .grid import Grid
from .roster import Indices, Roster

Mask = NDArray[np.bool_]
Amounts = NDArray[np.int64]


class Terms:
    """The terms that existing pods hold, and how often each class of pods holds them.

    Parameters
    ----------
    roster : Roster
        May grow; `catch_up` takes note of new classes.
    """

    def __init__(self, grid: Grid, roster: Roster) -> None:
        self._known = grid.cluster.affinity_terms
        self._roster = roster
        self._seen = 0
        self._held: dict[tuple[str, str], tuple[AffinityTerm, dict[int, int]]] = {}

    def catch_up(self) -> None:
        """Read the terms of classes that are new."""
        for number in range(self._seen, len(self._roster)):
            terms = self.of(self._roster.pods[number])
            self._hold("hostile", number, ((1, term) for term in terms.anti_affinity))
            self._hold("required", number, ((1, term) for term in terms.affinity))
            self._hold("preferred", number, terms.preferred_affinity)
            self._hold("preferred", number, ((-w, term) for w, term in terms.preferred_anti_affinity))
        self._seen = len(self._roster)

    def of(self, pod: Pod) -> PodTerms:
        """The pod's own terms."""
        return self._known.of(pod)

    def _hold(self, what: str, number: int, terms: Iterable[tuple[int, AffinityTerm]]) -> None:
        for weight, term in terms:
            holders = self._held.setdefault((what, term.text), (term, {}))[1]
            holders[number] = holders.get(number, 0) + weight

    def about(self, what: str, pod: Pod) -> list[tuple[str, Mapping[int, int]]]:
        """Topology key and weight by class, of the terms that select `pod` as a newcomer."""
        return [
            (term.topology_key, holders)
            for (kind, _), (term, holders) in self._held.items()
            if kind == what and term.selects_newcomer(pod, self._known.namespaces)
        ]


class _Tally:
    """Something about pods, summed by domain of one topology key."""

    def __init__(self, domain: Indices, classes: int) -> None:
        self.domain = domain
        self.by_class = np.zeros(classes, dtype=np.int64)
        self._by_domain = np.zeros(int(domain.max(initial=-1)) + 2, dtype=np.int64)

    def update(self, nodes: Indices, classes: Indices, signs: Indices) -> None:
        amounts = self.by_class[classes] * signs
        # Nodes without the key add to the last entry, which `at_nodes` never shows.
        np.add.at(self._by_domain, self.domain[nodes], amounts)
        self._by_domain[-1] = 0

    def at_nodes(self) -> Amounts:
        """Shape (nodes,): the sum in each node's domain, 0 without one."""
        return self._by_domain[self.domain]

    @property
    def matters(self) -> bool:
        return bool(self.by_class.any())

    @property
    def nowhere(self) -> bool:
        return not self._by_domain.any()


class Company:
    """What one class of pods has to do with all others."""

    def __init__(self, grid: Grid, profile: Profile, pod: Pod, terms: Terms, roster: Roster) -> None:
        self._grid = grid
        self._own = terms.of(pod)
        self._classes = len(roster)
        self._filters = "InterPodAffinity" in profile.filters
        self.weight = profile.scores.get("InterPodAffinity", 0)
        self._alone = all(term.selects(pod) for term in self._own.affinity)
        self._wanted: dict[str, _Tally] = {}
        self._repelled: dict[str, _Tally] = {}
        self._preferred: dict[str, _Tally] = {}
        if self._filters:
            self._filter_tallies(pod, terms, roster)
        if self.weight and not (profile.ignore_preferred_terms_of_existing_pods and not self._own.prefers):
            self._score_tallies(profile, pod, terms, roster)
        self._tallies = [
            tally
            for tallies in (self._wanted, self._repelled, self._preferred)
            for tally in tallies.values()
            if tally.matters
        ]
        self._objecting = [tally for tally in self._repelled.values() if tally.matters]

    @property
    def classes(self) -> int:
        """How many classes of pods were known when this was made."""
        return self._classes

    def _filter_tallies(self, pod: Pod, terms: Terms, roster: Roster) -> None:
        own = self._own
        if own.affinity:
            wanted = [all(term.selects(other) for term in own.affinity) for other in roster.pods]
            for term in own.affinity:
                self._tally(self._wanted, term.topology_key).by_class += wanted
        for term in own.anti_affinity:
            self._select(self._repelled, term, 1, roster)
        for key, holders in terms.about("hostile", pod):
            self._count(self._repelled, key, holders, 1)

    def _score_tallies(self, profile: Profile, pod: Pod, terms: Terms, roster: Roster) -> None:
        for weight, term in self._own.preferred_affinity:
            self._select(self._preferred, term, weight, roster)
        for weight, term in self._own.preferred_anti_affinity:
            self._select(self._preferred, term, -weight, roster)
        for key, holders in terms.about("preferred", pod):
            self._count(self._preferred, key, holders, 1)
        if profile.hard_pod_affinity_weight > 0:
            for key, holders in terms.about("required", pod):
                self._count(self._preferred, key, holders, profile.hard_pod_affinity_weight)

    def _tally(self, tallies: dict[str, _Tally], key: str) -> _Tally:
        found = tallies.get(key)
        if found is None:
            found = tallies[key] = _Tally(self._grid.domains(key), self._classes)
        return found

    def _select(self, tallies: dict[str, _Tally], term: AffinityTerm, weight: int, roster: Roster) -> None:
        selected = np.array([term.selects(other) for other in roster.pods], dtype=bool)
        if selected.any():
            self._tally(tallies, term.topology_key).by_class += weight * selected

    def _count(self, tallies: dict[str, _Tally], key: str, holders: Mapping[int, int], weight: int) -> None:
        tally = self._tally(tallies, key)
        for number, held in holders.items():
            tally.by_class[number] += weight * held

    def __bool__(self) -> bool:
        return bool(self._tallies or self._own.affinity)

    def update(self, nodes: Indices, classes: Indices, signs: Indices) -> None:
        """Take note of pods that came and went."""
        for tally in self._tallies:
            tally.update(nodes, classes, signs)

    def admits(self) -> Mask | None:
        """Shape (nodes,): where no required term objects; None when there is none."""
        found: Mask | None = None
        if self._filters and self._own.affinity:
            found = self._accompanied()
        for tally in self._objecting:
            free = tally.at_nodes() == 0
            found = free if found is None else found & free
        return found

    def _accompanied(self) -> Mask:
        found = np.ones(len(self._grid.names), dtype=bool)
        for tally in self._wanted.values():
            found &= tally.domain >= 0
        if self._alone and all(tally.nowhere for tally in self._wanted.values()):
            # The first pod of a group that wants its own kind would otherwise wait for ever.
            return found
        for tally in self._wanted.values():
            found &= tally.at_nodes() > 0
        return found

    def scores(self, feasible: Mask) -> Amounts | None:
        """Shape (nodes,): normalized scores; None when all are equal."""
        raw: Amounts | None = None
        for tally in self._preferred.values():
            if tally.matters:
                raw = tally.at_nodes() if raw is None else raw + tally.at_nodes()
        if raw is None:
            return None
        values = raw[feasible]
        least, most = int(values.min()), int(values.max())
        if most == least:
            return None
        return (100.0 * ((raw - least) / (most - least))).astype(np.int64)
