"""A placement from a file: a document, a plain mapping, or CSV."""

from __future__ import annotations

import csv
import re
import sys
from pathlib import Path
from typing import Any

import orjson

from ..model.cluster import Cluster
from ..model.errors import BadInput
from .invalid import shown
from .output.documents import API_VERSION
from .output.text import listed
from .read.json_text import looks_like_json
from .read.limits import Limits, TooMuch
from .read.yaml_text import BadYaml, load, split

_LARGEST = 256 * 2**20
_GIVE = "give a Placement document or CSV lines pod,node"
_DOCUMENT = re.compile(r"\s*(?:[{\[]|---|%|#|[^,\n]+:(?:\s|$))")
"""How JSON and YAML begin, and CSV does not."""
Placement = dict[str, str | None]


def read_placement(path: str) -> Placement:
    """Read ``namespace/name`` to node (or None).

    Parameters
    ----------
    path : str
        A document (JSON or YAML) of kind Placement, Comparison (its optimal side) or Schedule, a plain
        mapping, or CSV lines ``pod,node`` (an empty node means unplaced); ``-`` for standard input.

    Raises
    ------
    BadInput
        When the file is none of these.
    """
    text = _text(path)
    if not text.strip():
        raise BadInput(f"is empty; {_GIVE}", file=path)
    return _from_document(text, path) if _DOCUMENT.match(text) else _from_csv(text, path)


def check_names(placement: Placement, cluster: Cluster, *, file: str) -> None:
    """See that every pod and node of a placement is in the cluster.

    Raises
    ------
    BadInput
        Naming those that are not. A node that the cluster itself names for the pod is none of them.
    """
    pods = [key for key in placement if key not in cluster.pod_by_key]
    if pods:
        raise BadInput(
            f"the cluster has no {_named('pod', pods)}; is it a placement of this cluster?", file=file
        )
    nodes = [
        node
        for key, node in placement.items()
        if node and node not in cluster.node_index and node != cluster.pod_by_key[key].node_name
    ]
    if nodes:
        nodes = list(dict.fromkeys(nodes))
        raise BadInput(
            f"the cluster has no {_named('node', nodes)}; is it a placement of this cluster?", file=file
        )


def _named(what: str, names: list[str]) -> str:
    return f"{what}{'s' if len(names) > 1 else ''} {listed(names)}"


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


def _from_document(text: str, path: str) -> Placement:
    data = _parsed(text, path)
    if isinstance(data, dict) and "optimal" in data:
        _check_version(data, path)
        data = data["optimal"]
    if isinstance(data, dict) and "kind" in data and "placement" not in data:
        raise BadInput(f"kind {shown(data['kind'])} holds no placement; {_GIVE}", file=path)
    if isinstance(data, dict) and "placement" in data:
        _check_version(data, path)
        data = data["placement"]
    elif data == {}:
        raise BadInput(f"names no pod; {_GIVE}", file=path)
    if not isinstance(data, dict):
        raise BadInput(
            f"a placement maps namespace/name to node, and is not {shown(data)}; {_GIVE}", file=path
        )
    found: Placement = {}
    for key, node in data.items():
        if node is not None and not isinstance(node, str):
            raise BadInput(f"the node of a pod is a name or null, not {shown(node)}", file=path, field=key)
        found[_key(key)] = node or None
    return found


def _check_version(document: dict[str, Any], path: str) -> None:
    found = document.get("apiVersion", API_VERSION)
    if found != API_VERSION:
        raise BadInput(
            f"must be {API_VERSION}, not {shown(found)}; let this kubestow write it,"
            " or give CSV lines pod,node",
            file=path,
            field="apiVersion",
        )


def _parsed(text: str, path: str) -> Any:
    try:
        if looks_like_json(text):
            return orjson.loads(text)
        documents = [document for document in split(text) if document.strip()]
        if len(documents) != 1:
            raise BadInput(f"holds {len(documents)} documents; {_GIVE}", file=path)
        return load(documents[0], Limits())
    except orjson.JSONDecodeError as error:
        raise BadInput(f"is not valid JSON: {error}", file=path) from None
    except (BadYaml, TooMuch) as error:
        raise BadInput(str(error), file=path) from None


def _key(name: str) -> str:
    return name if "/" in name else f"default/{name}"


def _from_csv(text: str, path: str) -> Placement:
    found: Placement = {}
    for number, row in enumerate(csv.reader(text.splitlines()), start=1):
        cells = [cell.strip() for cell in row]
        if not any(cells) or (number == 1 and cells[:2] == ["pod", "node"]):
            continue
        if len(cells) != 2 or not cells[0]:
            raise BadInput(f"line {number} has {len(cells)} cells; write namespace/name,node", file=path)
        key = _key(cells[0])
        if key in found:
            raise BadInput(f"line {number} names {key} again", file=path)
        found[key] = cells[1] or None
    return found
