"""Random clusters as documents, small and full of coincidences, for differential tests.

Every name comes from a tiny vocabulary, so that selectors select, taints are
tolerated, volumes collide and requests just fit or just do not.
"""

from __future__ import annotations

from typing import Any

from fuzz_configuration import configurations
from fuzz_pods import Draw, between, pick, pod, rarely, selector, some
from fuzz_storage import storage
from hypothesis import strategies as st

Document = dict[str, Any]
FEATURES = (
    "resources", "resize", "taints", "nodeAffinity", "ports", "podAffinity", "spread",
    "storage", "images", "priority", "lifecycle", "configuration",
)  # fmt: skip
IMAGES = ("nginx:latest", "nginx:1.25", "registry.example/app:1")


@st.composite
def clusters(draw: Draw) -> list[Document]:
    """A cluster with up to five nodes and twelve pods that uses a few features at a time."""
    features = frozenset(draw(st.sets(st.sampled_from(FEATURES), min_size=1, max_size=6)))
    documents: list[Document] = []
    if "configuration" in features:
        documents.append(draw(configurations()))
    documents += [_namespace(draw, name) for name in ("default", "other")]
    if "priority" in features:
        documents += _priority_classes(draw) + _budgets(draw)
    nodes = [f"n{number}" for number in range(draw(st.integers(1, 5)))]
    documents += [_node(draw, name, features) for name in nodes]
    if "storage" in features:
        documents += storage(draw, nodes)
    if "spread" in features:
        documents += _services(draw)
    # In any order: what depends on names must not depend on that of the file.
    running = draw(st.permutations(range(draw(st.integers(0, 6)))))
    documents += [pod(draw, f"r{number}", features, nodes, bound=True) for number in running]
    waiting = draw(st.integers(1, 6))
    documents += [pod(draw, f"p{number}", features, nodes, bound=False) for number in range(waiting)]
    return documents


def _namespace(draw: Draw, name: str) -> Document:
    labels = {"team": pick(draw, "red", "blue")} if rarely(draw) else {}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}


def _node(draw: Draw, name: str, features: frozenset[str]) -> Document:
    labels = {"kubernetes.io/hostname": name}
    labels.update(
        some(draw, {"topology.kubernetes.io/zone": ("a", "b"), "disk": ("ssd", "hdd"), "gen": ("1", "7")})
    )
    if "storage" in features and not rarely(draw):
        labels["topology.kubernetes.io/region"] = "eu"
    spec: Document = {}
    if "taints" in features:
        spec["taints"] = draw(st.lists(_taints(), max_size=2))
        if rarely(draw):
            spec["unschedulable"] = True
    status: Document = {"allocatable": _allocatable(draw, features)}
    if "images" in features:
        status["images"] = [
            {"names": [image], "sizeBytes": pick(draw, 30_000_000, 200_000_000, 900_000_000)}
            for image in sorted(draw(st.sets(st.sampled_from(IMAGES))))
        ]
    metadata = {"name": name, "labels": labels}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "spec": spec, "status": status}


def _taints() -> st.SearchStrategy[Document]:
    return st.fixed_dictionaries(
        {
            "key": st.sampled_from(["hard", "soft"]),
            "effect": st.sampled_from(["NoSchedule", "PreferNoSchedule", "NoExecute"]),
        },
        optional={"value": st.sampled_from(["x", "y"])},
    )


def _allocatable(draw: Draw, features: frozenset[str]) -> Document:
    found = {
        "cpu": pick(draw, "4", "2", "1", "1500m"),
        "memory": pick(draw, "4Gi", "1Gi", "2000M"),
        "pods": pick(draw, "110", "3", "2"),
    }
    if "resources" in features:
        extra = {
            "ephemeral-storage": ("1Gi", "10G"),
            "example.com/foo": ("1", "3"),
            "hugepages-2Mi": ("4Mi", "2Mi"),
        }
        found.update(some(draw, extra))
    return found


def _priority_classes(draw: Draw) -> list[Document]:
    classes = [
        {
            "apiVersion": "scheduling.k8s.io/v1",
            "kind": "PriorityClass",
            "metadata": {"name": name},
            "value": value,
            "preemptionPolicy": "Never" if rarely(draw) else "PreemptLowerPriority",
        }
        for name, value in (("low", -5), ("mid", 10), ("high", 1000))
    ]
    if rarely(draw):
        classes[draw(st.integers(0, 2))]["globalDefault"] = True
    return classes


def _budgets(draw: Draw) -> list[Document]:
    return [
        {
            "apiVersion": "policy/v1",
            "kind": "PodDisruptionBudget",
            "metadata": {"name": f"budget{number}", "namespace": pick(draw, "default", "other")},
            "spec": {"minAvailable": 1, "selector": selector(draw)},
            "status": {
                "disruptionsAllowed": between(draw, 0, 2),
                "currentHealthy": 1,
                "desiredHealthy": 1,
                "expectedPods": 1,
            },
        }
        for number in range(between(draw, 0, 2))
    ]


def _services(draw: Draw) -> list[Document]:
    return [
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"name": f"service{number}", "namespace": pick(draw, "default", "other")},
            "spec": {"selector": some(draw, {"app": ("web", "db"), "tier": ("one", "two")})},
        }
        for number in range(between(draw, 0, 2))
    ]
