"""One optimisation problem as arrays: classes of free pods, nodes, what is pinned.

Every solver component reads a `Problem` and nothing else of the cluster. Arrays
are indexed by class ``c``, node ``n`` and resource ``r``; amounts are scheduler
units (milli-CPU, bytes, pieces).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from ..model.api import Node, Pod
from ..model.cluster import Cluster
from ..model.eligibility import StaticNodes
from ..model.profile import Profile, SchedulerConfiguration
from ..model.resources import to_units
from ..model.state import allocatable
from .roster import Roster

T = TypeVar("T")
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
UNPLACED = -1


@dataclass(frozen=True, eq=False)
class PodClass:
    """Interchangeable free pods.

    Parameters
    ----------
    index : int
        Position in `Problem.classes`.
    pod : Pod
        A representative: every static field of it holds for all members.
    profile : Profile
        The profile of the class's ``schedulerName``.
    members : tuple of int
        Positions in `Problem.free`, in queue order.
    """

    index: int
    pod: Pod
    profile: Profile
    members: tuple[int, ...]

    @property
    def count(self) -> int:
        """How many pods the class has."""
        return len(self.members)

    @property
    def tier(self) -> int:
        """The pods' priority."""
        return self.pod.priority


@dataclass(frozen=True, eq=False)
class Pinned:
    """Pods that stay where they are, grouped by kind.

    Parameters
    ----------
    kinds : tuple of Pod
        One representative per kind.
    kind : array of int, shape (pinned,)
    node : array of int, shape (pinned,)
        Node position of each pinned pod.
    """

    kinds: tuple[Pod, ...]
    kind: Ints
    node: Ints

    def counts(self, which: NDArray[np.bool_], nodes: int) -> Ints:
        """Shape (nodes,): pinned pods per node of the kinds in mask `which`, shape (kinds,)."""
        return np.bincount(self.node[which[self.kind]], minlength=nodes).astype(np.int64)

    def usage(self, amounts: Ints, nodes: int) -> Ints:
        """Shape (nodes, columns): sums of ``amounts[kind]``, shape (kinds, columns), per node."""
        total = np.zeros((nodes, amounts.shape[1]), dtype=np.int64)
        np.add.at(total, self.node, amounts[self.kind])
        return total


