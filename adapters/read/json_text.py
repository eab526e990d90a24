"""JSON documents: one, or many one after another, also with pod logs between them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import orjson

_SPACE = re.compile(r"[ \t\r\n]*")
_LOG = re.compile(r"==== START logs for container (\S+) of pod (\S+) ====")


class BadJson(ValueError):
    """Text that is no JSON; the reader turns it into BadInput."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))
        raise BadJson(f"key {twice[:64]!r} is there twice; keep one")
    return value


def _constant(name: str) -> Any:
    raise BadJson(f"{name} is no JSON number")


_DECODER = json.JSONDecoder(parse_constant=_constant)


def documents(text: str) -> Iterator[Any]:
    """Each JSON document of `text`; the logs in a ``kubectl cluster-info dump`` are skipped."""
    try:
        yield orjson.loads(text)
        return
    except orjson.JSONDecodeError:
        pass
    position = 0
    while (position := _SPACE.match(text, position).end()) < len(text):
        log = _LOG.match(text, position)
        if log:
            end = text.find(f"==== END logs for container {log[1]} of pod {log[2]} ====", log.end())
            if end < 0:
                return
            position = text.find("\n", end)
            position = len(text) if position < 0 else position
            continue
        try:
            value, position = _DECODER.raw_decode(text, position)
        except (ValueError, RecursionError) as error:
            raise BadJson(f"not JSON: {error}") from None
        yield value
