"""Random KubeSchedulerConfigurations as documents; see `fuzz_clusters`."""

from __future__ import annotations

from typing import Any

from fuzz_pods import KEYS, Draw, between, pick, rarely
from hypothesis import strategies as st
from kubestow.model.profile import FILTERS

Document = dict[str, Any]
SCORES = (
    "TaintToleration", "NodeAffinity", "PodTopologySpread", "InterPodAffinity", "NodeResourcesFit",
    "NodeResourcesBalancedAllocation", "ImageLocality",
)  # fmt: skip


@st.composite
def configurations(draw: Draw) -> Document:
    """One profile with changed weights, disabled scores and filters, and arguments."""
    changed = sorted(draw(st.sets(st.sampled_from(SCORES), max_size=3)))
    kept = [{"name": name, "weight": between(draw, 1, 20)} for name in changed if not rarely(draw)]
    profile: Document = {
        "schedulerName": "default-scheduler",
        "plugins": {
            "score": {"disabled": [{"name": name} for name in changed], "enabled": kept},
            **({"filter": {"disabled": _filters(draw)}} if rarely(draw) else {}),
        },
        "pluginConfig": _arguments(draw),
    }
    return {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [profile],
    }


def _filters(draw: Draw) -> list[Document]:
    """Some filters, whose PreFilter is left."""
    return [{"name": name} for name in sorted(draw(st.sets(st.sampled_from([*FILTERS, "*"]), min_size=1)))]


def _arguments(draw: Draw) -> list[Document]:
    builders = {
        "NodeResourcesFit": _fit,
        "NodeResourcesBalancedAllocation": lambda draw: {"resources": _resources(draw, weighted=False)},
        "NodeAffinity": _node_affinity,
        "InterPodAffinity": _pod_affinity,
        "PodTopologySpread": _spread,
    }
    return [{"name": name, "args": build(draw)} for name, build in builders.items() if draw(st.booleans())]


def _resources(draw: Draw, *, weighted: bool = True) -> list[Document]:
    names = sorted(
        draw(st.sets(st.sampled_from(["cpu", "memory", "ephemeral-storage", "example.com/foo"]), min_size=1))
    )
    return [{"name": name, "weight": between(draw, 1, 5) if weighted else 1} for name in names]


def _fit(draw: Draw) -> Document:
    strategy: Document = {
        "type": pick(draw, "LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"),
        "resources": _resources(draw),
    }
    if strategy["type"] == "RequestedToCapacityRatio":
        shape = [{"utilization": at, "score": between(draw, 0, 10)} for at in (0, 35, 100)]
        strategy["requestedToCapacityRatio"] = {"shape": shape}
    arguments: Document = {"scoringStrategy": strategy}
    if rarely(draw):
        arguments["ignoredResources"] = ["example.com/foo"]
    return arguments


def _node_affinity(draw: Draw) -> Document:
    term = {"matchExpressions": [{"key": "disk", "operator": "In", "values": [pick(draw, "ssd", "hdd")]}]}
    if draw(st.booleans()):
        return {
            "addedAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
        }
    weighted = {"weight": between(draw, 1, 9), "preference": term}
    return {"addedAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [weighted]}}


def _pod_affinity(draw: Draw) -> Document:
    return {
        "hardPodAffinityWeight": between(draw, 0, 9),
        "ignorePreferredTermsOfExistingPods": draw(st.booleans()),
    }


def _spread(draw: Draw) -> Document:
    if draw(st.booleans()):
        return {"defaultingType": "System"}
    constraint = {
        "maxSkew": between(draw, 1, 2),
        "topologyKey": pick(draw, *KEYS),
        "whenUnsatisfiable": pick(draw, "ScheduleAnyway", "DoNotSchedule"),
    }
    return {"defaultingType": "List", "defaultConstraints": [constraint]}
