"""Snapshots of made-up live clusters of any size, as ``kubectl get -A -o json`` writes them."""
# ruff: noqa: E501 - rows of data read better unbroken

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import IO, Any

Fields = dict[str, Any]
_TIME = "2026-11-30T08:00:00Z"
_NAMESPACES = 40


def write_snapshot(
    out: IO[str], *, nodes: int, pods: int, seed: int = 0, indent: int | None = 4, per_workload: int = 20
) -> None:
    """Write one ``kind: List`` with nodes, ReplicaSets and pods, nine in ten of them running."""
    out.write('{"apiVersion": "v1", "items": [\n')
    for position, item in enumerate(_items(nodes, pods, per_workload, random.Random(seed))):
        out.write(",\n" if position else "")
        out.write(json.dumps(item, indent=indent))
    out.write('\n], "kind": "List", "metadata": {"resourceVersion": ""}}\n')


def _items(nodes: int, pods: int, per_workload: int, rng: random.Random) -> Iterator[Fields]:
    yield from (_node(number, rng) for number in range(nodes))
    for workload in range(-(-pods // per_workload)):
        template = _template(workload, rng)
        yield _replica_set(workload, template, per_workload)
        for number in range(workload * per_workload, min(pods, (workload + 1) * per_workload)):
            yield _pod(number, workload, template, nodes, rng)


def _node(number: int, rng: random.Random) -> Fields:
    amounts = {"cpu": "16", "memory": "65536Mi", "pods": "110", "ephemeral-storage": "100Gi"}
    images = [
        {
            "names": [f"registry.example/app-{i}@sha256:{i:064x}", f"registry.example/app-{i}:v1"],
            "sizeBytes": 10**8 + i,
        }
        for i in rng.sample(range(400), 30)
    ]
    name = f"node-{number:05}"
    labels = {
        "kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
        "topology.kubernetes.io/region": "r1", "topology.kubernetes.io/zone": f"r1-{'abc'[number % 3]}",
        "node.kubernetes.io/instance-type": "m.4xlarge",
    }  # fmt: skip
    conditions = [
        {"type": kind, "status": str(kind == "Ready"), "reason": f"Kubelet{kind}", "message": f"kubelet says {kind}",
         "lastHeartbeatTime": _TIME, "lastTransitionTime": _TIME}
        for kind in ("Ready", "MemoryPressure", "DiskPressure", "PIDPressure")
    ]  # fmt: skip
    return {
        "apiVersion": "v1", "kind": "Node", "metadata": _metadata(name, "", f"n{number}", labels),
        "spec": {"podCIDR": f"10.{number % 200}.0.0/24", "providerID": f"cloud://{name}"},
        "status": {"capacity": amounts, "allocatable": {**amounts, "cpu": "15800m"}, "images": images, "conditions": conditions},
    }  # fmt: skip


def _metadata(name: str, namespace: str, uid: str, labels: Fields, owner: Fields | None = None) -> Fields:
    metadata: Fields = {"name": name, "uid": f"00000000-0000-4000-8000-{uid:>012}", "labels": labels,
                        "creationTimestamp": _TIME, "resourceVersion": "123456"}  # fmt: skip
    if namespace:
        metadata["namespace"] = namespace
    if owner:
        metadata["ownerReferences"] = [owner]
    return metadata


def _template(workload: int, rng: random.Random) -> Fields:
    requests = {
        "cpu": f"{rng.choice([50, 100, 250, 500])}m",
        "memory": f"{rng.choice([128, 256, 512, 1024])}Mi",
    }
    app = f"app-{workload}"
    container = {
        "name": "main", "image": f"registry.example/app-{workload % 400}:v1", "imagePullPolicy": "IfNotPresent",
        "env": [{"name": f"SETTING_{i}", "value": f"value of {app} {i}"} for i in range(8)],
        "ports": [{"containerPort": 8080, "name": "http", "protocol": "TCP"}],
        "resources": {"requests": requests, "limits": {"memory": requests["memory"]}},
        "livenessProbe": {"httpGet": {"path": "/health", "port": 8080, "scheme": "HTTP"}, "periodSeconds": 10},
        "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
        "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
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


def _labels(workload: int) -> Fields:
    return {
        "app": f"app-{workload}",
        "pod-template-hash": f"{workload:010x}",
        "team": f"team-{workload % 50}",
    }


def _replica_set(workload: int, template: Fields, replicas: int) -> Fields:
    labels, name = _labels(workload), f"app-{workload}-{workload:010x}"
    spec = {"replicas": replicas, "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": template}}  # fmt: skip
    metadata = _metadata(name, f"ns-{workload % _NAMESPACES}", f"d{workload}", labels)
    return {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": metadata, "spec": spec}


def _pod(number: int, workload: int, template: Fields, nodes: int, rng: random.Random) -> Fields:
    name, namespace = f"app-{workload}-{workload:010x}-{number:05x}", f"ns-{workload % _NAMESPACES}"
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": f"app-{workload}-{workload:010x}",
             "uid": f"00000000-0000-4000-8000-{f'd{workload}':>012}", "controller": True, "blockOwnerDeletion": True}  # fmt: skip
    token = f"kube-api-access-{number:05x}"
    mount = {"mountPath": "/var/run/secrets/kubernetes.io/serviceaccount", "name": token, "readOnly": True}
    containers = [{**container, "volumeMounts": [mount]} for container in template["containers"]]
    sources = [{"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
               {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}}]  # fmt: skip
    spec = {
        **template,
        "containers": containers,
        "volumes": [{"name": token, "projected": {"sources": sources}}],
    }
    running = rng.random() < 0.9
    if running:
        spec["nodeName"] = f"node-{rng.randrange(nodes):05}"
    return {
        "apiVersion": "v1", "kind": "Pod", "metadata": _metadata(name, namespace, f"b{number}", _labels(workload), owner),
        "spec": spec, "status": _running(number, template) if running else _pending(),
    }  # fmt: skip


def _running(number: int, template: Fields) -> Fields:
    conditions = [
        {"lastProbeTime": None, "lastTransitionTime": _TIME, "status": "True", "type": kind}
        for kind in ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled")
    ]
    statuses = [
        {"name": c["name"], "ready": True, "restartCount": 0, "started": True, "image": c["image"],
         "imageID": f"registry.example/app@sha256:{number:064x}", "containerID": f"containerd://{number:064x}",
         "allocatedResources": c["resources"]["requests"], "resources": c["resources"],
         "state": {"running": {"startedAt": _TIME}}, "lastState": {}}
        for c in template["containers"]
    ]  # fmt: skip
    start = f"2026-11-{1 + number % 28:02}T{number % 24:02}:{number % 60:02}:00Z"
    return {"phase": "Running", "qosClass": "Burstable", "conditions": conditions, "containerStatuses": statuses,
            "podIP": f"10.1.{number // 250 % 250}.{number % 250}", "startTime": start}  # fmt: skip


def _pending() -> Fields:
    message = "0/5000 nodes are available: 5000 Insufficient cpu."
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message}
    return {"phase": "Pending", "qosClass": "Burstable", "conditions": [condition]}
