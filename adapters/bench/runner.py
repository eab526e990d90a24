"""Make the runs of a benchmark that are not in the output file yet."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from ...model.errors import BadInput
from .environment import environment, load_average, peak_memory
from .registry import Benchmark, Row, Run, benchmark

Note = Callable[[str], None]


def selected(chosen: Benchmark, only: Sequence[str]) -> tuple[Mapping[str, Any], ...]:
    """The cases that agree with every ``key=value[|value…]`` of `only`.

    Raises
    ------
    BadInput
        For keys that no case has, and when nothing is left.
    """
    cases = chosen.cases
    for condition in only:
        key, _, values = condition.partition("=")
        if key not in chosen.cases[0]:
            known = ", ".join(chosen.cases[0])
            raise BadInput(f"the cases of {chosen.name} have no {key!r}; they have {known}")
        wanted = values.lower().split("|")
        cases = tuple(case for case in cases if str(case[key]).lower() in wanted)
    if not cases:
        raise BadInput(f"no case of {chosen.name} agrees with {' '.join(only)}")
    return cases


def runs(
    chosen: Benchmark, only: Sequence[str], seeds: Iterable[int], time_limit: float | None, workers: int
) -> list[Run]:
    """All runs that were asked for and can be made here, seed after seed.

    Raises
    ------
    BadInput
        As `selected`, and when something is missing for every case.
    """
    asked = selected(chosen, only)
    cases = [case for case in asked if chosen.missing(case) is None]
    if not cases:
        raise BadInput("; ".join(left_out(chosen, only)))
    return [
        Run(case, seed, chosen.time_limit(case) if time_limit is None else time_limit, workers)
        for seed in seeds
        for case in cases
    ]


def left_out(chosen: Benchmark, only: Sequence[str]) -> list[str]:
    """What is missing here for cases that were asked for."""
    reasons = [chosen.missing(case) for case in selected(chosen, only)]
    return list(dict.fromkeys(reason for reason in reasons if reason is not None))


def seeds_of(text: str) -> list[int]:
    """Seeds such as ``3``, ``0..9`` or ``0..3,7``.

    Raises
    ------
    BadInput
    """
    found: list[int] = []
    for part in text.split(","):
        first, dots, last = part.partition("..")
        try:
            begin, end = int(first), int(last if dots else first)
        except ValueError:
            raise BadInput(f"seeds {text!r} are not numbers; write 3, 0..9 or 0..3,7") from None
        if not 0 <= begin <= end < 2**31:
            raise BadInput(f"seeds {part!r}: write the smaller one first, from 0 to {2**31 - 1}")
        found.extend(range(begin, end + 1))
    return list(dict.fromkeys(found))


def carry_out(chosen: Benchmark, wanted: Sequence[Run], path: Path | None, note: Note) -> list[Row]:
    """The rows of all runs; those in `path` are taken from there, new ones are added to it one by one.

    Parameters
    ----------
    path : Path, optional
        A file of JSON lines.
    note : callable
        Told what is being done.

    Raises
    ------
    BadInput
        When `path` holds something else, or cannot be written.
    """
    known = {_identity(chosen, row): row for row in (read(path) if path else ())}
    if path:
        _append(path, "")
    rows: list[Row] = []
    for number, run in enumerate(wanted, 1):
        identity = run.identity(chosen.name)
        row = known.get(json.dumps(identity, sort_keys=True))
        if row is None:
            note(f"{number} of {len(wanted)}: {described(identity)}")
            before = {"loadAverage": load_average()}
            row = {**identity, **_made(chosen, run), **before, **environment()}
            if path:
                _append(path, json.dumps(row) + "\n")
        rows.append(row)
    return rows


def made(chosen: Benchmark, path: Path | None) -> list[Row]:
    """All rows of a benchmark that are in a file.

    Raises
    ------
    BadInput
        When there is no file, or no such row in it.
    """
    rows = [row for row in (read(path) if path else ()) if row["benchmark"] == chosen.name]
    if not rows:
        raise BadInput(
            f"holds no run of {chosen.name}; give --output-file, or make runs", file=str(path or "")
        )
    return rows


def described(fields: Mapping[str, Any]) -> str:
    """Fields as ``key=value`` pairs."""
    return " ".join(f"{key}={value}" for key, value in fields.items())


def _identity(chosen: Benchmark, row: Row) -> str:
    keys = ("benchmark", *chosen.cases[0], "seed", "timeLimit", "workers")
    return json.dumps({key: row.get(key) for key in keys}, sort_keys=True)


def read(path: Path) -> Iterator[Row]:
    """The rows of a file; none where there is no file yet."""
    if not path.exists():
        return
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"cannot be read: {error}", file=str(path)) from None
    for number, line in enumerate(lines, 1):
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            raise BadInput(f"line {number} is not JSON: {error}", file=str(path)) from None
        if not isinstance(row, dict) or "benchmark" not in row:
            raise BadInput(f"line {number} is no row of a benchmark", file=str(path))
        yield row


def _append(path: Path, text: str) -> None:
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise BadInput(f"cannot be written: {error.strerror}", file=str(path)) from None


def _made(chosen: Benchmark, run: Run) -> Row:
    if not chosen.apart:
        return chosen.run(run)
    from ...solver.search.engine import end_with_parent

    with ProcessPoolExecutor(1, get_context("spawn"), end_with_parent) as pool:
        return pool.submit(_apart, chosen.name, run).result()


def _apart(name: str, run: Run) -> Row:
    row = benchmark(name).run(run)
    return {**row, "peakGiB": peak_memory()}
