from typing import Any

import pytest
from kubestow.model.api import Pod
from kubestow.model.cluster import Cluster
from kubestow.model.unmodelled import unmodelled, unmodelled_filters

RESTARTING = [{"restartPolicyRules": [{"action": "RestartAllContainers"}]}]
FILTERED: list[tuple[dict[str, Any], str]] = [
    ({"resourceClaims": [{"name": "gpu"}]}, "spec.resourceClaims"),
    ({"schedulingGroup": {"podGroupName": "g"}}, "spec.schedulingGroup"),
    ({"workloadRef": {"name": "w"}}, "spec.workloadRef"),
    ({"hostNetwork": True, "hostUsers": False}, "spec.hostUsers"),
    ({"containers": RESTARTING}, "spec.containers.restartPolicyRules"),
    ({"initContainers": RESTARTING}, "spec.containers.restartPolicyRules"),
]
SAID: list[tuple[dict[str, Any], str]] = [
    ({"runtimeClassName": "gvisor"}, "spec.runtimeClassName"),
    ({"tolerations": [{"key": "a", "operator": "Gt", "value": "5"}]}, "spec.tolerations"),
]
HARMLESS: list[dict[str, Any]] = [
    {},
    {"resourceClaims": [], "schedulingGroup": None, "workloadRef": {}},
    {"hostUsers": False},
    {"hostNetwork": True, "hostUsers": True},
    {"containers": [{"restartPolicyRules": [{"action": "Restart"}, "x"]}]},
    {"runtimeClassName": "gvisor", "overhead": {"cpu": "1"}},
    {"tolerations": [{"operator": "Exists"}]},
]


def pod(spec: dict[str, Any], name: str = "p", **metadata: Any) -> Pod:
    return Pod.model_validate({"metadata": {"name": name, "namespace": "a", **metadata}, "spec": spec})


@pytest.mark.parametrize(("spec", "path"), FILTERED)
def test_a_field_that_a_plugin_filters_by_keeps_the_pod_out(spec: dict[str, Any], path: str) -> None:
    """Such a pod is neither moved nor placed, and the user hears why."""
    assert unmodelled_filters(pod(spec)) == (path,)
    warnings = unmodelled(Cluster(pods=(pod(spec),)))
    assert [(w.code, w.object, w.field) for w in warnings] == [("not-modelled", "Pod/a/p", path)]


@pytest.mark.parametrize(("spec", "path"), SAID)
def test_a_field_of_less_consequence_is_only_said(spec: dict[str, Any], path: str) -> None:
    """The pod is placed all the same."""
    assert unmodelled_filters(pod(spec)) == ()
    assert [w.field for w in unmodelled(Cluster(pods=(pod(spec),)))] == [path]


@pytest.mark.parametrize("spec", HARMLESS)
def test_silence_means_taken_into_account(spec: dict[str, Any]) -> None:
    """Nothing is said about fields that are empty or change nothing."""
    assert unmodelled_filters(pod(spec)) == ()
    assert unmodelled(Cluster(pods=(pod(spec),))) == ()


def test_a_stored_pod_has_what_its_runtime_class_adds() -> None:
    """Overhead is filled in when a pod is created, so a live pod without any has none."""
    assert unmodelled(Cluster(pods=(pod({"runtimeClassName": "gvisor"}, uid="u"),))) == ()


def test_pods_alike_are_named_once_and_counted() -> None:
    """One field gives one warning, with the first pod's name and the number of the others."""
    spec = {"resourceClaims": [{"name": "gpu"}]}
    one = pod(spec)
    same = one.model_copy(update={"metadata": one.metadata.model_copy(update={"name": "q"})})
    warnings = unmodelled(Cluster(pods=(one, same, pod(spec, "r"))))
    assert len(warnings) == 1
    assert warnings[0].object == "Pod/a/p"
    assert warnings[0].message.endswith("(and 2 other pods)")
