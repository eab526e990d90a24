"""PriorityClass, PodDisruptionBudget and Service."""

from __future__ import annotations

from functools import cached_property

from pydantic import Field

from .base import ApiObject
from .meta import LabelSelector, ObjectMeta


class PriorityClass(ApiObject):
    """A named priority."""

    metadata: ObjectMeta = ObjectMeta()
    value: int = 0
    global_default: bool = False
    preemption_policy: str = "PreemptLowerPriority"

    @cached_property
    def name(self) -> str:
        """``metadata.name``."""
        return self.metadata.name


class PodDisruptionBudgetSpec(ApiObject):
    """``spec`` of a budget; the limits are counts or percentages."""

    min_available: int | str | None = None
    max_unavailable: int | str | None = None
    selector: LabelSelector | None = None
    unhealthy_pod_eviction_policy: str = ""


class PodDisruptionBudgetStatus(ApiObject):
    """``status`` of a budget, as the disruption controller wrote it."""

    disruptions_allowed: int = 0
    current_healthy: int = 0
    desired_healthy: int = 0
    expected_pods: int = 0
    disrupted_pods: dict[str, str] = Field(default_factory=dict)


class PodDisruptionBudget(ApiObject):
    """How many matching pods may be evicted at once."""

    metadata: ObjectMeta = ObjectMeta()
    spec: PodDisruptionBudgetSpec = PodDisruptionBudgetSpec()
    status: PodDisruptionBudgetStatus | None = None

    @cached_property
    def key(self) -> str:
        """``namespace/name``."""
        return f"{self.metadata.namespace}/{self.metadata.name}"


class ServiceSpec(ApiObject):
    """``spec`` of a service."""

    selector: dict[str, str] = Field(default_factory=dict)


class Service(ApiObject):
    """A service: its selector feeds the default topology spread."""

    metadata: ObjectMeta = ObjectMeta()
    spec: ServiceSpec = ServiceSpec()
