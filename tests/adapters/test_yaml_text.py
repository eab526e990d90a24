from typing import Any

import pytest
import yaml
from kubestow.adapters.read import yaml_text
from kubestow.adapters.read.limits import Limits, TooMuch


def load(text: str, **limits: int) -> Any:
    return yaml_text.load(text, Limits(**limits))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("129e6", 129_000_000), ("1e3", 1000), ("1.5", 1.5), ("1.0", 1), (".5", 0.5), ("1e400", "1e400"),
        ("0o17", 15), ("017", 15), ("0x1f", 31), ("0b11", 3), ("1_000", 1000), ("+5", 5), ("-5", -5),
        ("089", 89), ("0x", "0x"),
        ("9" * 50, float("9" * 50)), ("yes", True), ("Off", False), ("true", True), ("y", "y"), ("n", "n"),
        ("", None), ("~", None), ("null", None), (".nan", ".nan"), (".inf", ".inf"), ("-.inf", "-.inf"),
        ("2026-01-01", "2026-01-01"), ("2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"),
        ("12:30:45", "12:30:45"),
        ("100m", "100m"), ("1.5Gi", "1.5Gi"), ("1.2.3", "1.2.3"), ("-", "-"), ("<<", "<<"), ("=", "="),
        ("a b", "a b"), ("+", "+"), (".", "."), ("0", 0), ("-0", 0), ("_1", "_1"), ("0_", 0),
    ],
)  # fmt: skip
def test_plain_scalars_are_resolved_as_kubectl_does(text: str, value: object) -> None:
    """Numbers as JSON would have them, times as text, no base-60 numbers."""
    assert yaml_text.scalar(text) == value
    assert type(yaml_text.scalar(text)) is type(value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: '5'", {"a": "5"}),
        ('a: "yes"', {"a": "yes"}),
        ("a: !!str 5", {"a": "5"}),
        ("a: !!int '5'", {"a": 5}),
        ("a: !!binary aGk=", {"a": "hi"}),
        ("a: ! 5", {"a": "5"}),
        ("a: |\n  x\n  y\n", {"a": "x\ny\n"}),
        ("5: a\n1.5: b\ntrue: c", {"5": "a", "1.5": "b", "true": "c"}),
        ("'<<': a", {"<<": "a"}),
        ("a: &x {b: 1}\nc: *x", {"a": {"b": 1}, "c": {"b": 1}}),
        ("a: &x 1\nb: &x 2\nc: *x", {"a": 1, "b": 2, "c": 2}),
        ("a: &x {b: 1, c: 2}\nd: {<<: *x, c: 3}", {"a": {"b": 1, "c": 2}, "d": {"b": 1, "c": 3}}),
        ("a: &x {b: 1}\nc: &y {b: 2, d: 3}\ne: {<<: [*x, *y]}",
         {"a": {"b": 1}, "c": {"b": 2, "d": 3}, "e": {"b": 1, "d": 3}}),
        ("[]", []),
        ("{a: [1, {b: }]}", {"a": [1, {"b": None}]}),
    ],
)  # fmt: skip
def test_documents_are_built_from_events(text: str, value: object) -> None:
    """Quotes, tags, keys, anchors and merge keys mean what YAML says."""
    assert load(text) == value


def test_a_manifest_is_what_pyyaml_makes_of_it() -> None:
    """On text without odd scalars, the builder agrees with PyYAML's own constructor."""
    text = yaml.safe_dump({"a": [1, "x", {"b": None, "c": [True, [], {}]}], "d": {"e": "f: g"}})
    assert load(text) == yaml.safe_load(text)


@pytest.mark.parametrize(
    ("text", "documents"),
    [
        ("a", ["a"]),
        ("---\na\n---\nb", ["---\na\n", "---\nb"]),
        ("a\n---\n# only\n---\n\n---\nb\n...\n", ["a\n", "---\nb\n...\n"]),
        ("--- a\n--- b\n", ["--- a\n", "--- b\n"]),
        ("---\r\na\r\n---\r\n", ["---\r\na\r\n"]),
        ("%YAML 1.1\n", []),
        ("a: ---\nb: |\n  ---\n  c\n", ["a: ---\nb: |\n  ---\n  c\n"]),
        ("----\n", ["----\n"]),
    ],
)
def test_streams_are_split_at_separators(text: str, documents: list[str]) -> None:
    """Only a line that starts with three dashes separates, and documents that hold nothing do not count."""
    assert list(yaml_text.split(text)) == documents


def test_depth_is_limited() -> None:
    """Nesting ends at the limit, long before any stack does."""
    assert load("[[[]]]", depth=3) == [[[]]]
    with pytest.raises(TooMuch, match="3 levels"):
        load("[[[[]]]]", depth=3)
    with pytest.raises(TooMuch):
        load("[" * 900)


def test_aliases_count_what_they_stand_for() -> None:
    """The limit is on values that aliases repeat, not on how often aliases occur."""
    text = "a: &a [1, 2, 3]\nb: [*a, *a]"
    assert load(text, alias_nodes=8)["b"] == [[1, 2, 3], [1, 2, 3]]
    with pytest.raises(TooMuch, match="expand to more than 7"):
        load(text, alias_nodes=7)
