import pytest
from kubestow.model.api import NodeSelectorTerm
from kubestow.model.labels import InvalidSelector, check_term
from kubestow.model.node_selector_errors import term_errors

NAME = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
    "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
VALUE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must "
    "start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used "
    "for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)
LONG = "x" * 64


def expression(key="k", operator="In", values=("a",)):
    return {"matchExpressions": [{"key": key, "operator": operator, "values": list(values)}]}


def field(operator, *values):
    return {"matchFields": [{"key": "metadata.name", "operator": operator, "values": list(values)}]}


@pytest.mark.parametrize(
    ("term", "errors"),
    [
        (expression(), []),
        (expression("a.b/c", "NotIn", ["", "A_1.b"]), []),
        (expression(operator="Gt", values=["5"]), []),
        (field("In", "n"), []),
        (expression(values=[]),
         [".values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty"]),
        (expression(operator="Exists"),
         ['.values: Invalid value: ["a"]: values set must be empty for exists and does not exist']),
        (expression(operator="Gt", values=["1", "2"]),
         ['.values: Invalid value: ["1","2"]: for \'Gt\', \'Lt\' operators, exactly one value is required']),
        (expression(operator="Lt"),
         ['.values[0]: Invalid value: "a": for \'Gt\', \'Lt\' operators, the value must be an integer']),
        (expression(values=["-1"]), [f'.values[0][k]: Invalid value: "-1": {VALUE}']),
        (expression(values=[LONG]),
         [f'.values[0][k]: Invalid value: "{LONG}": must be no more than 63 bytes']),
        (expression("bad key"), [f'.key: Invalid value: "bad key": name part {NAME}']),
        (expression(""), [f'.key: Invalid value: "": name part must be non-empty; name part {NAME}']),
        (expression(LONG), [f'.key: Invalid value: "{LONG}": name part must be no more than 63 bytes']),
        (expression("/k"), ['.key: Invalid value: "/k": prefix part must be non-empty']),
        (expression("a/b/c"),
         [f'.key: Invalid value: "a/b/c": a valid label key {NAME} with an optional DNS subdomain prefix '
          "and '/' (e.g. 'example.com/MyName')"]),
        (field("In", "n", "m"), ['.values: Invalid value: ["n","m"]: must have one element']),
        (field("Exists"), ['.operator: Unsupported value: "Exists": supported values: "In", "NotIn"']),
    ],
)  # fmt: skip
def test_what_cannot_be_parsed_is_said_in_the_api_machinerys_words(term, errors):
    """And what has errors cannot be parsed, nor the other way round."""
    parsed = NodeSelectorTerm.model_validate(term)
    where = "[2].matchFields[0]" if "matchFields" in term else "[2].matchExpressions[0]"
    assert term_errors(parsed, "[2]") == [where + error for error in errors]
    if errors:
        with pytest.raises(InvalidSelector):
            check_term(parsed)
    else:
        check_term(parsed)
