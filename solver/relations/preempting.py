"""Question ``preempt``: running pods of lower priority may give way, within the rules of preemption.

A pod is evicted from a node only if a pod of higher priority, whose
``preemptionPolicy`` is not Never, is newly placed there. A victim with a
controller is created again and may be placed anywhere; another one is gone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...model.api import Pod
from ...model.movable import recreated
from ...model.unmodelled import unmodelled_filters
from ..cpsat.cp import Expr, total, when
from ..cpsat.scope import Scope
from ..problem import Problem

Ints = NDArray[np.int64]


def returns(problem: Problem, pod: Pod) -> bool:
    """Whether the pod can have another node when it is evicted: it is created again, and ours to place."""
    ours = problem.configuration.profile(pod.spec.scheduler_name) is not None and not unmodelled_filters(pod)
    return ours and recreated(pod, problem.cluster)


def constrain_victims(scope: Scope, open_nodes: NDArray[np.bool_]) -> None:
    """Evictions only where a preemptor arrives; pods without a controller stay or go.

    Parameters
    ----------
    scope : Scope
    open_nodes : array of bool, shape (classes, nodes)
        Where pods may arrive; elsewhere they can only stay.
    """
    problem = scope.problem
    for c, n in zip(*np.nonzero(problem.origin[:, list(scope.nodes)]), strict=True):
        node = scope.nodes[int(n)]
        origin = int(problem.origin[c, node])
        if scope.free(int(c), node):
            evicted = scope.auxiliary(0, 1, f"evicted{c}_{node}", int(scope.counts[c, node] < origin))
            scope.model.add(scope.count(int(c), node) >= origin - origin * evicted)
            scope.model.add(total(_arrivals(scope, int(c), node)) >= evicted)
            if not open_nodes[c, node]:
                scope.model.add(scope.count(int(c), node) <= origin)
    for c in np.flatnonzero(problem.origin.any(axis=1)).tolist():
        pod = problem.classes[c].pod
        if pod.node_name and not returns(problem, pod):
            for n in scope.nodes_of(c):
                scope.model.add(scope.count(c, n) <= int(problem.origin[c, n]))


def _arrivals(scope: Scope, victim: int, n: int) -> list[Expr]:
    """Per class that may preempt `victim`: at least 1 only if it has a new pod on node `n`."""
    problem = scope.problem
    found: list[Expr] = []
    for c in scope.classes_at(n):
        pod = problem.classes[c].pod
        if pod.priority <= problem.classes[victim].tier or pod.spec.preemption_policy == "Never":
            continue
        origin = int(problem.origin[c, n])
        if not origin:
            found.append(scope.count(c, n))
            continue
        arrives = scope.auxiliary(0, 1, f"arrives{c}_{n}", int(scope.counts[c, n] > origin))
        when(arrives, scope.model.add(scope.count(c, n) >= origin + 1))
        found.append(arrives)
    return found


def legal(problem: Problem, counts: Ints) -> bool:
    """Whether every eviction of a placement has a preemptor on its node."""
    for c, n in zip(*np.nonzero(counts < problem.origin), strict=True):
        tier = problem.classes[int(c)].tier
        arrived = np.flatnonzero(counts[:, n] > problem.origin[:, n]).tolist()
        pods = [problem.classes[d].pod for d in arrived]
        if not any(pod.priority > tier and pod.spec.preemption_policy != "Never" for pod in pods):
            return False
    return True
