"""A problem with everything its rules say about it, computed once and shared by all components."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..model.api import Pod, PodDisruptionBudget
from ..model.labels import empty, selects
from ..model.movable import disruption_cost
from .cuts import Cut
from .nodecost import objective, term_value
from .problem import Problem
from .relations.company import Company
from .relations.coupling import Coupling
from .relations.gates import Gate, gates_of
from .relations.separation import separations
from .relations.skew import hard_skews
from .rules import ENCODERS
from .rules.base import Encoder
from .terms import Relational, Term, coefficients

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Instance:
    """A problem, the rules that apply, and what they make of it.

    Parameters
    ----------
    problem : Problem
    cuts : list of Cut
        Placements that were found to have no order; the search leaves them out.
    """

    problem: Problem
    cuts: list[Cut] = field(default_factory=list[Cut])

    @cached_property
    def encoders(self) -> tuple[Encoder, ...]:
        """The rules that apply, in kube-scheduler's order."""
        return tuple(encoder for encoder in ENCODERS if encoder.applies_to(self.problem))

    @cached_property
    def eligible(self) -> Mask:
        """Shape (classes, nodes): where a pod may be as far as pinned pods and static facts tell.

        With the question ``preempt`` running pods may stay even where they could not arrive.
        """
        if self.problem.question == "preempt":
            return self.open | (self.problem.origin > 0)
        return self.open

    @cached_property
    def open(self) -> Mask:
        """Shape (classes, nodes): where a pod may arrive as far as pinned pods and static facts tell."""
        eligible = np.ones((len(self.problem.classes), len(self.problem.nodes)), dtype=bool)
        for encoder in self.encoders:
            encoder.restrict(self.problem, eligible)
        return eligible

    @cached_property
    def coupling(self) -> Coupling:
        """What moves of single pods must respect."""
        coupling = Coupling(self.problem, self.eligible)
        for encoder in self.encoders:
            encoder.couple(self.problem, coupling)
        return coupling

    @cached_property
    def loose(self) -> Mask:
        """Shape (classes,): classes that no rule relates to pods on other nodes."""
        keyed = np.array([bool(keys) for keys in self.coupling.keys], dtype=bool)
        return ~(self.coupling.frozen | keyed)

    @cached_property
    def terms(self) -> tuple[tuple[Term, int], ...]:
        """The objective's terms with their coefficients."""
        found = [encoder.term(self.problem) for encoder in self.encoders]
        terms = [term for term in found if term is not None and term.worst > 0]
        factors = coefficients(tuple((term.weight, term.worst) for term in terms))
        return tuple(zip(terms, factors, strict=True))

    @cached_property
    def gates(self) -> tuple[Gate, ...]:
        """What a construction must ask before it places a pod."""
        problem = self.problem
        skews = [hard.skew for hard in problem.once(hard_skews)]
        return gates_of(skews, problem.once(separations), problem.once(Company))

    @cached_property
    def ordered(self) -> Ints:
        """Classes that some gate concerns: only for these the order of arrival matters."""
        concerned = [gate.concerned for gate in self.gates]
        return np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *concerned]))

    @cached_property
    def cells(self) -> Ints:
        """Shape (nodes,): equal numbers for nodes that no gate can tell apart."""
        nothing = np.zeros(len(self.problem.nodes), dtype=np.int64)
        columns = np.stack([nothing, *(gate.partition.of_node for gate in self.gates)], axis=1)
        return np.unique(columns, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)

    def gates_of(self, c: int) -> list[Gate]:
        """The gates that class `c` must ask."""
        return [gate for gate in self.gates if c in gate.classes]

    def holds_for(self, c: int, counts: Ints) -> bool:
        """Whether a placement keeps every gate whose constraint class `c` can break."""
        return all(gate.holds(counts) for gate in self.gates if c in gate.concerned)

    @cached_property
    def related(self) -> Ints:
        """Classes that a relational rule or term concerns and that reinsertion may touch."""
        hard = [gate.concerned for gate in self.gates]
        soft = np.flatnonzero(self.sharing >= 0)
        return np.setdiff1d(np.unique(np.concatenate([*hard, soft])), np.flatnonzero(self.coupling.frozen))

    @cached_property
    def sharing(self) -> Ints:
        """Shape (classes,): equal numbers for classes that a relational term relates, -1 for the others."""
        pairs = [
            part.related for term, _ in self.terms for part in term.parts if isinstance(part, Relational)
        ]
        return grouped(len(self.problem.classes), [group for part in pairs for group in part])

    @cached_property
    def relational(self) -> bool:
        """Whether counts of different nodes depend on each other through a hard rule."""
        return bool(any(self.coupling.keys) or self.coupling.frozen.any())

    @cached_property
    def budgets(self) -> tuple[tuple[Ints, int], ...]:
        """Running classes that a PodDisruptionBudget covers, and how many of their pods it lets go."""
        problem = self.problem
        running = np.flatnonzero(problem.origin.any(axis=1)).tolist()
        found: list[tuple[Ints, int]] = []
        for budget in problem.cluster.pod_disruption_budgets if running else ():
            covered = [c for c in running if _covers(budget, problem.classes[c].pod)]
            if covered:
                allowed = budget.status.disruptions_allowed if budget.status else 0
                found.append((np.array(covered, dtype=np.int64), allowed))
        return tuple(found)

    @cached_property
    def disruption(self) -> Mapping[tuple[int, int], Ints]:
        """By class and node the disruption costs of the running pods, lowest first."""
        problem, found = self.problem, dict[tuple[int, int], list[int]]()
        for cls in problem.classes:
            for pod in (problem.free[position] for position in cls.members):
                node = problem.cluster.node_index.get(pod.node_name or "", -1)
                if node >= 0:
                    found.setdefault((cls.index, node), []).append(disruption_cost(pod))
        return {place: np.sort(np.array(costs, dtype=np.int64)) for place, costs in found.items()}

    @cached_property
    def used_anyway(self) -> Mask:
        """Shape (nodes,): nodes that a lasting pinned pod keeps in use (no DaemonSet or mirror pod)."""
        pinned = self.problem.pinned
        lasting = np.array(
            [not (pod.of_daemon_set or pod.mirror or pod.terminating) for pod in pinned.kinds], dtype=bool
        )
        return pinned.counts(lasting, len(self.problem.nodes)) > 0

    def cost(self, counts: Ints) -> int:
        """The exact weighted sum of the terms."""
        return objective(self.problem, self.terms, counts)

    def costs(self, counts: Ints) -> dict[str, int]:
        """The exact cost of each term."""
        return {term.name: term_value(self.problem, term, counts) for term, _ in self.terms}

    def placed(self, counts: Ints) -> tuple[int, ...]:
        """Pods placed per tier, highest priority first."""
        placed = counts.sum(axis=1)
        return tuple(int(placed[self.problem.tier_of == t].sum()) for t in range(len(self.problem.tiers)))


def _covers(budget: PodDisruptionBudget, pod: Pod) -> bool:
    same = budget.metadata.namespace == pod.namespace
    return same and not empty(budget.spec.selector) and selects(budget.spec.selector, pod.labels)


def grouped(size: int, groups: list[Ints]) -> Ints:
    """Shape (size,): a number per connected set of members of `groups`, -1 for members of none."""
    label = np.full(size, -1, dtype=np.int64)
    for number, group in enumerate(groups):
        for other in np.unique(label[group][label[group] >= 0]).tolist():
            label[label == other] = number
        label[group] = number
    return label
