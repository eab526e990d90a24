"""The rules: one module per kube-scheduler plugin, in the order the filters run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .base import Rule
from .dynamic_resources import DynamicResources
from .gpu_sharing import GpuSharing
from .image_locality import ImageLocality
from .inter_pod_affinity import InterPodAffinity
from .node_affinity import NodeAffinity
from .node_name import NodeName
from .node_ports import NodePorts
from .node_resources_balanced_allocation import NodeResourcesBalancedAllocation
from .node_resources_fit import NodeResourcesFit
from .node_unschedulable import NodeUnschedulable
from .node_volume_limits import NodeVolumeLimits
from .pod_topology_spread import PodTopologySpread
from .scheduling_gates import SchedulingGates
from .taint_toleration import TaintToleration
from .volume_binding import VolumeBinding
from .volume_restrictions import VolumeRestrictions
from .volume_zone import VolumeZone

RULES: tuple[Rule, ...] = (
    SchedulingGates(),
    NodeName(),
    NodeUnschedulable(),
    TaintToleration(),
    NodeAffinity(),
    NodePorts(),
    NodeResourcesFit(),
    VolumeRestrictions(),
    NodeVolumeLimits(),
    VolumeBinding(),
    VolumeZone(),
    PodTopologySpread(),
    InterPodAffinity(),
    DynamicResources(),
    GpuSharing(),
    NodeResourcesBalancedAllocation(),
    ImageLocality(),
)  # fmt: skip
"""Every rule, in the order of kube-scheduler's default profile; score-only rules last."""

RULE_BY_NAME: Mapping[str, Rule] = {rule.name: rule for rule in RULES}


def rules_named(names: Iterable[str]) -> tuple[Rule, ...]:
    """The rules of those names, in the order of `names`; plugins that are not modelled are left out."""
    return tuple(RULE_BY_NAME[name] for name in names if name in RULE_BY_NAME)
