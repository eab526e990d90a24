"""What the API server would have added to the objects before kube-scheduler sees them.

Defaults of the API (limits without requests become requests, ``hostNetwork`` turns
container ports into host ports, a namespace gets its name as a label), what the pod
registry does on creation (label keys merged into selectors, pod-level requests) and
priority admission. Admitting twice changes nothing more than duplicated requirements.

Source: ``pkg/apis/core/v1/defaults.go``, ``pkg/registry/core/pod/strategy.go``,
``plugin/pkg/admission/priority`` of Kubernetes 1.37.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from .api import (
    Affinity,
    Container,
    LabelSelector,
    LabelSelectorRequirement,
    Namespace,
    Pod,
    PodAffinity,
    PodAffinityTerm,
    PodSpec,
    PriorityClass,
    TopologySpreadConstraint,
)
from .cluster import Cluster
from .quantity import NANO
from .reasons import Warning
from .resources import pod_level

Term = TypeVar("Term", PodAffinityTerm, TopologySpreadConstraint)
NAMESPACE_LABEL = "kubernetes.io/metadata.name"
SYSTEM_CLASSES: Mapping[str, int] = {
    "system-cluster-critical": 2_000_000_000,
    "system-node-critical": 2_000_001_000,
}
"""Priority classes that every cluster has."""


def admit(cluster: Cluster) -> Cluster:
    """The cluster with everything the API server would have added.

    Pods that share a spec before share one after, unless their labels enter it.
    A priority class that is not in the cluster counts as priority 0, said in ``warnings``.
    """
    admission = _Admission(cluster)
    pods = tuple(admission.pod(pod) for pod in cluster.pods)
    namespaces = tuple(_named(namespace) for namespace in cluster.namespaces)
    return cluster.with_changes(
        pods=pods, namespaces=namespaces, warnings=(*cluster.warnings, *admission.warnings)
    )


def _named(namespace: Namespace) -> Namespace:
    metadata = namespace.metadata
    if metadata.labels.get(NAMESPACE_LABEL) == metadata.name:
        return namespace
    labels = {**metadata.labels, NAMESPACE_LABEL: metadata.name}
    return namespace.model_copy(update={"metadata": metadata.model_copy(update={"labels": labels})})


class _Admission:
    """Admits pods, each spec once."""

    def __init__(self, cluster: Cluster) -> None:
        self.classes = {c.name: c for c in cluster.priority_classes}
        defaults = [c for c in cluster.priority_classes if c.global_default]
        self.default = min(defaults, key=lambda c: c.value, default=None)
        self.warnings: list[Warning] = []
        self._admitted: dict[object, PodSpec] = {}

    def pod(self, pod: Pod) -> Pod:
        spec = self.spec(pod.spec, pod.metadata.labels)
        if spec.priority is None:
            self._warn(pod)
            spec = self._silent(spec)
        return pod if spec is pod.spec else pod.model_copy(update={"spec": spec})

    def spec(self, spec: PodSpec, labels: Mapping[str, str]) -> PodSpec:
        key = (id(spec), tuple((name, labels.get(name)) for name in _label_keys(spec)))
        found = self._admitted.get(key)
        if found is None:
            changes = {**_merged(spec, labels), **self._priority(spec)}
            found = with_defaults(spec.model_copy(update=changes) if changes else spec)
            self._admitted[key] = found
        return found

    def _priority(self, spec: PodSpec) -> dict[str, Any]:
        if spec.priority is not None:
            return {}
        name = spec.priority_class_name
        if not name:
            chosen = self.default
            if chosen is None:
                return {"priority": 0}
        elif name in SYSTEM_CLASSES and name not in self.classes:
            return {"priority": SYSTEM_CLASSES[name]}
        else:
            chosen = self.classes.get(name)
            if chosen is None:
                return {}
        return _of_class(chosen, spec)

    def _silent(self, spec: PodSpec) -> PodSpec:
        key = ("silent", id(spec))
        found = self._admitted.get(key)
        if found is None:
            found = self._admitted[key] = spec.model_copy(update={"priority": 0})
        return found

    def _warn(self, pod: Pod) -> None:
        name = pod.spec.priority_class_name
        self.warnings.append(
            Warning(
                "unknown-priority-class",
                f"Pod/{pod.key}",
                "spec.priorityClassName",
                f"no PriorityClass {name!r} was read; the pod counts with priority 0",
            )
        )


def with_defaults(spec: PodSpec) -> PodSpec:
    """The spec with the API's defaults: requests from limits, host ports, pod-level requests."""
    changes = _containers(spec)
    return _with_pod_level(spec.model_copy(update=changes) if changes else spec)


def _of_class(chosen: PriorityClass, spec: PodSpec) -> dict[str, Any]:
    return {
        "priority": chosen.value,
        "priority_class_name": chosen.name,
        "preemption_policy": spec.preemption_policy or chosen.preemption_policy,
    }


def _containers(spec: PodSpec) -> dict[str, Any]:
    changes: dict[str, Any] = {}
    for field in ("containers", "init_containers"):
        before: tuple[Container, ...] = getattr(spec, field)
        after = tuple(_container(container, spec.host_network) for container in before)
        if any(new is not old for new, old in zip(after, before, strict=True)):
            changes[field] = after
    return changes


