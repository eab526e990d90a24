"""DynamicResources: devices claimed through ``resource.k8s.io``.

Pods that claim devices are not modelled and never reach this rule; to all
others it says what kube-scheduler's plugin says without claims: nothing, with
a score of 0.

Source: https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/
"""

from __future__ import annotations

from .base import Rule


class DynamicResources(Rule):
    """The plugin as it is for pods without claims."""

    name = "DynamicResources"
