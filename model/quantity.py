"""Kubernetes quantities, parsed exactly.

A quantity is held as an ``int`` of *nano* units (10^-9 of the base unit), the
finest step the API server keeps: ``"100m"`` is 100_000_000 and ``"1Gi"`` is
2**30 * 10**9. Sums of such integers are exact; rounding happens once, where
kube-scheduler rounds (`milli`, `value`), and always upwards, as it does there.

Source: https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
"""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from typing import Annotated

from pydantic import BeforeValidator

NANO = 10**9
_SUFFIX: dict[str, Decimal] = {
    "n": Decimal("1e-9"), "u": Decimal("1e-6"), "m": Decimal("1e-3"), "": Decimal(1),
    "k": Decimal(10**3), "M": Decimal(10**6), "G": Decimal(10**9), "T": Decimal(10**12),
    "P": Decimal(10**15), "E": Decimal(10**18),
    "Ki": Decimal(2**10), "Mi": Decimal(2**20), "Gi": Decimal(2**30), "Ti": Decimal(2**40),
    "Pi": Decimal(2**50), "Ei": Decimal(2**60),
}  # fmt: skip
_PATTERN = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))(?:[eE]([+-]?\d{1,3})|([numkMGTPE]|[KMGTPE]i)?)")
_LONGEST = 64
MAX = (2**63 - 1) * NANO


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
    text = _as_text(raw)
    match = _PATTERN.fullmatch(text) if len(text) <= _LONGEST else None
    if match is None:
        raise ValueError(
            f"{text[:_LONGEST]!r} is not a quantity; write a number with an optional suffix, such as 100m, 1.5Gi or 1e3"
        )
    digits, exponent, suffix = match.groups()
    try:
        number = Decimal(digits) * (Decimal(10) ** int(exponent) if exponent else _SUFFIX[suffix or ""])
    except InvalidOperation as error:  # pragma: no cover - the pattern admits only numbers
        raise ValueError(f"{text!r} is not a quantity") from error
    if number < 0:
        raise ValueError(f"{text!r} is negative; a quantity is zero or more")
    scaled = number * NANO
    nano = int(scaled) + (scaled != int(scaled))
    return min(nano, MAX)


def _as_text(raw: object) -> str:
    if isinstance(raw, str):
        return raw.strip()
    if isinstance(raw, bool) or not isinstance(raw, (int, float)):
        raise ValueError(f"a quantity is a number or a string, not {type(raw).__name__}")
    return repr(raw)


def milli(nano: int) -> int:
    """Thousandths of the base unit, rounded up (``Quantity.MilliValue``)."""
    return -(-nano // 10**6)


def value(nano: int) -> int:
    """Whole base units, rounded up (``Quantity.Value``)."""
    return -(-nano // NANO)


Quantity = Annotated[int, BeforeValidator(parse_quantity)]
"""A pydantic field type: accepts what `parse_quantity` accepts, holds nano units."""