def _container(container: Container, host_network: bool) -> Container:
    changes: dict[str, Any] = {}
    resources = container.resources
    if not resources.limits.keys() <= resources.requests.keys():
        requests = {**resources.limits, **resources.requests}
        changes["resources"] = resources.model_copy(update={"requests": requests})
    if host_network and any(port.host_port == 0 for port in container.ports):
        changes["ports"] = tuple(
            port.model_copy(update={"host_port": port.host_port or port.container_port})
            for port in container.ports
        )
    return container.model_copy(update=changes) if changes else container


def _with_pod_level(spec: PodSpec) -> PodSpec:
    """Pod-level requests that are not stated: from the containers' requests, else from the limits."""
    resources = spec.resources
    if resources is None or not (resources.limits or resources.requests):
        return spec
    huge = {
        name: amount
        for name, amount in _aggregate(spec, "limits").items()
        if name.startswith("hugepages-") and name not in resources.requests
    }
    limits = {**huge, **resources.limits}
    if not limits:
        return spec
    overcommitted = {n: a for n, a in _aggregate(spec, "requests").items() if n in ("cpu", "memory")}
    inherited = {name: amount for name, amount in limits.items() if pod_level(name)}
    requests = {**inherited, **overcommitted, **resources.requests}
    stated = resources.model_copy(update={"requests": requests, "limits": limits})
    return spec.model_copy(update={"resources": stated})


def _aggregate(spec: PodSpec, which: str) -> dict[str, int]:
    """Nano units over all containers: sidecars add up, an init container counts where it needs more."""
    total: dict[str, int] = {}
    sidecars: dict[str, int] = {}
    peak: dict[str, int] = {}
    for container in spec.containers:
        _add(total, _amounts(container, which))
    for container in spec.init_containers:
        needs = _amounts(container, which)
        if container.restart_policy == "Always":
            _add(total, needs)
            _add(sidecars, needs)
            needs = sidecars
        else:
            _add(needs, sidecars)
        peak = {name: max(peak.get(name, 0), needs.get(name, 0)) for name in {*peak, *needs}}
    return {name: max(total.get(name, 0), peak.get(name, 0)) for name in {*total, *peak}}


def _amounts(container: Container, which: str) -> dict[str, int]:
    milli = NANO // 1000
    stated: Mapping[str, int] = getattr(container.resources, which)
    return {name: -(-amount // milli) * milli for name, amount in stated.items()}


def _add(total: dict[str, int], amounts: Mapping[str, int]) -> None:
    for name, amount in amounts.items():
        total[name] = total.get(name, 0) + amount


def _label_keys(spec: PodSpec) -> list[str]:
    """Keys of the pod's own labels that enter its selectors."""
    keys = {key for c in spec.topology_spread_constraints for key in c.match_label_keys}
    for term in _terms(spec.affinity):
        keys.update(term.match_label_keys, term.mismatch_label_keys)
    return sorted(keys)


def _terms(affinity: Affinity) -> list[PodAffinityTerm]:
    both = (affinity.pod_affinity, affinity.pod_anti_affinity)
    return [
        term
        for side in both
        for term in (*side.required, *(weighted.pod_affinity_term for weighted in side.preferred))
    ]


def _merged(spec: PodSpec, labels: Mapping[str, str]) -> dict[str, Any]:
    if not _label_keys(spec):
        return {}
    affinity = spec.affinity
    return {
        "affinity": affinity.model_copy(
            update={
                "pod_affinity": _merged_side(affinity.pod_affinity, labels),
                "pod_anti_affinity": _merged_side(affinity.pod_anti_affinity, labels),
            }
        ),
        "topology_spread_constraints": tuple(
            _merged_selector(constraint, labels) for constraint in spec.topology_spread_constraints
        ),
    }


def _merged_side(side: PodAffinity, labels: Mapping[str, str]) -> PodAffinity:
    preferred = tuple(
        weighted.model_copy(
            update={"pod_affinity_term": _merged_selector(weighted.pod_affinity_term, labels)}
        )
        for weighted in side.preferred
    )
    required = tuple(_merged_selector(term, labels) for term in side.required)
    return side.model_copy(update={"required": required, "preferred": preferred})


def _merged_selector(term: Term, labels: Mapping[str, str]) -> Term:
    selector = term.label_selector
    if selector is None:
        return term
    added = [_requirement(key, "In", labels) for key in term.match_label_keys if key in labels]
    if isinstance(term, PodAffinityTerm):
        added += [_requirement(key, "NotIn", labels) for key in term.mismatch_label_keys if key in labels]
    return term.model_copy(update={"label_selector": _extended(selector, added)}) if added else term


def _requirement(key: str, operator: str, labels: Mapping[str, str]) -> LabelSelectorRequirement:
    return LabelSelectorRequirement(key=key, operator=operator, values=(labels[key],))


def _extended(selector: LabelSelector, added: list[LabelSelectorRequirement]) -> LabelSelector:
    new = [requirement for requirement in added if requirement not in selector.match_expressions]
    return selector.model_copy(update={"match_expressions": (*selector.match_expressions, *new)})
