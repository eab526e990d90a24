"""Words for messages."""

from __future__ import annotations


def kind_of(value: object) -> str:
    """What YAML and JSON call the value, such as ``a mapping`` or ``null``: never ``NoneType``."""
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case str():
            return "text"
        case list() | tuple():
            return "a list"
        case dict():
            return "a mapping"
        case _:
            return "of an unknown type"


def counted(number: int, what: str) -> str:
    """A number of things, such as ``1 pod`` and ``2 pods``."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
