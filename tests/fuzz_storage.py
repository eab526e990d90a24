"""Random storage as documents; see `fuzz_clusters`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fuzz_pods import Draw, between, pick, rarely
from hypothesis import strategies as st

Document = dict[str, Any]
ZONE = "topology.kubernetes.io/zone"
BOUND = {"pv.kubernetes.io/bind-completed": "yes"}


def storage(draw: Draw, nodes: Sequence[str]) -> list[Document]:
    """Classes, volumes, claims and what CSI drivers say about nodes."""
    documents = [
        _class(draw, name, mode) for name, mode in (("now", "Immediate"), ("later", "WaitForFirstConsumer"))
    ]
    claims = [_claim(draw, f"c{number}") for number in range(between(draw, 1, 3))]
    claims += [_ephemeral_claim(draw, name) for name in ("r0", "p0", "p1") if rarely(draw)]
    documents += [_volume(draw, f"v{number}", claims, nodes) for number in range(between(draw, 0, 3))]
    documents += claims
    documents += [_csi_node(draw, name) for name in nodes if draw(st.booleans())]
    if draw(st.booleans()):
        spec = {"attachRequired": True, "storageCapacity": draw(st.booleans())}
        documents.append(_object("storage.k8s.io/v1", "CSIDriver", "csi.example", spec=spec))
    documents += [_capacity(draw, number) for number in range(between(draw, 0, 2))]
    return documents


def _object(version: str, kind: str, name: str, **fields: Any) -> Document:
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name}, **fields}


def _class(draw: Draw, name: str, mode: str) -> Document:
    provisioner = pick(draw, "csi.example", "kubernetes.io/no-provisioner")
    found = _object(
        "storage.k8s.io/v1", "StorageClass", name, provisioner=provisioner, volumeBindingMode=mode
    )
    if rarely(draw):
        expression = {"key": ZONE, "values": [pick(draw, "a", "b")]}
        found["allowedTopologies"] = [{"matchLabelExpressions": [expression]}]
    return found


def _claim(draw: Draw, name: str) -> Document:
    access = pick(draw, "ReadWriteOnce", "ReadWriteMany", "ReadWriteOncePod")
    spec: Document = {
        "accessModes": [access],
        "resources": {"requests": {"storage": pick(draw, "1Gi", "5Gi")}},
        "storageClassName": pick(draw, "later", "now", "unknown"),
    }
    found = _object("v1", "PersistentVolumeClaim", name, spec=spec, status={"phase": "Pending"})
    found["metadata"]["namespace"] = "default"
    return found


def _ephemeral_claim(draw: Draw, pod: str) -> Document:
    """The claim of a pod's ephemeral volume, made for it or for nobody."""
    found = _claim(draw, f"{pod}-v0")
    if draw(st.booleans()):
        owner = {"apiVersion": "v1", "kind": "Pod", "name": pod, "uid": f"uid-{pod}", "controller": True}
        found["metadata"]["ownerReferences"] = [owner]
    return found


def _volume(draw: Draw, name: str, claims: Sequence[Document], nodes: Sequence[str]) -> Document:
    claim = claims[between(draw, 0, len(claims) - 1)]
    spec: Document = {
        "capacity": {"storage": pick(draw, "5Gi", "1Gi", "10Gi")},
        "accessModes": ["ReadWriteOnce", "ReadWriteMany", "ReadWriteOncePod"],
        "storageClassName": claim["spec"]["storageClassName"],
        "csi": {"driver": "csi.example", "volumeHandle": name},
    }
    if draw(st.booleans()):
        key, values = pick(draw, ("kubernetes.io/hostname", tuple(nodes)), (ZONE, ("a", "b")))
        requirement = {"key": key, "operator": "In", "values": [pick(draw, *values)]}
        spec["nodeAffinity"] = {"required": {"nodeSelectorTerms": [{"matchExpressions": [requirement]}]}}
    found = _object("v1", "PersistentVolume", name, spec=spec, status={"phase": "Available"})
    if rarely(draw):
        found["metadata"]["labels"] = {ZONE: pick(draw, "a", "a__b")}
    if draw(st.booleans()) and "volumeName" not in claim["spec"]:
        _bind(draw, found, claim)
    return found


def _bind(draw: Draw, volume: Document, claim: Document) -> None:
    claim["spec"]["volumeName"] = volume["metadata"]["name"]
    if not rarely(draw):
        claim["metadata"]["annotations"] = BOUND
        claim["status"] = {"phase": "Bound"}
    name, uid = claim["metadata"]["name"], f"uid-{claim['metadata']['name']}"
    claim["metadata"]["uid"] = uid
    volume["spec"]["claimRef"] = {
        "kind": "PersistentVolumeClaim",
        "namespace": "default",
        "name": name,
        "uid": uid,
    }
    volume["status"] = {"phase": "Bound"}


def _csi_node(draw: Draw, name: str) -> Document:
    driver: Document = {"name": "csi.example", "nodeID": name, "topologyKeys": [ZONE]}
    if draw(st.booleans()):
        driver["allocatable"] = {"count": between(draw, 0, 2)}
    return _object("storage.k8s.io/v1", "CSINode", name, spec={"drivers": [driver]})


def _capacity(draw: Draw, number: int) -> Document:
    found = _object("storage.k8s.io/v1", "CSIStorageCapacity", f"capacity{number}")
    found["metadata"]["namespace"] = "default"
    found["storageClassName"] = pick(draw, "later", "now")
    found["nodeTopology"] = {"matchLabels": {ZONE: pick(draw, "a", "b")}}
    found["capacity"] = pick(draw, "2Gi", "10Gi")
    return found
