"""YAML as kubectl reads it: safe, YAML 1.1 scalars as go-yaml resolves them, bounded.

Values are built straight from libyaml's events, without PyYAML's node graph
and constructors: nesting cannot exhaust the stack, aliases are counted before
anything walks them, and it is several times faster.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import yaml

from ...model.words import kind_of
from .limits import Limits, TooMuch

_Parser: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TAG = "tag:yaml.org,2002:"
_SEPARATOR = re.compile(r"^---(?=[ \t\r\n]|\Z)", re.MULTILINE)
_NOTHING = re.compile(r"(?:[ \t\r]*(?:#.*|%.*|---[ \t\r]*(?:#.*)?|\.\.\.[ \t\r]*)?(?:\n|\Z))*\Z")
_INTEGER = re.compile(r"[-+]?(?:0[xX][0-9a-fA-F_]+|0[bB][01_]+|0[oO]?[0-7_]+|[0-9][0-9_]*)")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_WORDS: dict[str, Any] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"), True),
    **dict.fromkeys(("false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF"), False),
}
_NUMERIC = frozenset("+-.0123456789")
_LONGEST_INTEGER = 40
_WHOLE = 10**21
_MERGE = "<<"


class BadYaml(ValueError):
    """A YAML document that cannot be read; the reader turns it into BadInput."""


def split(text: str) -> Iterator[str]:
    """The documents of a stream that hold anything, as texts.

    A line that starts with ``---`` always separates documents, so they can be
    taken apart before parsing, and a broken one does not spoil the others.
    """
    starts = [0, *(match.start() for match in _SEPARATOR.finditer(text)), len(text)]
    for start, end in pairwise(starts):
        document = text[start:end]
        if not _NOTHING.match(document):
            yield document


def load(text: str, limits: Limits) -> Any:
    """The value of one YAML document.

    Raises
    ------
    BadYaml
        For broken YAML, duplicate or unusable keys, unknown tags, and documents past the limits.
    """
    parser = _Parser(text)
    try:
        return _Builder(limits).build(parser)
    except yaml.YAMLError as error:
        raise BadYaml(f"not YAML: {_describe(error)}") from None
    finally:
        parser.dispose()


def _describe(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "broken text"
    where = f" (line {mark.line + 1} of the document, column {mark.column + 1})" if mark else ""
    return f"{problem}{where}"


def scalar(text: str) -> Any:
    """The value of a plain scalar: null, a boolean, a number or the text itself.

    As in JSON, ``1e3`` is the whole number 1000. What JSON cannot say, such
    as ``.nan``, stays text, and so do times. So do ``y`` and ``n``, which
    kubectl reads as booleans: they are names more often.
    """
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _NUMERIC:
        return text
    if _INTEGER.fullmatch(text) and len(text) <= _LONGEST_INTEGER:
        return _integer(text)
    return _number(text) if _FLOAT.fullmatch(text) else text


def _integer(text: str) -> Any:
    digits = text.replace("_", "")
    unsigned = digits.lstrip("+-")
    octal = len(unsigned) > 1 and unsigned[0] == "0" and unsigned[1].isdigit()
    try:
        return int(digits, 8 if octal else 0)
    except ValueError:
        return _number(digits) if _FLOAT.fullmatch(digits) else text


def _number(text: str) -> Any:
    number = float(text)
    if not math.isfinite(number):
        return text
    return int(number) if number.is_integer() and abs(number) < _WHOLE else number


def _key(value: Any) -> str:
    """A mapping key as JSON has it."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    raise BadYaml(f"a key must be a string, not {kind_of(value)}")


class _Frame:
    """A mapping or sequence that is being built."""

    __slots__ = ("anchor", "key", "keyed", "merges", "size", "value")

    def __init__(self, value: dict[str, Any] | list[Any], anchor: str | None) -> None:
        self.value = value
        self.anchor = anchor
        self.key: str | None = None
        self.keyed = False
        self.merges: list[Any] = []
        self.size = 1


