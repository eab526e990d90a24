"""JSON documents one after another, lists item by item.

A big list is never held as a whole: each item is parsed, handed on and
forgotten, so that memory stays near the size of the text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import orjson

_CHECKED = 16 * 2**20
_DEEPEST = 64
_SPACE = re.compile(r"[ \t\r\n]*")
_BETWEEN = re.compile(r"(?:[ \t\r\n]+|---[^\n]*(?:\n|\Z))*")
_COLON = re.compile(r"[ \t\r\n]*:[ \t\r\n]*")
_NOTHING = re.compile(r"(?!)")
_NEXT = re.compile(r"[ \t\r\n]*([,\]}])[ \t\r\n]*")
_START = re.compile(r"[ \t\r\n]*(?:\{[ \t\r\n]*[\"}]|\[[ \t\r\n]*[\{\]])")


class BadJson(ValueError):
    """Text that is no JSON; the reader turns it into BadInput."""


class Piece(NamedTuple):
    """A document, or an item of a list with the kind and apiVersion that the list gives its items."""

    document: int
    value: Any
    kind: str = ""
    api_version: str = ""


def looks_like_json(text: str) -> bool:
    """Whether `text` starts as JSON does; YAML in flow style starts otherwise."""
    return _START.match(text) is not None


def pieces(text: str) -> Iterator[Piece]:
    """Everything in `text`, in order.

    Duplicate keys are errors in texts up to 16 MiB: what people write is
    smaller, what programs write has none, and looking costs time.

    Raises
    ------
    BadJson
        For what is no JSON, and for NaN and Infinity.
    """
    return _Text(text).pieces()


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise BadJson(f"key {key[:64]!r} is there twice; keep one")
            seen.add(key)
    return value


def _constant(name: str) -> Any:
    raise BadJson(f"{name} is no JSON number")


class _Text:
    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self._strict = len(text) <= _CHECKED
        hook = _unique if self._strict else None
        self._decoder = json.JSONDecoder(object_pairs_hook=hook, parse_constant=_constant)

    def pieces(self) -> Iterator[Piece]:
        number = 0
        while self._skip(_BETWEEN) < len(self.text):
            number += 1
            match self.text[self.position]:
                case "{":
                    yield from self._document(number)
                case "[":
                    for item in self._elements():
                        yield Piece(number, item)
                case _:
                    yield Piece(number, self._value())

    def _skip(self, pattern: re.Pattern[str]) -> int:
        match = pattern.match(self.text, self.position)
        self.position = match.end() if match else self.position
        return self.position

    def _value(self) -> Any:
        try:
            value, self.position = self._decoder.raw_decode(self.text, self.position)
        except json.JSONDecodeError as error:
            raise BadJson(f"not JSON: {error.msg} (line {error.lineno}, column {error.colno})") from None
        except RecursionError:
            raise BadJson("nested too deep") from None
        except ValueError as error:
            raise error if isinstance(error, BadJson) else BadJson(f"not JSON: {error}") from None
        return value

    def _expect(self, pattern: re.Pattern[str], what: str) -> str:
        match = pattern.match(self.text, self.position)
        if match is None:
            error = json.JSONDecodeError(f"expected {what}", self.text, self.position)
            raise BadJson(f"not JSON: {error.msg} (line {error.lineno}, column {error.colno})")
        self.position = match.end()
        return match[match.lastindex or 0]

    def _opened(self, closing: str) -> bool:
        """Step over an opening bracket; False when it is closed at once."""
        self.position += 1
        self._skip(_SPACE)
        if self.text.startswith(closing, self.position):
            self.position += 1
            return False
        return True

    def _more(self, closing: str) -> bool:
        found = self._expect(_NEXT, f"a comma or {closing}")
        if found not in (",", closing):
            raise BadJson(f"not JSON: {found} closes what {closing} should")
        return found == ","

    def _elements(self) -> Iterator[Any]:
        more = self._opened("]")
        while more:
            yield self._element()
            more = self._more("]")

    def _element(self) -> Any:
        """The value here; where indentation shows where it ends, through the faster parser.

        If what lies between is an object, it is this very one: no object starts with another.
        """
        text, start = self.text, self.position
        margin = text.rfind("\n", max(0, start - _DEEPEST), start)
        closing = text[margin:start] if margin >= 0 else ""
        if self._strict or not text.startswith("{\n", start) or closing.strip(" \n"):
            return self._value()
        end = text.find(closing + "}", start) + len(closing) + 1
        try:
            value = orjson.loads(text[start:end])
        except orjson.JSONDecodeError:
            return self._value()
        self.position = end
        return value

    def _document(self, number: int) -> Iterator[Piece]:
        head: dict[str, Any] = {}
        late: list[Any] = []
        more = self._opened("}")
        while more:
            key = self._key(head)
            if key == "items" and self.text.startswith("[", self.position) and _may_list(head):
                head[key] = None
                for item in self._elements():
                    if "kind" in head or (isinstance(item, dict) and item.get("kind")):
                        yield _item(number, item, head)
                    else:
                        late.append(item)
            else:
                head[key] = self._value()
            more = self._more("}")
        if _may_list(head):
            yield from (_item(number, item, head) for item in late)
        yield Piece(number, head)

    def _key(self, head: dict[str, Any]) -> str:
        if not self.text.startswith('"', self.position):
            self._expect(_NOTHING, "a key in double quotes")
        key = self._value()
        if key in head:
            raise BadJson(f"key {key[:64]!r} is there twice; keep one")
        self._expect(_COLON, "a colon")
        return key


def _may_list(head: dict[str, Any]) -> bool:
    kind = head.get("kind", "List")
    return isinstance(kind, str) and kind.endswith("List")


def _item(number: int, value: Any, head: dict[str, Any]) -> Piece:
    kind, version = head.get("kind"), head.get("apiVersion")
    return Piece(
        number,
        value,
        kind.removesuffix("List") if isinstance(kind, str) else "",
        version if isinstance(version, str) else "",
    )
