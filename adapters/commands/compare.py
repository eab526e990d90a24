"""The verb ``compare``."""

from __future__ import annotations

from . import answer
from .options import Answer, Asked, Bounds, Goal, Source


def compare(source: Source, asked: Asked, goal: Goal, bounds: Bounds, wanted: Answer) -> None:
    """Current, greedy and optimal placement side by side, with bound and gap."""
    from ...solver.compare import compare as run
    from ..output import build, comparison
    from ..output.progress import progress

    loaded = source.load()
    with progress(f"comparing, at most {bounds.time_limit:g} s") as watch:
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
        lambda: build.comparison(loaded, found, bounds.limits),
        lambda console: comparison.show_comparison(console, loaded, found),
    )
    answer.fail(
        wanted.fail_on,
        unplaced=None in found.optimal.placement.values(),
        violations=bool(found.result.violations),
        gap=found.result.gap is None or found.result.gap > bounds.gap,
    )
