"""Fields of raw objects by name: those that are read, and those that Kubernetes does not have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from functools import lru_cache
from typing import Any, NamedTuple, get_args

from ..model import api
from ..model.api.unread import MACHINE_WRITTEN, UNREAD

_HEAD = frozenset({"apiVersion", "kind"})
_LIFTED = {(api.Pod, "node_name"), (api.PodTemplateSpec, "node_name")}
_PLAIN = {(api.WorkloadSpec, "selector")}
"""A ReplicationController's has labels in the place of fields."""
_SIMILAR = 0.75
_LONGEST = 80


class Shape(NamedTuple):
    """What the names of a mapping's fields say.

    Parameters
    ----------
    read : tuple of str
        Fields that the model reads, in its order.
    unknown : tuple of str
        Fields that the type does not have in Kubernetes.
    parts : tuple of (str, type, str)
        Fields that are objects themselves or lists of them, their type and their path with its separator.
    """

    read: tuple[str, ...]
    unknown: tuple[str, ...]
    parts: tuple[tuple[str, type[api.ApiObject], str], ...]


class Unknown(NamedTuple):
    """A field that Kubernetes does not have.

    Parameters
    ----------
    path : str
        Such as ``spec.containers[].``: of the mapping that it is in.
    name : str
    model : type
        Of that mapping.
    """

    path: str
    name: str
    model: type[api.ApiObject]


def shape(model: type[api.ApiObject], raw: Any) -> Shape:
    """The shape of a raw mapping.

    Raises
    ------
    TypeError
        For anything else.
    """
    if not isinstance(raw, dict):
        raise TypeError("not a mapping")
    return _shape(model, tuple(raw))


@lru_cache(maxsize=1 << 14)
def _shape(model: type[api.ApiObject], names: tuple[str, ...]) -> Shape:
    known, there = known_fields(model), frozenset(names)
    return Shape(
        tuple(name for name in read_fields(model) if name in there),
        tuple(name for name in names if name not in known),
        tuple(part for part in _parts(model) if part[0] in there),
    )


@lru_cache(maxsize=256)
def read_fields(model: type[api.ApiObject]) -> tuple[str, ...]:
    """The names, as Kubernetes spells them, of the fields that a model reads."""
    fields = model.model_fields.items()
    return tuple(field.alias or name for name, field in fields if (model, name) not in _LIFTED)


@lru_cache(maxsize=256)
def known_fields(model: type[api.ApiObject]) -> frozenset[str]:
    """The names of all fields that a type has in Kubernetes."""
    names = UNREAD.get(model, frozenset()).union(read_fields(model))
    return names | _HEAD if "metadata" in names else names


@lru_cache(maxsize=256)
def _parts(model: type[api.ApiObject]) -> tuple[tuple[str, type[api.ApiObject], str], ...]:
    return tuple(
        (field.alias or name, part, f"{field.alias or name}{separator}")
        for name, field in model.model_fields.items()
        if (model, name) not in _PLAIN
        for part, separator in _types(field.annotation, ".")
        if part not in MACHINE_WRITTEN
    )


def _types(annotation: Any, separator: str) -> Iterator[tuple[type[api.ApiObject], str]]:
    if isinstance(annotation, type) and issubclass(annotation, api.ApiObject):
        yield annotation, separator
    for argument in get_args(annotation):
        yield from _types(argument, "[]." if Ellipsis in get_args(annotation) else separator)


def unknown_fields(
    model: type[api.ApiObject], raw: Mapping[str, Any], but: type[api.ApiObject] | None = None
) -> list[Unknown]:
    """What Kubernetes does not have in a valid raw object; parts of type `but` are not looked into."""
    _, unknown, parts = _shape(model, tuple(raw))
    found = [Unknown("", name, model) for name in unknown] if unknown else []
    for name, part, path in parts:
        if part is but:
            continue
        value = raw[name]
        for each in (value,) if isinstance(value, dict) else value or ():
            within = unknown_fields(part, each, but) if isinstance(each, dict) else None
            if within:
                found += [field._replace(path=path + field.path) for field in within]
    return found


def suggestion(field: Unknown) -> str | None:
    """The known name that is most like the unknown one, if any is."""
    known = {name.lower(): name for name in known_fields(field.model)}
    wanted = field.name[:_LONGEST].lower().replace("_", "").replace("-", "")
    close = get_close_matches(wanted, known, 1, _SIMILAR)
    return known[close[0]] if close else None
