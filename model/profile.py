"""Scheduler profiles: which plugins filter and score, with which weights and arguments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .api import NodeAffinity, TopologySpreadConstraint
from .reasons import Warning

FILTERS = (
    "NodeName", "NodeUnschedulable", "TaintToleration", "NodeAffinity", "NodePorts", "NodeResourcesFit",
    "VolumeRestrictions", "NodeVolumeLimits", "VolumeBinding", "VolumeZone", "PodTopologySpread",
    "InterPodAffinity", "DynamicResources", "NodeDeclaredFeatures",
)  # fmt: skip
"""Filter plugins of the default profile, in the order they run."""

PRE_FILTERS = tuple(
    name for name in FILTERS if name not in ("NodeName", "NodeUnschedulable", "TaintToleration")
)
"""Those of them that have a PreFilter too."""

OPTIONAL_FILTERS = ("GpuSharing",)
"""Filters that kube-scheduler does not bring along; a profile has to name them."""

SCORES: Mapping[str, int] = {
    "TaintToleration": 3, "NodeAffinity": 2, "PodTopologySpread": 2, "InterPodAffinity": 2,
    "DynamicResources": 2,
    "NodeResourcesFit": 1, "VolumeBinding": 1, "NodeResourcesBalancedAllocation": 1, "ImageLocality": 1,
}  # fmt: skip
"""Score plugins of the default profile and their weights."""


@dataclass(frozen=True, slots=True)
class ScoringStrategy:
    """``NodeResourcesFitArgs.scoringStrategy``.

    Parameters
    ----------
    type : str
        LeastAllocated, MostAllocated or RequestedToCapacityRatio.
    resources : tuple of (str, int)
        Resources and weights.
    shape : tuple of (int, int)
        (utilization 0..100, score 0..10), for RequestedToCapacityRatio.
    """

    type: str = "LeastAllocated"
    resources: tuple[tuple[str, int], ...] = (("cpu", 1), ("memory", 1))
    shape: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Profile:
    """One profile of a KubeSchedulerConfiguration, with kube-scheduler's defaults.

    Parameters
    ----------
    scheduler_name : str
        Pods with this ``schedulerName`` use the profile.
    filters : tuple of str
        Filter plugins in the order they run.
    pre_filters : tuple of str
        PreFilter plugins in the order they run; those of further `filters` follow.
    scores : mapping of str to int
        Score plugins and their weights.
    post_filters : tuple of str
        PostFilter plugins.
    scoring : ScoringStrategy
        How NodeResourcesFit scores.
    balanced_resources : tuple of (str, int)
        Resources that NodeResourcesBalancedAllocation compares.
    hard_pod_affinity_weight : int
        Weight of required affinity in InterPodAffinity's score.
    ignore_preferred_terms_of_existing_pods : bool
        ``InterPodAffinityArgs`` field of that name.
    added_affinity : NodeAffinity or None
        ``NodeAffinityArgs.addedAffinity``.
    default_constraints : tuple of TopologySpreadConstraint
        ``PodTopologySpreadArgs.defaultConstraints``.
    defaulting : str
        ``System`` or ``List``.
    ignored_resources, ignored_resource_groups : tuple of str
        Extended resources that NodeResourcesFit does not check.
    storage_shape : tuple of (int, int)
        ``VolumeBindingArgs.shape``: (utilization 0..100, score 0..10).
    percentage_of_nodes_to_score : int or None
        Overrides the configuration's, if set.
    """

    scheduler_name: str = "default-scheduler"
    filters: tuple[str, ...] = FILTERS
    pre_filters: tuple[str, ...] = PRE_FILTERS
    scores: Mapping[str, int] = field(default_factory=lambda: dict(SCORES))
    post_filters: tuple[str, ...] = ("DynamicResources", "DefaultPreemption")
    scoring: ScoringStrategy = ScoringStrategy()
    balanced_resources: tuple[tuple[str, int], ...] = (("cpu", 1), ("memory", 1))
    hard_pod_affinity_weight: int = 1
    ignore_preferred_terms_of_existing_pods: bool = False
    added_affinity: NodeAffinity | None = None
    default_constraints: tuple[TopologySpreadConstraint, ...] = ()
    defaulting: str = "System"
    ignored_resources: tuple[str, ...] = ()
    ignored_resource_groups: tuple[str, ...] = ()
    storage_shape: tuple[tuple[int, int], ...] = ((0, 10), (100, 0))
    percentage_of_nodes_to_score: int | None = None

    @property
    def prepared(self) -> tuple[str, ...]:
        """Plugins whose PreFilter runs, be it without their Filter."""
        return (*self.pre_filters, *(name for name in self.filters if name not in self.pre_filters))


@dataclass(frozen=True, slots=True)
class SchedulerConfiguration:
    """All profiles, by ``schedulerName``; pods of other schedulers are left out, said aloud."""

    profiles: tuple[Profile, ...] = (Profile(),)
    percentage_of_nodes_to_score: int = 100
    warnings: tuple[Warning, ...] = ()

    def profile(self, scheduler_name: str) -> Profile | None:
        """The profile for a pod's ``schedulerName``, or None."""
        for profile in self.profiles:
            if profile.scheduler_name == scheduler_name:
                return profile
        return None
