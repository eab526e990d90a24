"""What a pod requests, exactly as kube-scheduler sums it.

Integers: cpu in milli units, everything else in whole units, rounded up once
per pod after an exact sum.

Source: ``k8s.io/component-helpers/resource`` PodRequests; ``pkg/scheduler/util`` GetNonzeroRequests.
"""

from __future__ import annotations

from collections.abc import Mapping

from .api import Pod
from .quantity import milli, value

Requests = dict[str, int]
CPU, MEMORY, PODS, EPHEMERAL = "cpu", "memory", "pods", "ephemeral-storage"
DEFAULT_MILLI_CPU = 100
DEFAULT_MEMORY = 200 * 1024 * 1024


def to_units(quantities: Mapping[str, int]) -> Requests:
    """Nano quantities to scheduler units: cpu in milli, everything else whole, rounded up."""
    return {name: milli(nano) if name == CPU else value(nano) for name, nano in quantities.items()}


def pod_requests(pod: Pod) -> Requests:
    """The pod's requests: containers, init containers, sidecars, overhead, pod level, resize."""
    raise NotImplementedError


def nonzero_requests(pod: Pod) -> Requests:
    """Cpu and memory with kube-scheduler's defaults for containers that do not mention them."""
    raise NotImplementedError
