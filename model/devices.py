"""Shared GPUs: how much of which device a pod asks for.

A node has some devices of 1,000 milli each. A pod asks for a share of *one*
device (less than 1,000 milli), or for whole devices (a multiple of 1,000).
Both are said with one extended resource, so that sums per node are checked by
NodeResourcesFit like any other; what fits on single devices is GpuSharing's part.

Source: cluster-trace-gpu-v2023 of https://github.com/alibaba/clusterdata, whose
names for the resource and for the label these are.
"""

from __future__ import annotations

from dataclasses import dataclass

GPU_MILLI = "alibabacloud.com/gpu-milli"
"""Extended resource: milli-GPUs that a pod requests, or that all devices of a node have together."""
GPU_MODEL = "alibabacloud.com/gpu-card-model"
"""Node label: the model of the node's devices. Pods select it through node affinity."""
DEVICE = 1000
"""Milli-GPUs of one device."""


@dataclass(frozen=True, slots=True)
class Demand:
    """What a pod asks for.

    Parameters
    ----------
    share : int
        Milli-GPUs on one device, 0 to 999.
    whole : int
        Devices that nobody else may use.
    """

    share: int
    whole: int


def demand(milli: int) -> Demand | None:
    """A request of `milli` milli-GPUs; None when no set of devices can serve it.

    More than one device is given out whole, so 1,500 is not a request that can be served.
    """
    whole, share = divmod(milli, DEVICE)
    return None if whole and share else Demand(share, whole)


def device_count(milli: int) -> int:
    """Devices of a node on which `milli` milli-GPUs are allocatable; a rest is no device."""
    return milli // DEVICE
