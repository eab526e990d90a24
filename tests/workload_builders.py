"""Workloads, and the objects around them, by hand, written the way manifests are."""

from __future__ import annotations

from typing import Any

from kubestow.adapters.read.build import Builder
from kubestow.adapters.read.kinds import CLUSTER_FIELDS
from kubestow.model.cluster import Cluster

SPEC = {"containers": [{"name": "c"}]}


def workload(
    kind: str, name: str = "w", *, uid: str = "", template: Any = None, **spec: Any
) -> dict[str, Any]:
    body = template or {"metadata": {"labels": {"app": name}}, "spec": SPEC}
    metadata = {"name": name, "namespace": "a", "uid": uid}
    return {
        "kind": kind,
        "metadata": metadata,
        "spec": {"selector": {"matchLabels": {"app": name}}, "template": body, **spec},
    }


def node(name: str, **fields: Any) -> dict[str, Any]:
    return {"kind": "Node", "metadata": {"name": name, "labels": fields.pop("labels", {})}, "spec": fields}


def pod(
    name: str, owner: str = "", *, uid: str = "", phase: str = "", node: str = "", **metadata: Any
) -> dict[str, Any]:
    kind, _, of = owner.partition("/")
    owners = [{"kind": kind, "name": of, "uid": uid, "controller": True}] if owner else []
    return {
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "a", "ownerReferences": owners, **metadata},
        "spec": {**SPEC, "nodeName": node},
        "status": {"phase": phase},
    }


def cluster(*objects: dict[str, Any]) -> Cluster:
    fields: dict[str, list[Any]] = {}
    builder = Builder()
    for raw in objects:
        fields.setdefault(CLUSTER_FIELDS[raw["kind"]][0], []).append(builder.build(raw["kind"], raw))
    return Cluster(**{name: tuple(found) for name, found in fields.items()})


def names(found: Cluster) -> list[str]:
    return [pod.name for pod in found.pods]
