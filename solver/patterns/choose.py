"""A placement put together from patterns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from ortools.sat.python import cp_model

from ..cpsat.cp import total, weighted
from ..instance import Instance
from ..result import Limits
from ..terms import Preference
from .domains import domains_of_groups
from .pricing import Pattern

Ints = NDArray[np.int64]
_WORK = 5.0
"""CP-SAT's deterministic time for a choice, where work is counted."""


def choose(
    instance: Instance,
    group_of: Ints,
    patterns: Sequence[Pattern],
    counts: Ints,
    limits: Limits,
    seconds: float,
    *,
    counted: bool = False,
) -> Ints | None:
    """The cheapest placement of whole patterns that keeps what `counts` keeps, or None when none is found.

    Every class keeps its number in each domain that a rule or a shared term looks at, so that
    the result is as feasible as `counts`, and costs as much in the terms that relate nodes.

    Parameters
    ----------
    instance : Instance
    group_of : array, shape (nodes,)
        Nodes with equal numbers are alike, see `Pattern.group`.
    patterns : sequence of Pattern
        Those of the nodes in `counts` among them.
    counts : array, shape (classes, nodes)
    limits : Limits
        For seed and workers.
    seconds : float
    counted : bool
        Whether work is counted, not timed.
    """
    domains = domains_of_groups(instance, group_of)
    if domains is None or instance.coupling.frozen.any():
        return None
    model = cp_model.CpModel()
    size = np.bincount(group_of)
    times = [
        model.new_int_var(0, int(size[pattern.group]), f"x{number}")
        for number, pattern in enumerate(patterns)
    ]
    for group in range(len(size)):
        mine = [x for x, pattern in zip(times, patterns, strict=True) if pattern.group == group]
        model.add(total(mine) == int(size[group]))
    for c, domain in enumerate(domains):
        wanted = np.bincount(domain[group_of], weights=counts[c]).astype(np.int64)
        for d, number in enumerate(wanted.tolist()):
            using = [
                i for i, pattern in enumerate(patterns) if pattern.pods[c] and domain[pattern.group] == d
            ]
            amounts = [int(patterns[i].pods[c]) for i in using]
            model.add(weighted([times[i] for i in using], amounts) == number)
    price = _prices(instance, group_of)
    costs = [pattern.cost + int(price[pattern.group] @ pattern.pods) for pattern in patterns]
    model.minimize(weighted(times, costs))
    for x, number in zip(times, _used(group_of, patterns, counts), strict=True):
        model.add_hint(x, number)
    solver = cp_model.CpSolver()
    solver.parameters.random_seed = limits.seed
    if counted:
        solver.parameters.num_workers = 1
        solver.parameters.max_deterministic_time = _WORK
    else:
        solver.parameters.num_workers = limits.workers
        solver.parameters.max_time_in_seconds = max(0.01, seconds)
    if solver.solve(model) not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return None
    return _placed(group_of, patterns, [solver.value(x) for x in times], len(counts))


def _used(group_of: Ints, patterns: Sequence[Pattern], counts: Ints) -> list[int]:
    """How often a placement uses each pattern."""
    positions = {(pattern.group, pattern.pods.tobytes()): i for i, pattern in enumerate(patterns)}
    used = [0] * len(patterns)
    for n, group in enumerate(group_of.tolist()):
        used[positions[group, counts[:, n].tobytes()]] += 1
    return used


def _prices(instance: Instance, group_of: Ints) -> Ints:
    """Shape (groups, classes): what a pod costs by its node alone; nodes of a group are alike in it."""
    first = np.unique(group_of, return_index=True)[1]
    price = np.zeros((len(first), len(instance.problem.classes)), dtype=np.int64)
    for term, coefficient in instance.terms:
        for part in term.parts:
            if isinstance(part, Preference):
                price += coefficient * (part.cost[:, first] - part.unplaced[:, None]).T
    return price


def _placed(group_of: Ints, patterns: Sequence[Pattern], times: Sequence[int], classes: int) -> Ints:
    """Hand the patterns out to the nodes."""
    counts = np.zeros((classes, len(group_of)), dtype=np.int64)
    nodes = {group: np.flatnonzero(group_of == group).tolist() for group in range(int(group_of.max()) + 1)}
    for pattern, number in zip(patterns, times, strict=True):
        for _ in range(number):
            counts[:, nodes[pattern.group].pop()] = pattern.pods
    return counts
