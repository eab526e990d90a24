"""Fields that decide where a pod may run and that no rule models.

A pod with such a field is pinned if it runs and left unplaced if it is pending,
with that reason, whoever places the others.
"""

from __future__ import annotations

from .api import Pod


def unmodelled_filters(pod: Pod) -> tuple[str, ...]:
    """Paths of the pod's fields that a plugin filters by and no rule models, sorted."""
    spec = pod.spec
    found: list[str] = []
    if spec.resource_claims:
        found.append("spec.resourceClaims")
    if spec.scheduling_group:
        found.append("spec.schedulingGroup")
    if spec.workload_ref:
        found.append("spec.workloadRef")
    return tuple(found)
