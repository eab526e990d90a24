"""Go's ``sort.Slice``: an unstable sort, but always the same one.

kube-scheduler orders the potential victims of a preemption with it. Pods that tie
in importance end up in an order that only this algorithm (a pattern-defeating
quicksort) explains, and that order decides who is evicted.

Source: O. R. L. Peters, "Pattern-defeating Quicksort" (arXiv 2106.05123), as in Go's standard library.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Protocol, TypeVar

SHORT = 12
"""Up to this length insertion sort does it all."""
NINTHER, SHIFTED = 50, 50
"""From these lengths on a pivot is the median of nine, and a nearly sorted slice is mended in place."""
MOST_SWAPS, MOST_STEPS = 12, 5
WORD = 2**64 - 1


class _Ordered(Protocol):
    def __lt__(self, other: Any, /) -> bool: ...


Item = TypeVar("Item")
Key = TypeVar("Key", bound=_Ordered)


def go_sorted(items: list[Item], key: Callable[[Item], Key]) -> list[Item]:
    """The items by ascending key; those with equal keys in the order in which Go leaves them."""
    pairs = [(key(item), item) for item in items]
    _Slice(pairs).sort(0, len(pairs), len(pairs).bit_length())
    return [item for _, item in pairs]


class _Slice(Generic[Key, Item]):
    """Sorts a list of (key, item) in place; ranges are half open."""

    def __init__(self, pairs: list[tuple[Key, Item]]) -> None:
        self._pairs = pairs

    def less(self, one: int, other: int) -> bool:
        return self._pairs[one][0] < self._pairs[other][0]

    def swap(self, one: int, other: int) -> None:
        pairs = self._pairs
        pairs[one], pairs[other] = pairs[other], pairs[one]

    def sort(self, start: int, end: int, limit: int) -> None:
        """Sort with at most `limit` unbalanced partitions, then give up on quicksort."""
        balanced = partitioned = True
        while end - start > SHORT:
            length = end - start
            if limit == 0:
                self._heap_sort(start, end)
                return
            if not balanced:
                self._break_patterns(start, end)
                limit -= 1
            pivot, swaps = self._pivot(start, end)
            if swaps == MOST_SWAPS:
                self._reverse(start, end)
                pivot, swaps = end - 1 - (pivot - start), 0
            if balanced and partitioned and swaps == 0 and self._mend(start, end):
                return
            if start > 0 and not self.less(start - 1, pivot):
                start = self._skip_equal(start, end, pivot)
                continue
            middle, partitioned = self._partition(start, end, pivot)
            balanced = min(middle - start, end - middle) >= length // 8
            if middle - start < end - middle:
                self.sort(start, middle, limit)
                start = middle + 1
            else:
                self.sort(middle + 1, end, limit)
                end = middle
        self._insertion_sort(start, end)

    def _insertion_sort(self, start: int, end: int) -> None:
        for position in range(start + 1, end):
            self._sink(position, start)

    def _sink(self, position: int, start: int) -> None:
        """Move an item left until its left neighbour is not greater."""
        while position > start and self.less(position, position - 1):
            self.swap(position, position - 1)
            position -= 1

    def _heap_sort(self, start: int, end: int) -> None:
        length = end - start
        for root in range((length - 1) // 2, -1, -1):
            self._sift_down(root, length, start)
        for last in range(length - 1, -1, -1):
            self.swap(start, start + last)
            self._sift_down(0, last, start)

    def _sift_down(self, root: int, length: int, start: int) -> None:
        while (child := 2 * root + 1) < length:
            if child + 1 < length and self.less(start + child, start + child + 1):
                child += 1
            if not self.less(start + root, start + child):
                return
            self.swap(start + root, start + child)
            root = child

    def _partition(self, start: int, end: int, pivot: int) -> tuple[int, bool]:
        """Smaller ones left of the pivot; its new place, and whether they were there already."""
        self.swap(start, pivot)
        left, right = self._narrow(start, start + 1, end - 1)
        already = left > right
        while left <= right:
            self.swap(left, right)
            left, right = self._narrow(start, left + 1, right - 1)
        self.swap(right, start)
        return right, already

    def _narrow(self, pivot: int, left: int, right: int) -> tuple[int, int]:
        while left <= right and self.less(left, pivot):
            left += 1
        while left <= right and not self.less(right, pivot):
            right -= 1
        return left, right

    def _skip_equal(self, start: int, end: int, pivot: int) -> int:
        """Those equal to the pivot first; where the greater ones begin."""
        self.swap(start, pivot)
        left, right = start + 1, end - 1
        while True:
            while left <= right and not self.less(start, left):
                left += 1
            while left <= right and self.less(start, right):
                right -= 1
            if left > right:
                return left
            self.swap(left, right)
            left, right = left + 1, right - 1

    def _mend(self, start: int, end: int) -> bool:
        """Sort a slice that is nearly sorted; whether that was enough."""
        position = start + 1
        for _ in range(MOST_STEPS):
            while position < end and not self.less(position, position - 1):
                position += 1
            if position == end:
                return True
            if end - start < SHIFTED:
                return False
            self.swap(position, position - 1)
            if position - start >= 2:
                self._sink(position - 1, 0)
            if end - position >= 2:
                self._rise(position + 1, end)
        return False

    def _rise(self, position: int, end: int) -> None:
        """Move the item left of `position` right until its right neighbour is not smaller."""
        while position < end and self.less(position, position - 1):
            self.swap(position, position - 1)
            position += 1

    def _break_patterns(self, start: int, end: int) -> None:
        """Scatter three items, to disturb what made the last partition unbalanced."""
        length = end - start
        random, mask = length, (1 << length.bit_length()) - 1
        middle = start + length // 4 * 2 - 1
        for offset in range(3):
            random ^= random << 13 & WORD
            random ^= random >> 7
            random ^= random << 17 & WORD
            other = random & mask
            self.swap(middle + offset, start + (other - length if other >= length else other))

    def _pivot(self, start: int, end: int) -> tuple[int, int]:
        """A median, and how many pairs were found out of order on the way."""
        quarter = (end - start) // 4
        places = [start + quarter, start + 2 * quarter, start + 3 * quarter]
        swaps = 0
        if end - start >= NINTHER:
            for number, place in enumerate(places):
                places[number], more = self._median(place - 1, place, place + 1)
                swaps += more
        pivot, more = self._median(*places)
        return pivot, swaps + more

    def _median(self, one: int, two: int, three: int) -> tuple[int, int]:
        swaps = 0
        if self.less(two, one):
            one, two, swaps = two, one, swaps + 1
        if self.less(three, two):
            two, three, swaps = three, two, swaps + 1
        if self.less(two, one):
            one, two, swaps = two, one, swaps + 1
        return two, swaps

    def _reverse(self, start: int, end: int) -> None:
        self._pairs[start:end] = self._pairs[start:end][::-1]
