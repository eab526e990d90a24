"""The verb ``solve``."""

from __future__ import annotations

from . import answer
from .options import Answer, Asked, Bounds, Goal, Source


def solve(source: Source, asked: Asked, goal: Goal, bounds: Bounds, wanted: Answer) -> None:
    """The optimal batch placement, with an order in which kube-scheduler admits it."""
    from ...solver.solve import solve as run
    from ..output import build, results
    from ..output.progress import progress

    loaded = source.load()
    with progress(f"solving, at most {bounds.time_limit:g} s") as watch:
        found = run(
            loaded.cluster,
            loaded.configuration,
            question=asked.question.value,
            preset=goal.preset.value,
            stages=asked.stages.value,
            profile=goal.profile,
            limits=bounds.limits,
            watch=watch,
        )
    answer.show(
        wanted.output,
        loaded,
        lambda: build.placement(loaded, found, bounds.limits),
        lambda console: results.show_result(console, loaded, found),
    )
    answer.fail(
        wanted.fail_on,
        unplaced=None in found.placement.values(),
        violations=bool(found.violations),
        gap=found.gap is None or found.gap > bounds.gap,
    )
