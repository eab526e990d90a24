"""PriorityClass, PodDisruptionBudget and Service."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Annotated

from pydantic import AfterValidator, Field

from .base import ApiObject, Bool, Int32, StringMap, one_of
from .meta import LabelSelector, ObjectMeta

_PERCENTAGE = re.compile(r"[0-9]{1,9}%")


def _count_or_percentage(value: int | str) -> int | str:
    if isinstance(value, str) and not _PERCENTAGE.fullmatch(value):
        raise ValueError(f"{value[:64]!r} is neither a count nor a percentage; write it like 2 or '50%'")
    if isinstance(value, int) and value < 0:
        raise ValueError(f"{value} is negative; a count is zero or more")
    return value


_Share = Annotated[Int32 | str, AfterValidator(_count_or_percentage)]


class PriorityClass(ApiObject):
    """A named priority."""

    metadata: ObjectMeta = ObjectMeta()
    value: Int32 = 0
    global_default: Bool = False
    preemption_policy: Annotated[str, one_of("", "PreemptLowerPriority", "Never")] = "PreemptLowerPriority"

    @cached_property
    def name(self) -> str:
        """``metadata.name``."""
        return self.metadata.name


class PodDisruptionBudgetSpec(ApiObject):
    """``spec`` of a budget; the limits are counts or percentages."""

    min_available: _Share | None = None
    max_unavailable: _Share | None = None
    selector: LabelSelector | None = None
    unhealthy_pod_eviction_policy: Annotated[str, one_of("", "IfHealthyBudget", "AlwaysAllow")] = ""


class PodDisruptionBudgetStatus(ApiObject):
    """``status`` of a budget, as the disruption controller wrote it."""

    disruptions_allowed: Int32 = 0
    current_healthy: Int32 = 0
    desired_healthy: Int32 = 0
    expected_pods: Int32 = 0
    disrupted_pods: StringMap = Field(default_factory=dict)


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

    selector: StringMap = Field(default_factory=dict)


class Service(ApiObject):
    """A service: its selector feeds the default topology spread."""

    metadata: ObjectMeta = ObjectMeta()
    spec: ServiceSpec = ServiceSpec()
