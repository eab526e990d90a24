"""Rows as Markdown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from .registry import Benchmark, Row

_NOT_SHOWN = ("benchmark", "seed", "machine", "versions", "phases", "loadAverage")


def report(chosen: Benchmark, rows: Sequence[Row]) -> str:
    """A report with every detail."""
    lines = [f"## {chosen.name}", "", *summary(chosen, rows)]
    if chosen.detail:
        lines.extend(["", *chosen.detail(rows)])
    return "\n".join(lines) + "\n"


def summary(chosen: Benchmark, rows: Sequence[Row]) -> list[str]:
    """What came out, and on what machine, with which versions, seeds and limits the rows were made."""
    lines: list[str] = []
    for key in ("machine", "versions"):
        lines.extend(f"- {value}" for value in sorted({str(row[key]) for row in rows}))
    loads = sorted(float(row["loadAverage"]) for row in rows)
    lines.append(f"- load average before a run: {loads[0]:g} to {loads[-1]:g}")
    limits = sorted({(float(row["timeLimit"]), int(row["workers"])) for row in rows})
    seeds = sorted({int(row["seed"]) for row in rows})
    lines.append(f"- seeds {spans(seeds)}; {len(rows)} runs")
    listed = "; ".join(
        f"{f'{seconds:g} s' if seconds else 'no time limit'} with {workers or 'all'} workers"
        for seconds, workers in limits
    )
    return [*lines, f"- limits: {listed}", "", *chosen.summary(rows)]


def spans(numbers: Sequence[int]) -> str:
    """Sorted numbers with runs of them joined, such as ``0..3, 7``."""
    found: list[list[int]] = []
    for number in numbers:
        if found and number == found[-1][-1] + 1:
            found[-1].append(number)
        else:
            found.append([number])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}..{run[-1]}" for run in found)


def table(header: Sequence[str], lines: Sequence[Sequence[object]]) -> list[str]:
    """A Markdown table; numbers are aligned to the right."""
    cells = [[shown(value) for value in line] for line in lines]
    right = [
        all(isinstance(line[i], int | float | Span | None) for line in lines) for i in range(len(header))
    ]
    rule = ["---:" if aligned else "---" for aligned in right]
    return ["| " + " | ".join(line) + " |" for line in (list(header), rule, *cells)]


def shown(value: object) -> str:
    """A cell; numbers with the digits that matter, nothing for None."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.4g}"
    return str(value).replace("|", "\\|")


class Span(NamedTuple):
    """A mean with its extremes."""

    mean: float
    least: float
    most: float

    def __str__(self) -> str:
        if self.least == self.most:
            return shown(self.mean)
        return f"{shown(self.mean)} ({shown(self.least)}..{shown(self.most)})"


def mean(rows: Sequence[Row], key: str) -> float | None:
    """Mean of a field over the rows that have it."""
    values = [float(row[key]) for row in rows if row.get(key) is not None]
    return sum(values) / len(values) if values else None


def most(rows: Sequence[Row], key: str) -> float | None:
    """Largest value of a field."""
    return max((float(row[key]) for row in rows if row.get(key) is not None), default=None)


def grouped(rows: Sequence[Row], *keys: str) -> Mapping[tuple[Any, ...], list[Row]]:
    """Rows by the values of some fields, in the order in which these come first."""
    found: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        found.setdefault(tuple(row[key] for key in keys), []).append(row)
    return found


def averages(*keys: str, ranges: Sequence[str] = ()) -> Callable[[Sequence[Row]], list[str]]:
    """A summary with one line per case and limit, and means over the seeds.

    Parameters
    ----------
    keys : str
        Fields that tell lines apart.
    ranges : sequence of str
        Fields whose smallest and largest values are shown too.
    """

    def averaged(rows: Sequence[Row]) -> list[str]:
        hidden = {*keys, *_NOT_SHOWN, "workers", "timeLimit"}
        names = list(dict.fromkeys(name for row in rows for name in row if name not in hidden))
        numbers = [name for name in names if any(_number(row.get(name)) for row in rows)]
        lines = [
            [*values, len(mine), *((span if name in ranges else mean)(mine, name) for name in numbers)]
            for values, mine in grouped(rows, *keys).items()
        ]
        return table([*keys, "runs", *numbers], lines)

    return averaged


def span(rows: Sequence[Row], key: str) -> Span | None:
    """Mean, smallest and largest value of a field."""
    values = [float(row[key]) for row in rows if row.get(key) is not None]
    return Span(sum(values) / len(values), min(values), max(values)) if values else None


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
