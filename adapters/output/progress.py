"""How far a solve is, on standard error where that is a terminal; nothing anywhere else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape
from rich.progress import Progress as Bar
from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

from ...solver.progress import Progress, Watch
from ...solver.result import StageResult
from .text import gap, safe


@contextmanager
def progress(what: str, console: Console | None = None) -> Iterator[Watch | None]:
    """Show what is being done while it is done.

    Parameters
    ----------
    what : str
        Such as ``solving, at most 60 s``.
    console : Console, optional
        By default standard error.

    Yields
    ------
    callable or None
        To be told of progress; None where nobody would see it.
    """
    console = console or Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    columns = SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()
    with Bar(*columns, console=console, transient=True) as bar:
        shown = bar.add_task(escape(what), total=None)
        yield lambda now: bar.update(shown, description=escape(f"{what}; {described(now)}"))


def described(now: Progress) -> str:
    """Phase, incumbent, bound and gap, such as ``exchange: cost, score 71.2 of at most 71.9, gap 0.97 %``."""
    stage = now.stage
    return f"{safe(now.phase)}: {safe(stage.name)}, {_reached(stage)}, gap {gap(stage.gap)}"


def _reached(stage: StageResult) -> str:
    if stage.name == "cost" and stage.worst:
        reached = f"score {_score(stage, stage.value):.2f}"
        return reached if stage.bound is None else f"{reached} of at most {_score(stage, stage.bound):.2f}"
    if stage.bound is None:
        return str(stage.value)
    return f"{stage.value} of at {'most' if stage.sense == 'max' else 'least'} {stage.bound}"


def _score(stage: StageResult, cost: int) -> float:
    return 100 * (1 - cost / stage.worst)
