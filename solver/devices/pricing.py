"""The worthiest patterns of a node at given prices: a dynamic program over its devices.

First the worthiest sets for one device, then device after device is added, with
pods that take several devices stepping over as many. Both keep a limited number
of labels that differ in worth and use, so the patterns are good, not proven best.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...model.devices import DEVICE
from .instance import DeviceInstance, Ints
from .labels import Labels, Pair, best, joined, thinned

Floats = NDArray[np.float64]
_EPSILON = 1e-7


class Pattern(NamedTuple):
    """Pods for one node of a group.

    Parameters
    ----------
    group : int
    pods : tuple of (int, int)
        Class and number of pods, classes ascending.
    """

    group: int
    pods: tuple[tuple[int, int], ...]

    def amount(self, of_class: Sequence[float]) -> float:
        """Sum over the pods of a number per class."""
        return sum(number * of_class[c] for c, number in self.pods)


@dataclass(frozen=True)
class Effort:
    """How many labels the dynamic program keeps.

    Parameters
    ----------
    growing : int
        Unfinished sets for one device.
    kept : int
        Sets per number of devices.
    returned : int
        Patterns.
    """

    growing: int = 1500
    kept: int = 80
    returned: int = 6


@dataclass(frozen=True, eq=False)
class _Items:
    """Classes that gain at the prices."""

    of_class: Ints
    gain: Floats
    need: Ints
    share: Ints
    whole: Ints
    left: Ints
    lighter: NDArray[np.bool_]
    """Shape (items, items): the first has the second's share, and needs no more."""


def best_patterns(
    instance: DeviceInstance,
    group: int,
    gain: Floats,
    left: Ints,
    random: np.random.Generator | None = None,
    effort: Effort | None = None,
) -> list[tuple[float, Pattern]]:
    """The worthiest patterns for an empty node.

    Parameters
    ----------
    instance : DeviceInstance
    group : int
    gain : array, shape (classes,)
        What a pod of each class is worth; only positive ones are used.
    left : array, shape (classes,)
        Pods that are there. Without `random` only a single device respects it.
    random : numpy Generator, optional
        Deals pods of classes that are few out to the devices, so that no pattern takes more than are left.

    Returns
    -------
    list of (float, Pattern)
        Worthiest first, without the empty pattern.
    """
    effort = effort or Effort()
    room = instance.room[group]
    items = _items(instance, group, gain, left)
    singles = _singles(items, int(instance.devices[group]), room, random, effort)
    jumps = _jumps(items, room)
    levels = [Labels.empty(len(room), len(items.gain))]
    for number, single in enumerate(singles, start=1):
        pairs: list[Pair] = [(levels[-1], single, None)]
        pairs.extend(_jump(levels[number - width], jump, items) for width, jump in jumps if width <= number)
        levels.append(joined(pairs, room, effort.kept))
    return _patterns(group, items, levels[-1])[: effort.returned]


def _items(instance: DeviceInstance, group: int, gain: Floats, left: Ints) -> _Items:
    useful = instance.eligible[:, group] & (left > 0) & (gain > _EPSILON) & (instance.value > 0)
    chosen = np.flatnonzero(useful)
    order = np.lexsort((instance.need[chosen].sum(axis=1), -gain[chosen], -instance.value[chosen]))
    c = chosen[order]
    lighter = instance.lighter[np.ix_(c, c)]
    return _Items(c, gain[c], instance.need[c], instance.share[c], instance.whole[c], left[c], lighter)


def _singles(
    items: _Items, devices: int, room: Ints, random: np.random.Generator | None, effort: Effort
) -> list[Labels]:
    """Sets for each of the devices."""
    per_device = np.where(items.share > 0, DEVICE // np.maximum(items.share, 1), 1)
    few = (items.left < devices * per_device) & (items.whole <= 1)
    if random is None or not few.any():
        return [_single(items, items.left, room, effort)] * devices
    dealt = np.repeat(items.left[:, None], devices, axis=1)
    dealt[few] = random.multinomial(items.left[few], np.full(devices, 1 / devices))
    return [_single(items, dealt[:, number], room, effort) for number in range(devices)]


def _single(items: _Items, left: Ints, room: Ints, effort: Effort) -> Labels:
    """Sets for one device: shares that fit together, or one pod that takes it whole."""
    labels = Labels.empty(len(room), len(items.gain))
    load = np.zeros(1, dtype=np.int64)
    for i in _undominated(items, left, np.flatnonzero(items.share)):
        copies = np.arange(min(DEVICE // int(items.share[i]), int(left[i])) + 1)
        base, more = np.nonzero(load[:, None] + copies * items.share[i] <= DEVICE)
        use = labels.use[base] + more[:, None] * items.need[i]
        fits = (use <= room).all(axis=1)
        base, more, use = base[fits], more[fits], use[fits]
        content = labels.content[base]
        content[:, i] = more
        load = load[base] + more * items.share[i]
        labels = Labels(labels.worth[base] + more * items.gain[i], use, content)
        kept = thinned(labels, load, room, effort.growing)
        labels, load = labels.take(kept), load[kept]
    wholes = _one_each(items, _undominated(items, left, np.flatnonzero(items.whole == 1)))
    labels = Labels(
        np.concatenate((labels.worth, wholes.worth)),
        np.concatenate((labels.use, wholes.use)),
        np.concatenate((labels.content, wholes.content)),
    )
    return labels.take(best(labels.worth, labels.use, room, effort.kept))


def _undominated(items: _Items, left: Ints, among: Ints) -> list[int]:
    """Items of which not enough better ones with the same share are left to fill a device."""
    here = among[left[among] > 0]
    # Items come worthiest first, so what is better stands before.
    better = np.triu(items.lighter[np.ix_(here, here)], 1)
    enough = np.maximum(1, DEVICE // np.maximum(items.share[here], 1))
    return here[left[here] @ better < enough].tolist()


def _one_each(items: _Items, which: Sequence[int]) -> Labels:
    content = np.zeros((len(which), len(items.gain)), dtype=np.int64)
    content[np.arange(len(which)), which] = 1
    chosen = np.array(which, dtype=np.int64)
    return Labels(items.gain[chosen], items.need[chosen], content)


def _jumps(items: _Items, room: Ints) -> list[tuple[int, Labels]]:
    """(devices, sets of one pod that takes as many), for pods of several devices."""
    found: list[tuple[int, Labels]] = []
    for width in np.unique(items.whole[items.whole > 1]).tolist():
        labels = _one_each(items, np.flatnonzero(items.whole == width).tolist())
        found.append((width, labels.take(best(labels.worth, labels.use, room, len(labels)))))
    return found


def _jump(labels: Labels, jump: Labels, items: _Items) -> Pair:
    """One more pod of several devices, where not all there are have been used."""
    return labels, jump, labels.content @ jump.content.T < jump.content @ items.left


def _patterns(group: int, items: _Items, labels: Labels) -> list[tuple[float, Pattern]]:
    found: list[tuple[float, Pattern]] = []
    for worth, content in zip(labels.worth.tolist(), labels.content, strict=True):
        inside = np.flatnonzero(content)
        pods = sorted(zip(items.of_class[inside].tolist(), content[inside].tolist(), strict=True))
        if pods:
            found.append((worth, Pattern(group, tuple(pods))))
    return found
