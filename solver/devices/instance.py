"""A batch of pods that share GPUs, as arrays.

Arrays are indexed by class of pods ``c``, group of nodes ``g`` and resource
``r``. Nodes of a group are alike in every number and for every class.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...model.devices import DEVICE, GPU_MILLI, demand, device_count
from ..problem import Problem

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class DeviceInstance:
    """What is to be placed, and where it could go.

    Parameters
    ----------
    need : array, shape (classes, resources)
        Requests besides GPUs, of the resources that can run out.
    share : array, shape (classes,)
        Milli-GPUs on one device.
    whole : array, shape (classes,)
        Whole devices; a class has a share or whole devices or neither.
    count : array, shape (classes,)
        Pods.
    room : array, shape (groups, resources)
    devices : array, shape (groups,)
        Devices of a node.
    size : array, shape (groups,)
        Nodes.
    eligible : array of bool, shape (classes, groups)
        Where one pod of the class fits on an empty node.
    """

    need: Ints
    share: Ints
    whole: Ints
    count: Ints
    room: Ints
    devices: Ints
    size: Ints
    eligible: Mask

    @cached_property
    def value(self) -> Ints:
        """Shape (classes,): milli-GPUs that a pod occupies."""
        return self.share + DEVICE * self.whole

    @property
    def classes(self) -> int:
        """Number of classes."""
        return len(self.count)

    @property
    def groups(self) -> int:
        """Number of node groups."""
        return len(self.size)

    @cached_property
    def capacity(self) -> int:
        """Milli-GPUs of all devices."""
        return DEVICE * int(self.size @ self.devices)

    @cached_property
    def fit(self) -> Ints:
        """Shape (classes, groups): how many pods of a class an empty node holds; 0 where not eligible."""
        return self.fitting(self.room, self.devices) * self.eligible

    @cached_property
    def lighter(self) -> Mask:
        """Shape (classes, classes): the first asks for the second's GPUs, and needs no more besides."""
        same = (self.share[:, None] == self.share) & (self.whole[:, None] == self.whole)
        for needs in self.need.T:
            same &= needs[:, None] <= needs
        return same

    def fitting(self, room: Ints, devices: Ints) -> Ints:
        """How many pods of each class fit where `devices` are empty and `room` is left.

        Parameters
        ----------
        room : array, shape (places, resources)
        devices : array, shape (places,)

        Returns
        -------
        array, shape (classes, places)
        """
        most = np.broadcast_to(self.count[:, None], (self.classes, len(room))).copy()
        for r in range(room.shape[1]):
            wants = self.need[:, r] > 0
            most[wants] = np.minimum(most[wants], room[None, :, r] // self.need[wants, None, r])
        shared, whole = self.share > 0, self.whole > 0
        most[shared] = np.minimum(most[shared], DEVICE // self.share[shared, None] * devices)
        most[whole] = np.minimum(most[whole], devices // self.whole[whole, None])
        return most


@dataclass(frozen=True, eq=False)
class Grouped:
    """A problem's nodes in groups.

    Parameters
    ----------
    instance : DeviceInstance
        Its classes are the problem's.
    group_of : array, shape (nodes,)
        Group of each node of the problem.
    """

    instance: DeviceInstance
    group_of: Ints


def grouped(problem: Problem) -> Grouped:
    """The arrays of a problem in which no pod that keeps its node uses a GPU."""
    column = problem.resources.index(GPU_MILLI) if GPU_MILLI in problem.resources else None
    milli = _column(problem.demand, column)
    served = np.array([demand(amount) is not None for amount in milli.tolist()], dtype=bool)
    whole, share = milli // DEVICE, np.where(milli < DEVICE, milli, 0)
    useful = int(problem.count @ (whole + (share > 0)))
    amounts: list[int] = _column(problem.capacity, column).tolist()
    devices = np.array([min(useful, device_count(max(0, amount))) for amount in amounts], dtype=np.int64)
    scarce = _scarce(problem, column)
    room, need = np.maximum(problem.capacity[:, scarce], 0), problem.request[:, scarce]
    eligible = problem.static_mask & served[:, None]
    group_of, first = _groups(np.column_stack((devices, room)), eligible)
    rough = DeviceInstance(
        need=need,
        share=share,
        whole=whole,
        count=problem.count,
        room=room[first],
        devices=devices[first],
        size=np.bincount(group_of, minlength=len(first)).astype(np.int64),
        eligible=eligible[:, first],
    )
    return Grouped(_only_fitting(rough), group_of)


def _column(amounts: Ints, column: int | None) -> Ints:
    return np.zeros(len(amounts), dtype=np.int64) if column is None else amounts[:, column]


def _scarce(problem: Problem, column: int | None) -> list[int]:
    """Resources besides GPUs of which the pods together request more than the smallest node has."""
    demanded = problem.count @ problem.request
    short: list[int] = np.flatnonzero((problem.capacity < demanded).any(axis=0)).tolist()
    return [r for r in short if r != column]


def _groups(numbers: Ints, eligible: Mask) -> tuple[Ints, Ints]:
    """(group of each node, first node of each group)."""
    seen: dict[bytes, int] = {}
    first: list[int] = []
    group_of = np.empty(len(numbers), dtype=np.int64)
    for n in range(len(numbers)):
        group = seen.setdefault(numbers[n].tobytes() + eligible[:, n].tobytes(), len(first))
        if group == len(first):
            first.append(n)
        group_of[n] = group
    return group_of, np.array(first, dtype=np.int64)


def _only_fitting(instance: DeviceInstance) -> DeviceInstance:
    return DeviceInstance(
        instance.need,
        instance.share,
        instance.whole,
        instance.count,
        instance.room,
        instance.devices,
        instance.size,
        instance.fit > 0,
    )
