import pytest
from hypothesis import given
from hypothesis import strategies as st
from kubestow.model import labels
from kubestow.model.api import LabelSelector, Node, NodeSelector, NodeSelectorTerm


@pytest.mark.parametrize(
    ("operator", "values", "label", "expected"),
    [
        ("In", ["a", "b"], "a", True),
        ("In", ["a", "b"], "c", False),
        ("In", ["a"], None, False),
        ("NotIn", ["a"], "b", True),
        ("NotIn", ["a"], "a", False),
        ("NotIn", ["a"], None, True),
        ("Exists", [], "", True),
        ("Exists", [], None, False),
        ("DoesNotExist", [], None, True),
        ("DoesNotExist", [], "", False),
        ("Gt", ["3"], "4", True),
        ("Gt", ["3"], "3", False),
        ("Gt", ["3"], "x", False),
        ("Gt", ["3"], None, False),
        ("Gt", ["3"], "99999999999999999999", False),
        ("Gt", ["-3"], "-2", True),
        ("Lt", ["3"], "2", True),
        ("Lt", ["3"], "3", False),
        ("Lt", ["3"], "10", False),
        ("Lt", ["03"], "2", True),
        ("Lt", ["3"], "1_0", False),
        ("Gt", ["3"], "0" * 5000 + "4", True),
        ("Gt", ["3"], "9" * 5000, False),
        ("Lt", ["-9223372036854775807"], "-9223372036854775808", True),
        ("Lt", ["-9223372036854775807"], "-9223372036854775809", False),
    ],
)
def test_each_operator_reads_a_label_as_kubernetes_does(
    operator: str, values: list[str], label: str | None, expected: bool
) -> None:
    """The six operators, with the label present, absent and unreadable."""
    present = {} if label is None else {"k": label}
    assert labels.holds(operator, values, present, "k") is expected


@pytest.mark.parametrize(
    ("operator", "values"),
    [("Gt", []), ("Gt", ["1", "2"]), ("Lt", ["x"]), ("Gt", ["9" * 5000]), ("Like", ["a"]), ("in", ["a"])],
)
def test_what_cannot_be_parsed_raises(operator: str, values: list[str]) -> None:
    """A requirement that the API machinery cannot parse is no silent match or mismatch."""
    with pytest.raises(labels.InvalidSelector):
        labels.holds(operator, values, {"k": "1"}, "k")


LABELS = st.dictionaries(st.sampled_from("kxyz"), st.sampled_from(["", "1", "2", "a"]), max_size=3)


@given(LABELS, st.lists(st.sampled_from(["", "1", "2", "a"]), min_size=1, max_size=3))
def test_negated_operators_are_complements(present: dict[str, str], values: list[str]) -> None:
    """NotIn and DoesNotExist are exactly the complements of In and Exists."""
    assert labels.holds("NotIn", values, present, "k") is not labels.holds("In", values, present, "k")
    assert labels.holds("DoesNotExist", [], present, "k") is not labels.holds("Exists", [], present, "k")


@given(LABELS)
def test_no_selector_selects_nothing_and_an_empty_one_everything(present: dict[str, str]) -> None:
    """Absent and empty label selectors are opposites."""
    assert not labels.selects(None, present)
    assert labels.selects(LabelSelector(), present)


def test_all_requirements_of_a_selector_must_hold() -> None:
    """``matchLabels`` and ``matchExpressions`` are joined by and."""
    selector = LabelSelector.model_validate(
        {"matchLabels": {"a": "1"}, "matchExpressions": [{"key": "b", "operator": "Exists"}]}
    )
    assert labels.selects(selector, {"a": "1", "b": ""})
    assert not labels.selects(selector, {"a": "1"})
    assert not labels.selects(selector, {"a": "2", "b": ""})


def _node(**present: str) -> Node:
    return Node.model_validate({"metadata": {"name": "n", "labels": present}})


def _selector(*terms: list[dict[str, object]]) -> NodeSelector:
    return NodeSelector.model_validate({"nodeSelectorTerms": [{"matchExpressions": term} for term in terms]})


def test_one_term_of_a_node_selector_must_match() -> None:
    """Terms are joined by or, requirements inside a term by and."""
    exists = [{"key": key, "operator": "Exists"} for key in ("a", "b")]
    assert labels.node_selected(_selector(exists, [exists[1]]), _node(b=""))
    assert not labels.node_selected(_selector(exists), _node(b=""))


def test_an_empty_term_matches_no_node() -> None:
    """``{}`` among the terms is no wildcard."""
    assert not labels.node_selected(_selector([]), _node(a="1"))
    assert not labels.node_selected(NodeSelector(), _node(a="1"))


def test_a_broken_term_spoils_only_itself() -> None:
    """A value such as ``-1`` cannot be parsed; the other terms still count."""
    broken: list[dict[str, object]] = [{"key": "gen", "operator": "Gt", "values": ["-1"]}]
    good: list[dict[str, object]] = [{"key": "gen", "operator": "Gt", "values": ["1"]}]
    assert not labels.node_selected(_selector(broken), _node(gen="5"))
    assert labels.node_selected(_selector(broken, good), _node(gen="5"))


def test_match_fields_read_the_name() -> None:
    """``matchFields`` on ``metadata.name`` picks the node by name."""
    term = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n"]}]}
    assert labels.term_matches(NodeSelectorTerm.model_validate(term), _node())
