"""One pod a node, as the DaemonSet controller makes them.

Source: https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/#how-daemon-pods-are-scheduled
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..model import api
from ..model.eligibility import affinity_admits, untolerated

_NAME_FIELD = "metadata.name"
_HARD = ("NoSchedule", "NoExecute")
_TOLERATED = (
    ("not-ready", "NoExecute"),
    ("unreachable", "NoExecute"),
    ("disk-pressure", "NoSchedule"),
    ("memory-pressure", "NoSchedule"),
    ("pid-pressure", "NoSchedule"),
    ("unschedulable", "NoSchedule"),
)
_HOST_NETWORK = ("network-unavailable", "NoSchedule")


def daemon_specs(
    template: api.PodTemplateSpec, nodes: Iterable[api.Node]
) -> Iterator[tuple[str, api.PodSpec]]:
    """Each node that the template's pods belong on, and the spec of the pod there.

    The controller checks node selector, affinity and taints itself; its pod
    then asks for the node by name, in place of the template's required affinity.
    """
    spec = template.spec.model_copy(update={"tolerations": _tolerations(template.spec)})
    pod = api.Pod(spec=spec)
    for node in nodes:
        wanted = template.node_name in (None, node.name)
        if wanted and affinity_admits(pod, node) and not untolerated(pod, node, _HARD):
            yield node.name, spec.model_copy(update={"affinity": _pinned(spec.affinity, node.name)})


def pinned_node(pod: api.Pod) -> str | None:
    """The node that a DaemonSet's pod is on or made for."""
    if pod.node_name:
        return pod.node_name
    required = pod.spec.affinity.node_affinity.required
    terms = required.node_selector_terms if required else ()
    named = (field for term in terms for field in term.match_fields if field.key == _NAME_FIELD)
    return next((field.values[0] for field in named if len(field.values) == 1), None)


def _tolerations(spec: api.PodSpec) -> tuple[api.Toleration, ...]:
    wanted = (*_TOLERATED, _HOST_NETWORK) if spec.host_network else _TOLERATED
    added = [
        api.Toleration(key=f"node.kubernetes.io/{key}", operator="Exists", effect=effect)
        for key, effect in wanted
    ]
    return (*spec.tolerations, *(toleration for toleration in added if toleration not in spec.tolerations))


def _pinned(affinity: api.Affinity, node: str) -> api.Affinity:
    requirement = api.NodeSelectorRequirement(key=_NAME_FIELD, operator="In", values=(node,))
    term = api.NodeSelectorTerm(match_fields=(requirement,))
    required = api.NodeSelector(node_selector_terms=(term,))
    node_affinity = affinity.node_affinity.model_copy(update={"required": required})
    return affinity.model_copy(update={"node_affinity": node_affinity})
