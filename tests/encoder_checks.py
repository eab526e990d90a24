"""Hold an encoder against the checker's rule, over every placement of a small cluster.

Placements are counts per class and node, compared as bytes.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations_with_replacement, product

import highspy
import numpy as np
from kubestow.model.api import Pod
from kubestow.model.cluster import Cluster
from kubestow.model.final import FinalState
from kubestow.model.profile import Profile, SchedulerConfiguration
from kubestow.model.reasons import Violation
from kubestow.model.rules import RULE_BY_NAME
from kubestow.model.rules.base import Rule
from kubestow.model.verify import as_read, verify, violations
from kubestow.solver.assign import placement_of
from kubestow.solver.bounds.relaxation import Relaxation
from kubestow.solver.build import build_problem
from kubestow.solver.cpsat.cp import total
from kubestow.solver.cpsat.scope import Scope
from kubestow.solver.nodecost import term_value
from kubestow.solver.problem import Problem
from kubestow.solver.relations.coupling import Coupling
from kubestow.solver.rules.base import Encoder
from kubestow.solver.terms import Relational, Term
from numpy.typing import NDArray
from ortools.sat.python import cp_model

Ints = NDArray[np.int64]
Key = bytes


@dataclass(frozen=True, eq=False)
class Case:
    """A small cluster, the pods that are free in it, and one rule on both sides.

    Parameters
    ----------
    cluster : Cluster
        After admission; pods whose names start with ``p`` are free.
    encoder : Encoder
    """

    cluster: Cluster
    encoder: Encoder
    configuration: SchedulerConfiguration = field(default_factory=SchedulerConfiguration)

    @cached_property
    def free(self) -> frozenset[str]:
        return frozenset(pod.key for pod in self.cluster.pods if pod.name.startswith("p"))

    @cached_property
    def problem(self) -> Problem:
        return build_problem(self.cluster, self.configuration, self.free, question=self.question)

    @property
    def question(self) -> str:
        return "preempt" if self.running else "scratch"

    @property
    def running(self) -> bool:
        """Whether free pods run: these may stay whatever the rule says of arrivals."""
        return any(self.cluster.pod_by_key[key].node_name for key in self.free)

    @property
    def rule(self) -> Rule:
        return RULE_BY_NAME[self.encoder.name]

    @property
    def applies(self) -> bool:
        return self.encoder.applies_to(self.problem)

    @cached_property
    def nothing(self) -> Ints:
        return np.zeros((len(self.problem.classes), len(self.problem.nodes)), dtype=np.int64)

    @cached_property
    def eligible(self) -> NDArray[np.bool_]:
        return self.open | (self.problem.standing > 0)

    @cached_property
    def open(self) -> NDArray[np.bool_]:
        eligible = np.ones(self.nothing.shape, dtype=bool)
        if self.applies:
            self.encoder.restrict(self.problem, eligible)
        return eligible

    @cached_property
    def coupling(self) -> Coupling:
        coupling = Coupling(self.problem, self.eligible)
        if self.applies:
            self.encoder.couple(self.problem, coupling)
        return coupling

    def counts(self, key: Key) -> Ints:
        return np.frombuffer(key, dtype=np.int64).reshape(self.nothing.shape)

    def final(self, counts: Ints) -> FinalState:
        """The placement that gives each class's members to its nodes; who runs stays if it can."""
        anew = frozenset[str]() if self.running else self.free
        return FinalState(self.cluster, placement_of(self.problem, counts), anew, self.configuration)

    @cached_property
    def every(self) -> list[Ints]:
        """All placements."""
        size = len(self.problem.nodes)
        rows = [
            [np.bincount(places, minlength=size + 1)[:size] for places in _places(size, cls.count)]
            for cls in self.problem.classes
        ]
        return [np.array(chosen, dtype=np.int64).reshape(-1, size) for chosen in product(*rows)]

    @cached_property
    def before(self) -> list[Violation]:
        return violations(as_read(self.final(self.nothing)), rules=(self.rule,))

    @cached_property
    def accepted(self) -> set[Key]:
        """What the checker has nothing against."""
        return {counts.tobytes() for counts in self.every if not self._broken(counts)}

    def _broken(self, counts: Ints) -> bool:
        found = verify(self.final(counts), before=self.before, rules=(self.rule,)).broken
        return any(violation.rule == self.rule.name for violation in found)

    def scope(self, nodes: Sequence[int], counts: Ints) -> Scope:
        """A scope with the constraints of the encoder alone."""
        scope = Scope(self.problem, self.eligible, tuple(nodes), counts)
        if self.applies:
            self.encoder.constrain(scope)
        for c, n in np.argwhere(~self.open & (self.problem.standing > 0)).tolist():
            scope.model.add(scope.count(c, n) <= int(self.problem.standing[c, n]))
        return scope

    @cached_property
    def admitted(self) -> set[Key]:
        """What the encoder allows."""
        return solutions(self.scope(range(len(self.problem.nodes)), self.nothing))


