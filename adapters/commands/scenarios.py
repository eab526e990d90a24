"""The verb ``scenarios``."""

from __future__ import annotations

from . import answer


def scenarios() -> None:
    """The bundled clusters and generators."""
    from ... import scenarios as bundled
    from ..output.tables import show_scenarios

    found = [(name, bundled.describe(name)) for name in bundled.names()]
    with answer.printing() as console:
        show_scenarios(console, found)
