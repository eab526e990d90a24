"""Which pods a question places, and which may be moved: one pod per reason."""

from __future__ import annotations

from typing import Any

import pytest
from builders import cluster, node, pod
from kubestow.model.api import (
    PersistentVolume,
    PersistentVolumeClaim,
    Pod,
    Workload,
)
from kubestow.model.cluster import Cluster
from kubestow.model.errors import BadInput
from kubestow.model.fixed import Fixed, Reason
from kubestow.model.movable import disruption_cost, free_pods, movability, tied
from kubestow.model.profile import SchedulerConfiguration

RUNNING = {"phase": "Running"}
ENDING = {"deletionTimestamp": "2026-01-01T00:00:00Z"}


def owner(kind: str, name: str = "o") -> dict[str, Any]:
    return {"ownerReferences": [{"kind": kind, "name": name, "uid": name, "controller": True}]}


def workload(kind: str, **spec: Any) -> Workload:
    return Workload.model_validate(
        {"kind": kind, "metadata": {"name": "o", "namespace": "default"}, "spec": spec}
    )


def claim(name: str, volume: str = "", bound: bool = True) -> PersistentVolumeClaim:
    annotations = {"pv.kubernetes.io/bind-completed": "yes"} if bound else {}
    metadata = {"name": name, "namespace": "default", "annotations": annotations}
    return PersistentVolumeClaim.model_validate({"metadata": metadata, "spec": {"volumeName": volume}})


def volume(name: str, *hosts: str) -> PersistentVolume:
    expression = {"key": "kubernetes.io/hostname", "operator": "In", "values": list(hosts)}
    required = {"required": {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}}
    return PersistentVolume.model_validate(
        {"metadata": {"name": name}, "spec": {"nodeAffinity": required} if hosts else {}}
    )


def using(*claims: str) -> dict[str, Any]:
    return {"volumes": [{"name": c, "persistentVolumeClaim": {"claimName": c}} for c in claims]}


PODS: list[tuple[Pod, Fixed | None, Fixed | None]] = [
    (pod("waiting"), None, None),
    (pod("gated", schedulingGates=[{"name": "g"}]), Fixed.GATED, Fixed.GATED),
    (pod("ending-waiting", metadata=ENDING), Fixed.TERMINATING, Fixed.TERMINATING),
    (pod("foreign", schedulerName="other"), Fixed.OTHER_SCHEDULER, Fixed.OTHER_SCHEDULER),
    (pod("devices", resourceClaims=[{"name": "gpu"}]), Fixed.NOT_MODELLED, Fixed.NOT_MODELLED),
    (pod("done", "n", status={"phase": "Succeeded"}), Fixed.COMPLETED, Fixed.COMPLETED),
    (pod("failed", status={"phase": "Failed"}), Fixed.COMPLETED, Fixed.COMPLETED),
    (pod("lost", "gone", status=RUNNING), Fixed.UNKNOWN_NODE, Fixed.UNKNOWN_NODE),
    (pod("running", "n", status=RUNNING), Fixed.RUNNING, None),
    (pod("starting", "n", status={"phase": "Pending"}), Fixed.RUNNING, None),
    (pod("ending", "n", metadata=ENDING, status=RUNNING), Fixed.TERMINATING, Fixed.TERMINATING),
    (pod("bare-forced", "n"), Fixed.RUNNING, Fixed.FORCED),
    (pod("forced", "n", metadata=owner("ReplicaSet"), status=RUNNING), Fixed.RUNNING, Fixed.FORCED),
    (pod("static", "n", metadata=owner("Node", "n"), status=RUNNING), Fixed.RUNNING, Fixed.MIRROR),
    (pod("daemon", "n", metadata=owner("DaemonSet"), status=RUNNING), Fixed.RUNNING, Fixed.DAEMON_SET),
    (pod("daemon-waiting", metadata=owner("DaemonSet")), None, None),
    (pod("local", "n", status=RUNNING, **using("local")), Fixed.RUNNING, Fixed.VOLUME_PINNED),
    (pod("remote", "n", status=RUNNING, **using("remote")), Fixed.RUNNING, None),
    (pod("zonal", "n", status=RUNNING, **using("zonal")), Fixed.RUNNING, None),
    (pod("unbound", "n", status=RUNNING, **using("unbound")), Fixed.RUNNING, Fixed.VOLUME_PINNED),
    (pod("unknown", "n", status=RUNNING, **using("nobody")), Fixed.RUNNING, Fixed.VOLUME_PINNED),
    (pod("volumeless", "n", status=RUNNING, **using("volumeless")), Fixed.RUNNING, Fixed.VOLUME_PINNED),
    (
        pod("running-devices", "n", status=RUNNING, resourceClaims=[{"name": "gpu"}]),
        Fixed.RUNNING,
        Fixed.NOT_MODELLED,
    ),
]  # fmt: skip
CLUSTER: Cluster = cluster(
    [node("n"), node("m")],
    [one for one, _, _ in PODS],
    workloads=(workload("ReplicaSet", template={"spec": {"nodeName": "n"}}), workload("DaemonSet")),
    persistent_volumes=(volume("local", "n"), volume("remote"), volume("zonal", "n", "m"), volume("unbound")),
    persistent_volume_claims=(
        claim("local", "local"), claim("remote", "remote"), claim("zonal", "zonal"),
        claim("unbound", "unbound", bound=False), claim("volumeless", "nowhere"),
    ),
)  # fmt: skip


