"""Label and node selectors with Kubernetes' exact semantics.

These are static matches (they read labels only), so the checker and the
solver's encoders may share them.

Source: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from .api import LabelSelector, Node, NodeSelector, NodeSelectorRequirement, NodeSelectorTerm

_VALUE = re.compile(r"(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?")
_KEY = re.compile(
    r"(?:(?P<prefix>[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*)/)?"
    r"[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"
)
_LONGEST_PREFIX = 253
_INTEGER = re.compile(r"([+-]?)0*([0-9]{1,19})")
LABEL_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist")
NODE_OPERATORS = (*LABEL_OPERATORS, "Gt", "Lt")
FIELD_OPERATORS = ("In", "NotIn")


class InvalidSelector(ValueError):
    """A selector the API machinery cannot parse; callers turn it into a verdict or bad input."""


def holds(operator: str, values: Sequence[str], labels: Mapping[str, str], key: str) -> bool:
    """Whether one requirement holds for `labels`.

    Raises
    ------
    InvalidSelector
        For an unknown operator, or for Gt and Lt without exactly one integer.
    """
    present = key in labels
    match operator:
        case "In":
            return present and labels[key] in values
        case "NotIn":
            return not present or labels[key] not in values
        case "Exists":
            return present
        case "DoesNotExist":
            return not present
        case "Gt" | "Lt":
            return _compare(operator, values, labels.get(key))
        case _:
            raise InvalidSelector(f"operator {operator!r} is unknown; use one of {', '.join(NODE_OPERATORS)}")


def _compare(operator: str, values: Sequence[str], label: str | None) -> bool:
    bound = parse_int64(values[0]) if len(values) == 1 else None
    if bound is None:
        raise InvalidSelector(f"{operator} takes one integer, not {list(values)}")
    number = None if label is None else parse_int64(label)
    if number is None:
        return False
    return number > bound if operator == "Gt" else number < bound


def parse_int64(text: str) -> int | None:
    """The integer in `text` as Go's ``ParseInt`` reads it, or None."""
    match = _INTEGER.fullmatch(text)
    if match is None:
        return None
    number = int(match[1] + match[2])
    return number if -(2**63) <= number < 2**63 else None


def valid_value(text: str) -> bool:
    """Whether `text` is a legal label value."""
    return len(text) <= 63 and _VALUE.fullmatch(text) is not None


def valid_key(text: str) -> bool:
    """Whether `text` is a legal label key: a name, or a DNS subdomain, a slash and a name."""
    match = _KEY.fullmatch(text)
    return match is not None and len(match["prefix"] or "") <= _LONGEST_PREFIX


def selects(selector: LabelSelector | None, labels: Mapping[str, str]) -> bool:
    """Whether a label selector matches: None matches nothing, an empty one everything."""
    if selector is None:
        return False
    if any(labels.get(key) != value for key, value in selector.match_labels.items()):
        return False
    return all(holds(r.operator, r.values, labels, r.key) for r in selector.match_expressions)


def empty(selector: LabelSelector | None) -> bool:
    """Whether the selector is present and states no requirement."""
    return selector is not None and not selector.match_labels and not selector.match_expressions


def term_matches(term: NodeSelectorTerm, node: Node) -> bool:
    """Whether a node selector term matches; an empty term matches nothing.

    Raises
    ------
    InvalidSelector
        When a requirement cannot be parsed (kube-scheduler then fails or ignores the term, by context).
    """
    if not term.match_expressions and not term.match_fields:
        return False
    check_term(term)
    fields = {"metadata.name": node.name}
    return all(holds(r.operator, r.values, node.labels, r.key) for r in term.match_expressions) and all(
        holds(r.operator, r.values, fields, r.key) for r in term.match_fields
    )


def check_term(term: NodeSelectorTerm) -> None:
    """Raise InvalidSelector when a requirement of the term cannot be parsed."""
    for requirement in term.match_expressions:
        _check(requirement)
    for field in term.match_fields:
        if field.operator not in FIELD_OPERATORS or len(field.values) != 1:
            raise InvalidSelector(f"matchFields takes In or NotIn and one value, not {list(field.values)}")


def _check(requirement: NodeSelectorRequirement) -> None:
    operator, values = requirement.operator, requirement.values
    if not valid_key(requirement.key):
        raise InvalidSelector(f"{requirement.key!r} is not a label key")
    if operator not in NODE_OPERATORS:
        raise InvalidSelector(f"operator {operator!r} is unknown; use one of {', '.join(NODE_OPERATORS)}")
    if operator in ("In", "NotIn") and not values:
        raise InvalidSelector(f"{operator} takes at least one value")
    if operator in ("Exists", "DoesNotExist") and values:
        raise InvalidSelector(f"{operator} takes no values, not {list(values)}")
    if operator in ("Gt", "Lt") and (len(values) != 1 or parse_int64(values[0]) is None):
        raise InvalidSelector(f"{operator} takes one integer, not {list(values)}")
    bad = [value for value in values if not valid_value(value)]
    if bad:
        raise InvalidSelector(f"{bad[0]!r} is not a label value")


def node_selected(selector: NodeSelector | None, node: Node) -> bool:
    """Whether a required node selector matches: one of its terms must; a broken term never does."""
    if selector is None:
        return True
    return any(_term_matches_or_not(term, node) for term in selector.node_selector_terms)


def _term_matches_or_not(term: NodeSelectorTerm, node: Node) -> bool:
    try:
        return term_matches(term, node)
    except InvalidSelector:
        return False
