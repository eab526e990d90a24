"""The integer functions of ``docs/objective.md``, against their definition and what they interpolate."""

import itertools
from fractions import Fraction
from math import ceil

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kubestow.model.profile import ScoringStrategy
from kubestow.model.terms import (
    SEGMENTS,
    TERM_UNITS,
    NodeFunctions,
    TermUnits,
    node_functions,
    scales,
    shape_at,
)

SHAPES = [((0, 0), (100, 10)), ((0, 10), (100, 0)), ((0, 0), (50, 10), (100, 3)), ((30, 2), (31, 9))]
SIZES = st.lists(st.integers(1, TERM_UNITS), min_size=1, max_size=4)
SCALES = st.integers(256, 10**6)


def strategy(kind: str, shape: tuple[tuple[int, int], ...] = ()) -> ScoringStrategy:
    return ScoringStrategy(kind, shape=shape)


STRATEGIES = [
    strategy("LeastAllocated"),
    strategy("MostAllocated"),
    *(strategy("RequestedToCapacityRatio", shape) for shape in SHAPES),
]


def definition(given: ScoringStrategy, c: int, a: int, usage: int) -> int:
    """The function as the document writes it, one segment at a time."""
    b = sorted({k * c // SEGMENTS for k in range(SEGMENTS + 1)})
    total, slope = 0, 0
    for low, high in itertools.pairwise(b):
        if given.type == "LeastAllocated":
            slope = (a * (low + high) + c // 2) // c
        elif given.type == "MostAllocated":
            slope = ceil(Fraction(a * (c - low - high), c))
        else:
            values = [a * x * (1000 - shape_at(given.shape, 100 * x // c)) // 1000 for x in (low, high)]
            slope = ceil(Fraction(values[1] - values[0], high - low))
        total += slope * max(0, min(usage, high) - low)
    if given.type == "MostAllocated":
        slope = 0
    elif given.type == "RequestedToCapacityRatio":
        slope = a * (1000 - shape_at(given.shape, 100)) // 1000
    return total + slope * max(0, usage - c)


def slopes(functions: NodeFunctions, node: int) -> list[int]:
    """Slopes of the segments that are not empty, in order."""
    lengths = [*np.diff(functions.breakpoints[node]), 1]
    return [int(s) for s, length in zip(functions.slopes[node], lengths, strict=True) if length]


@pytest.mark.parametrize("given_strategy", STRATEGIES, ids=str)
@given(sizes=SIZES, scale=SCALES, data=st.data())
def test_functions_are_as_defined(
    given_strategy: ScoringStrategy, sizes: list[int], scale: int, data: st.DataObject
) -> None:
    """Every node's function equals its definition, below and above capacity."""
    usage = [data.draw(st.one_of(st.integers(0, size), st.integers(0, 3 * size))) for size in sizes]
    functions = node_functions(given_strategy, sizes, scale)
    expected = [definition(given_strategy, c, scale, u) for c, u in zip(sizes, usage, strict=True)]
    assert functions(np.array(usage)).tolist() == expected


@pytest.mark.parametrize("given_strategy", STRATEGIES, ids=str)
@given(size=st.integers(1, TERM_UNITS), scale=SCALES, usage=st.integers(0, 3 * TERM_UNITS))
def test_no_usage_costs_less_than_nothing(
    given_strategy: ScoringStrategy, size: int, scale: int, usage: int
) -> None:
    """Functions start at 0 and never fall below it."""
    functions = node_functions(given_strategy, [size], scale)
    assert functions(np.array([0])).tolist() == [0]
    assert functions(np.array([usage]))[0] >= 0


@given(sizes=SIZES, scale=SCALES)
def test_least_allocated_is_convex(sizes: list[int], scale: int) -> None:
    """Slopes of LeastAllocated never decrease, beyond the capacity either."""
    functions = node_functions(strategy("LeastAllocated"), sizes, scale)
    for node in range(len(sizes)):
        assert slopes(functions, node) == sorted(slopes(functions, node))


@given(sizes=SIZES, scale=SCALES)
def test_most_allocated_is_concave(sizes: list[int], scale: int) -> None:
    """Slopes of MostAllocated never increase up to the capacity, and end at 0."""
    functions = node_functions(strategy("MostAllocated"), sizes, scale)
    for node in range(len(sizes)):
        *inner, last = slopes(functions, node)
        assert inner == sorted(inner, reverse=True)
        assert last == 0


@given(size=st.integers(1, TERM_UNITS), scale=SCALES, share=st.fractions(0, 1))
def test_functions_interpolate_the_strategies(size: int, scale: int, share: Fraction) -> None:
    """LeastAllocated follows A U^2 / c and MostAllocated A U (c - U) / c, within a chord and the rounding."""
    usage = int(size * share)
    square = Fraction(scale * usage * usage, size)
    chord = Fraction(scale * (size // SEGMENTS + 1) ** 2, size)
    least = int(node_functions(strategy("LeastAllocated"), [size], scale)(np.array([usage]))[0])
    most = int(node_functions(strategy("MostAllocated"), [size], scale)(np.array([usage]))[0])
    assert abs(least - square) <= chord + usage
    assert abs(most - (scale * usage - square)) <= chord + usage


def test_amounts_beyond_64_bits_stay_exact() -> None:
    """Usage as large as a hostile quantity is still multiplied exactly."""
    functions = node_functions(strategy("LeastAllocated"), [TERM_UNITS], 256)
    usage = 2**62
    expected = definition(strategy("LeastAllocated"), TERM_UNITS, 256, usage)
    assert functions(np.array([usage], dtype=object)).tolist() == [expected]
    assert expected > 2**63


@given(capacities=st.lists(st.integers(0, 2**60), min_size=1, max_size=5), data=st.data())
def test_what_fits_in_scheduler_units_fits_in_term_units(capacities: list[int], data: st.DataObject) -> None:
    """Rounding pods down one by one never lets a node overflow that had room; sizes stay below 2^18."""
    units = TermUnits.of(capacities)
    assert max(units.sizes) <= TERM_UNITS
    capacity = data.draw(st.sampled_from(capacities))
    requests = data.draw(st.lists(st.integers(0, capacity), max_size=5))
    if sum(requests) <= capacity:
        assert sum(units.amounts(requests)) <= capacity // units.unit


@given(totals=st.lists(st.integers(1, 10**9), min_size=1, max_size=4), weight=st.integers(1, 100))
def test_scales_make_resources_comparable(totals: list[int], weight: int) -> None:
    """With equal weights every factor times its total is the same, up to one rounding."""
    products = [s * t for s, t in zip(scales(totals, [weight] * len(totals)), totals, strict=True)]
    assert max(products) - min(products) <= max(totals)


def test_shapes_are_linear_between_points_and_flat_outside() -> None:
    """Scores run from 0 to 1000, rounded down, with the outermost points going on."""
    shape = ((20, 1), (50, 10), (80, 3))
    assert [shape_at(shape, p) for p in (0, 20, 35, 50, 65, 66, 80, 100)] == [
        100, 100, 550, 1000, 650, 626, 300, 300,
    ]  # fmt: skip
