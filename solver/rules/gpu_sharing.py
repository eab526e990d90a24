"""GpuSharing: which device each share is on, as counts per size and device."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from ortools.sat.python import cp_model

from ...model.devices import DEVICE, GPU_MILLI, Demand, demand, device_count
from ...model.resources import pod_requests
from ..cpsat.cp import Expr, total, weighted, when
from ..cpsat.scope import Scope
from ..problem import Problem, allocatable_array
from ..relations.coupling import Coupling
from .base import Encoder


class GpuSharing(Encoder):
    """Shares fit on single devices, beside whole devices that others have."""

    name = "GpuSharing"

    def applies_to(self, problem: Problem) -> bool:
        """Whether any free pod whose profile runs the filter asks for GPUs."""
        return bool(_held(problem).any())

    def restrict(self, problem: Problem, eligible: NDArray[np.bool_]) -> None:
        """Clear classes that ask for a part of a device beside whole ones."""
        odd = [demand(milli) is None for milli in _milli(problem).tolist()]
        eligible[_held(problem) & np.array(odd, dtype=bool)] = False

    def couple(self, problem: Problem, coupling: Coupling) -> None:
        """Pods with GPUs stay: whether one more fits depends on all shares of the node."""
        coupling.frozen |= _milli(problem) > 0

    def constrain(self, scope: Scope) -> None:
        """Where a pod with GPUs arrives, the shares of the node's pods are put on its devices."""
        problem = scope.problem
        held = _held(problem)
        devices = _devices(problem)
        for n in scope.nodes:
            arriving = [c for c in scope.classes_at(n) if held[c]]
            if arriving:
                some = scope.model.new_bool_var(f"gpu{n}")
                for c in arriving:
                    stood = int(problem.standing[c, n])
                    scope.model.add(scope.count(c, n) <= stood + scope.upper(c, n) * some)
                _on_devices(scope, n, devices[n], some)


def _milli(problem: Problem) -> NDArray[np.int64]:
    """Shape (classes,): milli-GPUs that a pod asks for."""
    if GPU_MILLI not in problem.resources:
        return np.zeros(len(problem.classes), dtype=np.int64)
    return problem.demand[:, problem.resources.index(GPU_MILLI)]


def _held(problem: Problem) -> NDArray[np.bool_]:
    """Shape (classes,): pods with GPUs whose profile runs the filter."""
    filtered = [GpuSharing.name in cls.profile.filters for cls in problem.classes]
    return (_milli(problem) > 0) & np.array(filtered, dtype=bool)


def _devices(problem: Problem) -> list[int]:
    amounts = allocatable_array(problem.nodes, (GPU_MILLI,))[:, 0].tolist()
    return [device_count(amount) for amount in amounts]


def _asks(milli: int) -> Demand:
    """What a pod takes that may be there already; a part beside whole devices takes one of its own."""
    return demand(milli) or Demand(0, device_count(milli) + 1)


def _on_devices(scope: Scope, n: int, devices: int, some: cp_model.IntVar) -> None:
    """Where `some` holds, give each size of share counts per device that no device exceeds."""
    model = scope.model
    shares, whole, most = _demands(scope, n)
    shared = range(min(devices, most))
    opened = [model.new_bool_var(f"open{n}_{d}") for d in shared]
    when(some, model.add(total([whole, *opened]) <= devices))
    loads: list[list[Expr]] = [[] for _ in shared]
    for size, wanted in shares.items():
        here: list[Expr] = [model.new_int_var(0, DEVICE // size, f"share{n}_{d}_{size}") for d in shared]
        when(some, model.add(total(here) == wanted))
        model.add(total(here) <= DEVICE // size * len(here) * some)
        for load, count in zip(loads, here, strict=True):
            load.append(count)
    used = [weighted(load, list(shares)) for load in loads]
    for load, open_, amount in zip(loads, opened, used, strict=True):
        model.add(amount <= DEVICE * open_)
        model.add(total(load) >= open_)
    # Devices are alike: the fuller one comes first.
    for fuller, emptier in pairwise(used):
        model.add(fuller >= emptier)


def _demands(scope: Scope, n: int) -> tuple[dict[int, Expr], Expr, int]:
    """(how many shares of each size, whole devices, largest number of shares) of the pods of a node."""
    problem = scope.problem
    milli = _milli(problem)
    kinds = problem.pinned.kinds
    here: list[int] = problem.pinned.kind[problem.pinned.node == n].tolist()
    fixed = Counter(pod_requests(kinds[kind]).get(GPU_MILLI, 0) for kind in here)
    classes: list[int] = np.flatnonzero(milli).tolist()
    counts = [(int(milli[c]), scope.count(c, n), scope.upper(c, n)) for c in classes]
    whole: list[Expr] = []
    sizes: dict[int, list[Expr]] = {}
    most = 0
    for amount, count, upper in (*((amount, k, k) for amount, k in fixed.items()), *counts):
        asked = _asks(amount)
        whole.append(asked.whole * count)
        if asked.share:
            sizes.setdefault(asked.share, []).append(count)
            most += upper
    return {size: total(numbers) for size, numbers in sizes.items()}, total(whole), most
