"""`share_gpus`: as many GPUs in use as possible, checked and with a bound."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ...model.cluster import Cluster
from ...model.devices import GPU_MILLI
from ...model.errors import BadInput, Disagreement
from ...model.final import FinalState
from ...model.final_devices import devices_of
from ...model.movable import free_pods
from ...model.profile import SchedulerConfiguration
from ...model.resources import pod_requests
from ...model.verify import verify
from ..assign import placement_of
from ..build import build_problem
from ..problem import Problem
from ..result import Limits, StageResult, Status
from .instance import Grouped, grouped
from .online import POLICIES, Online
from .packing import Packing
from .search import Progress, search

_MODELLED = frozenset(
    {"NodeUnschedulable", "TaintToleration", "NodeAffinity", "NodeResourcesFit", "GpuSharing", "Placement"}
)


@dataclass(frozen=True)
class SharedGpus:
    """A placement of pods that share GPUs.

    Parameters
    ----------
    status : Status
        OPTIMAL when both stages are proven.
    stages : tuple of StageResult
        ``milli-GPUs in use``, then ``pods placed``. The bound of the second holds for placements
        that are as good in the first.
    capacity : int
        Milli-GPUs of all nodes.
    placement : mapping of str to (str or None)
        Node of every pending pod (``namespace/name``); None where it stays unplaced.
    devices : mapping of str to tuple of int
        Devices of each placed pod with GPUs, numbered from 0 on its node.
    seconds : mapping of str to float
        Wall time by phase.
    """

    status: Status
    stages: tuple[StageResult, ...]
    capacity: int
    placement: Mapping[str, str | None]
    devices: Mapping[str, tuple[int, ...]]
    seconds: Mapping[str, float]

    @property
    def allocated(self) -> float:
        """Share of all GPUs that is in use, in per cent."""
        return 100.0 * self.stages[0].value / max(self.capacity, 1)

    @property
    def bound(self) -> float | None:
        """Upper bound on `allocated`, in per cent; None when none is known."""
        bound = self.stages[0].bound
        return None if bound is None else 100.0 * bound / max(self.capacity, 1)


def share_gpus(
    cluster: Cluster,
    configuration: SchedulerConfiguration,
    *,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> SharedGpus:
    """Place the pending pods of a cluster so that most milli-GPUs, and then most pods, are placed.

    Priorities and soft rules do not count. Running pods stay, and must not use GPUs.

    Parameters
    ----------
    cluster : Cluster
        After admission (`model.admission.admit`).
    configuration : SchedulerConfiguration
    limits : Limits, optional
        A deterministic one is not supported: the search is timed.
    progress : callable, optional
        Called after each phase with its name and the milli-GPUs placed so far.

    Returns
    -------
    SharedGpus
        Verified by the rules, independently of the solver.

    Raises
    ------
    BadInput
        When running pods use GPUs, when the result breaks a rule that this search does not model, or
        for a deterministic limit.
    Disagreement
        When the check finds what the search should have respected: a bug in kubestow.
    """
    started, limits = time.monotonic(), limits or Limits()
    if limits.deterministic is not None:
        raise BadInput("work is not counted when GPUs are shared; give a time limit")
    task = _Task.of(cluster, configuration)
    outcome = search(task.groups, limits, started, progress or _silent)
    return task.answer(outcome.packing, (outcome.milli_bound, outcome.pods_bound), outcome.seconds)


def share_gpus_online(
    cluster: Cluster, configuration: SchedulerConfiguration, policy: str, *, seed: int | None = None
) -> SharedGpus:
    """Place the pending pods one by one, by a published policy, for comparison.

    Parameters
    ----------
    cluster, configuration
        As for `share_gpus`.
    policy : str
        One of `online.POLICIES`.
    seed : int, optional
        Shuffles the arrivals; by default pods arrive in queue order.

    Returns
    -------
    SharedGpus
        Verified; its stages have no bounds.

    Raises
    ------
    BadInput
        As for `share_gpus`, and for an unknown policy.
    """
    if policy not in POLICIES:
        raise BadInput(f"policy {policy!r} is unknown; there are {', '.join(POLICIES)}")
    started = time.monotonic()
    task = _Task.of(cluster, configuration)
    arrivals = np.empty(len(task.problem.free), dtype=np.int64)
    for cls in task.problem.classes:
        arrivals[list(cls.members)] = cls.index
    if seed is not None:
        np.random.default_rng(seed).shuffle(arrivals)
    packing = Online(task.groups).run(arrivals.tolist(), POLICIES[policy])
    return task.answer(packing, (None, None), {"online": time.monotonic() - started})


@dataclass(frozen=True, eq=False)
class _Task:
    free: frozenset[str]
    problem: Problem
    groups: Grouped

    @classmethod
    def of(cls, cluster: Cluster, configuration: SchedulerConfiguration) -> _Task:
        free = free_pods(cluster, configuration).free
        problem = build_problem(cluster, configuration, free)
        for kind in problem.pinned.kinds:
            if pod_requests(kind).get(GPU_MILLI, 0):
                raise BadInput(
                    f"{kind.key} runs with {GPU_MILLI}; only pods on idle devices can be placed",
                    object=kind.key,
                )
        return cls(free, problem, grouped(problem))

    def answer(
        self, packing: Packing, bounds: tuple[int | None, int | None], seconds: Mapping[str, float]
    ) -> SharedGpus:
        """The placement, once it has been checked."""
        problem, capacity = self.problem, self.groups.instance.capacity
        placement = placement_of(problem, packing.counts.T)
        final = FinalState(problem.cluster, placement, configuration=problem.configuration)
        _check(final, self.free, packing)
        stages = (
            _stage("milli-GPUs in use", packing.milli, bounds[0], capacity),
            _stage("pods placed", packing.pods, bounds[1], len(self.free)),
        )
        proven = all(stage.status is Status.OPTIMAL for stage in stages)
        status = Status.OPTIMAL if proven else Status.FEASIBLE
        return SharedGpus(status, stages, capacity, placement, devices_of(final), seconds)


def _silent(_phase: str, _milli: int) -> None:
    pass


def _check(final: FinalState, free: frozenset[str], packing: Packing) -> None:
    for violation in verify(final, may_move=free).broken:
        if violation.rule in _MODELLED:
            raise Disagreement(f"{violation.rule}: {violation.message}")
        raise BadInput(
            f"{violation.rule} matters here ({violation.message}), and placing shared GPUs does not model it"
        )
    placed = [final.cluster.pod_by_key[key] for key, node in final.placement.items() if node is not None]
    milli = sum(pod_requests(pod).get(GPU_MILLI, 0) for pod in placed)
    if (milli, len(placed)) != (packing.milli, packing.pods):
        raise Disagreement(
            f"claimed {packing.milli} milli-GPUs and {packing.pods} pods, found {milli} and {len(placed)}"
        )


def _stage(name: str, value: int, bound: int | None, worst: int) -> StageResult:
    if bound is not None and value > bound:
        raise Disagreement(f"{name}: {value} is above the bound {bound}")
    return StageResult(
        name, "max", Status.OPTIMAL if value == bound else Status.FEASIBLE, value, bound, worst
    )
