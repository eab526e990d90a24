"""What the API machinery says about node selector terms it cannot parse, word for word.

Source: ``k8s.io/component-helpers/scheduling/corev1/nodeaffinity``, ``k8s.io/apimachinery/pkg/labels``,
``k8s.io/apimachinery/pkg/util/validation``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from .api import NodeSelectorRequirement, NodeSelectorTerm
from .labels import FIELD_OPERATORS, NODE_OPERATORS, parse_int64

_CHARACTERS = (
    "consist of alphanumeric characters, '-', '_' or '.', "
    "and must start and end with an alphanumeric character (e.g. {}, regex used for validation is '{}')"
)
_NAME = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_SUBDOMAIN = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"
_BAD_VALUE = "a valid label must be an empty string or " + _CHARACTERS.format(
    "'MyValue',  or 'my_value',  or '12345'", f"({_NAME})?"
)
_BAD_NAME = "must " + _CHARACTERS.format("'MyName',  or 'my.name',  or '123-abc'", _NAME)
_BAD_PREFIX = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', "
    f"and must start and end with an alphanumeric character (e.g. 'example.com', "
    f"regex used for validation is '{_SUBDOMAIN}')"
)
_BAD_KEY = (
    f"a valid label key {_BAD_NAME} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
)
_LONGEST, _LONGEST_PREFIX = 63, 253


def term_errors(term: NodeSelectorTerm, path: str) -> list[str]:
    """The errors of one term at `path`; empty when it can be parsed."""
    found: list[str] = []
    for position, requirement in enumerate(term.match_expressions):
        found += _expression(requirement, f"{path}.matchExpressions[{position}]")
    for position, requirement in enumerate(term.match_fields):
        found += _field(requirement, f"{path}.matchFields[{position}]")
    return found


def _field(requirement: NodeSelectorRequirement, path: str) -> Iterator[str]:
    if requirement.operator not in FIELD_OPERATORS:
        yield _unsupported(requirement, path, FIELD_OPERATORS)
    elif len(requirement.values) != 1:
        yield f"{path}.values: Invalid value: {_list(requirement.values)}: must have one element"


def _expression(requirement: NodeSelectorRequirement, path: str) -> Iterator[str]:
    if requirement.operator not in NODE_OPERATORS:
        yield _unsupported(requirement, path, NODE_OPERATORS)
        return
    problems = "; ".join(_key(requirement.key))
    if problems:
        yield f'{path}.key: Invalid value: "{requirement.key}": {problems}'
    yield from _count(requirement, path)
    for position, value in enumerate(requirement.values):
        problems = "; ".join(_value(value))
        if problems:
            yield f'{path}.values[{position}][{requirement.key}]: Invalid value: "{value}": {problems}'


def _unsupported(requirement: NodeSelectorRequirement, path: str, supported: Sequence[str]) -> str:
    operators = ", ".join(f'"{operator}"' for operator in supported)
    return f'{path}.operator: Unsupported value: "{requirement.operator}": supported values: {operators}'


def _list(values: Sequence[str]) -> str:
    return "[" + ",".join(f'"{value}"' for value in values) + "]"


def _count(requirement: NodeSelectorRequirement, path: str) -> Iterator[str]:
    operator, values = requirement.operator, requirement.values
    problem = ""
    if operator in ("In", "NotIn") and not values:
        problem = "for 'in', 'notin' operators, values set can't be empty"
    elif operator in ("Exists", "DoesNotExist") and values:
        problem = "values set must be empty for exists and does not exist"
    elif operator in ("Gt", "Lt") and len(values) != 1:
        problem = "for 'Gt', 'Lt' operators, exactly one value is required"
    if problem:
        yield f"{path}.values: Invalid value: {_list(values)}: {problem}"
    for position, value in enumerate(values if operator in ("Gt", "Lt") else ()):
        if parse_int64(value) is None:
            integer = "for 'Gt', 'Lt' operators, the value must be an integer"
            yield f'{path}.values[{position}]: Invalid value: "{value}": {integer}'


def _key(key: str) -> Iterator[str]:
    if key.count("/") > 1:
        yield _BAD_KEY
        return
    prefix, slash, name = key.rpartition("/")
    if slash:
        yield from (f"prefix part {problem}" for problem in _prefix(prefix))
    if not name:
        yield "name part must be non-empty"
    if len(name) > _LONGEST:
        yield f"name part must be no more than {_LONGEST} bytes"
    if not re.fullmatch(_NAME, name):
        yield f"name part {_BAD_NAME}"


def _prefix(prefix: str) -> Iterator[str]:
    if not prefix:
        yield "must be non-empty"
        return
    if len(prefix) > _LONGEST_PREFIX:
        yield f"must be no more than {_LONGEST_PREFIX} bytes"
    if not re.fullmatch(_SUBDOMAIN, prefix):
        yield _BAD_PREFIX


def _value(value: str) -> Iterator[str]:
    if len(value) > _LONGEST:
        yield f"must be no more than {_LONGEST} bytes"
    if not re.fullmatch(f"({_NAME})?", value):
        yield _BAD_VALUE
