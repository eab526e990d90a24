"""Fields that influence where a pod may run and that no rule models.

A pod with a field that a plugin filters by is pinned if it runs and left
unplaced if it is pending, with that reason, whoever places the others. Fields
of less consequence are only said.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from .api import Container, Pod, PodSpec
from .cluster import Cluster
from .reasons import Warning
from .spec_groups import SpecGroup, spec_groups, summed

_PLUGINS: Mapping[str, str] = {
    "spec.resourceClaims": "DynamicResources",
    "spec.schedulingGroup": "GangScheduling",
    "spec.workloadRef": "GangScheduling",
    "spec.hostUsers": "NodeDeclaredFeatures",
    "spec.containers.restartPolicyRules": "NodeDeclaredFeatures",
}
"""kube-scheduler's plugin that reads the field."""


def unmodelled_filters(pod: Pod) -> tuple[str, ...]:
    """Paths of the pod's fields that a plugin filters by and no rule models, in a fixed order."""
    spec = pod.spec
    present = {
        "spec.resourceClaims": bool(spec.resource_claims),
        "spec.schedulingGroup": bool(spec.scheduling_group),
        "spec.workloadRef": bool(spec.workload_ref),
        "spec.hostUsers": spec.host_network and spec.host_users is False,
        "spec.containers.restartPolicyRules": _restarts_all(spec),
    }
    return tuple(path for path, there in present.items() if there)


def _restarts_all(spec: PodSpec) -> bool:
    return any(_restarts_pod(container) for container in (*spec.containers, *spec.init_containers))


def _restarts_pod(container: Container) -> bool:
    rules = (
        cast("dict[str, Any]", rule) for rule in container.restart_policy_rules if isinstance(rule, dict)
    )
    return any(rule.get("action") == "RestartAllContainers" for rule in rules)


def unmodelled(cluster: Cluster) -> tuple[Warning, ...]:
    """One warning for each field of the cluster's pods that matters to kube-scheduler and not to kubestow."""
    groups = spec_groups(cluster.pods)
    return tuple(summed("not-modelled", (each for group in groups for each in _fields(group))))


def _fields(group: SpecGroup) -> Iterator[tuple[SpecGroup, str, str]]:
    pod, spec = group.pod, group.pod.spec
    for path in unmodelled_filters(pod):
        consequence = "stays on its node if it has one and is left unplaced if not"
        yield group, path, f"{_PLUGINS[path]} filters by it and kubestow does not: the pod {consequence}"
    if spec.runtime_class_name and not spec.overhead and not pod.metadata.uid:
        message = "a RuntimeClass can add overhead, a node selector and tolerations; none are added"
        yield group, "spec.runtimeClassName", message
    if any(toleration.operator in ("Lt", "Gt") for toleration in spec.tolerations):
        message = "Lt and Gt need a feature gate that is off by default; here they tolerate nothing"
        yield group, "spec.tolerations", message
