"""What free classes attach through CSI drivers, node by node, and how much a node can still attach."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...model.csi import Attachable
from ..problem import Problem

Volume = tuple[str, str]
"""(driver, handle)."""


@dataclass(frozen=True, slots=True)
class Room:
    """What a node can attach of one driver's volumes.

    Parameters
    ----------
    free : int
        How many more; negative when foreign attachments exceed the limit, so that no pod may use the driver.
    taken : frozenset of Volume
        Attached whatever is placed: another user takes no room.
    """

    free: int
    taken: frozenset[Volume]


class Attachments:
    """Attachable volumes of a problem.

    Parameters
    ----------
    problem : Problem

    Attributes
    ----------
    of_class : list of tuple of Attachable
        By class.
    """

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._csi = csi = problem.cluster.csi
        self.of_class = [csi.attachables(cls.pod) for cls in problem.classes]
        self._pinned: dict[int, set[Volume]] = {}
        self._judged: dict[int, set[Volume]] = {}
        pinned = problem.pinned
        for kind, pod in enumerate(pinned.kinds):
            attachables = csi.attachables(pod)
            places: list[int] = np.unique(pinned.node[pinned.kind == kind]).tolist() if attachables else []
            judged = "NodeVolumeLimits" in problem.profile_of(pod).filters
            for place in places:
                volumes = self._counted(attachables, place)
                self._pinned.setdefault(place, set()).update(volumes)
                self._judged.setdefault(place, set()).update(volumes if judged else ())
        self._rooms: dict[int, dict[str, Room]] = {}

    def _counted(self, attachables: Sequence[Attachable], node: int) -> set[Volume]:
        name = self._problem.nodes[node].name
        return {attachable.volume for attachable in attachables if self._csi.counts_on(attachable, name)}

    def volumes(self, c: int, node: int) -> set[Volume]:
        """What a pod of class `c` attaches on a node."""
        return self._counted(self.of_class[c], node)

    def lacks_driver(self, c: int, node: int) -> bool:
        """Whether a driver that insists on being there is missing on the node."""
        name = self._problem.nodes[node].name
        return any(self._csi.lacks_driver(driver, name) for driver, _ in self.volumes(c, node))

    def rooms(self, node: int) -> dict[str, Room]:
        """Room by driver; drivers without a limit on the node are absent."""
        known = self._rooms.get(node)
        if known is None:
            name = self._problem.nodes[node].name
            limits = self._csi.limits(name)
            known = self._rooms[node] = {
                driver: self._room(node, name, driver, limit) for driver, limit in limits.items()
            }
        return known

    def _room(self, node: int, name: str, driver: str, limit: int) -> Room:
        used = {volume for volume in self._pinned.get(node, ()) if volume[0] == driver}
        attached = {volume for volume in self._csi.attached(name) if volume[0] == driver}
        taken = frozenset(used | attached)
        free = limit - len(taken)
        # An excess that pinned pods have brought, and are judged by, is inherited; it may not grow.
        inherited = any(volume[0] == driver for volume in self._judged.get(node, ()))
        return Room(max(free, 0) if inherited else free, taken)

    def brings(self, c: int, node: int) -> dict[str, set[Volume]]:
        """Volumes, by limited driver, that no pinned pod on the node has."""
        rooms, pinned = self.rooms(node), self._pinned.get(node, set[Volume]())
        found: dict[str, set[Volume]] = {}
        for volume in self.volumes(c, node) - pinned if rooms else ():
            if volume[0] in rooms:
                found.setdefault(volume[0], set()).add(volume)
        return found

    def new(self, c: int, node: int) -> dict[str, set[Volume]]:
        """Volumes, by limited driver, that the class's first pod on a node would attach or share."""
        rooms = self.rooms(node)
        return {driver: volumes - rooms[driver].taken for driver, volumes in self.brings(c, node).items()}

    def fits(self, c: int, node: int) -> bool:
        """Whether a pod of the class can be on the node beside pinned pods."""
        rooms = self.rooms(node)
        new = self.new(c, node)
        return all(len(volumes) <= rooms[driver].free for driver, volumes in new.items())
