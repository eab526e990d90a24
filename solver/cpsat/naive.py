"""The published model, for comparison: a boolean per pod and node.

Per priority, highest first, CP-SAT places as many pods as possible and then moves as few running
ones as possible. A part of the time is shared out equally among the priorities, the rest is for
whichever needs it first, and each priority's share is halved between its two stages.

Source: H. D. Christensen, S. Giallorenzo, J. Mauro, https://arxiv.org/abs/2511.08373
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from ortools.sat.python import cp_model

from ..problem import Problem
from .cp import Expr, total, weighted

Ints = NDArray[np.int64]
_SHARED = 0.6
"""Part of the time that is shared out equally."""


@dataclass(frozen=True, slots=True)
class Naive:
    """What the model gave.

    Parameters
    ----------
    counts : array of int, shape (classes, nodes), or None
        None when it gave nothing in time.
    optimal : bool
        Whether every stage was proven.
    """

    counts: Ints | None
    optimal: bool


def naive(problem: Problem, seconds: float, *, seed: int = 0, workers: int = 0) -> Naive:
    """Solve with a boolean per pod and node; what nodes can hold counts, and where static rules let pods be.

    Parameters
    ----------
    problem : Problem
        With the origins of running pods.
    seconds : float
        Wall time, model building included.
    seed, workers : int
        As for CP-SAT.
    """
    deadline = time.monotonic() + seconds
    model = _Model(problem)
    return model.solve(deadline, seed, workers)


class _Model:
    """Pods one by one: ``place[pod][node]``."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._class_of = np.repeat(np.arange(len(problem.classes)), problem.count).tolist()
        self._model = cp_model.CpModel()
        nodes = range(len(problem.nodes))
        open_to = ((problem.fit > 0) & problem.static_mask).tolist()
        self._place = [
            [self._model.new_bool_var("") if open_to[c][n] else None for n in nodes] for c in self._class_of
        ]
        self._home = [home for c in range(len(problem.classes)) for home in self._homes(c)]
        for row in self._place:
            self._model.add(total(_known(row)) <= 1)
        for n in nodes:
            self._limit(n)

    def _homes(self, c: int) -> list[int]:
        """The node of each pod of a class; -1 for pending ones, which come last."""
        running = np.repeat(np.arange(len(self._problem.nodes)), self._problem.origin[c]).tolist()
        return [*running, *([-1] * (int(self._problem.count[c]) - len(running)))]

    def _limit(self, n: int) -> None:
        here = [(c, row[n]) for c, row in zip(self._class_of, self._place, strict=True)]
        pods = [(c, variable) for c, variable in here if variable is not None]
        for r in range(len(self._problem.resources)):
            amounts = [int(self._problem.request[c, r]) for c, _ in pods]
            used = weighted([variable for _, variable in pods], amounts)
            self._model.add(used <= int(self._problem.capacity[n, r]))

    def solve(self, deadline: float, seed: int, workers: int) -> Naive:
        """Stage after stage until the deadline."""
        usable = max(0.0, deadline - time.monotonic())
        tiers = len(self._problem.tiers)
        fair, spare = _SHARED * usable / tiers, (1 - _SHARED) * usable
        counts, optimal = None, True
        self._hint(self._home)
        for tier in range(tiers):
            until = time.monotonic() + fair + spare
            for part, goal in ((0.5, self._placed(tier)), (1.0, self._stays(tier))):
                seconds = part * (min(until, deadline) - time.monotonic())
                found = self._stage(goal, seconds, seed, workers)
                if found is None:
                    return Naive(counts, optimal=False)
                counts, optimal = found[0], optimal and found[1]
            spare = max(0.0, until - time.monotonic())
        return Naive(counts, optimal)

    def _placed(self, tier: int) -> Expr:
        """Pods of the tier and of those above that are placed."""
        rows = [self._place[p] for p, c in enumerate(self._class_of) if self._problem.tier_of[c] <= tier]
        return total([variable for row in rows for variable in _known(row)])

    def _stays(self, tier: int) -> Expr:
        """Running pods of the tier and of those above that stay."""
        stays = [
            row[home]
            for c, row, home in zip(self._class_of, self._place, self._home, strict=True)
            if home >= 0 and self._problem.tier_of[c] <= tier
        ]
        return total(_known(stays))

    def _stage(self, goal: Expr, seconds: float, seed: int, workers: int) -> tuple[Ints, bool] | None:
        solver = cp_model.CpSolver()
        solver.parameters.max_time_in_seconds = max(0.001, seconds)
        solver.parameters.num_workers = workers
        solver.parameters.random_seed = seed
        self._model.maximize(goal)
        status = solver.solve(self._model)
        if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return None
        counts = np.zeros((len(self._problem.classes), len(self._problem.nodes)), dtype=np.int64)
        nodes: list[int] = []
        for c, row in zip(self._class_of, self._place, strict=True):
            here = [n for n, variable in enumerate(row) if variable is not None and solver.value(variable)]
            nodes.append(here[0] if here else -1)
            counts[c, here] += 1
        reached = round(solver.objective_value)
        self._model.add(goal >= reached)
        self._hint(nodes)
        return counts, status == cp_model.OPTIMAL

    def _hint(self, nodes: list[int]) -> None:
        self._model.clear_hints()
        for row, node in zip(self._place, nodes, strict=True):
            for n, variable in enumerate(row):
                if variable is not None:
                    self._model.add_hint(variable, int(n == node))


def _known(row: list[cp_model.IntVar | None]) -> list[Expr]:
    return [variable for variable in row if variable is not None]
