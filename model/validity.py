"""Selectors that the API server would refuse, although kube-scheduler has an answer for them.

Source: ``pkg/apis/core/validation`` and ``k8s.io/apimachinery/pkg/labels`` of Kubernetes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .api import Affinity, LabelSelector, PodAffinity, PodSpec
from .cluster import Cluster
from .labels import valid_value
from .node_selector_errors import term_errors
from .reasons import Warning
from .spec_groups import SpecGroup, spec_groups, summed

_AFFINITY = "spec.affinity"
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def invalid_selectors(cluster: Cluster) -> tuple[Warning, ...]:
    """One warning for each selector in a pod that cannot be parsed."""
    groups = spec_groups(cluster.pods)
    return tuple(summed("invalid", (each for group in groups for each in _of_spec(group))))


def _of_spec(group: SpecGroup) -> Iterator[tuple[SpecGroup, str, str]]:
    spec = group.pod.spec
    for consequence, error in _node_affinity_errors(spec.affinity):
        path, _, problem = error.partition(": ")
        yield group, path, f"{consequence}: {problem}"
    for path, selector in _label_selectors(spec):
        for problem in _label_errors(selector):
            yield group, path, f"the API server refuses it: {problem}"


def _node_affinity_errors(affinity: Affinity) -> Iterator[tuple[str, str]]:
    node = affinity.node_affinity
    path = f"{_AFFINITY}.nodeAffinity"
    for position, term in enumerate(node.required.node_selector_terms if node.required else ()):
        for error in term_errors(term, f"{path}.{_REQUIRED}.nodeSelectorTerms[{position}]"):
            yield "the API server refuses it, and the term never matches", error
    for position, weighted in enumerate(node.preferred):
        for error in term_errors(weighted.preference, f"{path}.{_PREFERRED}[{position}].preference"):
            yield "kube-scheduler cannot parse it, and fails to score the pod", error


def _label_selectors(spec: PodSpec) -> Iterator[tuple[str, LabelSelector]]:
    for position, constraint in enumerate(spec.topology_spread_constraints):
        if constraint.label_selector is not None:
            yield f"spec.topologySpreadConstraints[{position}].labelSelector", constraint.label_selector
    yield from _of_pod_affinity(spec.affinity.pod_affinity, f"{_AFFINITY}.podAffinity")
    yield from _of_pod_affinity(spec.affinity.pod_anti_affinity, f"{_AFFINITY}.podAntiAffinity")


def _of_pod_affinity(affinity: PodAffinity, path: str) -> Iterator[tuple[str, LabelSelector]]:
    terms = [(f"{path}.{_REQUIRED}[{i}]", term) for i, term in enumerate(affinity.required)]
    terms += [
        (f"{path}.{_PREFERRED}[{i}].podAffinityTerm", weighted.pod_affinity_term)
        for i, weighted in enumerate(affinity.preferred)
    ]
    for where, term in terms:
        if term.label_selector is not None:
            yield f"{where}.labelSelector", term.label_selector
        if term.namespace_selector is not None:
            yield f"{where}.namespaceSelector", term.namespace_selector


def _label_errors(selector: LabelSelector) -> Iterator[str]:
    yield from _bad_values(selector.match_labels.values())
    for requirement in selector.match_expressions:
        if requirement.operator in ("In", "NotIn"):
            if not requirement.values:
                yield f"{requirement.operator} takes at least one value"
            yield from _bad_values(requirement.values)
        elif requirement.values:
            yield f"{requirement.operator} takes no values, not {list(requirement.values)}"


def _bad_values(values: Iterable[str]) -> Iterator[str]:
    for value in values:
        if not valid_value(value):
            yield f"{value[:64]!r} is no label value"
