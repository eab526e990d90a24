# ruff: noqa: E501 - objects in one line each
from typing import Any

import pytest
from kubestow.adapters.expand import MOST_PODS, expand
from kubestow.adapters.read.build import Builder
from kubestow.adapters.read.kinds import CLUSTER_FIELDS
from kubestow.model.api import Workload
from kubestow.model.cluster import Cluster
from kubestow.model.errors import BadInput
from kubestow.model.labels import selects

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


def owners(found: Cluster) -> dict[str, Workload]:
    return {each.metadata.uid: each for each in found.workloads}


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (workload("Deployment", replicas=3), ["w-0", "w-1", "w-2"]),
        (workload("Deployment"), ["w-0"]),
        (workload("Deployment", replicas=0), []),
        (workload("ReplicaSet", replicas=2), ["w-0", "w-1"]),
        (workload("ReplicationController", replicas=2, selector={"app": "w"}), ["w-0", "w-1"]),
        (workload("StatefulSet", replicas=2), ["w-0", "w-1"]),
        (workload("StatefulSet", replicas=2, ordinals={"start": 5}), ["w-5", "w-6"]),
        (workload("DaemonSet"), ["w-0", "w-1"]),
        (workload("Job", selector=None), ["w-0"]),
        (workload("Job", parallelism=3), ["w-0", "w-1", "w-2"]),
        (workload("Job", parallelism=3, completions=2), ["w-0", "w-1"]),
        (workload("Job", parallelism=0), []),
        (workload("Job", suspend=True), []),
        (workload("CronJob", jobTemplate={"spec": {"template": {"spec": SPEC}}}), []),
    ],
)  # fmt: skip
def test_each_workload_makes_the_pods_of_its_spec(made: dict[str, Any], expected: list[str]) -> None:
    """A manifest alone becomes ``<workload>-<ordinal>``, as many as its controller runs at once."""
    found = expand(cluster(node("n0"), node("n1"), made))
    assert names(found) == expected
    assert all(pod.namespace == "a" and pod.spec.containers[0].name == "c" for pod in found.pods)


def test_pods_are_controlled_by_a_workload_that_selects_them() -> None:
    """Owner references lead to workloads in the cluster, through a ReplicaSet for a Deployment."""
    found = expand(
        cluster(workload("Deployment", "d", replicas=2), workload("StatefulSet", "s"), workload("Job", "j"))
    )
    for pod in found.pods:
        controller = pod.metadata.controller
        assert controller is not None
        owner = owners(found)[controller.uid]
        assert (owner.kind, owner.metadata.name) == (controller.kind, controller.name)
        assert selects(owner.spec.selector, pod.labels)
    replica_set = next(each for each in found.workloads if each.kind == "ReplicaSet")
    controller = replica_set.metadata.controller
    assert controller is not None
    assert (controller.kind, controller.name) == ("Deployment", "d")
    assert controller.uid in owners(found)


def test_pods_of_one_workload_share_a_spec() -> None:
    """Expansion keeps pods alike."""
    found = expand(cluster(workload("Deployment", replicas=5)))
    assert len({id(pod.spec) for pod in found.pods}) == 1


def test_only_what_is_lacking_is_made_past_taken_names() -> None:
    """Pods of owned ReplicaSets count, completed and terminating ones do not, and no name is given twice."""
    replica_set = workload("ReplicaSet", "w-old", replicas=3)
    replica_set["metadata"]["ownerReferences"] = [{"kind": "Deployment", "name": "w", "controller": True}]
    replica_set["spec"]["template"] = replica_set["spec"]["template"] | {
        "spec": {"containers": [{"name": "old"}]}
    }
    found = expand(
        cluster(
            workload("Deployment", replicas=4),
            replica_set,
            pod("w-1", "ReplicaSet/w-old", phase="Running"),
            pod("w-old-x", "ReplicaSet/w-old", phase="Failed"),
            pod("w-old-y", "ReplicaSet/w-old", deletionTimestamp="2026-01-01T00:00:00Z"),
            pod("w-3"),
        )
    )
    assert names(found)[4:] == ["w-0", "w-2", "w-4"]


