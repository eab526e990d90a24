"""A placement from a file: a Placement document, a plain mapping, or CSV."""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import Any, cast

import orjson

from ..model.errors import BadInput

_LARGEST = 256 * 2**20
Placement = dict[str, str | None]


def read_placement(path: str) -> Placement:
    """Read ``namespace/name`` to node (or None).

    Parameters
    ----------
    path : str
        A JSON document of kind Placement, Comparison (its optimal side) or Schedule, a plain JSON
        object, or CSV lines ``pod,node`` (an empty node means unplaced); ``-`` for standard input.

    Raises
    ------
    BadInput
        When the file is none of these.
    """
    text = _text(path)
    found = _from_json(text, path) if text.lstrip().startswith("{") else _from_csv(text, path)
    if not found:
        raise BadInput("holds no placement; give a Placement document or CSV lines pod,node", file=path)
    return found


def _text(path: str) -> str:
    try:
        raw = sys.stdin.buffer.read(_LARGEST + 1) if path == "-" else Path(path).read_bytes()
        if len(raw) > _LARGEST:
            raise BadInput(f"is larger than {_LARGEST} bytes", file=path)
        return raw.decode("utf-8-sig")
    except OSError as error:
        raise BadInput(error.strerror or "cannot be read", file=path) from None
    except UnicodeDecodeError:
        raise BadInput("is not UTF-8 text", file=path) from None


def _from_json(text: str, path: str) -> Placement:
    try:
        data: Any = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise BadInput(f"is not valid JSON: {error}", file=path) from None
    if "optimal" in data:
        data = data["optimal"]
    if isinstance(data, dict) and "placement" in data:
        data = cast("dict[str, Any]", data)["placement"]
    if not isinstance(data, dict):
        raise BadInput("holds no object namespace/name -> node", file=path, field="placement")
    found: Placement = {}
    for key, node in cast("dict[str, Any]", data).items():
        if node is not None and not isinstance(node, str):
            raise BadInput(
                f"node of a pod is a name or null, not {type(node).__name__}", file=path, field=key
            )
        found[key] = node or None
    return found


def _from_csv(text: str, path: str) -> Placement:
    found: Placement = {}
    for number, row in enumerate(csv.reader(text.splitlines()), start=1):
        cells = [cell.strip() for cell in row]
        if not any(cells) or (number == 1 and cells[:2] == ["pod", "node"]):
            continue
        if len(cells) != 2 or not cells[0]:
            raise BadInput(f"line {number} has {len(cells)} cells; write namespace/name,node", file=path)
        key = cells[0] if "/" in cells[0] else f"default/{cells[0]}"
        if key in found:
            raise BadInput(f"line {number} names {key} again", file=path)
        found[key] = cells[1] or None
    return found
