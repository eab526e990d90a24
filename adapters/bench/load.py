"""The benchmark ``load``: from a snapshot on disk to the solver's classes, in seconds and GiB."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from .registry import Benchmark, Row, Run
from .report import averages

SIZES = {"small": (100, 2000), "large": (5000, 100_000)}
_REPLICAS = 250
_ZONES = 3


def write_snapshot(path: Path, nodes: int, pods: int, seed: int) -> None:
    """Write nodes, ReplicaSets and their running pods as a ``kind: List``, object by object."""
    with path.open("w", encoding="utf-8") as file:
        file.write('{"apiVersion": "v1", "kind": "List", "items": [')
        for position, item in enumerate(_items(nodes, pods, Random(seed))):
            file.write((",\n" if position else "\n") + json.dumps(item))
        file.write("\n]}\n")


def _items(nodes: int, pods: int, draw: Random) -> Iterator[dict[str, Any]]:
    for number in range(nodes):
        yield _node(number)
    for number in range(-(-pods // _REPLICAS)):
        template, name = _template(draw, number), f"app-{number}"
        replicas = min(_REPLICAS, pods - number * _REPLICAS)
        yield _replica_set(name, replicas, template)
        for replica in range(replicas):
            yield _pod(name, replica, template, draw.randrange(nodes))


def _node(number: int) -> dict[str, Any]:
    name = f"node-{number}"
    labels = {
        "kubernetes.io/hostname": name,
        "topology.kubernetes.io/zone": f"zone-{number % _ZONES}",
        "node.kubernetes.io/instance-type": f"type-{number % 7}",
    }
    size = {"cpu": "32", "memory": "128Gi", "pods": "250", "ephemeral-storage": "100Gi"}
    conditions = [{"type": "Ready", "status": "True"}]
    status = {"capacity": size, "allocatable": size, "conditions": conditions}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "status": status,
    }


def _template(draw: Random, number: int) -> dict[str, Any]:
    requests = {"cpu": f"{draw.randint(1, 40) * 25}m", "memory": f"{draw.randint(1, 32) * 64}Mi"}
    container = {
        "name": "main",
        "image": f"registry.example/app-{number}:1.0",
        "resources": {"requests": requests},
        "env": [{"name": f"KEY_{position}", "value": "value"} for position in range(5)],
    }
    spec: dict[str, Any] = {"containers": [container], "schedulerName": "default-scheduler", "priority": 0}
    if number % 3 == 0:
        constraint = {
            "maxSkew": 1,
            "topologyKey": "topology.kubernetes.io/zone",
            "whenUnsatisfiable": "ScheduleAnyway",
            "labelSelector": {"matchLabels": {"app": f"app-{number}"}},
        }
        spec["topologySpreadConstraints"] = [constraint]
    return {"metadata": {"labels": {"app": f"app-{number}"}}, "spec": spec}


def _replica_set(name: str, replicas: int, template: dict[str, Any]) -> dict[str, Any]:
    selector = {"matchLabels": {"app": name}}
    return {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {"name": name, "namespace": "default", "uid": f"uid-{name}"},
        "spec": {"replicas": replicas, "selector": selector, "template": template},
    }


def _pod(name: str, replica: int, template: dict[str, Any], node: int) -> dict[str, Any]:
    owner = {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "name": name,
        "uid": f"uid-{name}",
        "controller": True,
    }
    metadata = {
        "name": f"{name}-{replica:05}",
        "namespace": "default",
        "uid": f"uid-{name}-{replica}",
        "creationTimestamp": "2025-01-01T00:00:00Z",
        "ownerReferences": [owner],
        **template["metadata"],
    }
    status = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
    spec = {**template["spec"], "nodeName": f"node-{node}"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": status}


def run(wanted: Run) -> Row:
    """Write a snapshot, then read it, expand it and group its pods into classes; only that is timed."""
    nodes, pods = SIZES[str(wanted.case["size"])]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "snapshot.json"
        write_snapshot(path, nodes, pods, wanted.seed)
        return {"nodes": nodes, "pods": pods, "fileMB": round(path.stat().st_size / 1e6, 1), **_timed(path)}


def _timed(path: Path) -> Row:
    from ...model.movable import free_pods
    from ...solver.build import build_problem
    from ..inputs import load

    wall, cpu = time.monotonic(), time.process_time()
    loaded = load([str(path)], None)
    read = time.monotonic() - wall
    free = free_pods(loaded.cluster, loaded.configuration, "scratch")
    problem = build_problem(loaded.cluster, loaded.configuration, free.free, question="scratch")
    return {
        "seconds": round(time.monotonic() - wall, 2),
        "cpuSeconds": round(time.process_time() - cpu, 2),
        "readSeconds": round(read, 2),
        "classes": len(problem.classes),
    }


BENCHMARKS = {
    "load": Benchmark(
        name="load",
        cases=tuple({"size": size} for size in SIZES),
        run=run,
        time_limit=lambda _: 0.0,
        summary=averages("size"),
        apart=True,
    )
}