_HALF = Profile("half", filters=("NodeName",))
LAX = SchedulerConfiguration((Profile(), _HALF, replace(_HALF, scheduler_name="lax", pre_filters=())))
"""Further profiles, which run no filter that the rules under test are about; ``half`` their PreFilters."""


def with_lax_pods(case: Case, seed: int) -> Case:
    """The case with some pods under the profile ``lax`` or ``half``."""
    draw = random.Random(seed)
    share = draw.choice([0.3, 0.6, 1.0])
    pods = tuple(
        _under(draw.choice(["lax", "half"]), pod) if draw.random() < share else pod
        for pod in case.cluster.pods
    )
    return replace(case, cluster=case.cluster.with_changes(pods=pods), configuration=LAX)


def _under(profile: str, pod: Pod) -> Pod:
    return pod.model_copy(update={"spec": pod.spec.model_copy(update={"scheduler_name": profile})})


def with_running_pods(case: Case, seed: int) -> Case:
    """The case with some of its free pods on nodes, wherever that is."""
    draw = random.Random(seed)
    names = [node.name for node in case.cluster.nodes]
    pods = tuple(
        pod.model_copy(update={"node_name": draw.choice(names)})
        if pod.key in case.free and draw.random() < 0.6
        else pod
        for pod in case.cluster.pods
    )
    return replace(case, cluster=case.cluster.with_changes(pods=pods))


def _places(size: int, pods: int) -> list[list[int]]:
    return [list(places) for places in combinations_with_replacement(range(size + 1), pods)]


class _Collector(cp_model.CpSolverSolutionCallback):
    def __init__(self, scope: Scope) -> None:
        super().__init__()
        self._scope = scope
        self.found: set[Key] = set()

    def on_solution_callback(self) -> None:
        self.found.add(self._scope.read(self).tobytes())


def solutions(scope: Scope) -> set[Key]:
    """The counts of all solutions."""
    solver = cp_model.CpSolver()
    solver.parameters.enumerate_all_solutions = True
    solver.parameters.num_workers = 1
    collector = _Collector(scope)
    assert solver.solve(scope.model, collector) in (cp_model.OPTIMAL, cp_model.INFEASIBLE)
    return collector.found


def check_bite(cases: Iterable[Case]) -> None:
    """The cases hold many placements that are accepted, and many that are not."""
    accepted = every = 0
    for case in cases:
        accepted += len(case.accepted)
        every += len(case.every)
    assert 0.1 * every < accepted < 0.9 * every


def check_sets(case: Case) -> None:
    """The encoder admits what the checker accepts, no more and no less."""
    for key in case.admitted ^ case.accepted:
        side = "encoder" if key in case.admitted else "checker"
        raise AssertionError(f"only the {side} has nothing against\n{case.counts(key)}")


def check_scopes(case: Case, seed: int) -> None:
    """A scope with everything else frozen admits the placements that differ within the scope alone."""
    draw = random.Random(seed)
    for key in draw.sample(sorted(case.admitted), min(3, len(case.admitted))):
        counts = case.counts(key)
        nodes = [n for n in range(counts.shape[1]) if draw.random() < 0.5]
        outside = np.setdiff1d(np.arange(counts.shape[1]), nodes)
        same = {
            other for other in case.admitted if (case.counts(other)[:, outside] == counts[:, outside]).all()
        }
        assert solutions(case.scope(nodes, counts)) == same


def check_standing(case: Case, seed: int) -> None:
    """The same where pods run: these may stay whatever the rule says, and arrivals must respect them."""
    case = with_running_pods(case, seed)
    check_sets(case)
    check_scopes(case, seed)
    check_relaxation(case, seed)


def check_moves(case: Case) -> None:
    """A single move that the coupling allows never leaves the admitted set."""
    for key in case.admitted:
        for moved in _moves(case, case.counts(key)):
            assert moved.tobytes() in case.admitted


