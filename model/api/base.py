"""What all API objects share: camelCase names, immutability, lenient nulls."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import lru_cache
from typing import Annotated, Any, cast

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

from ..words import kind_of

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_KWOK_OFFSET = re.compile(r"\$\(time-offset-nanosecond (-?\d{1,20})\)")


class ApiObject(BaseModel):
    """Base of every API type: frozen, camelCase aliases, unknown fields ignored.

    ``null`` means "absent", as in the API server: the field takes its default.
    """

    model_config = ConfigDict(
        frozen=True, alias_generator=to_camel, populate_by_name=True, extra="ignore", strict=False
    )

    @model_validator(mode="before")
    @classmethod
    def _drop_nulls(cls, data: Any) -> Any:
        if isinstance(data, dict):
            fields = cast("dict[str, Any]", data)
            # Not ``None in values``: that would compare with nested models, which is slow.
            for each in fields.values():
                if each is None:
                    return {name: value for name, value in fields.items() if value is not None}
        return cast("Any", data)

    def __hash__(self) -> int:
        return id(self)


def parse_time(raw: object) -> int:
    """Nanoseconds since the epoch of an RFC 3339 time.

    The placeholders that ``kwokctl snapshot export`` writes instead of times
    are offsets from the moment of the export; they are kept as such offsets,
    so that times of one file compare correctly with each other.
    """
    if isinstance(raw, bool):
        raise ValueError("a time is a string such as 2026-01-01T00:00:00Z, not a boolean")
    if isinstance(raw, int):
        return raw
    if isinstance(raw, str):
        return _parse_text(raw.strip())
    if isinstance(raw, datetime):
        return _since_epoch(raw)
    raise ValueError(f"a time is a string such as 2026-01-01T00:00:00Z, not {kind_of(raw)}")


@lru_cache(maxsize=1 << 16)
def _parse_text(text: str) -> int:
    offset = _KWOK_OFFSET.fullmatch(text)
    if offset:
        return int(offset.group(1))
    try:
        return _since_epoch(datetime.fromisoformat(text))
    except ValueError:
        raise ValueError(f"{text[:64]!r} is not a time; write it like 2026-01-01T00:00:00Z") from None


def _since_epoch(moment: datetime) -> int:
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    since = moment - _EPOCH
    return ((since.days * 86400 + since.seconds) * 10**6 + since.microseconds) * 1000


Time = Annotated[int, BeforeValidator(parse_time)]
"""A pydantic field type: nanoseconds since the epoch."""

Int32 = Annotated[int, Field(strict=True, ge=-(2**31), lt=2**31)]
Int64 = Annotated[int, Field(strict=True, ge=-(2**63), lt=2**63)]
Bool = Annotated[bool, Field(strict=True)]
"""Pydantic field types as strict as the API server: no numbers in quotes, no ``"yes"``."""


def _null_is_empty(raw: Any) -> Any:
    if not isinstance(raw, dict):
        return raw
    values = cast("dict[str, Any]", raw)
    if None not in values.values():
        return values
    return {key: "" if value is None else value for key, value in values.items()}


StringMap = Annotated[dict[str, str], BeforeValidator(_null_is_empty)]
"""A pydantic field type: labels and the like; ``key:`` without a value is the empty string, as in Go."""


def one_of(*allowed: str) -> AfterValidator:
    """A pydantic check that a string is one of `allowed`."""

    def check(value: str) -> str:
        if value not in allowed:
            raise ValueError(f"{value[:64]!r} is unknown; use one of {', '.join(filter(None, allowed))}")
        return value

    return AfterValidator(check)


def lift_node_name(data: Any) -> Any:
    """Move ``spec.nodeName`` beside ``spec``, so that equal specs can be one object."""
    if not isinstance(data, dict):
        return data
    fields = cast("dict[str, Any]", data)
    spec = fields.get("spec")
    if not isinstance(spec, dict) or "nodeName" not in spec:
        return fields
    rest = dict(cast("dict[str, Any]", spec))
    return {**fields, "spec": rest, "nodeName": rest.pop("nodeName") or None}
