"""CP-SAT encodings and LP relaxations, one module per rule, named as in model/rules."""

from __future__ import annotations

from .base import Encoder
from .image_locality import ImageLocality
from .inter_pod_affinity import InterPodAffinity
from .node_affinity import NodeAffinity
from .node_ports import NodePorts
from .node_resources_balanced_allocation import NodeResourcesBalancedAllocation
from .node_resources_fit import NodeResourcesFit
from .pod_topology_spread import PodTopologySpread
from .taint_toleration import TaintToleration

ENCODERS: tuple[Encoder, ...] = (
    TaintToleration(),
    NodeAffinity(),
    NodePorts(),
    NodeResourcesFit(),
    PodTopologySpread(),
    InterPodAffinity(),
    NodeResourcesBalancedAllocation(),
    ImageLocality(),
)
