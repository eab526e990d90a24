"""Snapshots of made-up live clusters of any size, as ``kubectl get -o json --show-managed-fields`` writes them.

A pod takes about 10 kB, most of which scheduling does not read: environment, mounts, what its
managers own, what the kubelet reports.
"""
# ruff: noqa: E501 - rows of data read better unbroken

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from textwrap import indent as indented
from typing import IO, Any

Fields = dict[str, Any]
_TIME = "2026-11-30T08:00:00Z"
_NAMESPACES = 40
_MARGIN = 8
"""Columns to the left of a list's items."""
_ORDINAL, _NODE, _HASH, _START = "00@ord", "node-@node", "@hash", "@start"
"""Where the pods of one workload differ; their text is made once and these are replaced."""


def write_snapshot(
    out: IO[str], *, nodes: int, pods: int, seed: int = 0, indent: int | None = 4, replicas: int = 20
) -> None:
    """Write one ``kind: List`` with nodes, ReplicaSets and their pods, nine in ten of them running.

    Parameters
    ----------
    out : file
    nodes, pods : int
    seed : int
        Of the random generator.
    indent : int or None
        As kubectl does by default; None for one item per line.
    replicas : int
        Pods per ReplicaSet; the last one has what is left.
    """
    out.write('{\n    "apiVersion": "v1",\n    "items": [\n')
    for position, text in enumerate(_items(nodes, pods, replicas, indent, Random(seed))):
        out.write(",\n" if position else "")
        out.write(text)
    out.write('\n    ],\n    "kind": "List",\n    "metadata": {\n        "resourceVersion": ""\n    }\n}\n')


def _items(nodes: int, pods: int, replicas: int, indent: int | None, draw: Random) -> Iterator[str]:
    for number in range(nodes):
        yield _text(_node(number, draw), indent)
    for workload, first in enumerate(range(0, pods, replicas)):
        template = _template(workload, draw)
        numbers = range(first, min(pods, first + replicas))
        yield _text(_replica_set(workload, template, len(numbers)), indent)
        running, pending = (_text(_pod(workload, template, there), indent) for there in (True, False))
        for number in numbers:
            text = running if draw.random() < 0.9 else pending
            yield _filled(text, number, draw.randrange(nodes))


def _text(item: Fields, indent: int | None) -> str:
    text = json.dumps(item, indent=indent)
    return indented(text, " " * _MARGIN) if indent else text


def _filled(text: str, number: int, node: int) -> str:
    start = f"2026-11-{1 + number % 28:02}T{number % 24:02}:{number % 60:02}:00Z"
    for mark, value in (
        (_ORDINAL, f"{number:06}"), (_NODE, _node_name(node)), (_HASH, f"{number:064x}"), (_START, start),
    ):  # fmt: skip
        text = text.replace(mark, value)
    return text


def _node_name(number: int) -> str:
    return f"node-{number:05}"


def _node(number: int, draw: Random) -> Fields:
    amounts = {"cpu": "32", "memory": "131072Mi", "pods": "250", "ephemeral-storage": "100Gi"}
    images = [
        {
            "names": [f"registry.example/app-{i}@sha256:{i:064x}", f"registry.example/app-{i}:v1"],
            "sizeBytes": 10**8 + i,
        }
        for i in draw.sample(range(400), 30)
    ]
    name = _node_name(number)
    labels = {
        "kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
        "topology.kubernetes.io/region": "r1", "topology.kubernetes.io/zone": f"r1-{'abc'[number % 3]}",
        "node.kubernetes.io/instance-type": "m.8xlarge",
    }  # fmt: skip
    conditions = [
        {"type": kind, "status": str(kind == "Ready"), "reason": f"Kubelet{kind}", "message": f"kubelet says {kind}",
         "lastHeartbeatTime": _TIME, "lastTransitionTime": _TIME}
        for kind in ("Ready", "MemoryPressure", "DiskPressure", "PIDPressure")
    ]  # fmt: skip
    return {
        "apiVersion": "v1", "kind": "Node", "metadata": _metadata(name, "", f"n{number}", labels),
        "spec": {"podCIDR": f"10.{number % 200}.0.0/24", "providerID": f"cloud://{name}"},
        "status": {"capacity": amounts, "allocatable": {**amounts, "cpu": "31800m"}, "images": images, "conditions": conditions},
    }  # fmt: skip


def _metadata(name: str, namespace: str, uid: str, labels: Fields, owner: Fields | None = None) -> Fields:
    metadata: Fields = {"name": name, "uid": f"00000000-0000-4000-8000-{uid:>012}", "labels": labels,
                        "creationTimestamp": _TIME, "resourceVersion": "123456"}  # fmt: skip
    if namespace:
        metadata["namespace"] = namespace
    if owner:
        metadata["ownerReferences"] = [owner]
    return metadata


