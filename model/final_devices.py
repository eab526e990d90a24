"""GpuSharing in a final state: nodes whose devices do not hold their pods, and who is on which device."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .device_packing import devices_needed, pack
from .devices import DEVICE, GPU_MILLI, demand, device_count
from .final import FinalState
from .reasons import Violation
from .usage import capacities, per_kind, plain_request

Positions = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Load:
    """What the pods of a node ask of its devices.

    Parameters
    ----------
    whole : int
        Devices that nobody else may use; a part beside whole devices counts as one.
    shares : tuple of int
        Milli-GPUs on one device each.
    """

    whole: int
    shares: tuple[int, ...]

    @classmethod
    def of(cls, requests: Iterable[int]) -> Load:
        """The load of pods that request so many milli-GPUs each."""
        whole, shares = 0, list[int]()
        for milli in requests:
            if milli >= DEVICE:
                whole += -(-milli // DEVICE)
            elif milli > 0:
                shares.append(milli)
        return cls(whole, tuple(shares))

    def fits(self, devices: int) -> bool:
        """Whether so many devices are enough."""
        return self.whole <= devices and pack(self.shares, devices - self.whole) is not None

    def lacking(self, devices: int) -> int:
        """How many devices more it would take."""
        return 0 if self.fits(devices) else self.whole + devices_needed(self.shares) - devices


def crowded(final: FinalState, rule: str) -> Iterator[Violation]:
    """Each node whose devices do not hold its pods; where pods arrive that ask for GPUs, apart."""
    milli = per_kind(final, GPU_MILLI, plain_request)
    held = np.array([rule in final.profile_or_first(kind).filters for kind in final.kinds], dtype=bool)
    held &= np.array([amount > 0 for amount in milli], dtype=bool)
    offered = capacities(final.nodes, GPU_MILLI)
    for node, here in _users(final, milli):
        judged = here[held[final.kind_of[here]]]
        if not final.arriving[judged].any():
            # Pods that arrive without being held to the rule do not count against those that stay.
            judged, here = judged, here[~final.arriving[here]]
        devices = device_count(offered[node])
        lacking = Load.of(_requests(final, milli, here)).lacking(devices) if judged.size else 0
        if lacking:
            yield _crowd(final, rule, node, judged, devices, lacking)


def _crowd(
    final: FinalState, rule: str, node: int, judged: Positions, devices: int, lacking: int
) -> Violation:
    where = final.nodes[node].name
    arriving = judged[final.arriving[judged]]
    return Violation(
        rule=rule,
        key=(where, "arriving") if arriving.size else (where,),
        magnitude=lacking,
        pods=final.keys_of(arriving if arriving.size else judged),
        node=where,
        message=f"the pods on {where} need {devices + lacking} GPU devices, it has {devices}",
    )


def unservable(final: FinalState, rule: str) -> Iterator[Violation]:
    """Arriving pods that ask for a part of a device beside whole ones."""
    milli = per_kind(final, GPU_MILLI, plain_request)
    odd = np.array([demand(amount) is None for amount in milli], dtype=bool)
    arriving = (
        np.flatnonzero(final.arriving & odd[final.kind_of]) if odd.any() else np.zeros(0, dtype=np.int64)
    )
    for pod, node in final.stands(arriving):
        if rule in final.profile_or_first(pod).filters:
            amount = plain_request(pod, GPU_MILLI)
            message = (
                f"{pod.key} requests {amount} milli-GPUs; above {DEVICE} only multiples of it can be served"
            )
            yield Violation(rule, (pod.key, "whole"), 1, (pod.key,), node.name, message)


def devices_of(final: FinalState) -> Mapping[str, tuple[int, ...]]:
    """Which devices each pod with GPUs can use, numbered from 0 on its node.

    Returns
    -------
    mapping of str to tuple of int
        By ``namespace/name``; one device for a share. Where devices do not hold the pods, these are absent.
    """
    milli = per_kind(final, GPU_MILLI, plain_request)
    offered = capacities(final.nodes, GPU_MILLI)
    found: dict[str, tuple[int, ...]] = {}
    for node, here in _users(final, milli):
        listed: list[int] = here.tolist()
        keys = [final.pods[position].key for position in listed]
        found.update(_assigned(keys, _requests(final, milli, here), device_count(offered[node])))
    return found


def _assigned(keys: Sequence[str], requests: Sequence[int], devices: int) -> dict[str, tuple[int, ...]]:
    load = Load.of(requests)
    groups = pack(load.shares, devices - load.whole) if load.whole <= devices else None
    if groups is None:
        return {}
    places: defaultdict[int, list[int]] = defaultdict(list)
    for device, group in enumerate(groups):
        for share in group:
            places[share].append(device)
    found: dict[str, tuple[int, ...]] = {}
    free = len(groups)
    for key, milli in zip(keys, requests, strict=True):
        wanted = -(-milli // DEVICE)
        if milli < DEVICE:
            found[key] = (places[milli].pop(),)
        else:
            found[key] = tuple(range(free, free + wanted))
            free += wanted
    return found


def _users(final: FinalState, milli: Sequence[int]) -> Iterator[tuple[int, Positions]]:
    """Each node that has pods with GPUs, and their positions."""
    asks = np.array([amount > 0 for amount in milli], dtype=bool)
    if not asks.any():
        return
    on = np.flatnonzero(asks[final.kind_of] & (final.node_of >= 0))
    for node in np.unique(final.node_of[on]).tolist():
        here = final.pods_on(node)
        yield node, here[asks[final.kind_of[here]]]


def _requests(final: FinalState, milli: Sequence[int], positions: Positions) -> list[int]:
    return [milli[kind] for kind in final.kind_of[positions].tolist()]
