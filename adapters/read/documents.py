"""A source to raw API objects: documents parsed, lists taken apart, heads checked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from ..invalid import shown
from . import json_text, yaml_text
from .json_text import Piece
from .limits import Limits, TooMuch
from .logs import OpenLog, without_logs
from .problems import Problems
from .sources import Source

_KIND = re.compile(r"[A-Z][A-Za-z0-9]{0,62}")
_VERSION = re.compile(r"(?:[a-z0-9][-a-z0-9.]{0,252}/)?v[a-z0-9]{1,62}")


class RawObject(NamedTuple):
    """One object as it was written.

    Parameters
    ----------
    file : str
        Name of the source, for messages.
    document : int
        Which document of the source holds it, from 1.
    kind, api_version : str
        Well-formed; the version may be empty.
    fields : dict or None
        None says that a list of this kind was there, whatever it held.
    """

    file: str
    document: int
    kind: str
    api_version: str
    fields: dict[str, Any] | None


class _BadHead(ValueError):
    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(message)
        self.field = field


def raw_objects(source: Source, limits: Limits, problems: Problems) -> Iterator[RawObject]:
    """Every object of a source, in order.

    What cannot be read is reported to `problems`. A file that was not named
    itself may hold documents that are no API objects: they are skipped.
    """
    seen = skipped = 0
    for piece in _pieces(source, limits, problems):
        seen += 1
        try:
            yield from _flat(piece, source.name)
        except _BadHead as error:
            if source.named:
                problems.report(str(error), file=source.name, document=piece.document, field=error.field)
            skipped += 1
    if source.named and not seen:
        problems.report("holds no document; it is empty or all comments", file=source.name)
    if skipped and not source.named:
        problems.warn("skipped", source.name, "", f"{skipped} documents are no API objects: skipped")


def _pieces(source: Source, limits: Limits, problems: Problems) -> Iterator[Piece]:
    try:
        text, doubtful = without_logs(source.text)
        for pod in doubtful:
            message = "its log imitates the marks around logs: objects may be missing; use --output-directory"
            problems.warn("doubtful-log", f"Pod/{pod}", "", message)
        if json_text.looks_like_json(text):
            yield from json_text.pieces(text)
        else:
            yield from _yaml(text, source, limits, problems)
    except (json_text.BadJson, OpenLog) as error:
        problems.report(str(error), file=source.name)


def _yaml(text: str, source: Source, limits: Limits, problems: Problems) -> Iterator[Piece]:
    for number, document in enumerate(yaml_text.split(text), 1):
        try:
            value = yaml_text.load(document, limits)
        except (yaml_text.BadYaml, TooMuch) as error:
            problems.report(str(error), file=source.name, document=number)
        else:
            yield Piece(number, value)


def _flat(piece: Piece, file: str) -> Iterator[RawObject]:
    kind, version, fields = _head(piece)
    if not kind.endswith("List") or (kind == "List" and "items" not in fields):
        yield RawObject(file, piece.document, kind, version, fields)
        return
    of = kind.removesuffix("List")
    if of:
        yield RawObject(file, piece.document, of, version, None)
    items = fields.get("items") or ()
    if not isinstance(items, list | tuple):
        raise _BadHead(f"must be a list, not {shown(items)}", "items")
    for item in items:
        yield from _flat(Piece(piece.document, item, of, version if of else ""), file)


def _head(piece: Piece) -> tuple[str, str, dict[str, Any]]:
    fields = piece.value
    if not isinstance(fields, dict):
        raise _BadHead(f"an API object is a mapping, not {shown(fields)}")
    own = fields.get("kind") is not None
    kind = fields["kind"] if own else piece.kind
    version = fields.get("apiVersion") or ("" if own else piece.api_version)
    if not kind:
        raise _BadHead("is missing, so this is no API object; name it, such as kind: Pod", "kind")
    if not isinstance(kind, str) or not _well_formed(_KIND, kind):
        raise _BadHead(f"{shown(kind)} is no kind; kinds look like Pod", "kind")
    if not isinstance(version, str) or not (version == "" or _well_formed(_VERSION, version)):
        raise _BadHead(f"{shown(version)} is no version; versions look like v1 or apps/v1", "apiVersion")
    return kind, version, fields


@lru_cache(maxsize=1024)
def _well_formed(pattern: re.Pattern[str], text: str) -> bool:
    return pattern.fullmatch(text) is not None
