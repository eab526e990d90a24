"""The verb ``bench``."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from . import answer
from .options import Format, Output, Workers


def bench(
    name: Annotated[str, Argument(help="Such as priority-matters; an unknown name lists all.")],
    seeds: Annotated[str, Option(help="Such as 3, 0..9 or 0..3,7.")] = "0..2",
    only: Annotated[
        list[str] | None, Option(help="Only cases with KEY=VALUE, or KEY=VALUE|VALUE; may be repeated.")
    ] = None,
    time_limit: Annotated[
        float | None, Option(min=0.1, help="Wall seconds per run; default what the case is known for.")
    ] = None,
    workers: Workers = 0,
    output_file: Annotated[
        str | None,
        Option(help="JSON lines: runs that are in it are not made again, new ones are added."),
    ] = None,
    no_run: Annotated[
        bool, Option("--no-run", help="Only report on the runs that are in --output-file.")
    ] = False,
    output: Output = Format.TABLE,
) -> None:
    """A benchmark with its baselines: one row per run, and a Markdown report."""
    from ..bench import registry, runner
    from ..bench.report import report

    chosen = registry.benchmark(name)
    path = Path(output_file) if output_file else None
    began = time.monotonic()
    if no_run:
        rows = runner.made(chosen, path)
    else:
        for reason in runner.left_out(chosen, only or []):
            typer.echo(f"kubestow: cases are left out: {reason}", err=True)
        wanted = runner.runs(chosen, only or [], runner.seeds_of(seeds), time_limit, workers)
        with answer.working(f"{len(wanted)} runs") as status:
            rows = runner.carry_out(chosen, wanted, path, status.update)
    if output is Format.TABLE:
        with answer.printing():
            typer.echo(report(chosen, rows), nl=False)
        return
    from ..output.build import benchmark

    answer.write(output, benchmark(name, rows, time.monotonic() - began))
