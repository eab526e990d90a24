"""Tables without lines, whose cells show what they are given as it is."""

from __future__ import annotations

from rich.table import Table

from .text import cell


def grid(*headers: str, left: int = 1) -> Table:
    """An empty table; the first `left` columns are aligned to the left, the others to the right."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for position, header in enumerate(headers):
        table.add_column(cell(header), justify="left" if position < left else "right", overflow="fold")
    return table


def row(table: Table, *values: str, style: str = "") -> None:
    """Add a row."""
    table.add_row(*(cell(value, style) for value in values))
