"""Which shares go on which device: exact bin packing of one node.

The search fills one device after the other. The largest share that is left goes
on the next device, together with every choice of others that leaves room for
none of the rest; the fullest choice first. It gives up on a device when more
room would be wasted than there is to spare.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .devices import DEVICE

Group = tuple[int, ...]
Rest = tuple[tuple[int, int], ...]
"""(share, how many), largest share first."""
EFFORT = 200_000
"""Steps after which shares are taken not to fit; nodes of real clusters need some hundred."""


def pack(shares: Sequence[int], devices: int) -> tuple[Group, ...] | None:
    """Put shares on devices.

    Parameters
    ----------
    shares : sequence of int
        Milli-GPUs, each 1 to 1,000.
    devices : int

    Returns
    -------
    tuple of tuple of int, or None
        The shares of each device in use, at most `devices` of them; None when they do not fit,
        or when `EFFORT` does not suffice to tell.
    """
    greedy = _first_fit(shares)
    if len(greedy) <= devices:
        return tuple(greedy)
    spare = devices * DEVICE - sum(shares)
    if spare < 0:
        return None
    try:
        return _Search().fill(_counted(shares), devices, spare)
    except _TooHard:
        return None


def devices_needed(shares: Sequence[int]) -> int:
    """The fewest devices that hold the shares, as far as `pack` can tell."""
    least = -(-sum(shares) // DEVICE)
    return next(number for number in range(least, len(shares) + 1) if pack(shares, number) is not None)


def _first_fit(shares: Sequence[int]) -> list[Group]:
    filled: list[list[int]] = []
    for share in sorted(shares, reverse=True):
        place = next((each for each in filled if sum(each) + share <= DEVICE), None)
        if place is None:
            filled.append([share])
        else:
            place.append(share)
    return [tuple(each) for each in filled]


def _counted(shares: Sequence[int]) -> Rest:
    return tuple((share, shares.count(share)) for share in sorted(set(shares), reverse=True))


class _TooHard(Exception):
    """`_Search` has used up its effort; `pack` catches it."""


class _Search:
    def __init__(self) -> None:
        # With a number of devices goes one amount to spare, so it need not be remembered.
        self._failed: set[tuple[Rest, int]] = set()
        self._steps = 0

    def fill(self, rest: Rest, devices: int, spare: int) -> tuple[Group, ...] | None:
        if not rest:
            return ()
        if not devices or (rest, devices) in self._failed:
            return None
        for group in sorted(self._maximal(rest), key=sum, reverse=True):
            waste = DEVICE - sum(group)
            if waste > spare:
                break
            after = self.fill(_without(rest, group), devices - 1, spare - waste)
            if after is not None:
                return (group, *after)
        self._failed.add((rest, devices))
        return None

    def _maximal(self, rest: Rest) -> Iterator[Group]:
        """Sets of shares with the largest one, that fit on a device with none of the others."""
        largest, number = rest[0]
        others = ((largest, number - 1), *rest[1:])
        for group in self._choices(others, DEVICE - largest):
            yield (largest, *group)

    def _choices(self, rest: Rest, room: int) -> Iterator[Group]:
        """Sets of shares that fill `room` until none of the others fits."""
        self._steps += 1
        if self._steps > EFFORT:
            raise _TooHard
        if not rest:
            yield ()
            return
        share, number = rest[0]
        for taken in range(min(number, room // share), -1, -1):
            left = room - taken * share
            for group in self._choices(rest[1:], left):
                # A share that was left out must not fit any more.
                if taken == number or left - sum(group) < share:
                    yield (share,) * taken + group


def _without(rest: Rest, group: Group) -> Rest:
    counted = ((share, number - group.count(share)) for share, number in rest)
    return tuple((share, number) for share, number in counted if number)