def _moves(case: Case, counts: Ints) -> Iterator[Ints]:
    coupling = case.coupling
    for c, a in zip(*np.nonzero(counts), strict=True):
        domain = coupling.domain_of(int(c))
        for b in np.flatnonzero(case.eligible[c] & (domain == domain[a]) & ~coupling.frozen[c]):
            if a != b and not (coupling.conflict[c] & (counts[:, b] > 0)).any():
                moved = counts.copy()
                moved[c, a] -= 1
                moved[c, b] += 1
                yield moved


def check_relaxation(case: Case, seed: int) -> None:
    """The relaxation cuts off no admitted placement, and its objective is nowhere above the terms."""
    term = case.encoder.term(case.problem) if case.applies else None
    for key in random.Random(seed).sample(sorted(case.admitted), min(6, len(case.admitted))):
        counts = case.counts(key)
        relaxation = Relaxation(case.problem, case.eligible, [(term, 7)] if term else [], ())
        if case.applies:
            case.encoder.relax(relaxation)
        least = relaxed(relaxation, counts)
        assert least is not None, f"cut off:\n{counts}"
        assert least <= 7 * (term_value(case.problem, term, counts) if term else 0) + 1e-6


def relaxed(relaxation: Relaxation, counts: Ints) -> float | None:
    """The relaxed minimum for given counts; None when they are cut off."""
    wanted = np.zeros((relaxation.groups, len(counts)))
    np.add.at(wanted, relaxation.group_of, counts.T)
    lower, upper = np.array(relaxation._lower), np.array(relaxation._upper)
    known = relaxation.counts >= 0
    lower[relaxation.counts[known]] = upper[relaxation.counts[known]] = wanted.T[known]
    rows = np.array(relaxation._rows, dtype=float).reshape(-1, 2)
    of_row, columns, values = (np.array(part) for part in relaxation._entries)
    solver = highspy.Highs()
    solver.silent()
    for cost, least, most in zip(relaxation._cost, lower, upper, strict=True):
        solver.addCol(cost, least, most, 0, [], [])
    for number, (least, most) in enumerate(np.clip(rows, -highspy.kHighsInf, highspy.kHighsInf)):
        here = of_row == number
        solver.addRow(
            least, most, int(here.sum()), columns[here].astype(np.int32), values[here].astype(float)
        )
    solver.run()
    status = highspy.HighsModelStatus
    if solver.getModelStatus() not in (status.kOptimal, status.kModelEmpty):
        return None
    return solver.getInfo().objective_function_value + relaxation.constant


def check_term(case: Case, seed: int) -> None:
    """The term is the rule's cost; CP-SAT reaches its value; its prices are differences of values."""
    term = case.encoder.term(case.problem) if case.applies else None
    draw = random.Random(seed)
    for counts in draw.sample(case.every, min(12, len(case.every))):
        cost = case.rule.cost(case.final(counts), case.problem.profile)
        if term is None or cost is None:
            assert term is None
            assert cost is None
            return
        assert (term_value(case.problem, term, counts), term.worst) == (cost.cost, cost.worst)
        assert (term.name, term.weight) == (cost.name, cost.weight)
        if not (counts[~case.eligible] > 0).any():
            nodes = [n for n in range(counts.shape[1]) if draw.random() < 0.7]
            _check_parts(case, term, counts, nodes)


def _check_parts(case: Case, term: Term, counts: Ints, nodes: Sequence[int]) -> None:
    parts = [part for part in term.parts if isinstance(part, Relational)]
    for part in parts:
        _check_prices(part, counts)
    if parts:
        scope = Scope(case.problem, case.eligible, tuple(nodes), counts)
        scope.fix()
        scope.model.minimize(total([part.encode(scope) for part in parts]))
        scope.hint()
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        assert solver.solve(scope.model) == cp_model.OPTIMAL
        assert round(solver.objective_value) == sum(part.value(counts) for part in parts)


def _check_prices(part: Relational, counts: Ints) -> None:
    value, prices = part.value(counts), part.prices(counts)
    for c, n in np.ndindex(counts.shape):
        assert part.entering(c, counts)[n] == sum(p.enter[c, p.of_node[n]] for p in prices)
        for step, sides in ((1, [p.enter for p in prices]), (-1, [p.leave for p in prices])):
            changed = counts.copy()
            changed[c, n] += step
            change = sum(side[c, p.of_node[n]] for p, side in zip(prices, sides, strict=True))
            assert changed[c, n] < 0 or part.value(changed) - value == change
