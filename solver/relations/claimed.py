"""Claims of free pods that wait for their first pod, and what could serve them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...model.api import PersistentVolume, PersistentVolumeClaim, Pod
from ...model.claims import (
    SELECTED_NODE,
    ClaimUse,
    claim_class,
    claim_uses,
    foreign,
    selector_problem,
    volume_class,
)
from ...model.storage import Binding, Provisioning
from ..problem import Problem

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Waiting:
    """A claim to be bound or provisioned.

    Parameters
    ----------
    classes : tuple of int
        Free classes that use it.
    pods : int
        How many free pods use it.
    provisionable : array of bool, shape (nodes,)
        Where a volume can be made for it, if all its pods are there.
    volumes : tuple of str
        Existing volumes that could serve it.
    """

    classes: tuple[int, ...]
    pods: int
    provisionable: Mask
    volumes: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Pool:
    """Volumes that no claim and no node can tell apart.

    Parameters
    ----------
    size : int
        How many volumes.
    reach : array of bool, shape (nodes,)
        From which nodes they can be reached.
    claims : tuple of int
        Positions in `Claimed.waiting` of the claims they could serve.
    """

    size: int
    reach: Mask
    claims: tuple[int, ...]


class Claimed:
    """Claims of the free pods of a problem whose profile runs VolumeBinding.

    Parameters
    ----------
    problem : Problem

    Attributes
    ----------
    waiting : list of Waiting
    reach : dict of str to array of bool, shape (nodes,)
        From which nodes each of the volumes that could serve a claim can be reached.
    pools : list of Pool
        The volumes that could serve claims.
    """

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._storage = problem.cluster.storage
        self.reach: dict[str, Mask] = {}
        users: dict[str, tuple[PersistentVolumeClaim, list[int]]] = {}
        for cls in problem.classes:
            if "VolumeBinding" not in cls.profile.filters:
                continue
            for use in {use.key: use for use in self.uses(cls.pod)}.values():
                if use.claim is not None and self._storage.binding(use.claim) is Binding.DELAYED:
                    users.setdefault(use.key, (use.claim, []))[1].append(cls.index)
        self.waiting = [self._waiting(claim, classes) for claim, classes in users.values()]
        self.pools = self._pools()

    def _pools(self) -> list[Pool]:
        claims: dict[str, list[int]] = {}
        for number, claim in enumerate(self.waiting):
            for volume in claim.volumes:
                claims.setdefault(volume, []).append(number)
        pools: dict[tuple[bytes, tuple[int, ...]], list[str]] = {}
        for volume, numbers in claims.items():
            pools.setdefault((self.reach[volume].tobytes(), tuple(numbers)), []).append(volume)
        return [Pool(len(same), self.reach[same[0]], numbers) for (_, numbers), same in pools.items()]

    def served(self, number: int) -> Mask:
        """Shape (nodes,): where something could serve the claim at position `number` of `waiting`."""
        claim = self.waiting[number]
        reached = (self.reach[volume] for volume in claim.volumes)
        return np.logical_or.reduce([claim.provisionable, *reached])

    def uses(self, pod: Pod) -> tuple[ClaimUse, ...]:
        """The pod's claims."""
        return claim_uses(pod, self._problem.cluster.claims)

    def _waiting(self, claim: PersistentVolumeClaim, classes: list[int]) -> Waiting:
        problem, storage = self._problem, self._storage
        chosen = claim.metadata.annotations.get(SELECTED_NODE)
        broken = bool(selector_problem(claim))
        possible = (
            not broken
            and chosen in (None, node.name)
            and storage.provisioning(claim, node)[0] is Provisioning.POSSIBLE
            for node in problem.nodes
        )
        volumes = [] if broken or chosen is not None else self._candidates(claim)
        for volume in volumes:
            if volume.name not in self.reach:
                self.reach[volume.name] = self._reached(volume)
        return Waiting(
            classes=tuple(classes),
            pods=sum(int(problem.count[c]) for c in classes),
            provisionable=np.fromiter(possible, dtype=bool, count=len(problem.nodes)),
            volumes=tuple(volume.name for volume in volumes),
        )

    def _candidates(self, claim: PersistentVolumeClaim) -> list[PersistentVolume]:
        """A volume reserved for the claim leaves no choice."""
        storage = self._storage
        own = next((volume for volume in storage.reserved(claim) if storage.serves(claim, volume)), None)
        if own is not None:
            return [own]
        return [volume for volume in self._unclaimed(claim_class(claim)) if storage.suits(claim, volume)]

    def _unclaimed(self, name: str) -> Iterator[PersistentVolume]:
        for volume in self._storage.volumes.values():
            free = volume.status.phase == "Available" and volume.spec.claim_ref is None
            if free and volume_class(volume) == name:
                yield volume

    def _reached(self, volume: PersistentVolume) -> Mask:
        names = self._storage.reach.nodes(volume)
        nodes = self._problem.nodes
        found = (names is None or node.name in names for node in nodes)
        return np.fromiter(found, dtype=bool, count=len(nodes))

    def usable(self, pod: Pod) -> Mask:
        """Shape (nodes,): where the pod's bound claims can be reached; nowhere if a claim is unusable."""
        nodes = self._problem.nodes
        usable = np.full(len(nodes), self.sound(pod))
        for use in self.uses(pod):
            if use.claim is not None and self._storage.binding(use.claim) is Binding.BOUND:
                volume = self._storage.volumes.get(use.claim.spec.volume_name)
                if volume is None:
                    return np.zeros(len(nodes), dtype=bool)
                reached = (self._storage.reach.bound_reaches(volume, node.name) for node in nodes)
                usable &= np.fromiter(reached, dtype=bool, count=len(nodes))
        return usable

    def sound(self, pod: Pod) -> bool:
        """Whether the pod's claims let it run at all, as PreFilter sees it."""
        return all(use.claim is not None and self._sound(pod, use, use.claim) for use in self.uses(pod))

    def _sound(self, pod: Pod, use: ClaimUse, claim: PersistentVolumeClaim) -> bool:
        lost = claim.status.phase == "Lost" or claim.metadata.deletion_timestamp is not None
        return not lost and not foreign(pod, use) and self._storage.binding(claim) is not Binding.IMMEDIATE
