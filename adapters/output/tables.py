"""Tables for people: what a verb found, in the order in which one reads it."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.table import Table

from ...model.verify import Verification
from ...solver.compare import Comparison, Side
from ...solver.greedy import Record, Schedule
from ...solver.result import Result, StageResult
from ..inputs import Loaded
from .text import cell, gap, listed, percent, safe


def show_comparison(console: Console, loaded: Loaded, found: Comparison) -> None:
    """Current, greedy and optimal side by side, then what is proven."""
    console.print(cell(_subject(loaded, found.question, len(found.optimal.placement))))
    console.print()
    table = _table("", "current", "greedy", "optimal")
    sides = (found.current, found.greedy, found.optimal)
    for tier in found.optimal.metrics.placed:
        counts = (side.metrics.placed[tier] for side in sides)
        _row(table, f"placed, priority {tier}", *(f"{placed}/{of}" for placed, of in counts))
    for position, stage in enumerate(found.result.stages):
        if stage.name.startswith("moves"):
            _row(
                table, stage.name.replace(" ", ", priority "), *(str(side.values[position]) for side in sides)
            )
    _scores(table, sides)
    _figures(table, sides)
    _row(table, "violations", *(str(len(side.violations)) for side in sides))
    _row(table, "time", "", *(f"{side.seconds:.2f} s" for side in sides[1:]))
    console.print(table)
    console.print()
    show_proof(console, found.result)
    console.print(cell(_verdict(found), "bold"))
    _differences(console, loaded, found)


def _subject(loaded: Loaded, question: str, free: int) -> str:
    cluster = loaded.cluster
    running = sum(1 for pod in cluster.pods if pod.node_name and not pod.completed)
    pending = sum(1 for pod in cluster.pods if not pod.node_name and not pod.completed)
    return (
        f"{len(cluster.nodes)} nodes, {running} pods with a node, {pending} pending;"
        f" question {question}: {free} pods to place"
    )


def _scores(table: Table, sides: Iterable[Side]) -> None:
    sides = tuple(sides)
    _row(table, "score", *(f"{side.score.total:.2f}" for side in sides), style="bold")
    names = [term.name for term in sides[0].score.terms]
    for position, name in enumerate(names):
        weight = sides[0].score.terms[position].weight
        _row(
            table,
            f"  {name} (weight {weight})",
            *(f"{side.score.terms[position].score:.2f}" for side in sides),
        )


def _figures(table: Table, sides: Iterable[Side]) -> None:
    sides = tuple(sides)
    metrics = [side.metrics for side in sides]
    for name in metrics[0].utilization:
        _row(table, f"utilization {name}", *(percent(m.utilization[name]) for m in metrics))
    for name in metrics[0].imbalance:
        _row(table, f"imbalance {name}", *(percent(m.imbalance[name]) for m in metrics))
    for name in metrics[0].fragmentation:
        _row(table, f"fragmentation {name}", *(percent(m.fragmentation[name]) for m in metrics))
    _row(table, "fairness (Jain)", *(f"{m.fairness:.3f}" for m in metrics))
    _row(table, "nodes in use", *(str(m.nodes_in_use) for m in metrics))


def show_proof(console: Console, result: Result) -> None:
    """Status, value, bound and gap of every stage."""
    table = _table("stage", "value", "bound", "gap", "status", left=1)
    for stage in result.stages:
        _row(table, stage.name, *_stage_values(result, stage), gap(stage.gap), str(stage.status))
    console.print(table)
    if result.unadmitted:
        console.print(
            cell(f"No order was found in which kube-scheduler admits {listed(result.unadmitted)}.", "yellow")
        )
    console.print()


def _stage_values(result: Result, stage: StageResult) -> tuple[str, str]:
    if stage.gap_points is not None and stage.name == "cost":
        reached = result.score.total
        return f"score {reached:.4f}", f"score {reached + stage.gap_points:.4f}"
    return str(stage.value), "-" if stage.bound is None else str(stage.bound)


def _verdict(found: Comparison) -> str:
    proof = "proven optimal" if found.result.gap == 0 else f"gap {gap(found.result.gap)}"
    match found.verdict:
        case "better":
            return f"The optimum is better than greedy in stage {found.first_difference} ({proof})."
        case "proven-equal":
            return "Greedy is as good as any placement can be: proven."
        case "equal":
            return f"Nothing better than greedy was found ({proof})."
        case "greedy-violates":
            return (
                f"Greedy's final state breaks rules; without that, stage {found.first_difference} is lower."
            )
        case _:
            return f"Greedy is better in stage {found.first_difference}: the search ran out of time."


def _differences(console: Console, loaded: Loaded, found: Comparison) -> None:
    greedy, best = found.greedy.placement, found.optimal.placement
    gained = [key for key, node in best.items() if node and not greedy.get(key)]
    lost = [key for key, node in best.items() if not node and greedy.get(key)]
    nowhere = [key for key, node in best.items() if not node and not greedy.get(key)]
    if gained:
        console.print(cell(f"Placed by the optimum only: {listed(gained)}."))
    if lost:
        console.print(cell(f"Placed by greedy only: {listed(lost)}."))
    if nowhere:
        console.print(cell(f"Placed by neither: {listed(nowhere)}. kubestow explain says why."))
    _left_out(console, found.result, loaded)


def show_result(console: Console, loaded: Loaded, result: Result) -> None:
    """A solve: status, stages, score, and where every pod goes."""
    console.print(cell(_subject(loaded, result.question, len(result.placement))))
    console.print(cell(f"{result.status}, score {result.score.total:.2f}", "bold"))
    console.print()
    show_proof(console, result)
    table = _table("pod", "node", left=2)
    for key in (*result.order, *(k for k in result.placement if k not in set(result.order))):
        _row(table, key, result.placement[key] or "- (pending)")
    console.print(table)
    _left_out(console, result, loaded)


def _left_out(console: Console, result: Result, loaded: Loaded) -> None:
    """Pending pods that the question does not place, by reason."""
    pods = loaded.cluster.pod_by_key
    by_reason: dict[str, list[str]] = {}
    for key, reason in result.excluded.items():
        if not pods[key].node_name and not pods[key].completed:
            by_reason.setdefault(reason, []).append(key)
    for reason, keys in by_reason.items():
        console.print(cell(f"Left out, {reason}: {listed(keys)}."))


def show_schedule(console: Console, found: Schedule) -> None:
    """What kube-scheduler does, cycle by cycle."""
    table = _table("pod", "outcome", "node", "message", left=4)
    for record in found.sequence:
        message = record.event or record.message or ""
        _row(table, record.pod, str(record.outcome), record.node or "-", message)
    console.print(table)
    if found.evicted:
        console.print(cell(f"Evicted: {listed(found.evicted)}."))


def show_explanation(console: Console, records: Iterable[Record]) -> None:
    """Per pod: the sentence, and every node with its reasons or its scores by plugin."""
    records = list(records)
    if not records:
        console.print("No pod is pending: there is nothing to explain.")
    for record in records:
        console.print(cell(f"{record.pod}: {record.outcome}", "bold"))
        sentence = record.event or record.message
        if sentence:
            console.print(cell(f"  {sentence}"))
        if record.filter:
            console.print(_nodes(record))
        console.print()


def _nodes(record: Record) -> Table:
    table = _table("  node", "total", "verdict, or points by plugin (weight x score)", left=1)
    table.columns[2].justify = "left"
    for node, verdict in (record.filter or {}).items():
        if verdict is not None:
            _row(table, f"  {node}", "-", f"{verdict.plugin}: {', '.join(verdict.reasons)}")
            continue
        total = str(record.total[node]) if record.total else ""
        chosen = "chosen" if node == record.node else "feasible"
        points = [f"{name} {s.weight} x {s.normalized[node]}" for name, s in (record.scores or {}).items()]
        _row(table, f"  {node}", total, f"{chosen}: {', '.join(points)}" if points else chosen)
    return table


def show_verification(console: Console, found: Verification) -> None:
    """What a placement breaks, the new first."""
    if not found.findings:
        console.print("Nothing is broken.")
        return
    table = _table("standing", "rule", "node", "what", left=4)
    order = {"new": 0, "grown": 1, "inherited": 2}
    for finding in sorted(found.findings, key=lambda finding: order[finding.standing.value]):
        violation = finding.violation
        _row(table, finding.standing.value, violation.rule, violation.node or "-", violation.message)
    console.print(table)
    console.print(
        "Nothing is broken that was not broken before." if found.ok else "The placement breaks rules."
    )


def show_warnings(console: Console, loaded: Loaded) -> None:
    """The input's warnings, one line each."""
    for warning in loaded.warnings:
        where = " ".join(part for part in (warning.object, warning.field) if part)
        console.print(cell(f"warning: {where + ': ' if where else ''}{safe(warning.message)}", "yellow"))


def _table(*headers: str, left: int = 1) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for position, header in enumerate(headers):
        table.add_column(cell(header), justify="left" if position < left else "right", overflow="fold")
    return table


def _row(table: Table, *values: str, style: str = "") -> None:
    table.add_row(*(cell(value, style) for value in values))


def show_scenarios(console: Console, found: Iterable[tuple[str, str]]) -> None:
    """Names and what they show."""
    table = _table("scenario", "what it shows", left=2)
    for name, description in found:
        _row(table, name, description)
    console.print(table)
