"""The verb ``schema``."""

from __future__ import annotations

import json
from typing import Annotated

import typer
from typer import Argument

from ...model.errors import BadInput
from . import answer


def schema(
    kind: Annotated[
        str | None, Argument(help="Such as Placement or Comparison; without one, the kinds there are.")
    ] = None,
) -> None:
    """The JSON Schema of an output kind."""
    from ..output.documents import KINDS
    from ..output.tables import show_kinds

    if kind is not None and kind not in KINDS:
        raise BadInput(f"there is no kind {kind!r}; there are {', '.join(KINDS)}")
    with answer.printing() as console:
        if kind is None:
            show_kinds(console, KINDS)
        else:
            typer.echo(json.dumps(KINDS[kind].model_json_schema(by_alias=True), indent=2))
