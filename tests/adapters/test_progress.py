import io

import pytest
from kubestow.adapters import api
from kubestow.adapters.output.progress import described, progress
from kubestow.model.profile import SchedulerConfiguration
from kubestow.solver.progress import Progress
from kubestow.solver.result import Limits, StageResult, Status
from kubestow.solver.solve import solve
from rich.console import Console


def stage(name: str, sense: str, value: int, bound: int | None, worst: int = 0) -> StageResult:
    return StageResult(name, sense, Status.FEASIBLE, value, bound, worst)


@pytest.mark.parametrize(
    ("now", "said"),
    [
        (stage("placed 0", "max", 3, 4), "placed 0, 3 of at most 4, gap 33.33 %"),
        (stage("moves 0", "min", 3, 3), "moves 0, 3 of at least 3, gap 0 %"),
        (stage("placed 0", "max", 3, None), "placed 0, 3, gap no bound"),
        (stage("cost", "min", 40, 30, 100), "cost, score 60.00 of at most 70.00, gap 25.00 %"),
    ],
)
def test_a_line_says_phase_incumbent_bound_and_gap(now, said):
    """Costs are shown as scores, which are better the higher."""
    assert described(Progress("exchange", now)) == f"exchange: {said}"


def test_nothing_is_written_where_nobody_looks():
    """Without a terminal there is no callback, so that the solver does nothing for it."""
    out = io.StringIO()
    with progress("solving", Console(file=out)) as watch:
        assert watch is None
    assert out.getvalue() == ""


def test_a_terminal_shows_what_was_told_and_is_left_clean():
    """The line is there while the solve runs, markup in names is no markup, and the cursor is given back."""
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, width=150)
    with progress("solving [red]", console) as watch:
        assert watch is not None
        watch(Progress("bound", stage("placed [bold]0", "max", 3, 4)))
    text = out.getvalue()
    assert "solving [red]; bound: placed [bold]0, 3 of at most 4, gap 33.33 %" in text
    assert text.endswith("\x1b[2K")


def test_a_solve_tells_its_phases_and_its_last_word_is_the_result():
    """Every phase is told, values never get worse within a stage, and bounds never looser."""
    told: list[Progress] = []
    loaded = api.read(scenario="random,nodes=12,pods=60,classes=8,seed=1")
    limits = Limits(time=5.0, workers=1)
    result = solve(loaded.cluster, SchedulerConfiguration(), limits=limits, watch=told.append)
    assert {now.phase for now in told} <= {*result.seconds, "start"}
    assert {"bound", "search"} <= {now.phase for now in told}
    for final in result.stages:
        mine = [now.stage for now in told if now.stage.name == final.name]
        values = [each.value if final.sense == "max" else -each.value for each in mine]
        assert values == sorted(values)
        assert not values or values[-1] <= (final.value if final.sense == "max" else -final.value)
