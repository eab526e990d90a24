import os
from pathlib import Path
from typing import Any

import pytest
from kubestow.adapters.read import read
from kubestow.model.api import Node, Pod
from kubestow.model.cluster import Cluster

ROOT = Path(__file__).parents[2]
COPIES = ROOT / "tests" / "data" / "captures"
SHARED = Path(os.environ.get("KUBESTOW_SHARED", ROOT.parent / "shared")) / "data" / "captures"
LIVE = (
    "kubectl-get-all-kinds.json.gz",
    "kubectl-get-nodes-pods.yaml.gz",
    "cluster-info-dump.txt.gz",
    "cluster-info-dump-json.tar.gz",
    "cluster-info-dump-yaml.tar.gz",
    "kwokctl-snapshot.yaml.gz",
    "kwokctl-snapshot-filtered.yaml.gz",
)


def capture(name: str) -> Path:
    """A capture, from our copies or the shared ones; two are too large to copy."""
    found = next((root / name for root in (COPIES, SHARED) if (root / name).exists()), None)
    if found is None:
        pytest.skip(f"{name} is only beside the checkout, and not here")
    return found


def as_seen(pod: Pod) -> dict[str, Any]:
    """All of a pod that every format tells; kwok replaces times and leaves out versions."""
    meta, status = pod.metadata, pod.status
    return {
        "labels": meta.labels,
        "owners": meta.owner_references,
        "terminating": pod.terminating,
        "uid": meta.uid,
        "node": pod.node_name,
        "spec": pod.spec,
        "status": (status.phase, status.conditions, status.nominated_node_name),
    }


def pods(cluster: Cluster) -> dict[str, dict[str, Any]]:
    return {pod.key: as_seen(pod) for pod in cluster.pods}


def nodes(cluster: Cluster) -> dict[str, tuple[Any, ...]]:
    return {node.name: _node(node) for node in cluster.nodes}


def _node(node: Node) -> tuple[Any, ...]:
    return node.labels, node.spec, node.status.allocatable, node.status.capacity, node.status.images


@pytest.mark.parametrize("name", LIVE)
def test_every_format_gives_the_same_nodes_and_pods(name: str) -> None:
    """One cluster captured in several ways is read as one cluster."""
    reference = read(COPIES / LIVE[0]).cluster
    cluster = read(capture(name)).cluster
    assert (len(cluster.nodes), len(cluster.pods)) == (20, 55)
    assert nodes(cluster) == nodes(reference)
    assert pods(cluster) == pods(reference)


@pytest.mark.parametrize("name", LIVE)
def test_a_capture_keeps_what_the_cluster_had(name: str) -> None:
    """Pending, gated, terminating, completed and cordoned are told apart in every format."""
    cluster = read(capture(name)).cluster
    assert sum(not pod.node_name for pod in cluster.pods) == 6
    assert [pod.name for pod in cluster.pods if pod.gated] == ["gated"]
    assert [pod.name for pod in cluster.pods if pod.terminating] == ["leaving"]
    assert sum(pod.completed for pod in cluster.pods) == 3
    assert [node.name for node in cluster.nodes if node.spec.unschedulable] == ["node-00"]


@pytest.mark.parametrize("name", LIVE)
def test_a_capture_is_not_expanded_and_has_no_bad_object(name: str) -> None:
    """Live workloads have their pods in the capture, and warnings are about kinds that it lacks."""
    cluster = read(capture(name)).cluster
    assert {warning.code for warning in cluster.warnings} <= {"incomplete"}


def test_kinds_are_those_that_the_capture_lists() -> None:
    """An empty typed list tells that there are none of its kind; a mixed list does not."""
    dump = read(COPIES / "cluster-info-dump-yaml.tar.gz").cluster
    assert {"DaemonSet", "ReplicationController", "Service"} <= dump.kinds
    assert not {"PodDisruptionBudget", "PersistentVolume", "Namespace"} & dump.kinds
    everything = read(COPIES / "kubectl-get-all-kinds.json.gz").cluster
    assert {"PodDisruptionBudget", "PersistentVolume", "Namespace"} <= everything.kinds
    assert "CSINode" not in everything.kinds


def test_pods_of_one_template_share_a_spec() -> None:
    """Token volumes with random names do not keep the pods of a workload apart."""
    cluster = read(COPIES / "kubectl-get-all-kinds.json.gz").cluster
    web = [pod for pod in cluster.pods if pod.labels.get("app") == "web"]
    assert len(web) == 12
    assert len({id(pod.spec) for pod in web}) == 1


def per_owner(cluster: Cluster) -> dict[tuple[str, str], int]:
    counts: dict[tuple[str, str], int] = {}
    for pod in cluster.pods:
        owner = pod.metadata.controller
        key = (pod.namespace, f"{owner.kind}/{owner.name.rsplit('-', 1)[0]}" if owner else pod.name)
        counts[key] = counts.get(key, 0) + 1
    return counts


def test_manifests_give_the_pods_that_the_live_cluster_had() -> None:
    """What the controllers made of the applied manifests, expansion makes of the same files."""
    live = per_owner(read(COPIES / "kubectl-get-all-kinds.json.gz").cluster)
    applied = per_owner(read([COPIES / "nodes.json.gz", COPIES / "workloads.yaml"]).cluster)
    report = ("batch", "Job/report")
    assert (live.pop(report), applied.pop(report)) == (3, 2), "two run at once, the third came later"
    assert applied == live