@dataclass(frozen=True, eq=False)
class Problem:
    """A batch placement problem.

    Parameters
    ----------
    cluster : Cluster
        After admission.
    configuration : SchedulerConfiguration
    profile : Profile
        The profile whose weights the node terms follow.
    question : str
        ``pending``, ``preempt`` or ``scratch``.
    nodes : tuple of Node
    free : tuple of Pod
        The pods to place.
    classes : tuple of PodClass
    pinned : Pinned
    resources : tuple of str
        Resources that some free pod requests, and ``pods`` (always first).
    demand : array, shape (classes, resources)
        What a pod requests.
    request : array, shape (classes, resources)
        The same, as far as NodeResourcesFit compares it: 0 where the class's profile does not look.
    capacity : array, shape (nodes, resources)
        What pinned pods leave of the allocatable amounts; negative when overcommitted.
    origin : array, shape (classes, nodes)
        Where the class's running members are now.
    idle : tuple of (Pod, int)
        Kinds (with their numbers) of the pods that are neither free nor on a node, such as gated ones.
    """

    cluster: Cluster
    configuration: SchedulerConfiguration
    profile: Profile
    question: str
    nodes: tuple[Node, ...]
    free: tuple[Pod, ...]
    classes: tuple[PodClass, ...]
    pinned: Pinned
    resources: tuple[str, ...]
    demand: Ints
    request: Ints
    capacity: Ints
    origin: Ints
    idle: tuple[tuple[Pod, int], ...]
    static: StaticNodes = field(repr=False)

    @cached_property
    def count(self) -> Ints:
        """Shape (classes,): pods per class."""
        return np.array([cls.count for cls in self.classes], dtype=np.int64)

    @cached_property
    def tiers(self) -> tuple[int, ...]:
        """Priorities of free pods, highest first."""
        return tuple(sorted({cls.tier for cls in self.classes}, reverse=True))

    @cached_property
    def tier_of(self) -> Ints:
        """Shape (classes,): position of the class's priority in `tiers`."""
        position = {priority: index for index, priority in enumerate(self.tiers)}
        return np.array([position[cls.tier] for cls in self.classes], dtype=np.int64)

    @cached_property
    def static_mask(self) -> Mask:
        """Shape (classes, nodes): nodes that the static filters admit."""
        mask = np.zeros((len(self.classes), len(self.nodes)), dtype=bool)
        for cls in self.classes:
            mask[cls.index] = self.static.eligible(cls.pod, cls.profile)
        return mask

    def checked(self, rule: str) -> Mask:
        """Shape (classes,): classes whose profile runs the filter `rule`."""
        return np.array([rule in cls.profile.filters for cls in self.classes], dtype=bool)

    def profile_of(self, pod: Pod) -> Profile:
        """The profile of the pod's ``schedulerName``, or the first one."""
        return profile_for(self.configuration, pod)

    @cached_property
    def pinned_total(self) -> Ints:
        """Shape (kinds,): how many pinned pods each kind of `pinned` has."""
        return np.bincount(self.pinned.kind, minlength=len(self.pinned.kinds)).astype(np.int64)

    def total(self, of_class: Ints, of_kind: Ints, of_idle: Ints) -> Ints:
        """Sum over all pods of per-pod rows, given for classes, pinned kinds and idle kinds."""
        idle = np.array([number for _, number in self.idle], dtype=np.int64)
        return self.count @ of_class + self.pinned_total @ of_kind + idle @ of_idle

    @cached_property
    def fit(self) -> Ints:
        """Shape (classes, nodes): how many pods of a class fit alone into the free capacity, or run there."""
        most = np.full((len(self.classes), len(self.nodes)), np.iinfo(np.int32).max, dtype=np.int64)
        for r in range(len(self.resources)):
            wanted = self.request[:, r]
            needs = wanted > 0
            room = np.maximum(self.capacity[:, r], 0)
            most[needs] = np.minimum(most[needs], room[None, :] // wanted[needs, None])
        return np.maximum(most, self.standing)

    @cached_property
    def standing(self) -> Ints:
        """Shape (classes, nodes): running pods that may stay even where they could not arrive.

        With the question ``preempt`` all of them: kube-scheduler asks the filters for arrivals alone.
        """
        return self.origin if self.question == "preempt" else np.zeros_like(self.origin)

    @cached_property
    def stands(self) -> bool:
        """Whether any pod may stay so."""
        return bool(self.standing.any())

    @cached_property
    def room(self) -> Ints:
        """Shape (nodes, resources): what free pods may use: the free capacity, or more where more stands."""
        return np.maximum(np.maximum(self.capacity, 0), self.standing.T @ self.request)

    def domains(self, key: str) -> Ints:
        """Shape (nodes,): the node's domain of a topology key, numbered from 0; -1 without the label."""
        found = self._domains.get(key)
        if found is None:
            numbers: dict[str, int] = {}
            found = np.array(
                [
                    numbers.setdefault(node.labels[key], len(numbers)) if key in node.labels else -1
                    for node in self.nodes
                ],
                dtype=np.int64,
            )
            self._domains[key] = found
        return found

    @cached_property
    def domain_columns(self) -> Ints:
        """Shape (nodes, keys): domains of each topology key that a hard relational rule names."""
        keys: set[str] = set()
        for pod in (*(cls.pod for cls in self.classes), *self.pinned.kinds):
            affinity = pod.spec.affinity
            keys.update(term.topology_key for term in affinity.pod_affinity.required)
            keys.update(term.topology_key for term in affinity.pod_anti_affinity.required)
            keys.update(constraint.topology_key for constraint in pod.spec.topology_spread_constraints)
        coarse = [self.domains(key) for key in sorted(keys)]
        coarse = [column for column in coarse if column.max(initial=-1) + 1 < len(self.nodes)]
        return np.stack([*coarse, np.zeros(len(self.nodes), dtype=np.int64)], axis=1)

    @cached_property
    def roster(self) -> Roster:
        """Everybody who counts, as rows for static matching."""
        return Roster(self)

    def once(self, build: Callable[[Problem], T]) -> T:
        """What `build` makes of this problem, made when first asked for; `build` is a plain function."""
        if build not in self._built:
            self._built[build] = build(self)
        return cast("T", self._built[build])

    @cached_property
    def _built(self) -> dict[object, object]:
        return {}

    @cached_property
    def _domains(self) -> dict[str, Ints]:
        return {}


def profile_for(configuration: SchedulerConfiguration, pod: Pod) -> Profile:
    """The profile of the pod's ``schedulerName``, or the first one."""
    return configuration.profile(pod.spec.scheduler_name) or configuration.profiles[0]


def allocatable_array(nodes: tuple[Node, ...], resources: tuple[str, ...]) -> Ints:
    """Shape (nodes, resources): allocatable amounts in scheduler units, 0 where not listed."""
    units = [to_units(allocatable(node)) for node in nodes]
    rows = [[amounts.get(name, 0) for name in resources] for amounts in units]
    return np.array(rows, dtype=np.int64).reshape(len(nodes), len(resources))
