"""How a verb answers: on standard output in the chosen format, on standard error, by exit status."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import typer

from .options import Format

if TYPE_CHECKING:
    from rich.console import Console

    from ..inputs import Loaded
    from ..output.documents import Document


def show(
    output: Format, loaded: Loaded, document: Callable[[], Document], table: Callable[[Console], None]
) -> None:
    """Print the document, or the table after the input's warnings."""
    from rich.console import Console

    from ..output.tables import show_warnings

    if output is not Format.TABLE:
        write(output, document())
        return
    with printing() as console:
        show_warnings(Console(stderr=True, highlight=False), loaded)
        table(console)


def write(output: Format, document: Document) -> None:
    """Print a document as JSON or YAML."""
    data = document.model_dump(mode="json", by_alias=True)
    text = _json(data) if output is Format.JSON else _yaml(data)
    with printing():
        sys.stdout.write(text)


@contextmanager
def printing() -> Iterator[Console]:
    """Print to standard output; where its reader has gone, die of SIGPIPE as other commands do.

    Python itself would raise in the middle of the print.
    """
    from rich.console import Console

    if not hasattr(signal, "SIGPIPE"):
        yield Console(highlight=False)
        return
    before = signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        yield Console(highlight=False)
        sys.stdout.flush()
    finally:
        signal.signal(signal.SIGPIPE, before)


def _json(data: dict[str, Any]) -> str:
    import orjson

    return orjson.dumps(data, option=orjson.OPT_INDENT_2).decode() + "\n"


def _yaml(data: dict[str, Any]) -> str:
    import yaml

    return yaml.safe_dump(data, sort_keys=False, allow_unicode=True)


def working(what: str) -> Any:
    """A context that says on standard error what is being done, where that is a terminal."""
    from rich.console import Console

    return Console(stderr=True).status(what)


def fail(wanted: Iterable[StrEnum] | None, **there: bool) -> None:
    """Exit with 3 if one of the `wanted` reasons is `there`; the verb names all that it offers."""
    hit = [reason.value for reason in dict.fromkeys(wanted or ()) if there[reason.value]]
    if hit:
        typer.echo(f"kubestow: --fail-on {', '.join(hit)} was hit", err=True)
        raise typer.Exit(3)
