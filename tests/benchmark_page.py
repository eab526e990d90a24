"""The tables of ``docs/benchmarks.md``, from the rows in ``docs/benchmarks``.

``python tests/benchmark_page.py`` writes them.
"""

from __future__ import annotations

import re
from pathlib import Path

from kubestow.adapters.bench import registry, report, runner

DOCS = Path(__file__).parent.parent / "docs"
PAGE, ROWS = DOCS / "benchmarks.md", DOCS / "benchmarks"
PLACE = re.compile(r"(?<=<!-- rows: )([a-z-]+)( -->\n).*?(?=<!-- end of rows -->\n)", re.DOTALL)


def names(text: str) -> list[str]:
    """The benchmarks that the page has a place for."""
    return [name for name, _ in PLACE.findall(text)]


def written(text: str) -> str:
    """The page with the tables of its rows."""
    return PLACE.sub(lambda place: place[1] + place[2] + _tables(place[1]), text)


def _tables(name: str) -> str:
    chosen = registry.benchmark(name)
    rows = runner.made(chosen, ROWS / f"{name}.jsonl")
    return "\n".join(["", *report.summary(chosen, rows), "", ""])


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text()))
