"""When two pods are one class: signatures that merge only what no rule can tell apart.

A signature may distinguish too much (that costs time), never too little (that
would change the optimum). See design notes in ``docs/architecture.md``.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..model.api import LabelSelector, Pod, PodSpec
from ..model.cluster import Cluster
from ..model.final import kind_key
from ..model.movable import recreated
from ..model.profile import Profile
from ..model.resources import nonzero_requests, pod_requests

_RULE_FIELDS = {
    "volumes", "node_selector", "affinity", "tolerations", "topology_spread_constraints", "scheduling_gates",
    "scheduler_name", "priority", "preemption_policy", "host_network", "resource_claims",
}  # fmt: skip


def referenced_labels(cluster: Cluster) -> frozenset[str]:
    """Pod label keys that some selector of the cluster reads."""
    keys: set[str] = set()
    for selector in _selectors(cluster):
        keys.update(selector.match_labels)
        keys.update(requirement.key for requirement in selector.match_expressions)
    for service in cluster.services:
        keys.update(service.spec.selector)
    return frozenset(keys)


def _selectors(cluster: Cluster) -> Iterable[LabelSelector]:
    seen: set[int] = set()
    for pod in cluster.pods:
        if id(pod.spec) not in seen:
            seen.add(id(pod.spec))
            yield from _spec_selectors(pod.spec)
    for budget in cluster.pod_disruption_budgets:
        if budget.spec.selector is not None:
            yield budget.spec.selector
    for workload in cluster.workloads:
        if workload.spec.selector is not None:
            yield workload.spec.selector


def _spec_selectors(spec: PodSpec) -> Iterable[LabelSelector]:
    affinity = spec.affinity
    for side in (affinity.pod_affinity, affinity.pod_anti_affinity):
        terms = [*side.required, *(weighted.pod_affinity_term for weighted in side.preferred)]
        for term in terms:
            if term.label_selector is not None:
                yield term.label_selector
    for constraint in spec.topology_spread_constraints:
        if constraint.label_selector is not None:
            yield constraint.label_selector


class Signatures:
    """Signatures of the pods of one cluster, computed once per kind.

    Parameters
    ----------
    cluster : Cluster
    """

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._labels = referenced_labels(cluster)
        self._specs: dict[int, tuple[PodSpec, object]] = {}

    def of(self, pod: Pod, profile: Profile) -> object:
        """A hashable value; equal values mean interchangeable pods."""
        labels = tuple(sorted((key, text) for key, text in pod.labels.items() if key in self._labels))
        return (
            pod.namespace,
            labels,
            self._spec(pod),
            tuple(sorted(pod_requests(pod).items())),
            tuple(sorted(nonzero_requests(pod).items())),
            _owner(pod, profile),
            _own_claims(pod),
            pod.status.nominated_node_name,
            pod.terminating,
            pod.mirror,
            pod.node_name is not None and not recreated(pod, self._cluster),
        )

    def _spec(self, pod: Pod) -> object:
        known = self._specs.get(id(pod.spec))
        if known is None:
            known = self._specs[id(pod.spec)] = (pod.spec, _spec_signature(pod.spec))
        return known[1]


def _spec_signature(spec: PodSpec) -> object:
    containers = (*spec.containers, *spec.init_containers)
    images = tuple(container.image for container in containers)
    ports = tuple(
        (port.host_ip, port.protocol, port.host_port)
        for container in containers
        for port in container.ports
        if port.host_port
    )
    rest = spec.model_dump_json(include=_RULE_FIELDS, exclude_defaults=True)
    return images, len(spec.containers), ports, rest


def _owner(pod: Pod, profile: Profile) -> str:
    # Default spread constraints take their selector from the owner.
    defaults = profile.defaulting == "System" or profile.default_constraints
    if pod.spec.topology_spread_constraints or not defaults or pod.metadata.controller is None:
        return ""
    return pod.metadata.controller.uid or f"{pod.metadata.controller.kind}/{pod.metadata.controller.name}"


def _own_claims(pod: Pod) -> str:
    # A generic ephemeral volume's claim bears the pod's name.
    return pod.name if any(volume.ephemeral for volume in pod.spec.volumes) else ""


__all__ = ["Signatures", "kind_key", "referenced_labels"]
