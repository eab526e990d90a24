"""Untrusted strings for a terminal: no markup is interpreted, no control character gets through."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from ...model.words import counted

SHOWN = 5


def safe(raw: object) -> str:
    """The string with everything but printable characters escaped."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in str(raw))


def cell(raw: object, style: str = "") -> Text:
    """A table cell that shows `raw` as it is."""
    return Text(safe(raw), style=style)


def say(console: Console, sentence: object, style: str = "") -> None:
    """Print a sentence as one line, however narrow the console is: the terminal wraps, ``grep`` finds."""
    console.print(cell(sentence, style), soft_wrap=True)


def listed(items: Sequence[str], shown: int = SHOWN) -> str:
    """Items in a sentence, long lists cut."""
    head = ", ".join(safe(item) for item in items[:shown])
    more = len(items) - shown
    return f"{head} and {counted(more, 'other')}" if more > 0 else head


def percent(share: float) -> str:
    """A share as a percentage with one digit."""
    return f"{100 * share:.1f} %"


def gap(value: float | None) -> str:
    """A relative gap; small ones keep their leading digits."""
    if value is None:
        return "no bound"
    if value == 0:
        return "0 %"
    return f"{100 * value:.2g} %" if value < 0.001 else f"{100 * value:.2f} %"