@pytest.mark.parametrize("question", ["pending", "scratch"])
def test_each_life_cycle_state_is_free_or_has_its_reason(question: str) -> None:
    """`pending` frees what waits for a node, `scratch` also what runs and is not tied to its node."""
    found = free_pods(CLUSTER, SchedulerConfiguration(), question)
    expected = {one.key: (pending if question == "pending" else scratch) for one, pending, scratch in PODS}
    assert found.free == {key for key, reason in expected.items() if reason is None}
    assert {key: r.code for key, r in found.excluded.items()} == {k: r for k, r in expected.items() if r}
    assert not found.evictable


def test_preempt_frees_what_waits_and_offers_lower_priorities() -> None:
    """Running pods below some pending pod's priority may go, whoever placed them."""
    pods = [
        pod("high", priority=10),
        pod("top", priority=99, preemptionPolicy="Never"),
        pod("low", "n", status=RUNNING, priority=1),
        pod("ending", "n", metadata=ENDING, status=RUNNING, priority=1),
        pod("daemon", "n", metadata=owner("DaemonSet"), status=RUNNING),
        pod("other", "n", status=RUNNING, schedulerName="other"),
        pod("equal", "n", status=RUNNING, priority=10),
        pod("between", "n", status=RUNNING, priority=50),
        pod("forced", "n"),
        pod("static", "n", metadata=owner("Node", "n"), status=RUNNING),
        pod("devices", "n", status=RUNNING, resourceClaims=[{"name": "gpu"}]),
        pod("done", "n", status={"phase": "Failed"}),
        pod("lost", "gone", status=RUNNING),
    ]
    found = free_pods(cluster([node("n")], pods), SchedulerConfiguration(), "preempt")
    assert found.free == {"default/high", "default/top"}
    names = ("low", "ending", "daemon", "other", "forced", "static", "devices")
    assert found.evictable == {f"default/{name}" for name in names}


def test_nobody_is_evictable_without_a_preemptor() -> None:
    """When no pending pod may preempt, everything stays."""
    pods = [pod("low", "n", status=RUNNING), pod("high", priority=9, preemptionPolicy="Never")]
    assert not free_pods(cluster([node("n")], pods), SchedulerConfiguration(), "preempt").evictable


def test_unknown_questions_are_bad_input() -> None:
    """The message names the questions that exist."""
    with pytest.raises(BadInput, match="'now' is unknown; use one of pending, preempt, scratch"):
        free_pods(CLUSTER, SchedulerConfiguration(), "now")


def test_job_templates_of_cron_jobs_force_too() -> None:
    """A CronJob's template is looked up one level deeper."""
    template = {"spec": {"template": {"spec": {"nodeName": "n"}}}}
    one = pod("p", "n", metadata=owner("CronJob"), status=RUNNING)
    given_cluster = cluster([node("n")], [one], workloads=(workload("CronJob", jobTemplate=template),))
    assert tied(given_cluster.pods[0], given_cluster) == Reason(Fixed.FORCED)


