# ruff: noqa: E501 - one row per place
from typing import Any

import pytest
from kubestow.model.api import Pod
from kubestow.model.cluster import Cluster
from kubestow.model.validity import invalid_selectors

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
Selector = dict[str, Any]


def spread(selector: Selector) -> dict[str, Any]:
    return {"topologySpreadConstraints": [{"topologyKey": "z", "labelSelector": selector}]}


def pod_affinity(side: str, which: str, field: str, selector: Selector) -> dict[str, Any]:
    term: dict[str, Any] = {"topologyKey": "z", field: selector}
    return {
        "affinity": {side: {which: [term if which == REQUIRED else {"weight": 1, "podAffinityTerm": term}]}}
    }


def node_affinity(which: str, expression: dict[str, Any]) -> dict[str, Any]:
    term = {"matchExpressions": [expression]}
    terms = {"nodeSelectorTerms": [term]} if which == REQUIRED else [{"weight": 1, "preference": term}]
    return {"affinity": {"nodeAffinity": {which: terms}}}


def found(spec: dict[str, Any]) -> list[tuple[str, str]]:
    pod = Pod.model_validate({"metadata": {"name": "p", "namespace": "a"}, "spec": spec})
    warnings = invalid_selectors(Cluster(pods=(pod,)))
    assert all((warning.code, warning.object) == ("invalid", "Pod/a/p") for warning in warnings)
    return [(warning.field, warning.message) for warning in warnings]


EMPTY: Selector = {"matchExpressions": [{"key": "a", "operator": "In", "values": []}]}
AFFINITY = "spec.affinity"


@pytest.mark.parametrize(
    ("spec", "field"),
    [
        (spread(EMPTY), "spec.topologySpreadConstraints[0].labelSelector"),
        (pod_affinity("podAffinity", REQUIRED, "labelSelector", EMPTY), f"{AFFINITY}.podAffinity.{REQUIRED}[0].labelSelector"),
        (pod_affinity("podAntiAffinity", PREFERRED, "labelSelector", EMPTY), f"{AFFINITY}.podAntiAffinity.{PREFERRED}[0].podAffinityTerm.labelSelector"),
        (pod_affinity("podAffinity", REQUIRED, "namespaceSelector", EMPTY), f"{AFFINITY}.podAffinity.{REQUIRED}[0].namespaceSelector"),
        (node_affinity(REQUIRED, {"key": "a", "operator": "Gt", "values": ["-1"]}), f"{AFFINITY}.nodeAffinity.{REQUIRED}.nodeSelectorTerms[0].matchExpressions[0].values[0][a]"),
        (node_affinity(PREFERRED, {"key": "a", "operator": "Lt", "values": []}), f"{AFFINITY}.nodeAffinity.{PREFERRED}[0].preference.matchExpressions[0].values"),
    ],
)  # fmt: skip
def test_a_selector_that_cannot_be_parsed_is_named(spec: dict[str, Any], field: str) -> None:
    """Wherever it stands, one warning has its path."""
    assert [path for path, _ in found(spec)] == [field]


@pytest.mark.parametrize(
    ("selector", "message"),
    [
        (EMPTY, "In takes at least one value"),
        ({"matchExpressions": [{"key": "a", "operator": "NotIn"}]}, "NotIn takes at least one value"),
        (
            {"matchExpressions": [{"key": "a", "operator": "Exists", "values": ["b"]}]},
            "Exists takes no values",
        ),
        ({"matchLabels": {"a": "b c"}}, "'b c' is no label value"),
        ({"matchExpressions": [{"key": "a", "operator": "In", "values": ["-"]}]}, "'-' is no label value"),
    ],
)
def test_each_mistake_in_a_label_selector_is_explained(selector: Selector, message: str) -> None:
    """The message says what the API server would say."""
    assert len(found(spread(selector))) == 1
    assert message in found(spread(selector))[0][1]


@pytest.mark.parametrize(
    "spec",
    [
        {},
        spread({}),
        spread({"matchLabels": {"a": ""}, "matchExpressions": [{"key": "a", "operator": "DoesNotExist"}]}),
        node_affinity(REQUIRED, {"key": "a", "operator": "Gt", "values": ["5"]}),
    ],
)
def test_valid_selectors_are_silent(spec: dict[str, Any]) -> None:
    """What the API server takes gives no warning."""
    assert found(spec) == []
