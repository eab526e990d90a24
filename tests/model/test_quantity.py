from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kubestow.model.quantity import MAX, NANO, milli, parse_quantity, value

SUFFIXES = {
    "n": Fraction(1, 10**9), "u": Fraction(1, 10**6), "m": Fraction(1, 1000), "": Fraction(1),
    "k": Fraction(10**3), "M": Fraction(10**6), "G": Fraction(10**9), "T": Fraction(10**12),
    "P": Fraction(10**15), "E": Fraction(10**18),
    "Ki": Fraction(2**10), "Mi": Fraction(2**20), "Gi": Fraction(2**30), "Ti": Fraction(2**40),
    "Pi": Fraction(2**50), "Ei": Fraction(2**60),
}  # fmt: skip


def nano_of(number: Fraction) -> int:
    exact = number * NANO
    return min(-(-exact.numerator // exact.denominator), MAX)


@pytest.mark.parametrize(
    ("text", "nano"),
    [
        ("100m", 10**8),
        ("1.5Gi", 3 * 2**29 * NANO),
        ("1e3", 1000 * NANO),
        ("129E6", 129_000_000 * NANO),
        ("0.1", 10**8),
        (0.1, 10**8),
        (129e6, 129_000_000 * NANO),
        (1e22, MAX),
        (10**400, MAX),
        (2, 2 * NANO),
        ("1E", 10**18 * NANO),
        (".5", NANO // 2),
        ("5.", 5 * NANO),
        ("+3", 3 * NANO),
        ("-0", 0),
        (" 1Ki ", 1024 * NANO),
        ("99999999999999999999Ei", MAX),
    ],
)
def test_a_quantity_means_what_kubernetes_documents(text: object, nano: int) -> None:
    """Every notation of the Kubernetes documentation is read exactly."""
    assert parse_quantity(text) == nano


@pytest.mark.parametrize(("text", "nano"), [("0.1n", 1), ("1e-12", 1), ("1.0000000001", NANO + 1)])
def test_what_is_finer_than_nano_is_rounded_up(text: str, nano: int) -> None:
    """The API server keeps nano units and rounds up, so that nothing asked for becomes nothing."""
    assert parse_quantity(text) == nano


@pytest.mark.parametrize("raw", ["-1", "-100m", "-1e3", -1, -0.5, -(10**400)])
def test_a_negative_quantity_is_an_error(raw: object) -> None:
    """No field that scheduling reads takes a negative quantity."""
    with pytest.raises(ValueError, match="negative"):
        parse_quantity(raw)


@pytest.mark.parametrize(
    "raw",
    ["", "x", "1 Gi", "e3", ".", "1e3Gi", "1ki", "1KI", "0x10", "1,5", "\u0661", "1" * 65, "nan", "inf",
     float("nan"), float("inf"), None, True, [], {}],
)  # fmt: skip
def test_what_is_no_quantity_is_an_error(raw: object) -> None:
    """Near misses of the notation are refused, not guessed at."""
    with pytest.raises(ValueError, match="quantity"):
        parse_quantity(raw)


@given(
    whole=st.integers(0, 10**18),
    fraction=st.text("0123456789", max_size=12),
    suffix=st.sampled_from(sorted(SUFFIXES)),
)
def test_parsing_agrees_with_exact_fractions(whole: int, fraction: str, suffix: str) -> None:
    """Digits, fraction and suffix multiply without rounding, but for the last step up to nano."""
    number = whole + (Fraction(int(fraction), 10 ** len(fraction)) if fraction else 0)
    assert parse_quantity(f"{whole}.{fraction}{suffix}") == nano_of(number * SUFFIXES[suffix])


@given(st.integers(0, 10**12), st.integers(-15, 18))
def test_exponents_agree_with_exact_fractions(mantissa: int, exponent: int) -> None:
    """Scientific notation shifts the decimal point and nothing else."""
    assert parse_quantity(f"{mantissa}e{exponent}") == nano_of(mantissa * Fraction(10) ** exponent)


@given(st.integers(0, MAX))
def test_nano_units_round_trip(nano: int) -> None:
    """A quantity written in nano units comes back as itself."""
    assert parse_quantity(f"{nano}n") == nano


@given(st.integers(0, MAX))
def test_milli_and_value_round_up(nano: int) -> None:
    """Milli and whole units are the smallest integers that are not below the quantity."""
    assert (milli(nano) - 1) * 10**6 < nano <= milli(nano) * 10**6
    assert (value(nano) - 1) * NANO < nano <= value(nano) * NANO
