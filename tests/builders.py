"""Small clusters by hand: objects with defaults, written the way manifests are."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from kubestow.model.admission import admit
from kubestow.model.api import Namespace, Node, Pod, PodSpec
from kubestow.model.cluster import Cluster

HOSTNAME = "kubernetes.io/hostname"
ZONE = "topology.kubernetes.io/zone"
ROOM = {"cpu": "1000", "memory": "1Ti", "pods": "1000"}
_SPECS: dict[str, PodSpec] = {}


def node(name: str, zone: str = "", labels: Mapping[str, str] | None = None, **spec: Any) -> Node:
    """A roomy node with its host name, a zone if given, and more `labels`; `spec` as in a manifest."""
    zones = {ZONE: zone} if zone else {}
    metadata = {"name": name, "labels": {HOSTNAME: name, **zones, **(labels or {})}}
    status = {"allocatable": ROOM, "capacity": ROOM}
    return Node.model_validate({"metadata": metadata, "spec": spec, "status": status})


def pod(
    name: str,
    on: str | None = None,
    labels: Mapping[str, str] | None = None,
    *,
    metadata: Mapping[str, Any] | None = None,
    status: Mapping[str, Any] | None = None,
    **spec: Any,
) -> Pod:
    """A pod ``default/NAME`` (or ``NAMESPACE/NAME``), bound to node `on`; equal `spec` are one object."""
    namespace, _, bare = name.rpartition("/")
    text = json.dumps(spec, sort_keys=True)
    shared = _SPECS.setdefault(text, PodSpec.model_validate({"containers": [{"name": "main"}], **spec}))
    data = {"name": bare, "namespace": namespace or "default", "labels": labels or {}, **(metadata or {})}
    built = Pod.model_validate({"metadata": data, "status": status or {}})
    return built.model_copy(update={"spec": shared, "node_name": on})


def namespace(name: str, **labels: str) -> Namespace:
    """A namespace with labels."""
    return Namespace.model_validate({"metadata": {"name": name, "labels": labels}})


def cluster(nodes: Iterable[Node], pods: Iterable[Pod], **objects: Any) -> Cluster:
    """A cluster after admission; `objects` are further fields of `Cluster`."""
    return admit(Cluster(nodes=tuple(nodes), pods=tuple(pods), **objects))
