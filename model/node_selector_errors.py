"""What the API machinery says about node selector terms it cannot parse, word for word.

Source: ``k8s.io/component-helpers/scheduling/corev1/nodeaffinity``, ``k8s.io/apimachinery/pkg/labels``.
"""

from __future__ import annotations

from collections.abc import Iterator

from .api import NodeSelectorRequirement, NodeSelectorTerm
from .labels import NODE_OPERATORS, parse_int64, valid_value

_LABEL_VALUE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', "
    "and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', "
    "regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)


def term_errors(term: NodeSelectorTerm, path: str) -> list[str]:
    """The errors of one term at `path`; empty when it can be parsed."""
    return [
        error
        for position, requirement in enumerate(term.match_expressions)
        for error in _errors(requirement, f"{path}.matchExpressions[{position}]")
    ]


def _errors(requirement: NodeSelectorRequirement, path: str) -> Iterator[str]:
    operator, values = requirement.operator, requirement.values
    if operator not in NODE_OPERATORS:
        yield f'{path}.operator: Unsupported value: "{operator}"'
        return
    bad_count = _wrong_count(operator, values)
    if bad_count:
        shown = "[" + ",".join(f'"{value}"' for value in values) + "]"
        yield f"{path}.values: Invalid value: {shown}: {bad_count}"
    for position, value in enumerate(values):
        if operator in ("Gt", "Lt") and parse_int64(value) is None:
            yield (
                f'{path}.values[{position}]: Invalid value: "{value}": '
                "for 'Gt', 'Lt' operators, the value must be an integer"
            )
    for position, value in enumerate(values):
        if not valid_value(value):
            yield f'{path}.values[{position}][{requirement.key}]: Invalid value: "{value}": {_LABEL_VALUE}'


def _wrong_count(operator: str, values: tuple[str, ...]) -> str:
    if operator in ("In", "NotIn") and not values:
        return "for 'in', 'notin' operators, values set can't be empty"
    if operator in ("Exists", "DoesNotExist") and values:
        return "values set must be empty for exists and does not exist"
    if operator in ("Gt", "Lt") and len(values) != 1:
        return "for 'Gt', 'Lt' operators, exactly one value is required"
    return ""
