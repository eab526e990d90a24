from typing import Any

from kubestow.adapters.expand import expand
from workload_builders import SPEC, cluster, pod, workload


def claim_template(name: str) -> dict[str, Any]:
    return {"metadata": {"name": name}, "spec": {"resources": {"requests": {"storage": "1Gi"}}}}


def test_a_stateful_set_claims_volumes_once() -> None:
    """Claims are ``<template>-<workload>-<ordinal>``; those that exist are used."""
    existing = {
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "data-w-0", "namespace": "a"},
        "spec": {"volumeName": "v"},
    }
    template = {
        "metadata": {"labels": {"app": "w"}},
        "spec": {**SPEC, "volumes": [{"name": "data", "emptyDir": {}}]},
    }
    made = workload(
        "StatefulSet", replicas=2, volumeClaimTemplates=[claim_template("data")], template=template
    )
    found = expand(cluster(made, existing))
    assert [(claim.key, claim.spec.volume_name) for claim in found.persistent_volume_claims] == [
        ("a/data-w-0", "v"),
        ("a/data-w-1", ""),
    ]
    mounted = [[volume.persistent_volume_claim for volume in pod.spec.volumes] for pod in found.pods]
    assert [[claim and claim.claim_name for claim in volumes] for volumes in mounted] == [
        ["data-w-0"],
        ["data-w-1"],
    ]


def test_a_stateful_set_replaces_completed_pods_and_waits_for_terminating_ones() -> None:
    """Its names are fixed: a completed pod makes room, a terminating one keeps its name."""
    found = expand(
        cluster(
            workload("StatefulSet", replicas=3),
            pod("w-0", "StatefulSet/w", phase="Failed", node="gone"),
            pod("w-1", "StatefulSet/w", deletionTimestamp="2026-01-01T00:00:00Z"),
        )
    )
    assert [(pod.name, pod.node_name) for pod in found.pods] == [("w-1", None), ("w-0", None), ("w-2", None)]


def test_claims_get_the_default_storage_class() -> None:
    """As the API server gives it to claims that are created."""
    marks = {"storageclass.kubernetes.io/is-default-class": "true"}
    standard = {"kind": "StorageClass", "metadata": {"name": "std", "annotations": marks}, "provisioner": "x"}
    made = workload("StatefulSet", replicas=1, volumeClaimTemplates=[claim_template("data")])
    claims = expand(cluster(made, standard)).persistent_volume_claims
    assert [claim.spec.storage_class_name for claim in claims] == ["std"]


def test_ephemeral_volumes_get_claims_of_their_pod() -> None:
    """The ephemeral volume controller makes ``<pod>-<volume>``, controlled by the pod."""
    volume = {"name": "v", "ephemeral": {"volumeClaimTemplate": claim_template("x")}}
    template = {"metadata": {"labels": {"app": "w"}}, "spec": {**SPEC, "volumes": [volume]}}
    found = expand(cluster(workload("Deployment", template=template)))
    claim = found.persistent_volume_claims[0]
    assert claim.key == "a/w-0-v"
    assert claim.metadata.controller is not None
    assert claim.metadata.controller.uid == found.pods[0].metadata.uid != ""
