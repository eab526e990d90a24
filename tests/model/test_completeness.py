# ruff: noqa: E501 - one row per kind
from typing import Any

import pytest
from kubestow.model.api import Node, PersistentVolume, PersistentVolumeClaim, Pod
from kubestow.model.cluster import Cluster
from kubestow.model.completeness import captured, incomplete

UID = {"name": "x", "namespace": "a", "uid": "u"}
EVERYTHING = frozenset(
    {"PodDisruptionBudget", "PersistentVolumeClaim", "PersistentVolume", "StorageClass", "CSINode", "Namespace",
     "PriorityClass", "Service"}
)  # fmt: skip
OWNED = {**UID, "ownerReferences": [{"kind": "ReplicaSet", "name": "r", "controller": True}]}
BY_NODE = {**UID, "ownerReferences": [{"kind": "Node", "name": "n", "controller": True}]}


def pod(metadata: dict[str, Any] = UID, **spec: Any) -> Pod:
    return Pod.model_validate({"metadata": metadata, "spec": spec, "status": {"phase": "Running"}})


def claim(**spec: Any) -> PersistentVolumeClaim:
    return PersistentVolumeClaim.model_validate({"metadata": UID, "spec": spec})


TERM = {"topologyKey": "z", "namespaceSelector": {"matchLabels": {"team": "x"}}}
SELECTING = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [TERM]}}
CSI_VOLUME = PersistentVolume.model_validate({"spec": {"csi": {"driver": "d"}}})
NEEDS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    # kind: (fields of a cluster that needs it, fields of one that does not)
    "PodDisruptionBudget": ({"pods": (pod(OWNED, nodeName="n"),)}, {"pods": (pod(BY_NODE, nodeName="n"), pod(OWNED))}),
    "PersistentVolumeClaim": (
        {"pods": (pod(volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}]),)},
        {"pods": (pod(volumes=[{"name": "v", "emptyDir": {}}]),)},
    ),
    "PersistentVolume": (
        {"persistent_volume_claims": (claim(volumeName="v"),)}, {"persistent_volume_claims": (claim(),)}
    ),
    "StorageClass": (
        {"persistent_volume_claims": (claim(storageClassName="s"),)},
        {"persistent_volume_claims": (claim(storageClassName="s", volumeName="v"),)},
    ),
    "CSINode": ({"persistent_volumes": (CSI_VOLUME,)}, {"persistent_volumes": (PersistentVolume(),)}),
    "Namespace": ({"pods": (pod(affinity=SELECTING),)}, {"pods": (pod(),)}),
    "PriorityClass": (
        {"pods": (pod(priorityClassName="high"),)}, {"pods": (pod(priorityClassName="high", priority=5),)}
    ),
    "Service": ({"pods": (pod(OWNED),)}, {"pods": (pod(OWNED, topologySpreadConstraints=[{"topologyKey": "z"}]),)}),
}  # fmt: skip


def blind(
    kind: str, fields: dict[str, Any], *, kinds: frozenset[str], uid: str = "u"
) -> list[tuple[str, str]]:
    node = Node.model_validate({"metadata": {"name": "n", "uid": uid}})
    found = incomplete(Cluster(nodes=(node,), kinds=kinds, **fields))
    return [(warning.code, warning.object) for warning in found]


@pytest.mark.parametrize("kind", NEEDS)
def test_a_kind_that_a_capture_lacks_and_needs_is_said(kind: str) -> None:
    """Exactly one warning names the kind."""
    assert blind(kind, NEEDS[kind][0], kinds=EVERYTHING - {kind}) == [("incomplete", kind)]


@pytest.mark.parametrize("kind", NEEDS)
def test_a_kind_that_nothing_needs_is_not_missed(kind: str) -> None:
    """Warnings are about consequences, not about kinds."""
    assert blind(kind, NEEDS[kind][1], kinds=EVERYTHING - {kind}) == []


@pytest.mark.parametrize("kind", NEEDS)
def test_a_kind_that_was_listed_is_not_missed(kind: str) -> None:
    """A list without items tells that there are none."""
    assert blind(kind, NEEDS[kind][0], kinds=EVERYTHING) == []


def test_owners_stand_in_for_services() -> None:
    """Default spread constraints take their selectors from either."""
    fields = NEEDS["Service"][0]
    assert blind("Service", fields, kinds=(EVERYTHING - {"Service"}) | {"ReplicaSet"}) == []


@pytest.mark.parametrize("kind", NEEDS)
def test_what_someone_wrote_is_complete(kind: str) -> None:
    """Without uids nothing comes from an API server: what a file does not name is not there."""
    fields = {name: tuple(_unstored(each) for each in objects) for name, objects in NEEDS[kind][0].items()}
    assert blind(kind, fields, kinds=frozenset(), uid="") == []
    assert not captured(Cluster(pods=fields.get("pods", ())))


def _unstored(each: Any) -> Any:
    return each.model_copy(update={"metadata": each.metadata.model_copy(update={"uid": ""})})
