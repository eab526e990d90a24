"""Sets of pods as labels of a dynamic program: worth, use of resources, contents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .instance import Ints

Floats = NDArray[np.float64]
_BUCKETS = 24


@dataclass(frozen=True, eq=False)
class Labels:
    """Alternative sets of pods.

    Parameters
    ----------
    worth : array, shape (labels,)
    use : array, shape (labels, resources)
    content : array, shape (labels, items)
        How many pods of each item.
    """

    worth: Floats
    use: Ints
    content: Ints

    @classmethod
    def empty(cls, resources: int, items: int) -> Labels:
        """The one set without pods."""
        return cls(
            np.zeros(1), np.zeros((1, resources), dtype=np.int64), np.zeros((1, items), dtype=np.int64)
        )

    def __len__(self) -> int:
        return len(self.worth)

    def take(self, which: NDArray[np.integer]) -> Labels:
        """Some of them."""
        return Labels(self.worth[which], self.use[which], self.content[which])


Pair = tuple[Labels, Labels, NDArray[np.bool_] | None]
"""Sets on the left, sets on the right, and which of them may be united (None: all)."""


def joined(pairs: Sequence[Pair], room: Ints, most: int) -> Labels:
    """The best unions of a set on the left with a set on the right.

    Parameters
    ----------
    pairs : sequence of Pair
    room : array, shape (resources,)
        What the union may use.
    most : int
        How many to keep.
    """
    worth = np.concatenate([np.add.outer(a.worth, b.worth).ravel() for a, b, _ in pairs])
    use = np.concatenate([(a.use[:, None] + b.use).reshape(len(a) * len(b), len(room)) for a, b, _ in pairs])
    allowed = np.concatenate(
        [np.ones(len(a) * len(b), dtype=bool) if mask is None else mask.ravel() for a, b, mask in pairs]
    )
    kept = best(worth, use, room, most, allowed)
    sizes = [len(a) * len(b) for a, b, _ in pairs]
    which: list[int] = np.searchsorted(np.cumsum(sizes), kept, side="right").tolist()
    content = [_union(pairs[w], int(k) - sum(sizes[:w])) for w, k in zip(which, kept, strict=True)]
    return Labels(worth[kept], use[kept], np.array(content, dtype=np.int64).reshape(len(kept), -1))


def _union(pair: Pair, position: int) -> Ints:
    left, right = divmod(position, len(pair[1]))
    return pair[0].content[left] + pair[1].content[right]


def best(worth: Floats, use: Ints, room: Ints, most: int, allowed: NDArray[np.bool_] | None = None) -> Ints:
    """Positions of labels within `room`, worthiest first, none worse than another in everything.

    Only the worthiest label of each small range of use is looked at. Of more than `most`,
    half of what is returned are the worthiest, half an even choice down to the lightest.
    """
    fits = (use <= room).all(axis=1)
    inside = np.flatnonzero(fits if allowed is None else fits & allowed)
    inside = inside[_worthiest(worth[inside], use[inside], room, buckets(use[inside], room, _BUCKETS))]
    order = inside[np.argsort(-worth[inside], kind="stable")]
    kept = order[_undominated(use[order])]
    if len(kept) <= most:
        return kept
    rest = np.linspace(most // 2, len(kept) - 1, most - most // 2).astype(np.int64)
    return kept[np.concatenate((np.arange(most // 2), rest))]


def _undominated(use: Ints) -> NDArray[np.bool_]:
    """Which use less of something than each one before them."""
    lighter = np.ones((len(use), len(use)), dtype=bool)
    for amounts in use.T:
        lighter &= amounts[:, None] <= amounts
    return np.logical_not(np.triu(lighter, 1).any(axis=0))


def buckets(use: Ints, room: Ints, number: int) -> Ints:
    """Shape (labels,): which of `number` equal ranges of each resource a label is in, as one number."""
    key = np.zeros(len(use), dtype=np.int64)
    for r in range(use.shape[1]):
        key = key * number + use[:, r] * number // (room[r] + 1)
    return key


def _worthiest(worth: Floats, use: Ints, room: Ints, key: Ints) -> Ints:
    """Positions of the worthiest label of each key; of equals, the one that uses least."""
    relative = (use / (room + 1)).sum(axis=1)
    order = np.lexsort((relative, -worth, key))
    first = np.ones(len(order), dtype=bool)
    first[1:] = key[order][1:] != key[order][:-1]
    return order[first]


def thinned(labels: Labels, load: Ints, room: Ints, most: int) -> NDArray[np.integer]:
    """Positions of at most `most` labels that differ in load or use, for sets that still grow.

    Parameters
    ----------
    load : array, shape (labels,)
        Milli-GPUs in use on the device.
    """
    if len(labels) <= most:
        return np.arange(len(labels))
    key = load // 20 * 16 ** len(room) + buckets(labels.use, room, 16)
    chosen = _worthiest(labels.worth, labels.use, room, key)
    if len(chosen) <= most:
        return chosen
    rate = labels.worth.max() / max(1, int(load.max()))
    return chosen[np.argsort(load[chosen] * rate - labels.worth[chosen], kind="stable")[:most]]
