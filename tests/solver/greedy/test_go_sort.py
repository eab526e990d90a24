from hypothesis import given
from hypothesis import strategies as st
from kubestow.solver.greedy.go_sort import _Slice, go_sorted

KEYS = st.lists(st.integers(0, 9), max_size=150)


@given(KEYS, st.integers(0, 8))
def test_it_sorts_whatever_the_limit(keys, limit):
    """Quicksort, insertion sort and the heap sort it falls back to give ascending keys, and lose nothing."""
    pairs = [(key, number) for number, key in enumerate(keys)]
    _Slice(pairs).sort(0, len(pairs), limit)
    assert [key for key, _ in pairs] == sorted(keys)
    assert sorted(number for _, number in pairs) == list(range(len(keys)))


@given(st.lists(st.integers(0, 3), max_size=12))
def test_short_lists_keep_the_order_of_ties(keys):
    """Insertion sort is stable."""
    numbered = list(enumerate(keys))
    assert go_sorted(numbered, lambda item: item[1]) == sorted(numbered, key=lambda item: item[1])


def test_longer_lists_do_not():
    """The order of ties is Go's: recorded from a preemption in the real scheduler."""
    ordered = go_sorted(list(range(14)), lambda number: number % 3)
    assert ordered[7:] == [10, 7, 13, 8, 5, 2, 11]
