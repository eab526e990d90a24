"""Groups of options: a verb takes a dataclass, the command line sees its fields."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any, get_type_hints

Verb = Callable[..., None]


def grouped(verb: Verb) -> Verb:
    """The verb with the fields of each dataclass among its parameters as keyword arguments of its own.

    Parameters
    ----------
    verb : callable
        Annotated; parameters that are no dataclass stay as they are. Fields need ``Annotated`` types and
        defaults, as typer's options do.
    """
    hints = get_type_hints(verb, include_extras=True)
    groups: dict[str, Any] = {name: hint for name, hint in hints.items() if is_dataclass(hint)}
    parameters: list[Parameter] = []
    for own in signature(verb).parameters.values():
        if own.name in groups:
            parameters.extend(_options(groups[own.name]))
        else:
            parameters.append(own.replace(annotation=hints[own.name], kind=Parameter.KEYWORD_ONLY))

    @wraps(verb)
    def run(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{field.name: given.pop(field.name) for field in fields(group)})
        verb(**given)

    run.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    return run


def _options(group: Any) -> list[Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        Parameter(field.name, Parameter.KEYWORD_ONLY, default=field.default, annotation=hints[field.name])
        for field in fields(group)
    ]