def test_a_replica_set_with_the_same_template_is_used() -> None:
    """A Deployment makes no second ReplicaSet for a template that has one."""
    replica_set = workload("ReplicaSet", "w-same", replicas=1)
    replica_set["metadata"]["ownerReferences"] = [{"kind": "Deployment", "name": "w", "controller": True}]
    replica_set["spec"]["selector"] = {"matchLabels": {"app": "w"}}
    replica_set["spec"]["template"] = {"metadata": {"labels": {"app": "w"}}, "spec": SPEC}
    found = expand(cluster(workload("Deployment", replicas=2), replica_set))
    assert {pod.metadata.owner_references[0].name for pod in found.pods} == {"w-same"}
    assert len(found.workloads) == 2


def test_live_workloads_are_expanded_only_when_asked() -> None:
    """An object with a uid comes from an API server, where its controller has done its work."""
    live = cluster(workload("Deployment", replicas=2, uid="u"))
    assert names(expand(live)) == []
    assert names(expand(live, which="all")) == ["w-0", "w-1"]
    assert names(expand(cluster(workload("Deployment", replicas=2)), which="none")) == []


def test_expanding_twice_adds_nothing() -> None:
    """What was made counts as existing."""
    once = expand(
        cluster(
            node("n0"),
            *(
                workload(kind, kind.lower(), replicas=2)
                for kind in ("Deployment", "StatefulSet", "DaemonSet", "Job")
            ),
        )
    )
    assert names(expand(once)) == names(once)
    assert names(expand(once, which="all")) == names(once)


def test_pods_of_another_owner_do_not_count() -> None:
    """With a uid, an owner reference names one workload, not all of its name."""
    there = [pod("w-x", "StatefulSet/w", uid="other"), pod("w-y", "ReplicaSet/w", uid="u")]
    found = expand(cluster(workload("ReplicaSet", replicas=2, uid="u"), *there), which="all")
    assert names(found) == ["w-x", "w-y", "w-0"]


@pytest.mark.parametrize("shown", [pod("p", "ReplicaSet/w"), pod("p", labels={"app": "w"})])
def test_a_replica_set_with_its_pods_is_a_snapshot(shown: dict[str, Any]) -> None:
    """Nobody writes a ReplicaSet next to pods of its own: none are added, which is said."""
    found = expand(cluster(workload("ReplicaSet", replicas=3), shown))
    assert names(found) == ["p"]
    assert [(w.code, w.object) for w in found.warnings] == [("not-expanded", "ReplicaSet/a/w")]
    assert len(expand(cluster(workload("ReplicaSet", replicas=3), shown), which="all").pods) > 1


def test_a_node_name_in_the_template_forces_the_pods() -> None:
    """Such pods bypass the scheduler: they are on the node, with an empty status."""
    template = {"metadata": {"labels": {"app": "w"}}, "spec": {**SPEC, "nodeName": "n1"}}
    found = expand(cluster(node("n0"), node("n1"), workload("Deployment", template=template)))
    assert [(pod.node_name, pod.status.phase) for pod in found.pods] == [("n1", "")]
    assert found.forced(found.pods[0])


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


TAINT = {"key": "k", "effect": "NoSchedule"}
PRESSURE = {"key": "node.kubernetes.io/memory-pressure", "effect": "NoSchedule"}
UNSCHEDULABLE = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}
NETWORK = {"key": "node.kubernetes.io/network-unavailable", "effect": "NoSchedule"}


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({}, ["plain", "pressed", "cordoned"]),
        ({"hostNetwork": True}, ["plain", "pressed", "cordoned", "offline"]),
        ({"tolerations": [{"operator": "Exists"}]}, ["plain", "tainted", "pressed", "cordoned", "offline"]),
        ({"nodeSelector": {"disk": "ssd"}}, ["pressed"]),
        ({"nodeName": "plain"}, ["plain"]),
    ],
)
def test_a_daemon_set_runs_on_the_nodes_its_controller_chooses(
    spec: dict[str, Any], expected: list[str]
) -> None:
    """Selector and taints decide, with the tolerations that every DaemonSet pod gets."""
    nodes = [
        node("plain"), node("tainted", taints=[TAINT]), node("pressed", taints=[PRESSURE], labels={"disk": "ssd"}),
        node("cordoned", taints=[UNSCHEDULABLE], unschedulable=True), node("offline", taints=[NETWORK]),
    ]  # fmt: skip
    template = {"metadata": {"labels": {"app": "w"}}, "spec": {**SPEC, **spec}}
    found = expand(cluster(*nodes, workload("DaemonSet", template=template)))
    pinned = [pod.spec.affinity.node_affinity.required for pod in found.pods]
    fields = [
        term.match_fields[0] for required in pinned if required for term in required.node_selector_terms
    ]
    assert [(field.key, field.operator, field.values) for field in fields] == [
        ("metadata.name", "In", (name,)) for name in expected
    ]


