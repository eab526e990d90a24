"""Whether the unbound claims of a final state can all be served at once.

A claim is provisioned on the one node of its pods, or bound to a volume that
all its pods reach; a volume serves one claim. Claims that can be provisioned
never stand in the way of others, so the rest is a bipartite matching.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from .api import Node, PersistentVolume, PersistentVolumeClaim
from .claims import SELECTED_NODE, claim_class, selector_problem
from .storage import Provisioning, Storage


@dataclass(slots=True)
class Demand:
    """An unbound claim and its arriving pods.

    Attributes
    ----------
    claim : PersistentVolumeClaim
    pods : dict of int to list of int
        Positions of the pods by the position of their node.
    """

    claim: PersistentVolumeClaim
    pods: dict[int, list[int]] = field(default_factory=dict[int, list[int]])

    @property
    def positions(self) -> list[int]:
        """Positions of all its pods."""
        return [position for group in self.pods.values() for position in group]


class Demands:
    """The claims to be served.

    Parameters
    ----------
    storage : Storage
    nodes : sequence of Node
        Positions index `Demand.pods`.
    """

    def __init__(self, storage: Storage, nodes: Sequence[Node]) -> None:
        self._storage = storage
        self._nodes = nodes
        self._demands: dict[str, Demand] = {}

    def add(self, claim: PersistentVolumeClaim, pods: Mapping[int, Sequence[int]]) -> None:
        """Ask for `claim` on the nodes of these pods; no pods ask for nothing."""
        for node, positions in pods.items():
            demand = self._demands.setdefault(claim.key, Demand(claim))
            demand.pods.setdefault(node, []).extend(positions)

    def unserved(self) -> tuple[list[Demand], list[Demand]]:
        """Claims that nothing could serve, and claims that lose every competition for volumes."""
        helpless: list[Demand] = []
        competing: list[Demand] = []
        for demand in self._demands.values():
            if selector_problem(demand.claim):
                helpless.append(demand)
            elif not self._provisionable(demand):
                served = next(self._options(demand), None) is not None
                (competing if served else helpless).append(demand)
        return helpless, [competing[index] for index in self._losers(competing)]

    def _provisionable(self, demand: Demand) -> bool:
        if len(demand.pods) != 1:
            return False
        (place,) = demand.pods
        node = self._nodes[place]
        if demand.claim.metadata.annotations.get(SELECTED_NODE, node.name) != node.name:
            return False
        return self._storage.provisioning(demand.claim, node)[0] is Provisioning.POSSIBLE

    def _options(self, demand: Demand) -> Iterator[PersistentVolume]:
        """Volumes that all pods of the claim reach; one that is reserved for it leaves no choice."""
        claim, storage = demand.claim, self._storage
        if SELECTED_NODE in claim.metadata.annotations:
            return
        names = [self._nodes[place].name for place in demand.pods]
        own = next((v for v in storage.reserved(claim) if storage.serves(claim, v)), None)
        offered = storage.available(claim_class(claim), names[0]) if own is None else iter([own])
        for volume in offered:
            fits = volume is own or storage.suits(claim, volume)
            if fits and all(storage.reach.reaches(volume, name) for name in names):
                yield volume

    def _losers(self, competing: Sequence[Demand]) -> list[int]:
        """Positions of the claims that a largest matching leaves out (Kuhn's augmenting paths)."""
        options = [[volume.name for volume in self._options(demand)] for demand in competing]
        owner: dict[str, int] = {}
        exhausted: set[str] = set()
        losers: list[int] = []
        for index in range(len(competing)):
            reached, free = _search(index, options, owner, exhausted)
            if free is None:
                exhausted.update(reached)
                losers.append(index)
            else:
                _augment(free, reached, owner)
        return losers


def _search(
    start: int, options: Sequence[Sequence[str]], owner: Mapping[str, int], exhausted: set[str]
) -> tuple[dict[str, tuple[int, str | None]], str | None]:
    """Look for a free volume breadth first.

    Returns each volume reached, with the claim that would take it and the volume
    which that claim would give up, and the free volume or None.
    """
    reached: dict[str, tuple[int, str | None]] = {}
    queue: deque[tuple[int, str | None]] = deque([(start, None)])
    while queue:
        claim, held = queue.popleft()
        for volume in options[claim]:
            if volume in reached or volume in exhausted:
                continue
            reached[volume] = claim, held
            if volume not in owner:
                return reached, volume
            queue.append((owner[volume], volume))
    return reached, None


def _augment(free: str, reached: Mapping[str, tuple[int, str | None]], owner: dict[str, int]) -> None:
    volume: str | None = free
    while volume is not None:
        owner[volume], volume = reached[volume]
