"""What pydantic found wrong, as one field path and one sentence."""

from __future__ import annotations

import re
from typing import Any

from pydantic import ValidationError

from ..model.quantity import TOO_LARGE
from ..model.words import kind_of

_EXPECTED = {
    "string_type": "a string",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_parsing": "a number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "dict_type": "a mapping",
    "mapping_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
    "tuple_type": "a list",
    "list_type": "a list",
}
_LONGEST = 80
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def first_problem(error: ValidationError) -> tuple[str, str]:
    """The field path, such as ``spec.containers[0].image``, and the message of the first problem."""
    problem = error.errors(include_url=False, include_context=False)[0]
    kind, given = problem["type"], problem["input"]
    path = field_path(problem["loc"])
    if kind == "missing":
        return path, "is missing; it is required"
    if kind == "extra_forbidden":
        return path, "is no known field; check the spelling or remove it"
    if kind == "value_error":
        return path, problem["msg"].removeprefix("Value error, ")
    if kind == TOO_LARGE:
        return path, f"{shown(given)} {problem['msg']}"
    if kind == "string_too_short":
        return path, "is empty; it is required"
    expected = _EXPECTED.get(kind) or problem["msg"].removeprefix("Input should be ")
    if expected == problem["msg"]:
        return path, f"{shown(given)} is wrong: {problem['msg']}"
    return path, f"must be {expected}, not {shown(given)}{_hint(expected, given)}"


def _hint(expected: str, given: Any) -> str:
    scalar = isinstance(given, bool | int | float)
    return "; put it in quotes" if expected == "a string" and scalar else ""


def shown(value: Any) -> str:
    """A value for a message: escaped, short, and with its type where the text alone misleads."""
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list | tuple):
        return "a list"
    if isinstance(value, str):
        return repr(value if len(value) <= _LONGEST else value[:_LONGEST] + "…")
    if isinstance(value, bool):
        return "the boolean true" if value else "the boolean false"
    if isinstance(value, int | float):
        text = repr(value) if not isinstance(value, int) or abs(value) < 10**_LONGEST else "a huge number"
        return f"the number {text}" if text[0] != "a" else text
    return kind_of(value)


def printable(text: str) -> str:
    """`text` with everything escaped that a terminal would not just print."""
    return text if text.isprintable() else "".join(c if c.isprintable() else _escaped(c) for c in text)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape", "surrogatepass").decode()


def field_path(parts: tuple[Any, ...] | list[Any]) -> str:
    """``("spec", "containers", 0, "my.key")`` as ``spec.containers[0]['my.key']``, safe to print."""
    path = ""
    for part in parts:
        if isinstance(part, int):
            path += f"[{part}]"
        elif _WORD.fullmatch(part):
            path += f".{part}" if path else part
        else:
            path += f"[{shown(part)}]"
    return path
