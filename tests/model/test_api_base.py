from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kubestow.model.api import (
    LabelSelector,
    Node,
    Pod,
    PodDisruptionBudget,
    TopologySpreadConstraint,
    parse_time,
)
from pydantic import ValidationError

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "nanoseconds"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("1970-01-01T00:00:01.5Z", 1_500_000_000),
        ("1970-01-01T01:00:00+01:00", 0),
        ("1969-12-31T23:59:59Z", -1_000_000_000),
        ("1970-01-01", 0),
        (" 1970-01-01T00:00:00Z ", 0),
        ("$(time-offset-nanosecond -41423217297)", -41_423_217_297),
        (7, 7),
    ],
)
def test_times_are_nanoseconds(text: object, nanoseconds: int) -> None:
    """RFC 3339 counts from the epoch; kwok's placeholders count from the export."""
    assert parse_time(text) == nanoseconds


@given(st.datetimes(min_value=datetime(1, 1, 2), max_value=datetime(9999, 12, 30), timezones=st.just(UTC)))
def test_times_keep_their_order(moment: datetime) -> None:
    """A later time is a larger number, exact to the microsecond."""
    delta = moment - EPOCH
    assert (
        parse_time(moment.isoformat())
        == ((delta.days * 86400 + delta.seconds) * 10**6 + delta.microseconds) * 1000
    )


@pytest.mark.parametrize("raw", ["", "soon", "2026-13-01T00:00:00Z", True, 1.5, [], "$(date)"])
def test_what_is_no_time_is_refused(raw: object) -> None:
    """A time that cannot be read is an error, not zero."""
    with pytest.raises(ValueError, match="time"):
        parse_time(raw)


def test_the_node_name_lies_beside_the_spec() -> None:
    """Pods of one template differ in their node only outside the spec, so specs can be shared."""
    one, other = (
        Pod.model_validate({"metadata": {"name": name}, "spec": {"nodeName": name, "priority": 5}})
        for name in "ab"
    )
    assert one.spec == other.spec
    assert (one.node_name, other.node_name) == ("a", "b")
    assert Pod.model_validate({"spec": {"nodeName": ""}}).node_name is None


def test_nulls_take_the_default() -> None:
    """``null`` is what kubectl writes for what is not there."""
    pod = Pod.model_validate({"spec": {"containers": None, "priority": None}, "status": None})
    assert pod == Pod.model_validate({"spec": {}})


def test_unknown_fields_are_ignored() -> None:
    """A newer API server may send more than this version knows."""
    assert Node.model_validate({"spec": {"fancyNewField": [1]}}) == Node()


def test_objects_are_immutable() -> None:
    """What was read is never changed in place."""
    with pytest.raises(ValidationError, match="frozen"):
        Pod().node_name = "n"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("model", "fields"),
    [
        (Pod, {"spec": {"priority": "5"}}),
        (Pod, {"spec": {"priority": 2**31}}),
        (Pod, {"spec": {"priority": True}}),
        (Pod, {"spec": {"hostNetwork": "true"}}),
        (Pod, {"spec": {"hostNetwork": 1}}),
        (Pod, {"spec": {"schedulerName": 5}}),
        (Pod, {"spec": {"containers": [{"ports": [{"hostPort": -1}]}]}}),
        (Pod, {"metadata": {"labels": {"a": 5}}}),
        (Node, {"status": {"images": [{"sizeBytes": -1}]}}),
        (Node, {"spec": {"taints": [{"key": "a", "effect": "noschedule"}]}}),
        (TopologySpreadConstraint, {"minDomains": 0}),
        (TopologySpreadConstraint, {"nodeTaintsPolicy": "honor"}),
        (LabelSelector, {"matchExpressions": [{"key": "a", "operator": "Gt", "values": ["1"]}]}),
        (LabelSelector, {"matchExpressions": [{"key": "a", "operator": "In", "values": [1]}]}),
        (PodDisruptionBudget, {"spec": {"minAvailable": "50"}}),
        (PodDisruptionBudget, {"spec": {"minAvailable": True}}),
    ],
)  # fmt: skip
def test_types_and_ranges_are_the_api_servers(model: type[Pod], fields: dict[str, object]) -> None:
    """Numbers in quotes, words for booleans, and values out of range are refused."""
    with pytest.raises(ValidationError):
        model.model_validate(fields)


@pytest.mark.parametrize("share", [0, 3, "0%", "75%"])
def test_budgets_take_counts_and_percentages(share: int | str) -> None:
    """Both notations of a budget are kept as they are."""
    assert (
        PodDisruptionBudget.model_validate({"spec": {"maxUnavailable": share}}).spec.max_unavailable == share
    )
