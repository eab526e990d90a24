"""CP-SAT encodings and LP relaxations, one module per rule, named as in model/rules."""

from __future__ import annotations

from .base import Encoder
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

ENCODERS: tuple[Encoder, ...] = (
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
    GpuSharing(),
    NodeResourcesBalancedAllocation(),
    ImageLocality(),
)
