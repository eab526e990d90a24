"""Kubernetes quantities, parsed exactly.

A quantity is held as an ``int`` of *nano* units (10^-9 of the base unit), the
finest step the API server keeps: ``"100m"`` is 100_000_000 and ``"1Gi"`` is
2**30 * 10**9. Sums of such integers are exact; rounding happens once, where
kube-scheduler rounds (`milli`, `value`), and always upwards, as it does there.

Source: https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Annotated, Any

from pydantic import BeforeValidator, ValidationError, ValidatorFunctionWrapHandler, WrapValidator
from pydantic_core import InitErrorDetails, PydanticCustomError

from .words import kind_of

NANO = 10**9
_DECIMAL: dict[str, int] = {
    "n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18,
}  # fmt: skip
_BINARY: dict[str, int] = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_PATTERN = re.compile(r"([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3})|([numkMGTPE]|[KMGTPE]i)?)", re.ASCII)
_LONGEST = 64
MAX = (2**63 - 1) * NANO
MOST = 2**62 - 1
"""Scheduler units of a resource that can be counted: sums and differences of such amounts fit 64 bits."""
CPU = "cpu"
TOO_LARGE = "amount_too_large"
"""Pydantic error type of `Amounts`; the message goes behind the value."""


def parse_quantity(raw: object) -> int:
    """Parse one quantity.

    Parameters
    ----------
    raw : str, int or float
        As YAML or JSON delivers it. A number means itself.

    Returns
    -------
    int
        Nano units, rounded up, at most 2**63 - 1 base units (as the API server caps it).

    Raises
    ------
    ValueError
        When `raw` is not a quantity, or is negative.
    """
    if isinstance(raw, str):
        return _parse(raw.strip())
    if isinstance(raw, bool) or not isinstance(raw, int | float):
        raise ValueError(f"a quantity is a number or a string, not {kind_of(raw)}")
    if isinstance(raw, int) and abs(raw) * NANO >= MAX:
        return _parse("-1" if raw < 0 else "1e19")
    return _parse(repr(raw))


@lru_cache(maxsize=1 << 16)
def _parse(text: str) -> int:
    match = _PATTERN.fullmatch(text) if len(text) <= _LONGEST else None
    if match is None or not (match[2] or match[3]):
        raise ValueError(
            f"{text[:_LONGEST]!r} is not a quantity; "
            "write a number with an optional suffix, such as 100m, 1.5Gi or 1e3"
        )
    sign, whole, fraction, exponent, suffix = match.groups(default="")
    mantissa = int(whole + fraction)
    if sign == "-" and mantissa:
        raise ValueError(f"{text!r} is negative; a quantity is zero or more")
    if suffix in _BINARY:
        mantissa <<= _BINARY[suffix]
    power = 9 - len(fraction) + (int(exponent) if exponent else _DECIMAL.get(suffix, 0))
    nano = mantissa * 10**power if power >= 0 else -(-mantissa // 10**-power)
    return min(nano, MAX)


def milli(nano: int) -> int:
    """Thousandths of the base unit, rounded up (``Quantity.MilliValue``)."""
    return -(-nano // 10**6)


def value(nano: int) -> int:
    """Whole base units, rounded up (``Quantity.Value``)."""
    return -(-nano // NANO)


Quantity = Annotated[int, BeforeValidator(parse_quantity)]
"""A pydantic field type: accepts what `parse_quantity` accepts, holds nano units."""


def _countable(raw: Any, parse: ValidatorFunctionWrapHandler) -> dict[str, int]:
    amounts: dict[str, int] = parse(raw)
    errors = [
        InitErrorDetails(type=PydanticCustomError(TOO_LARGE, _limit(name)), loc=(name,), input=raw[name])
        for name, nano in amounts.items()
        if units(name, nano) > MOST
    ]
    if errors:
        raise ValidationError.from_exception_data("amounts", errors)
    return amounts


def _limit(name: str) -> Any:
    return f"is too large; at most {MOST}{'m' if name == CPU else ''} can be counted"


def units(name: str, nano: int) -> int:
    """Scheduler units of an amount of resource `name`: cpu in milli, everything else whole, rounded up."""
    return milli(nano) if name == CPU else value(nano)


Amounts = Annotated[dict[str, Quantity], WrapValidator(_countable)]
"""A pydantic field type: quantities by resource that kube-scheduler adds up, each at most `MOST` units."""
