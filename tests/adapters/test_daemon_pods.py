# ruff: noqa: E501 - objects in one line each
from typing import Any

import pytest
from kubestow.adapters.expand import expand
from workload_builders import SPEC, cluster, node, pod, workload

TAINT = {"key": "k", "effect": "NoSchedule"}
PRESSURE = {"key": "node.kubernetes.io/memory-pressure", "effect": "NoSchedule"}
UNSCHEDULABLE = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}
NETWORK = {"key": "node.kubernetes.io/network-unavailable", "effect": "NoSchedule"}


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({}, ["plain", "pressed", "cordoned"]),
        ({"hostNetwork": True}, ["plain", "pressed", "cordoned", "offline"]),
        ({"tolerations": [{"operator": "Exists"}]}, ["plain", "tainted", "pressed", "cordoned", "offline"]),
        ({"nodeSelector": {"disk": "ssd"}}, ["pressed"]),
        ({"nodeName": "plain"}, ["plain"]),
    ],
)
def test_a_daemon_set_runs_on_the_nodes_its_controller_chooses(
    spec: dict[str, Any], expected: list[str]
) -> None:
    """Selector and taints decide, with the tolerations that every DaemonSet pod gets."""
    nodes = [
        node("plain"), node("tainted", taints=[TAINT]), node("pressed", taints=[PRESSURE], labels={"disk": "ssd"}),
        node("cordoned", taints=[UNSCHEDULABLE], unschedulable=True), node("offline", taints=[NETWORK]),
    ]  # fmt: skip
    template = {"metadata": {"labels": {"app": "w"}}, "spec": {**SPEC, **spec}}
    found = expand(cluster(*nodes, workload("DaemonSet", template=template)))
    pinned = [pod.spec.affinity.node_affinity.required for pod in found.pods]
    fields = [
        term.match_fields[0] for required in pinned if required for term in required.node_selector_terms
    ]
    assert [(field.key, field.operator, field.values) for field in fields] == [
        ("metadata.name", "In", (name,)) for name in expected
    ]


def test_a_daemon_set_counts_pods_on_and_for_a_node() -> None:
    """A node with its pod, bound or still pending, gets no second one; a failed one is replaced."""
    term = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}
    waiting = pod("w-b", "DaemonSet/w")
    waiting["spec"]["affinity"] = {
        "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
    }
    there = [
        pod("w-a", "DaemonSet/w", node="n0", phase="Running"),
        waiting,
        pod("w-c", "DaemonSet/w", node="n2", phase="Failed"),
    ]
    found = expand(cluster(*(node(f"n{i}") for i in range(4)), workload("DaemonSet"), *there))
    required = [pod.spec.affinity.node_affinity.required for pod in found.pods[3:]]
    assert [r.node_selector_terms[0].match_fields[0].values for r in required if r] == [("n2",), ("n3",)]
