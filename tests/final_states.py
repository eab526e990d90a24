"""Random small final states for the node-level rules, drawn from a seed so that everything collides often."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from builders import cluster, pod
from kubestow.model.api import Node, Pod
from kubestow.model.cluster import Cluster
from kubestow.model.final import FinalState

TAINTS = [
    {"key": "gpu", "value": "yes", "effect": "NoSchedule"},
    {"key": "gpu", "value": "yes", "effect": "PreferNoSchedule"},
    {"key": "spot", "effect": "PreferNoSchedule"},
    {"key": "broken", "effect": "NoExecute"},
]
TOLERATIONS = [
    {"key": "gpu", "operator": "Exists"},
    {"key": "broken", "operator": "Exists", "effect": "NoExecute"},
    {"operator": "Exists", "effect": "PreferNoSchedule"},
    {"key": "node.kubernetes.io/unschedulable", "operator": "Exists"},
]
IMAGES = {"web:1": 200 * 2**20, "db:1": 700 * 2**20, "tiny:1": 2**20}
PORTS = [
    {"hostPort": 80, "containerPort": 80},
    {"hostPort": 80, "containerPort": 80, "hostIP": "10.0.0.1"},
    {"hostPort": 80, "containerPort": 80, "hostIP": "10.0.0.2"},
    {"hostPort": 80, "containerPort": 80, "protocol": "UDP"},
]
DISKS = ["ssd", "hdd", None]


GPU = "example.com/gpu"


def some(random: Random, values: Sequence[Any], most: int = 2) -> list[Any]:
    """A short list of distinct values."""
    return random.sample(values, random.randint(0, min(most, len(values))))


def random_node(random: Random, name: str) -> Node:
    """A small node with some labels, taints and images."""
    amounts = {
        "cpu": random.choice([None, "2", "3500m", "9"]),
        "memory": random.choice([None, "1Gi", "5Gi", "7000000"]),
        GPU: random.choice([None, None, "1", "4"]),
        "pods": random.choice(["0", "2", "10"]),
    }
    disk = random.choice(DISKS)
    return Node.model_validate(
        {
            "metadata": {"name": name, "labels": {"disk": disk} if disk else {}},
            "spec": {"taints": some(random, TAINTS), "unschedulable": random.random() < 0.2},
            "status": {
                "allocatable": {key: amount for key, amount in amounts.items() if amount},
                "images": [
                    {"names": [image], "sizeBytes": IMAGES[image]} for image in some(random, list(IMAGES), 3)
                ],
            },
        }
    )


def random_requests(random: Random, stated: bool) -> dict[str, str]:
    """Container requests; `stated` ones leave nothing to default cpu and memory."""
    amounts = {
        "cpu": random.choice(["300m", "1", "1700m"] if stated else [None, "0", "1", "1700m"]),
        "memory": random.choice(["300Mi", "1Gi"] if stated else [None, "0", "1Gi"]),
        GPU: random.choice([None, None, None, "1", "2"]),
    }
    return {key: amount for key, amount in amounts.items() if amount is not None}


def random_pod(random: Random, name: str, places: Sequence[str | None], stated: bool) -> Pod:
    """A pod that states a few of the things that node-level rules read, on one of `places`."""
    preferred = [
        {
            "weight": weight,
            "preference": {"matchExpressions": [{"key": "disk", "operator": "In", "values": [disk]}]},
        }
        for weight, disk in some(random, [(1, "ssd"), (7, "hdd"), (100, "ssd")])
    ]
    container = {
        "name": "main",
        "image": random.choice(list(IMAGES)),
        "resources": {"requests": random_requests(random, stated)},
        "ports": some(random, PORTS) if random.random() < 0.5 else [],
    }
    metadata: dict[str, Any] = {"uid": name}
    if random.random() < 0.2:
        metadata["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    if random.random() < 0.2:
        metadata["ownerReferences"] = [{"kind": "DaemonSet", "name": "d", "uid": "d", "controller": True}]
    on = random.choice(places)
    phase = random.choice(["Running", "Running", "Running", "Succeeded"]) if on else "Pending"
    return pod(
        name,
        on,
        metadata=metadata,
        status={"phase": phase},
        containers=[container],
        tolerations=some(random, TOLERATIONS),
        nodeSelector=random.choice([{}, {}, {"disk": "ssd"}]),
        affinity={"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": preferred}},
        schedulingGates=[{"name": "later"}] if random.random() < 0.2 else [],
        priority=random.choice([0, 10]),
    )


def random_cluster(
    seed: int, *, nodes: int = 4, pods: int = 8, stated: bool = False, running: bool = True
) -> Cluster:
    """A cluster of at most `nodes` and `pods`; with `stated` all pods request cpu and memory themselves."""
    random = Random(seed)
    names = [f"n{number}" for number in range(random.randint(1, nodes))]
    places = [None, None, *names, "gone"] if running else [None]
    return cluster(
        [random_node(random, name) for name in names],
        [random_pod(random, f"p{number}", places, stated) for number in range(random.randint(0, pods))],
    )


def random_state(seed: int, *, stated: bool = False) -> FinalState:
    """A placement of everything in a random cluster, with some pods placed anew."""
    drawn = random_cluster(seed, stated=stated)
    random = Random(seed + 1)
    places = [None, "gone", *(node.name for node in drawn.nodes)]
    keys = [one.key for one in drawn.pods]
    placement = {key: random.choice(places) for key in some(random, keys, len(keys))}
    return FinalState(drawn, placement, unplaced_free=frozenset(some(random, keys)))
