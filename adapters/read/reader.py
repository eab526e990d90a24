"""`read`: every kind of input to one cluster."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ...model.cluster import Cluster
from ...model.errors import BadInput
from ...model.profile import SchedulerConfiguration
from ..configuration import KIND as CONFIGURATION
from ..configuration import parse_configuration
from . import json_text, yaml_text
from .limits import Limits, TooMuch
from .parse import CLUSTER_FIELDS, BadObject, parse
from .sources import Source, sources


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file that was read: path, SHA-256 digest as on disk, and how many objects of which kind it held."""

    path: str
    digest: str
    objects: dict[str, int]


@dataclass(frozen=True, slots=True)
class Input:
    """What was read: the cluster, a scheduler configuration if one was there, and the files."""

    cluster: Cluster
    configuration: SchedulerConfiguration | None = None
    files: tuple[InputFile, ...] = ()


def read(
    paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]], *, limits: Limits | None = None
) -> Input:
    """Read a cluster from files, directories, archives or standard input (``-``)."""
    given = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    bounds = limits or Limits()
    found: dict[str, list[Any]] = {}
    files: dict[str, InputFile] = {}
    configuration: SchedulerConfiguration | None = None
    for source in sources([os.fspath(path) for path in given], bounds):
        file = files.setdefault(source.file, InputFile(source.file, source.digest, {}))
        for number, document in enumerate(_documents(source, bounds), 1):
            for kind, raw in _objects(document):
                file.objects[kind] = file.objects.get(kind, 0) + 1
                if kind == CONFIGURATION:
                    configuration = parse_configuration(raw, file=source.name)
                elif kind in CLUSTER_FIELDS:
                    try:
                        found.setdefault(CLUSTER_FIELDS[kind][0], []).append(parse(kind, raw))
                    except BadObject as error:
                        raise BadInput(str(error), file=source.name, document=number, object=kind, field=error.field) from None
    kinds = frozenset(kind for file in files.values() for kind in file.objects)
    cluster = Cluster(**{name: tuple(objects) for name, objects in found.items()}, kinds=kinds)
    return Input(cluster, configuration, tuple(files.values()))


def _documents(source: Source, limits: Limits) -> Iterator[Any]:
    try:
        text = source.data.decode("utf-8-sig")
        if text.lstrip()[:1] == "{":
            yield from json_text.documents(text)
        else:
            for document in yaml_text.split(text):
                yield yaml_text.load(document, limits)
    except (ValueError, TooMuch) as error:
        raise BadInput(str(error), file=source.name) from None


def _objects(document: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    if not isinstance(document, dict):
        return
    kind = document.get("kind", "")
    if not kind.endswith("List"):
        yield kind, document
        return
    for item in document.get("items") or ():
        yield item.get("kind") or kind.removesuffix("List"), item