def _template(workload: int, draw: Random) -> Fields:
    requests = {
        "cpu": f"{draw.choice([50, 100, 250, 500])}m",
        "memory": f"{draw.choice([128, 256, 512, 1024])}Mi",
    }
    app = _app(workload)
    container = {
        "name": "main", "image": f"registry.example/app-{workload % 400}:v1", "imagePullPolicy": "IfNotPresent",
        "env": [{"name": f"SETTING_{i}", "value": f"value of {app} {i}"} for i in range(4)],
        "ports": [{"containerPort": 8080, "name": "http", "protocol": "TCP"}],
        "resources": {"requests": requests, "limits": {"memory": requests["memory"]}},
        "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
    }  # fmt: skip
    spread = {"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "ScheduleAnyway",
              "labelSelector": {"matchLabels": {"app": app}}}  # fmt: skip
    tolerations = [
        {
            "effect": "NoExecute",
            "key": f"node.kubernetes.io/{key}",
            "operator": "Exists",
            "tolerationSeconds": 300,
        }
        for key in ("not-ready", "unreachable")
    ]
    return {
        "containers": [container], "dnsPolicy": "ClusterFirst", "enableServiceLinks": True, "priority": 0,
        "preemptionPolicy": "PreemptLowerPriority", "restartPolicy": "Always", "schedulerName": "default-scheduler",
        "securityContext": {}, "serviceAccountName": app, "terminationGracePeriodSeconds": 30,
        "tolerations": tolerations, "topologySpreadConstraints": [spread] if workload % 3 == 0 else [],
    }  # fmt: skip


def _app(workload: int) -> str:
    return f"app-{workload}"


def _set_name(workload: int) -> str:
    return f"{_app(workload)}-{workload:010x}"


def _labels(workload: int) -> Fields:
    return {"app": _app(workload), "pod-template-hash": f"{workload:010x}", "team": f"team-{workload % 50}"}


def _replica_set(workload: int, template: Fields, replicas: int) -> Fields:
    labels = _labels(workload)
    spec = {"replicas": replicas, "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": template}}  # fmt: skip
    metadata = _metadata(_set_name(workload), f"ns-{workload % _NAMESPACES}", f"d{workload}", labels)
    return {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": metadata, "spec": spec}


def _pod(workload: int, template: Fields, running: bool) -> Fields:
    """A pod with marks where it differs from others."""
    name, namespace = f"{_set_name(workload)}-{_ORDINAL}", f"ns-{workload % _NAMESPACES}"
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": _set_name(workload),
             "uid": f"00000000-0000-4000-8000-{f'd{workload}':>012}", "controller": True, "blockOwnerDeletion": True}  # fmt: skip
    token = f"kube-api-access-{_ORDINAL}"
    mount = {"mountPath": "/var/run/secrets/kubernetes.io/serviceaccount", "name": token, "readOnly": True}
    containers = [{**container, "volumeMounts": [mount]} for container in template["containers"]]
    sources = [{"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
               {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}}]  # fmt: skip
    spec = {
        **template,
        "containers": containers,
        "volumes": [{"name": token, "projected": {"sources": sources}}],
    }
    status = _running(template) if running else _pending()
    if running:
        spec["nodeName"] = _NODE
    metadata = _metadata(name, namespace, f"b{_ORDINAL}", _labels(workload), owner)
    managers = [("kube-controller-manager", "", spec), ("kubelet", "status", status)]
    metadata["managedFields"] = [
        _managed(manager, subresource, "status" if subresource else "spec", owned)
        for manager, subresource, owned in managers
    ]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": status}


def _managed(manager: str, subresource: str, field: str, owned: Fields) -> Fields:
    return {"manager": manager, "operation": "Update", "apiVersion": "v1", "time": _TIME, "subresource": subresource,
            "fieldsType": "FieldsV1", "fieldsV1": {f"f:{field}": _owned(owned)}}  # fmt: skip


def _owned(value: Any) -> Fields:
    """Which fields a manager owns."""
    if isinstance(value, dict):
        return {f"f:{key}": _owned(item) for key, item in value.items()}
    return {}


def _running(template: Fields) -> Fields:
    conditions = [
        {"lastProbeTime": None, "lastTransitionTime": _TIME, "status": "True", "type": kind}
        for kind in ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled")
    ]
    statuses = [
        {"name": c["name"], "ready": True, "restartCount": 0, "started": True, "image": c["image"],
         "imageID": f"registry.example/app@sha256:{_HASH}", "containerID": f"containerd://{_HASH}",
         "allocatedResources": c["resources"]["requests"], "resources": c["resources"],
         "state": {"running": {"startedAt": _START}}, "lastState": {}}
        for c in template["containers"]
    ]  # fmt: skip
    return {"phase": "Running", "qosClass": "Burstable", "conditions": conditions, "containerStatuses": statuses,
            "hostIP": "10.0.0.1", "podIP": "10.1.0.1", "podIPs": [{"ip": "10.1.0.1"}], "startTime": _START}  # fmt: skip


def _pending() -> Fields:
    message = "0/5000 nodes are available: 5000 Insufficient cpu."
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message}
    return {"phase": "Pending", "qosClass": "Burstable", "conditions": [condition]}