class _Builder:
    """Builds one document from parser events."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._stack: list[_Frame] = []
        self._anchors: dict[str, tuple[Any, int]] = {}
        self._copied = 0
        self._result: Any = None
        self._scalars: dict[str, Any] = {}

    def build(self, parser: Any) -> Any:
        handlers: dict[type, Callable[[Any], None]] = {
            yaml.ScalarEvent: self._scalar,
            yaml.MappingStartEvent: self._open_mapping,
            yaml.SequenceStartEvent: self._open_sequence,
            yaml.MappingEndEvent: self._close,
            yaml.SequenceEndEvent: self._close,
            yaml.AliasEvent: self._alias,
        }
        while True:
            event = parser.get_event()
            handler = handlers.get(type(event))
            if handler is not None:
                handler(event)
            elif isinstance(event, yaml.StreamEndEvent):
                return self._result

    def _scalar(self, event: Any) -> None:
        text = event.value
        if event.tag is not None and event.tag != "!":
            value = _tagged(event.tag, text)
        elif event.implicit[0] and event.tag is None:
            value = self._plain(text)
        else:
            value = text
        if event.anchor:
            self._anchors[event.anchor] = (value, 1)
        self._add(value, 1, plain=event.implicit[0] and event.tag is None)

    def _plain(self, text: str) -> Any:
        try:
            return self._scalars[text]
        except KeyError:
            value = self._scalars[text] = scalar(text)
            return value

    def _open_mapping(self, event: Any) -> None:
        self._open({}, event, _TAG + "map")

    def _open_sequence(self, event: Any) -> None:
        self._open([], event, _TAG + "seq")

    def _open(self, value: dict[str, Any] | list[Any], event: Any, tag: str) -> None:
        if event.tag not in (None, "!", tag):
            raise BadYaml(f"tag {event.tag[:64]!r} is not supported; API objects need none")
        if len(self._stack) >= self._limits.depth:
            raise TooMuch(f"nested more than {self._limits.depth} levels deep")
        if event.anchor:
            self._anchors.pop(event.anchor, None)
        self._stack.append(_Frame(value, event.anchor))

    def _close(self, event: Any) -> None:
        frame = self._stack.pop()
        if frame.merges:
            self._merge(frame)
        if frame.anchor:
            self._anchors[frame.anchor] = (frame.value, frame.size)
        self._add(frame.value, frame.size)

    def _alias(self, event: Any) -> None:
        if event.anchor not in self._anchors:
            raise BadYaml(f"alias *{event.anchor[:64]} has no finished anchor before it")
        value, size = self._anchors[event.anchor]
        self._copied += size
        if self._copied > self._limits.alias_nodes:
            raise TooMuch(f"aliases expand to more than {self._limits.alias_nodes} values; write them out")
        self._add(value, size)

    def _add(self, value: Any, size: int, *, plain: bool = False) -> None:
        if not self._stack:
            self._result = value
            return
        frame = self._stack[-1]
        frame.size += size
        target = frame.value
        if isinstance(target, list):
            target.append(value)
        elif not frame.keyed:
            frame.key, frame.keyed = (None if plain and value == _MERGE else _key(value)), True
        else:
            self._put(frame, target, value)

    def _put(self, frame: _Frame, target: dict[str, Any], value: Any) -> None:
        frame.keyed = False
        if frame.key is None:
            frame.merges.append(value)
        elif frame.key in target:
            raise BadYaml(f"key {frame.key[:64]!r} is there twice; keep one")
        else:
            target[frame.key] = value

    def _merge(self, frame: _Frame) -> None:
        parts = [
            part for merged in frame.merges for part in (merged if isinstance(merged, list) else [merged])
        ]
        target = frame.value
        assert isinstance(target, dict)
        for part in parts:
            if not isinstance(part, dict):
                raise BadYaml("a merge key << takes a mapping or a list of mappings")
            for key, value in part.items():
                target.setdefault(key, value)


def _tagged(tag: str, text: str) -> Any:
    kind = tag.removeprefix(_TAG)
    if kind == "str":
        return text
    if kind == "binary":
        try:
            return base64.b64decode(text).decode()
        except (binascii.Error, UnicodeDecodeError):
            raise BadYaml("!!binary holds no text") from None
    if kind in ("int", "float", "bool", "null", "timestamp"):
        return scalar(text) if kind != "timestamp" else text
    raise BadYaml(f"tag {tag[:64]!r} is not supported; API objects need none")
