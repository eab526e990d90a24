"""The parts of a KubeSchedulerConfiguration as data, unknown fields refused.

Source: https://kubernetes.io/docs/reference/config-api/kube-scheduler-config.v1/
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from ..model.api import ApiObject, NodeAffinity, TopologySpreadConstraint
from ..model.api.base import Bool

Count = Annotated[int, Field(strict=True, ge=0, lt=2**31)]
Positive = Annotated[int, Field(strict=True, ge=1, lt=2**31)]
Percentage = Annotated[int, Field(strict=True, ge=0, le=100)]


class Strict(ApiObject):
    """A type whose unknown fields are errors, as kube-scheduler's strict decoding makes them."""

    model_config = ConfigDict(extra="forbid")


class Args(Strict):
    """Arguments of a plugin."""

    api_version: str = ""
    kind: str = ""


class ResourceWeight(Strict):
    """A resource and its weight."""

    name: str = Field(min_length=1)
    weight: Percentage = 1


class ShapePoint(Strict):
    """One point of a utilization shape."""

    utilization: Percentage
    score: Annotated[int, Field(strict=True, ge=0, le=10)]


class RequestedToCapacityRatio(Strict):
    """Parameters of the strategy of that name."""

    shape: tuple[ShapePoint, ...] = ()


class Strategy(Strict):
    """``scoringStrategy``."""

    type: Literal["LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"]
    resources: tuple[ResourceWeight, ...] = ()
    requested_to_capacity_ratio: RequestedToCapacityRatio | None = None


class NodeResourcesFitArgs(Args):
    """Arguments of NodeResourcesFit."""

    ignored_resources: tuple[str, ...] = ()
    ignored_resource_groups: tuple[str, ...] = ()
    scoring_strategy: Strategy | None = None


class BalancedResource(Strict):
    """A resource to balance; all weigh the same."""

    name: str = Field(min_length=1)
    weight: Annotated[int, Field(strict=True, ge=0, le=1)] = 1


class BalancedAllocationArgs(Args):
    """Arguments of NodeResourcesBalancedAllocation."""

    resources: tuple[BalancedResource, ...] = ()


class InterPodAffinityArgs(Args):
    """Arguments of InterPodAffinity."""

    hard_pod_affinity_weight: Percentage = 1
    ignore_preferred_terms_of_existing_pods: Bool = False


class NodeAffinityArgs(Args):
    """Arguments of NodeAffinity."""

    added_affinity: NodeAffinity | None = None


class PodTopologySpreadArgs(Args):
    """Arguments of PodTopologySpread."""

    default_constraints: tuple[TopologySpreadConstraint, ...] = ()
    defaulting_type: Literal["System", "List"] = "System"


class DefaultPreemptionArgs(Args):
    """Arguments of DefaultPreemption: how many candidates it looks at."""

    min_candidate_nodes_percentage: Percentage = 10
    min_candidate_nodes_absolute: Count = 100


class VolumeBindingArgs(Args):
    """Arguments of VolumeBinding."""

    bind_timeout_seconds: Count | None = None
    shape: tuple[ShapePoint, ...] = ()


class DynamicResourcesArgs(Args):
    """Arguments of DynamicResources."""

    filter_timeout: str = ""
    binding_timeout: str = ""


ARGS: dict[str, type[Args]] = {
    "NodeResourcesFit": NodeResourcesFitArgs,
    "NodeResourcesBalancedAllocation": BalancedAllocationArgs,
    "InterPodAffinity": InterPodAffinityArgs,
    "NodeAffinity": NodeAffinityArgs,
    "PodTopologySpread": PodTopologySpreadArgs,
    "DefaultPreemption": DefaultPreemptionArgs,
    "VolumeBinding": VolumeBindingArgs,
    "DynamicResources": DynamicResourcesArgs,
}
"""Plugins that take arguments."""


class PluginEntry(Strict):
    """A plugin of a set; the weight counts for Score only."""

    name: str = Field(min_length=1)
    weight: Count = 0


class PluginSet(Strict):
    """What an extension point enables and disables."""

    enabled: tuple[PluginEntry, ...] = ()
    disabled: tuple[PluginEntry, ...] = ()


class Plugins(Strict):
    """All extension points."""

    pre_enqueue: PluginSet = PluginSet()
    queue_sort: PluginSet = PluginSet()
    pre_filter: PluginSet = PluginSet()
    filter: PluginSet = PluginSet()
    post_filter: PluginSet = PluginSet()
    pre_score: PluginSet = PluginSet()
    score: PluginSet = PluginSet()
    reserve: PluginSet = PluginSet()
    permit: PluginSet = PluginSet()
    pre_bind: PluginSet = PluginSet()
    bind: PluginSet = PluginSet()
    post_bind: PluginSet = PluginSet()
    placement_generate: PluginSet = PluginSet()
    placement_score: PluginSet = PluginSet()
    multi_point: PluginSet = PluginSet()


class PluginConfig(Strict):
    """Arguments for one plugin."""

    name: str = Field(min_length=1)
    args: dict[str, Any] = Field(default_factory=dict)


class Extender(Strict):
    """One entry of ``extenders``; the fields typed ``Any`` say how it is asked."""

    url_prefix: Any = None
    filter_verb: str = ""
    preempt_verb: str = ""
    prioritize_verb: str = ""
    bind_verb: str = ""
    weight: Count = 0
    enable_https: Any = Field(default=None, alias="enableHTTPS")
    tls_config: Any = None
    http_timeout: Any = None
    node_cache_capable: Any = None
    managed_resources: Any = None
    ignorable: Any = None


class ProfileDocument(Strict):
    """One entry of ``profiles``."""

    scheduler_name: Annotated[str, Field(min_length=1)] | None = None
    percentage_of_nodes_to_score: Percentage | None = None
    plugins: Plugins = Plugins()
    plugin_config: tuple[PluginConfig, ...] = ()


class ConfigurationDocument(Strict):
    """The whole document; the fields typed ``Any`` say nothing about which node a pod gets."""

    api_version: str = ""
    kind: str = ""
    metadata: Any = None
    percentage_of_nodes_to_score: Percentage | None = None
    profiles: tuple[ProfileDocument, ...] = ()
    extenders: tuple[Extender, ...] = ()
    parallelism: Positive | None = None
    leader_election: Any = None
    client_connection: Any = None
    enable_profiling: Any = None
    enable_contention_profiling: Any = None
    pod_initial_backoff_seconds: Positive | None = None
    pod_max_backoff_seconds: Count | None = None
    delay_cache_until_active: Bool | None = None
    health_z_bind_address: Any = Field(default=None, alias="healthzBindAddress")
    metrics_bind_address: Any = None
