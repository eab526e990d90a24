"""A few nodes placed anew by CP-SAT, with everything else as it is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from ortools.sat.python import cp_model

from ...model.devices import DEVICE
from ..cpsat.cp import Expr, total, weighted
from .instance import DeviceInstance, Ints
from .packing import Packing

_PATTERNS = 3000
"""Device patterns per node above which a neighbourhood is left alone."""


def device_patterns(sizes: Sequence[int], available: Sequence[int], most: int) -> NDArray[np.int64] | None:
    """Every set of shares that fills one device until no other share fits.

    Parameters
    ----------
    sizes : sequence of int
        Distinct shares, largest first.
    available : sequence of int
        How many of each there are.
    most : int

    Returns
    -------
    array, shape (patterns, sizes), or None
        None when there are more than `most`.
    """
    found: list[list[int]] = []

    def extend(taken: list[int], room: int) -> bool:
        if len(taken) == len(sizes):
            fits = any(size <= room and k < n for size, k, n in zip(sizes, taken, available, strict=True))
            if not fits:
                found.append(taken)
            return len(found) <= most
        size, number = sizes[len(taken)], available[len(taken)]
        counts = range(min(number, room // size), -1, -1)
        return all(extend([*taken, count], room - count * size) for count in counts)

    return np.array(found, dtype=np.int64).reshape(len(found), len(sizes)) if extend([], DEVICE) else None


class Neighbourhood:
    """The pods of some nodes, and some that are left, on those nodes.

    Parameters
    ----------
    packing : Packing
    nodes : sequence of int
    extra : array, shape (classes,)
        Pods that are left and may be used.
    """

    def __init__(self, packing: Packing, nodes: Sequence[int], extra: Ints) -> None:
        self._instance: DeviceInstance = packing.instance
        self._groups: list[int] = packing.group_of[list(nodes)].tolist()
        self._counts = packing.counts[list(nodes)]
        self._available = self._counts.sum(axis=0) + extra
        self.whole = len(nodes) == len(packing.group_of) and bool((extra == packing.left).all())
        """Whether it is the whole problem."""
        # Any pod is worth less than the smallest amount of GPUs.
        self._worth = packing.instance.value * (int(packing.instance.count.sum()) + 1) + 1

    def solve(self, seconds: float, seed: int) -> tuple[Ints | None, bool]:
        """Place anew.

        Returns
        -------
        counts : array, shape (nodes, classes), or None
            At least as good as before; None when none were found.
        proven : bool
            Whether none are better.
        """
        shared = np.flatnonzero((self._available > 0) & (self._instance.share > 0))
        sizes = sorted(set(self._instance.share[shared].tolist()), reverse=True)
        numbers = [int(self._available[shared][self._instance.share[shared] == size].sum()) for size in sizes]
        patterns = device_patterns(sizes, numbers, _PATTERNS)
        if patterns is None:
            return None, False
        model = cp_model.CpModel()
        variables = self._variables(model)
        for position in range(len(self._groups)):
            self._constrain(model, position, variables, sizes, patterns)
        keys = list(variables)
        model.maximize(weighted([variables[key] for key in keys], [int(self._worth[c]) for _, c in keys]))
        return self._solved(model, variables, seconds, seed)

    def _variables(self, model: cp_model.CpModel) -> dict[tuple[int, int], cp_model.IntVar]:
        made: dict[tuple[int, int], cp_model.IntVar] = {}
        for c in np.flatnonzero(self._available).tolist():
            mine: list[Expr] = []
            for position, g in enumerate(self._groups):
                most = min(int(self._available[c]), int(self._instance.fit[c, g]))
                if most:
                    variable = made[position, c] = model.new_int_var(0, most, "")
                    model.add_hint(variable, int(self._counts[position, c]))
                    mine.append(variable)
            model.add(total(mine) <= int(self._available[c]))
        return made

    def _constrain(
        self,
        model: cp_model.CpModel,
        position: int,
        variables: dict[tuple[int, int], cp_model.IntVar],
        sizes: Sequence[int],
        patterns: NDArray[np.int64],
    ) -> None:
        instance, g = self._instance, self._groups[position]
        here = [(c, variable) for (where, c), variable in variables.items() if where == position]
        counts: list[Expr] = [variable for _, variable in here]
        for r in range(instance.room.shape[1]):
            used = weighted(counts, [int(instance.need[c, r]) for c, _ in here])
            model.add(used <= int(instance.room[g, r]))
        devices = int(instance.devices[g])
        times: list[Expr] = [model.new_int_var(0, devices, "") for _ in range(len(patterns))]
        whole = weighted(counts, [int(instance.whole[c]) for c, _ in here])
        model.add(total([*times, whole]) <= devices)
        for column, size in enumerate(sizes):
            wanting = total([variable for c, variable in here if instance.share[c] == size])
            model.add(wanting <= weighted(times, patterns[:, column].tolist()))

    def _solved(
        self,
        model: cp_model.CpModel,
        variables: dict[tuple[int, int], cp_model.IntVar],
        seconds: float,
        seed: int,
    ) -> tuple[Ints | None, bool]:
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.random_seed = seed
        solver.parameters.max_time_in_seconds = seconds
        status = solver.solve(model)
        if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return None, False
        counts = np.zeros_like(self._counts)
        for (position, c), variable in variables.items():
            counts[position, c] = solver.value(variable)
        worse = (counts @ self._worth).sum() < (self._counts @ self._worth).sum()
        return None if worse else counts, status == cp_model.OPTIMAL
