"""What is left to decide about one priority tier, node by node.

Pods of higher tiers that must not move are settled and only take room; pods of lower
tiers are not there at all. What remains is a packing of pod classes onto nodes. Rules
that relate nodes are left out, so a bound on the packing is a bound on the tier.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..instance import Instance

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Demand:
    """What earlier stages have reached and later ones must not lose.

    Parameters
    ----------
    classes : array of bool, shape (classes,)
    least : int
        So many pods of the classes are placed.
    kept : bool
        Only pods that stay where they are count.
    """

    classes: Mask
    least: int
    kept: bool = False


@dataclass(frozen=True, eq=False)
class Packing:
    """Pods that may be placed or moved, and the nodes for them.

    Parameters
    ----------
    classes : array of int, shape (classes,)
        Positions in `Problem.classes`.
    nodes : array of int, shape (nodes,)
        Positions in `Problem.nodes`.
    request : array of int, shape (classes, resources)
    available : array of int, shape (classes,)
    room : array of int, shape (nodes, resources)
    own : array of int, shape (classes, nodes)
        How many of the pods run on the node now.
    open : array of bool, shape (classes, nodes)
    conflict : array of bool, shape (classes, classes)
        Classes that may not share a node.
    mine : array of bool, shape (classes,)
        Classes of the tier; the others are of higher tiers.
    demands : tuple of Demand
        For higher tiers.
    settled : array of int, shape (all classes, all nodes)
        Pods that stay, whatever is packed.
    """

    classes: Ints
    nodes: Ints
    request: Ints
    available: Ints
    room: Ints
    own: Ints
    open: Mask
    conflict: Mask
    mine: Mask
    demands: tuple[Demand, ...]
    settled: Ints

    def content(self, counts: Ints) -> Ints:
        """Shape (classes, nodes): what of a placement, shape (all classes, all nodes), is not settled."""
        return (counts - self.settled)[np.ix_(self.classes, self.nodes)]

    def merged(self, content: Ints) -> Ints:
        """Shape (all classes, all nodes): the placement that has `content` besides what is settled."""
        counts = self.settled.copy()
        counts[np.ix_(self.classes, self.nodes)] += content
        return counts

    def placed(self, content: Ints) -> int:
        """Pods of the tier in `content`."""
        return int(content[self.mine].sum())

    def kept(self, content: Ints) -> int:
        """Pods of the tier that `content` leaves where they are."""
        return int(np.minimum(content, self.own)[self.mine].sum())

    @cached_property
    def most(self) -> int:
        """Pods of the tier that could be placed if each were alone."""
        fits = fitting(self.request, self.room) & self.open
        return int(self.available[self.mine & fits.any(axis=1)].sum())

    @cached_property
    def binding(self) -> Ints:
        """Resources that may run out; the others are implied by them."""
        scarce = np.flatnonzero((self.available @ self.request) > self.room.min(axis=0, initial=0))
        return np.array([r for r in scarce if not self._implied(int(r), scarce)], dtype=np.int64)

    def _implied(self, r: int, scarce: Ints) -> bool:
        """Whether another resource runs out before `r` on every node."""
        for other in scarce.tolist():
            if other == r or (self.request[:, other] == 0).any():
                continue
            dearest = int(np.argmax(self.request[:, r] / self.request[:, other]))
            wanted = self.room[:, other] * self.request[dearest, r]
            if (wanted < self.room[:, r] * self.request[dearest, other]).all():
                return True
        return False

    def waste(self, placed: int) -> Ints:
        """Shape (resources,): room that stays free, all nodes together, when the demands are met.

        Parameters
        ----------
        placed : int
            Pods of the tier that are placed at least.
        """
        left_out = np.zeros(self.request.shape[1], dtype=np.int64)
        demands = [d for d in self.demands if not d.kept]
        for demand in (*demands, Demand(self.mine, placed)):
            number = int(self.available[demand.classes].sum()) - demand.least
            pods = np.repeat(self.request[demand.classes], self.available[demand.classes], axis=0)
            left_out += np.sort(pods, axis=0)[len(pods) - number :].sum(axis=0)
        return self.room.sum(axis=0) - self.available @ self.request + left_out


def fitting(request: Ints, room: Ints) -> Mask:
    """Shape (classes, nodes): whether a pod fits, given shapes (classes, resources), (nodes, resources)."""
    fits: Mask = np.all(request[:, None, :] <= room[None, :, :], axis=2)
    return fits


def packing_of(
    instance: Instance, counts: Ints, tier: int, nodes: Sequence[int] | None = None, touch: Mask | None = None
) -> Packing:
    """The packing problem of a tier.

    Parameters
    ----------
    counts : array of int, shape (all classes, all nodes)
        A placement of the tier and those above.
    tier : int
        Position in `Problem.tiers`.
    nodes : sequence of int, optional
        Only these nodes change; default all.
    touch : array of bool, shape (all classes,), optional
        Only these classes change; default all.
    """
    problem, origin = instance.problem, instance.problem.origin
    scope = np.arange(len(problem.nodes)) if nodes is None else np.asarray(nodes, dtype=np.int64)
    settled = counts.copy()
    settled[:, scope] = 0
    lost = np.array([_lost(instance, counts, t) for t in range(tier)], dtype=np.int64)
    fixed = np.isin(problem.tier_of, np.flatnonzero(lost == 0))
    settled[np.ix_(fixed, scope)] = origin[np.ix_(fixed, scope)]
    if touch is not None:
        settled[np.ix_(~touch, scope)] = counts[np.ix_(~touch, scope)]
        fixed = fixed | ~touch
    available = np.where(problem.tier_of <= tier, problem.count - settled.sum(axis=1), 0)
    if touch is not None:
        available[~touch] = 0
    classes = np.flatnonzero(available > 0)
    own = np.where(fixed[classes, None], 0, origin[np.ix_(classes, scope)])
    return Packing(
        classes=classes,
        nodes=scope,
        request=problem.request[classes],
        available=available[classes],
        room=np.maximum(problem.capacity[scope] - settled[:, scope].T @ problem.request, 0),
        own=own,
        open=_open(instance, classes, scope, settled),
        conflict=instance.coupling.conflict[np.ix_(classes, classes)],
        mine=problem.tier_of[classes] == tier,
        demands=_demands(instance, counts, classes, scope, settled, own, tier),
        settled=settled,
    )


def _lost(instance: Instance, counts: Ints, tier: int) -> int:
    """Running pods of a tier that have left their node."""
    mine = instance.problem.tier_of == tier
    return int(np.maximum(instance.problem.origin[mine] - counts[mine], 0).sum())


def _open(instance: Instance, classes: Ints, nodes: Ints, settled: Ints) -> Mask:
    """Eligible nodes without a settled pod that is in conflict."""
    found = instance.eligible[np.ix_(classes, nodes)].copy()
    enemies = instance.coupling.conflict[classes]
    if enemies.any():
        found &= ~((enemies.astype(np.int64) @ (settled[:, nodes] > 0)) > 0)
    return found


def _demands(
    instance: Instance, counts: Ints, classes: Ints, nodes: Ints, settled: Ints, own: Ints, tier: int
) -> tuple[Demand, ...]:
    content = (counts - settled)[np.ix_(classes, nodes)]
    tier_of = instance.problem.tier_of[classes]
    found: list[Demand] = []
    for higher in np.unique(tier_of[tier_of < tier]).tolist():
        mask = tier_of == higher
        kept = int(np.minimum(content[mask], own[mask]).sum())
        found.append(Demand(mask, int(content[mask].sum())))
        if kept:
            found.append(Demand(mask, kept, kept=True))
    return tuple(found)
