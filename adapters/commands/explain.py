"""The verb ``explain``."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

from typer import Argument

from ...model.errors import BadInput
from . import answer
from .options import Format, Output, Source

if TYPE_CHECKING:
    from ...model.cluster import Cluster


def explain(
    source: Source,
    pod: Annotated[list[str] | None, Argument(help="namespace/name; default all pending pods.")] = None,
    output: Output = Format.TABLE,
) -> None:
    """Per pod: every node with plugin and reason, scores by plugin, and the FitError sentence."""
    from ...solver.greedy import explain as run
    from ..output import build, tables

    loaded = source.load()
    wanted = _pending(loaded.cluster, pod) if pod else None
    began = time.monotonic()
    records = run(loaded.cluster, loaded.configuration, wanted)
    seconds = time.monotonic() - began
    answer.show(
        output,
        loaded,
        lambda: build.explanation(loaded, records, seconds),
        lambda console: tables.show_explanation(console, records),
    )


def _pending(cluster: Cluster, names: list[str]) -> list[str]:
    """The keys of the pods, all of them known and pending."""
    keys = [name if "/" in name else f"default/{name}" for name in names]
    for key in keys:
        known = cluster.pod_by_key.get(key)
        if known is None:
            raise BadInput(f"the input has no pod {key!r}; name it as namespace/name")
        if known.node_name:
            raise BadInput(f"pod {key} is on node {known.node_name} already; explain looks at pending pods")
    return keys
