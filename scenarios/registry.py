"""The bundled scenarios: clusters in files and seeded generators, found by name."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from importlib import resources
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING

from ..model.errors import BadInput

if TYPE_CHECKING:
    from ..model.cluster import Cluster

Generator = Callable[..., "Cluster"]
_GENERATORS: dict[str, Generator] = {}


def generator(function: Generator) -> Generator:
    """Register a function under its name; its keyword arguments, all with defaults, are the parameters.

    Underscores of the name become hyphens.
    """
    _GENERATORS[function.__name__.replace("_", "-")] = function
    return function


def names() -> tuple[str, ...]:
    """All scenarios, first the files, then the generators, each in alphabetical order."""
    return (*sorted(_files()), *sorted(_generators()))


def describe(name: str) -> str:
    """One line about a scenario; for a generator with its parameters and their defaults.

    Raises
    ------
    BadInput
        When there is no scenario of that name.
    """
    if name not in _generators():
        return text(name).partition("\n")[0].removeprefix("# ")
    summary = (inspect.getdoc(_generators()[name]) or "").partition("\n")[0]
    defaults = ",".join(f"{key}={value}" for key, value in _parameters(name).items())
    return f"{summary} ({defaults})"


def text(name: str) -> str:
    """The YAML of a scenario that is a file; its leading comment explains it.

    Raises
    ------
    BadInput
        When there is no such file.
    """
    return path(name).read_text(encoding="utf-8")


def path(name: str) -> Traversable:
    """Where the YAML of a scenario that is a file lies.

    Raises
    ------
    BadInput
        When there is no such file.
    """
    found = _files().get(name)
    if found is None:
        raise BadInput(f"there is no scenario {name!r}; there are {', '.join(names())}")
    return found


def load(reference: str) -> str | Cluster:
    """What ``--scenario`` names: the YAML of a file, or the cluster that a generator makes.

    Parameters
    ----------
    reference : str
        ``NAME``, or ``NAME,key=value,…`` for a generator; ``size=small|medium|large`` sets nodes, pods and
        classes at once.

    Raises
    ------
    BadInput
        For an unknown name or parameter, or a value of the wrong type or out of range.
    """
    name, *settings = reference.split(",")
    if name in _generators():
        return _generators()[name](**_arguments(name, settings))
    found = text(name)
    if settings:
        raise BadInput(f"scenario {name} takes no parameters, but got {','.join(settings)}")
    return found


def _files() -> Mapping[str, Traversable]:
    folder = resources.files(__name__.rpartition(".")[0])
    return {entry.name[:-5]: entry for entry in folder.iterdir() if entry.name.endswith(".yaml")}


def _generators() -> Mapping[str, Generator]:
    from . import generators, priority_matters  # noqa: F401  (registers; imported late, it needs the model)

    return _GENERATORS


def _parameters(name: str) -> Mapping[str, int | float]:
    return {key: value.default for key, value in inspect.signature(_generators()[name]).parameters.items()}


def _arguments(name: str, settings: list[str]) -> dict[str, int | float]:
    known, given = _parameters(name), dict[str, int | float]()
    for setting in settings:
        key, _, raw = setting.partition("=")
        if key == "size" and "pods" in known:
            given |= _size(raw)
        elif key in known:
            given[key] = _number(name, key, raw, type(known[key]))
        else:
            there = ", ".join((*(("size",) if "pods" in known else ()), *known))
            raise BadInput(f"scenario {name} has no parameter {key!r}; it has {there}, as in {name},seed=1")
    return given


def _size(raw: str) -> Mapping[str, int]:
    from .generators import SIZES

    if raw not in SIZES:
        raise BadInput(f"size {raw!r} is unknown; use {', '.join(SIZES)}, or give nodes, pods and classes")
    return dict(zip(("nodes", "pods", "classes"), SIZES[raw], strict=True))


def _number(name: str, key: str, raw: str, kind: type) -> int | float:
    try:
        return kind(raw)
    except ValueError:
        wanted = "a whole number" if kind is int else "a number"
        raise BadInput(f"{key}={raw} in scenario {name}: {key} is {wanted}") from None