def test_a_daemon_set_counts_pods_on_and_for_a_node() -> None:
    """A node with its pod, bound or still pending, gets no second one; a failed one is replaced."""
    term = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}
    waiting = pod("w-b", "DaemonSet/w")
    waiting["spec"]["affinity"] = {
        "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
    }
    there = [
        pod("w-a", "DaemonSet/w", node="n0", phase="Running"),
        waiting,
        pod("w-c", "DaemonSet/w", node="n2", phase="Failed"),
    ]
    found = expand(cluster(*(node(f"n{i}") for i in range(4)), workload("DaemonSet"), *there))
    required = [pod.spec.affinity.node_affinity.required for pod in found.pods[3:]]
    assert [r.node_selector_terms[0].match_fields[0].values for r in required if r] == [("n2",), ("n3",)]


@pytest.mark.parametrize(
    ("spec", "phases", "made"),
    [
        ({"completions": 5, "parallelism": 3}, ["Succeeded"], 3),
        ({"completions": 5, "parallelism": 3}, ["Succeeded"] * 4, 1),
        ({"completions": 5, "parallelism": 3}, ["Running", "Failed"], 2),
        ({"parallelism": 3}, ["Running"], 2),
        ({"parallelism": 3}, ["Succeeded"], 0),
        ({}, ["Succeeded"], 0),
        ({}, ["Failed"], 1),
    ],
)
def test_a_job_makes_what_is_left_to_do(spec: dict[str, Any], phases: list[str], made: int) -> None:
    """Successes count against completions, running pods against parallelism."""
    there = [pod(f"x-{i}", "Job/w", phase=phase) for i, phase in enumerate(phases)]
    found = expand(cluster(workload("Job", **spec), *there))
    assert len(found.pods) - len(there) == made


def test_cron_jobs_run_once_when_asked() -> None:
    """Without asking they are only mentioned."""
    template = {"spec": {"parallelism": 2, "template": {"spec": SPEC}}}
    crons = cluster(
        workload("CronJob", "c", jobTemplate=template),
        workload("CronJob", "s", jobTemplate=template, suspend=True),
    )
    silent = expand(crons)
    assert names(silent) == []
    assert [(w.code, w.object) for w in silent.warnings] == [("not-expanded", "CronJob/a/c")]
    found = expand(crons, cronjobs=True)
    assert names(found) == ["c-0-0", "c-0-1"]
    assert not found.warnings


@pytest.mark.parametrize(
    ("made", "field", "message"),
    [
        (
            workload("Deployment", selector={"matchLabels": {"app": "other"}}),
            "spec.selector",
            "make them agree",
        ),
        (workload("StatefulSet", selector=None), "spec.selector", "is missing"),
        (workload("Deployment", replicas=MOST_PODS + 1), "spec.replicas", f"{MOST_PODS} are the most"),
        (workload("Job", parallelism=MOST_PODS + 1), "spec.parallelism", f"{MOST_PODS} are the most"),
        (workload("StatefulSet", replicas=2**31 - 1), "spec.replicas", f"{MOST_PODS} are the most"),
    ],
)
def test_what_no_controller_could_run_is_bad_input(made: dict[str, Any], field: str, message: str) -> None:
    """The API server would refuse it, or no machine could hold it."""
    with pytest.raises(BadInput, match=message) as caught:
        expand(cluster(made))
    assert caught.value.object == f"{made['kind']}/a/w"
    assert caught.value.field == field
