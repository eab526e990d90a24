"""What valid objects can hardly mean, said once for all of them: fields that do not exist, and empty ones."""

from __future__ import annotations

from collections.abc import Iterable

from ...model.api import PodSpec
from ...model.cluster import Cluster
from ...model.state import allocatable
from ...model.words import counted
from ..fields import Unknown, known_fields, suggestion
from .problems import Problems

_SHOWN = 20
_LONGEST = 80


class UnknownFields:
    """Which objects have them, by kind and field."""

    def __init__(self) -> None:
        self._objects: dict[tuple[str, Unknown], dict[str, None]] = {}

    def add(self, kind: str, name: str, fields: Iterable[Unknown]) -> None:
        """Note those of one object, ``Kind/namespace/name``."""
        for field in fields:
            self._objects.setdefault((kind, field), {})[name] = None

    def say(self, problems: Problems) -> None:
        """One warning for each kind and field, naming the first object, as far as they are not too many."""
        for (kind, field), names in list(self._objects.items())[:_SHOWN]:
            where = "" if len(names) == 1 else f" in {counted(len(names), 'object')} of kind {kind}"
            path = field.path + (field.name if len(field.name) <= _LONGEST else field.name[:_LONGEST] + "…")
            message = f"unknown to Kubernetes and ignored{where}{_hint(field)}"
            problems.warn("unknown-field", next(iter(names)), path, message)
        more = len(self._objects) - _SHOWN
        if more > 0:
            problems.warn(
                "unknown-field", "", "", f"{counted(more, 'more field')} unknown to Kubernetes and ignored"
            )


def _hint(field: Unknown) -> str:
    if field.model is not PodSpec and field.name in known_fields(PodSpec):
        return "; it belongs into the spec of a pod"
    known = suggestion(field)
    return f"; did you mean {known}?" if known else ""


def say_empty(cluster: Cluster, problems: Problems) -> None:
    """Warn of pods without containers and of nodes without allocatable resources."""
    pods = [f"Pod/{pod.key}" for pod in cluster.pods if not pod.spec.containers]
    nodes = [f"Node/{node.name}" for node in cluster.nodes if not allocatable(node)]
    said = {
        "spec.containers": (pods, "pod", "is empty, which Kubernetes refuses; the pod requests nothing"),
        "status.allocatable": (nodes, "node", "is empty: no pod fits on the node"),
    }
    for field, (names, kind, message) in said.items():
        if names:
            others = f" (and {counted(len(names) - 1, f'other {kind}')})" if len(names) > 1 else ""
            problems.warn("empty", names[0], field, message + others)
