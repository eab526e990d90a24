"""Exact packing of shares on devices, against trying everything."""

from __future__ import annotations

from itertools import product

from hypothesis import example, given
from hypothesis import strategies as st
from kubestow.model import device_packing
from kubestow.model.device_packing import devices_needed, pack
from kubestow.model.devices import DEVICE, Demand, demand

SHARES = st.lists(st.sampled_from([1, 110, 250, 330, 340, 460, 500, 510, 650, 810, 999]), max_size=6)


def fits(shares: list[int], devices: int) -> bool:
    """Whether some assignment of shares to devices exceeds none."""
    return any(
        all(
            sum(s for s, d in zip(shares, places, strict=True) if d == device) <= DEVICE
            for device in range(devices)
        )
        for places in product(range(devices), repeat=len(shares))
    )


@given(SHARES, st.integers(0, 3))
@example([500, 340, 330, 330, 250, 250], 2)
def test_packs_exactly_what_fits(shares: list[int], devices: int) -> None:
    """Shares are packed if and only if some assignment exists, and then each is on one device."""
    found = pack(shares, devices)
    assert (found is not None) == fits(shares, devices)
    if found is not None:
        assert sorted(share for group in found for share in group) == sorted(shares)
        assert len(found) <= devices
        assert all(sum(group) <= DEVICE for group in found)


@given(SHARES)
def test_devices_needed_is_the_fewest(shares: list[int]) -> None:
    """One device less is not enough."""
    number = devices_needed(shares)
    assert pack(shares, number) is not None
    assert not number or pack(shares, number - 1) is None


def test_first_fit_is_not_the_last_word() -> None:
    """Two devices hold what first fit decreasing puts on three."""
    shares = [450, 400, 350, 300, 250, 250]
    assert len(device_packing._first_fit(shares)) == 3
    assert pack(shares, 2) is not None


def test_many_small_shares_of_different_sizes_end() -> None:
    """A search without end is given up: the shares are taken not to fit."""
    shares = [*range(20, 60), *range(20, 60)]
    assert pack(shares, sum(shares) // DEVICE) is None or sum(shares) % DEVICE == 0


def test_more_than_a_device_is_whole_devices() -> None:
    """A part of a device beside whole ones cannot be served."""
    assert demand(0) == Demand(0, 0)
    assert demand(999) == Demand(999, 0)
    assert demand(1000) == Demand(0, 1)
    assert demand(3000) == Demand(0, 3)
    assert demand(1001) is None
