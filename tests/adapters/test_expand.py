from typing import Any

import pytest
from kubestow.adapters.expand import MOST_PODS, expand
from kubestow.model.api import Workload
from kubestow.model.cluster import Cluster
from kubestow.model.errors import BadInput
from kubestow.model.labels import selects
from workload_builders import SPEC, cluster, names, node, pod, workload


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
    for made in found.pods:
        controller = made.metadata.controller
        assert controller is not None
        owner = owners(found)[controller.uid]
        assert (owner.kind, owner.metadata.name) == (controller.kind, controller.name)
        assert selects(owner.spec.selector, made.labels)
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
