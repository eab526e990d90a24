"""Objects to a cluster: names checked, duplicates merged, references looked up."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from ...model import api
from ...model.cluster import Cluster
from ..invalid import shown
from .build import BadObject, Builder
from .documents import RawObject
from .kinds import CLUSTER_FIELDS, NAMESPACED
from .names import valid_name, valid_namespace
from .problems import Problems
from .unknown import UnknownFields

_SHOWN = 3
_LONGEST_VERSION = 40
_NO_NAME = "is no valid name; use lower case letters, digits, '-' and '.'"


@dataclass(slots=True)
class _Entry:
    object: Any
    file: str
    document: int


class Collector:
    """Gathers the objects of all files.

    Parameters
    ----------
    problems : Problems
        Told about every object that cannot be used.
    """

    def __init__(self, problems: Problems) -> None:
        self._problems = problems
        self._builder = Builder()
        self._entries: dict[tuple[str, str, str], _Entry] = {}
        self._unknown = UnknownFields()
        self._kinds: set[str] = set()
        self._merged: dict[tuple[str, str], list[str]] = {}

    def add(self, raw: RawObject) -> None:
        """Take one object of a kind that goes into a cluster."""
        self._kinds.add(raw.kind)
        if raw.fields is None:
            return
        try:
            self._put(raw, self._identified(raw.kind, self._builder.build(raw.kind, _placed(raw))))
            if self._builder.unknown:
                self._unknown.add(raw.kind, _describe(raw), self._builder.unknown)
        except BadObject as error:
            self._problems.report(
                str(error), file=raw.file, document=raw.document, object=_describe(raw), field=error.field
            )

    def _identified(self, kind: str, built: Any) -> Any:
        metadata: api.ObjectMeta = built.metadata
        if not metadata.name and metadata.generate_name:
            metadata = metadata.model_copy(update={"name": self._generated(kind, metadata)})
            built = built.model_copy(update={"metadata": metadata})
        if not metadata.name:
            raise BadObject("is missing; give the object a name", "metadata.name")
        if not valid_name(metadata.name):
            raise BadObject(f"{shown(metadata.name)} {_NO_NAME}", "metadata.name")
        if kind in NAMESPACED and not valid_namespace(metadata.namespace):
            raise BadObject(f"{shown(metadata.namespace)} {_NO_NAME}", "metadata.namespace")
        return built

    def _generated(self, kind: str, metadata: api.ObjectMeta) -> str:
        number = 0
        while (kind, metadata.namespace, f"{metadata.generate_name}{number}") in self._entries:
            number += 1
        return f"{metadata.generate_name}{number}"

    def _put(self, raw: RawObject, built: Any) -> None:
        metadata: api.ObjectMeta = built.metadata
        key = (raw.kind, metadata.namespace, metadata.name)
        entry = _Entry(built, raw.file, raw.document)
        before = self._entries.setdefault(key, entry)
        if before is not entry:
            self._merge(before, entry, raw.kind, _describe(raw))

    def _merge(self, before: _Entry, entry: _Entry, kind: str, name: str) -> None:
        if _alike(before.object, entry.object):
            self._merged.setdefault(("equal", kind), []).append(name)
            return
        old, new = _version(before.object), _version(entry.object)
        if old is None or new is None or old == new:
            raise BadObject(
                f"differs from the object of that name in {before.file}, document {before.document}, "
                "and no resourceVersion tells which is newer; remove one"
            )
        self._merged.setdefault(("newer", kind), []).append(name)
        if new > old:
            before.object, before.file, before.document = entry.object, entry.file, entry.document

    def place(self, key: str) -> tuple[str, int | None]:
        """File and document of the object ``Kind/namespace/name``."""
        kind, namespace, name = key.split("/")
        entry = self._entries.get((kind, namespace, name))
        return (entry.file, entry.document) if entry else ("", None)

    def cluster(self) -> Cluster:
        """Everything that was added."""
        fields: dict[str, list[Any]] = {}
        for (kind, _, _), entry in self._entries.items():
            fields.setdefault(CLUSTER_FIELDS[kind][0], []).append(entry.object)
        self._unknown.say(self._problems)
        self._say_merged()
        cluster = Cluster(
            **{name: tuple(objects) for name, objects in fields.items()}, kinds=frozenset(self._kinds)
        )
        self._say_unknown_nodes(cluster)
        return cluster

    def _say_merged(self) -> None:
        for (how, kind), names in self._merged.items():
            what = "equal: merged" if how == "equal" else "different: the newer resourceVersion counts"
            listed = ", ".join(names[:_SHOWN]) + (
                f" and {len(names) - _SHOWN} others" if len(names) > _SHOWN else ""
            )
            self._problems.warn(
                "duplicate", names[0], "", f"there more than once and {what} ({kind}: {listed})"
            )

    def _say_unknown_nodes(self, cluster: Cluster) -> None:
        if not cluster.nodes:
            self._problems.warn("no-nodes", "", "", "no Node was read, so no pod can be placed")
        lost = Counter(
            pod.node_name for pod in cluster.pods if pod.node_name and pod.node_name not in cluster.node_index
        )
        for node, pods in lost.items():
            first = next(pod for pod in cluster.pods if pod.node_name == node)
            message = f"node {shown(node)} was not read: the pod counts nowhere" + (
                f", and {pods - 1} others" if pods > 1 else ""
            )
            self._problems.warn("unknown-node", f"Pod/{first.key}", "spec.nodeName", message)


def _placed(raw: RawObject) -> dict[str, Any]:
    """The fields, with the namespace ``default`` where a namespaced object has none, and none elsewhere."""
    fields = raw.fields or {}
    metadata = fields.get("metadata")
    if metadata is None:
        raise BadObject("is missing; give the object a name", "metadata.name")
    if not isinstance(metadata, dict):
        return fields
    if raw.kind not in NAMESPACED:
        metadata = {name: value for name, value in metadata.items() if name != "namespace"}
    elif not metadata.get("namespace"):
        metadata = {**metadata, "namespace": "default"}
    return {**fields, "kind": raw.kind, "metadata": metadata}


def _describe(raw: RawObject) -> str:
    """``Kind/namespace/name`` as far as they are known, safe to print."""
    metadata = (raw.fields or {}).get("metadata")
    if not isinstance(metadata, dict):
        return raw.kind
    parts = [raw.kind]
    if raw.kind in NAMESPACED:
        parts.append(_part(metadata.get("namespace") or "default"))
    parts.append(_part(metadata.get("name") or metadata.get("generateName") or "?"))
    return "/".join(parts)


def _part(name: Any) -> str:
    return name if isinstance(name, str) and (valid_name(name) or name == "?") else shown(name)


def _alike(one: Any, other: Any) -> bool:
    return _unversioned(one) == _unversioned(other)


def _unversioned(built: Any) -> Any:
    metadata = built.metadata.model_copy(update={"resource_version": ""})
    return built.model_copy(update={"metadata": metadata})


def _version(built: Any) -> int | None:
    text: str = built.metadata.resource_version
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _LONGEST_VERSION else None
