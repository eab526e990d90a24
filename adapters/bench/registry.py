"""What a benchmark is, and which there are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from ...model.errors import BadInput

Value = str | int | float | bool
Row = dict[str, Any]
Case = Mapping[str, Value]
_MODULES = {
    "priority-matters": "priority_matters",
    "openb": "openb_cases",
    "spread": "synthetic",
    "relational": "synthetic",
    "soft": "synthetic",
    "greedy-speed": "greedy_speed",
    "load": "load",
}


@dataclass(frozen=True)
class Run:
    """One run to make.

    Parameters
    ----------
    case : mapping
        What is run; one of `Benchmark.cases`.
    seed : int
    time_limit : float
        Wall seconds.
    workers : int
    """

    case: Case
    seed: int
    time_limit: float
    workers: int

    def identity(self, benchmark: str) -> Row:
        """The fields by which a row is found again."""
        limits = {"timeLimit": self.time_limit, "workers": self.workers}
        return {"benchmark": benchmark, **self.case, "seed": self.seed, **limits}


@dataclass(frozen=True)
class Benchmark:
    """A named set of runs.

    Parameters
    ----------
    name : str
    cases : tuple of mapping
        Each with the same keys.
    run : callable
        Makes the row of a `Run`; the row's fields come after those of `Run.identity`.
    time_limit : callable
        The usual limit of a case in seconds.
    summary : callable
        Lines of a Markdown report on rows.
    detail : callable, optional
        More lines, for whoever wants to see every case.
    apart : bool
        Make each run in a process of its own, so that its peak memory is known.
    missing : callable
        What a case needs and is not there, or None.
    """

    name: str
    cases: tuple[Case, ...]
    run: Callable[[Run], Row]
    time_limit: Callable[[Case], float]
    summary: Callable[[Sequence[Row]], list[str]]
    detail: Callable[[Sequence[Row]], list[str]] | None = None
    apart: bool = False
    missing: Callable[[Case], str | None] = lambda _: None


def names() -> tuple[str, ...]:
    """All benchmarks."""
    return tuple(_MODULES)


def benchmark(name: str) -> Benchmark:
    """A benchmark by name.

    Raises
    ------
    BadInput
        When there is none of that name.
    """
    if name not in _MODULES:
        raise BadInput(f"there is no benchmark {name!r}; there are {', '.join(names())}")
    found: Mapping[str, Benchmark] = import_module(f".{_MODULES[name]}", __package__).BENCHMARKS
    return found[name]
