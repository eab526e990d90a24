"""The verb ``verify``."""

from __future__ import annotations

import time
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

from typer import Option

from . import answer
from .options import FAIL, Format, Goal, Output, Source

if TYPE_CHECKING:
    from ...model.verify import Verification
    from ..inputs import Loaded


class FailOn(StrEnum):
    """What makes the exit status 3: a placement that was read has no bound, and so no gap."""

    UNPLACED = "unplaced"
    VIOLATIONS = "violations"


def verify(
    placement: Annotated[
        str, Option(help="A Placement document (JSON or YAML), or CSV lines pod,node; - for standard input.")
    ],
    source: Source,
    goal: Goal,
    fail_on: Annotated[list[FailOn] | None, FAIL] = None,
    output: Output = Format.TABLE,
) -> None:
    """Check a placement of any origin against the cluster, independently of the solver."""
    from ...model.evaluate import evaluate
    from ...model.final import FinalState
    from ...model.verify import verify as run
    from ..output import build, tables
    from ..placement_file import check_names, read_placement

    given = read_placement(placement)
    loaded = source.load()
    check_names(given, loaded.cluster, file=placement)
    began = time.monotonic()
    final = FinalState(loaded.cluster, given, configuration=loaded.configuration)
    found = run(final)
    score = evaluate(final, preset=goal.preset.value, profile=goal.profile)
    seconds = time.monotonic() - began
    answer.show(
        output,
        loaded,
        lambda: build.verification(loaded, found, score, seconds),
        lambda console: tables.show_verification(console, found, score),
    )
    answer.fail(fail_on, unplaced=_unplaced(found, loaded), violations=bool(found.broken))


def _unplaced(found: Verification, loaded: Loaded) -> bool:
    """Whether a pod has no node: one that could be placed, lost its node, or is in the placement."""
    from ...model.movable import free_pods

    changes = found.changes
    wanted = free_pods(loaded.cluster, loaded.configuration).free.union(
        changes.evicted, found.final.placement
    )
    return not wanted.isdisjoint(changes.pending)
