"""Node affinity of volumes against a requirement-by-requirement evaluation."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from builders import HOSTNAME, ZONE, cluster, node
from kubestow.model.api import Node, PersistentVolume
from storage_builders import volume


def affine(*terms: dict[str, Any]) -> PersistentVolume:
    return volume("v", nodeAffinity={"required": {"nodeSelectorTerms": list(terms)}})


def reached(given: PersistentVolume, nodes: list[Node]) -> set[str]:
    reach = cluster(nodes, []).storage.reach
    return {n.name for n in nodes if reach.reaches(given, n.name)}


@pytest.mark.parametrize("seed", range(50))
def test_a_term_needs_all_its_requirements_and_one_term_is_enough(seed: int) -> None:
    """Whatever index is used to find the nodes."""
    draw = Random(seed)
    nodes = [node(f"n{i}", draw.choice(["", "x", "y"]), {"rank": str(i)}) for i in range(5)]

    def requirement() -> dict[str, Any]:
        key, values = draw.choice([(HOSTNAME, ["n0", "n1"]), (ZONE, ["x"]), ("rank", ["1", "2", "3"])])
        operator = draw.choice(["In", "In", "NotIn", "Exists", "DoesNotExist", "Gt"])
        if operator == "Gt":
            return {"key": "rank", "operator": "Gt", "values": ["2"]}
        return {"key": key, "operator": operator, "values": values if operator.endswith("In") else []}

    terms = [{"matchExpressions": [requirement() for _ in range(draw.randint(1, 2))]} for _ in range(2)]
    expected = {
        n.name
        for n in nodes
        if any(all(_holds(r, n.labels) for r in term["matchExpressions"]) for term in terms)
    }
    assert reached(affine(*terms), nodes) == expected


def _holds(requirement: dict[str, Any], labels: dict[str, str]) -> bool:
    label = labels.get(requirement["key"])
    match requirement["operator"]:
        case "In":
            return label in requirement["values"]
        case "NotIn":
            return label not in requirement["values"]
        case "Exists":
            return label is not None
        case "DoesNotExist":
            return label is None
        case _:
            return label is not None and int(label) > 2


@pytest.mark.parametrize(
    ("terms", "names"),
    [
        ([], set()),
        ([{}], set()),
        ([{"matchFields": [{"key": "metadata.name", "operator": "NotIn", "values": ["a"]}]}], {"a", "b"}),
        ([{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["a", "b"]}]}], set()),
    ],
)
def test_fields_are_parsed_but_never_compared(terms: list[dict[str, Any]], names: set[str]) -> None:
    """kube-scheduler compares labels only; a field requirement takes exactly one value."""
    assert reached(affine(*terms), [node("a"), node("b")]) == names
