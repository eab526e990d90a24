"""A comparison for people: three placements side by side, what is proven, and what follows."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.table import Table

from ...model.metrics import Metrics
from ...solver.compare import Comparison, Side
from ...solver.result import StageResult, Status
from ..inputs import Loaded
from .grid import grid, row
from .results import show_left_out, show_moves, show_proof, show_violations, subject
from .text import gap, listed, percent, say


def show_comparison(console: Console, loaded: Loaded, found: Comparison) -> None:
    """Current, greedy and optimal side by side, then what is proven."""
    say(console, subject(loaded, found.question, found.optimal.placement))
    console.print()
    console.print(_side_by_side(found))
    console.print()
    show_proof(console, found.result)
    say(console, _verdict(found), "bold")
    _differences(console, found)
    show_moves(console, loaded, {"greedy": found.greedy.placement, "optimal": found.optimal.placement})
    show_left_out(console, found.result, loaded)
    show_violations(console, found.optimal.violations)


def _side_by_side(found: Comparison) -> Table:
    table = grid("", "current", "greedy", "optimal")
    sides = (found.current, found.greedy, found.optimal)
    for tier in found.optimal.metrics.placed:
        counts = (side.metrics.placed[tier] for side in sides)
        row(table, f"placed, priority {tier}", *(f"{placed}/{of}" for placed, of in counts))
    for position, stage in enumerate(found.result.stages):
        if stage.name.startswith("moves"):
            name = stage.name.replace(" ", ", priority ")
            row(table, name, *(str(side.values[position]) for side in sides))
    _scores(table, sides)
    _figures(table, [side.metrics for side in sides])
    row(table, "violations", *(str(len(side.violations)) for side in sides))
    row(table, "time", "", *(f"{side.seconds:.2f} s" for side in sides[1:]))
    return table


def _scores(table: Table, sides: Iterable[Side]) -> None:
    scores = [side.score for side in sides]
    row(table, "score", *("-" if s.empty else f"{s.total:.2f}" for s in scores), style="bold")
    for position, term in enumerate(scores[0].terms):
        values = ("-" if s.empty else f"{s.terms[position].score:.2f}" for s in scores)
        row(table, f"  {term.name} (weight {term.weight})", *values)


def _figures(table: Table, metrics: list[Metrics]) -> None:
    for name in ("utilization", "imbalance", "fragmentation"):
        for resource in getattr(metrics[0], name):
            row(table, f"{name} {resource}", *(percent(getattr(m, name)[resource]) for m in metrics))
    row(table, "fairness (Jain)", *(f"{m.fairness:.3f}" for m in metrics))
    row(table, "nodes in use", *(str(m.nodes_in_use) for m in metrics))


def _verdict(found: Comparison) -> str:
    stages = found.result.stages
    position = next((p for p, s in enumerate(stages) if s.name == found.first_difference), None)
    if position is None:
        return _no_difference(found)
    stage = stages[position]
    where = f"in stage {stage.name}, {_against(found, position)}"
    match found.verdict:
        case "better":
            return f"Optimal is better than greedy {where} ({_proof(stage)})."
        case "greedy-violates":
            return f"Greedy is better {where}, but breaks rules that optimal keeps."
        case "greedy-evicts-in-vain":
            return (
                f"Greedy is better {where}, but evicts pods on whose node no preemptor arrives in the end;"
                " optimal evicts nobody in vain."
            )
        case _:
            return f"Greedy is better {where}: the search ran out of time."


def _no_difference(found: Comparison) -> str:
    if not found.optimal.placement:
        return "There is no pod to place."
    if found.verdict == "proven-equal":
        return "Greedy is as good as any placement can be: proven."
    open_stage = next((s for s in found.result.stages if s.status is not Status.OPTIMAL), None)
    why = "no order was found" if open_stage is None else f"stage {open_stage.name}: {_proof(open_stage)}"
    return f"Nothing better than greedy was found ({why})."


def _against(found: Comparison, position: int) -> str:
    """What optimal and greedy reach in a stage."""
    if found.result.stages[position].name == "cost":
        digits = _digits(found.optimal.score.total, found.greedy.score.total)
        ours, theirs = (f"{side.score.total:.{digits}f}" for side in (found.optimal, found.greedy))
        return f"score {ours} against {theirs}"
    return f"{found.optimal.values[position]} against {found.greedy.values[position]}"


def _digits(one: float, other: float) -> int:
    """Decimals that tell two scores apart, at least 2 and at most 6."""
    return next((d for d in range(2, 6) if f"{one:.{d}f}" != f"{other:.{d}f}"), 6)


def _proof(stage: StageResult) -> str:
    if stage.status is Status.OPTIMAL:
        return "proven optimal"
    return "no bound" if stage.gap is None else f"gap {gap(stage.gap)}"


def _differences(console: Console, found: Comparison) -> None:
    now, greedy, best = (side.placement for side in (found.current, found.greedy, found.optimal))
    said = {
        "Placed by optimal only: {}.": [k for k, node in best.items() if node and not greedy.get(k)],
        "Placed by greedy only: {}.": [k for k, node in best.items() if not node and greedy.get(k)],
        "Placed by neither: {}; kubestow explain says why.": [
            k for k, node in best.items() if not (node or greedy.get(k) or now.get(k))
        ],
    }
    for sentence, keys in said.items():
        if keys:
            say(console, sentence.format(listed(keys)))