@pytest.mark.parametrize(
    ("one", "reason"),
    [
        (pod("p", metadata=owner("ReplicaSet")), Reason(Fixed.PENDING)),
        (pod("p", "n", metadata=owner("ReplicaSet"), status=RUNNING), None),
        (pod("p", "n", status={"phase": "Failed"}), Reason(Fixed.COMPLETED)),
        (pod("p", "gone", status=RUNNING), Reason(Fixed.UNKNOWN_NODE, "gone")),
        (pod("p", "n", metadata=ENDING, status=RUNNING), Reason(Fixed.TERMINATING)),
        (pod("p", "n", metadata=owner("DaemonSet"), status=RUNNING), Reason(Fixed.DAEMON_SET)),
        (pod("p", "n", status=RUNNING), Reason(Fixed.BARE)),
        (
            pod("p", "n", metadata=owner("ReplicaSet"), status=RUNNING, priority=2 * 10**9),
            Reason(Fixed.SYSTEM_CRITICAL),
        ),
        (
            pod("p", "n", metadata=owner("Job"), status=RUNNING, volumes=[{"name": "tmp", "emptyDir": {}}]),
            Reason(Fixed.LOCAL_STORAGE, "tmp"),
        ),
        (
            pod("p", "n", metadata=owner("Job"), status=RUNNING, volumes=[{"name": "h", "hostPath": {}}]),
            Reason(Fixed.LOCAL_STORAGE, "h"),
        ),
        (
            pod(
                "p", "n", metadata=owner("Job"), status=RUNNING,
                volumes=[{"name": "tmp", "emptyDir": {"medium": "Memory"}}],
            ),
            None,
        ),
    ],
)  # fmt: skip
def test_pods_that_cannot_or_should_not_move_say_why(one: Pod, reason: Reason | None) -> None:
    """Movable is what runs, is created again elsewhere, and loses nothing."""
    given_cluster = cluster([node("n"), node("m")], [one])
    assert movability(given_cluster.pods[0], given_cluster) == reason


SAFE = "cluster-autoscaler.kubernetes.io/safe-to-evict"
SAFE_VOLUMES = "cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes"
KARPENTER = "karpenter.sh/do-not-disrupt"
PREFER_NOT = "descheduler.alpha.kubernetes.io/prefer-no-eviction"
EVICT = "descheduler.alpha.kubernetes.io/evict"


@pytest.mark.parametrize(
    ("annotations", "reason"),
    [
        ({}, Reason(Fixed.LOCAL_STORAGE, "tmp")),
        ({SAFE: "false"}, Reason(Fixed.DO_NOT_EVICT, SAFE)),
        ({SAFE: "true"}, None),
        ({KARPENTER: "true"}, Reason(Fixed.DO_NOT_EVICT, KARPENTER)),
        ({KARPENTER: "false", SAFE_VOLUMES: "tmp"}, None),
        ({SAFE_VOLUMES: "other,tmp"}, None),
        ({SAFE_VOLUMES: "other"}, Reason(Fixed.LOCAL_STORAGE, "tmp")),
        ({PREFER_NOT: ""}, Reason(Fixed.DO_NOT_EVICT, PREFER_NOT)),
        ({EVICT: "", KARPENTER: "true"}, None),
    ],
)
def test_annotations_are_honoured(annotations: dict[str, str], reason: Reason | None) -> None:
    """Opting in waives every caution, opting out forbids, named volumes are expendable."""
    metadata = {**owner("ReplicaSet"), "annotations": annotations}
    one = pod("p", "n", metadata=metadata, status=RUNNING, volumes=[{"name": "tmp", "emptyDir": {}}])
    given_cluster = cluster([node("n")], [one])
    assert movability(given_cluster.pods[0], given_cluster) == reason


def test_opting_in_does_not_untie_a_pod() -> None:
    """A DaemonSet's pod stays on its node whatever its annotations say."""
    metadata = {**owner("DaemonSet"), "annotations": {EVICT: ""}}
    given_cluster = cluster([node("n")], [pod("p", "n", metadata=metadata, status=RUNNING)])
    assert movability(given_cluster.pods[0], given_cluster) == Reason(Fixed.DAEMON_SET)


@pytest.mark.parametrize(
    ("given_cost", "expected"),
    [(None, 1), ("7", 7), ("0", 1), ("-5", 1), ("much", 1), ("1_0", 1), ("9" * 5000, 1)],
)
def test_deletion_cost_is_at_least_one(given_cost: str | None, expected: int) -> None:
    """Every eviction counts; a readable, larger ``pod-deletion-cost`` counts more."""
    cost = {} if given_cost is None else {"controller.kubernetes.io/pod-deletion-cost": given_cost}
    assert disruption_cost(pod("p", metadata={"annotations": cost})) == expected


@pytest.mark.parametrize("code", list(Fixed))
def test_every_reason_reads_as_a_sentence(code: Fixed) -> None:
    """Each code has words of its own, with the name that matters in them or none."""
    text = str(Reason(code, "NAME"))
    assert text
    assert "{}" not in text
    assert text != str(code)
