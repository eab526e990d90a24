"""A solve for people, and the parts that a comparison shows as well."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console

from ...model.reasons import Violation
from ...model.words import counted
from ...solver.result import Result, StageResult
from ..inputs import Loaded
from .grid import grid, row
from .text import SHOWN, gap, listed, say

_MOVES = 10


def subject(loaded: Loaded, question: str, placement: Mapping[str, str | None]) -> str:
    """The cluster and the question in one line."""
    pods = [pod for pod in loaded.cluster.pods if not pod.completed]
    running = sum(1 for pod in pods if pod.node_name)
    known = loaded.cluster.pod_by_key
    free = [key for key in placement if question == "scratch" or not known[key].node_name]
    others = len(placement) - len(free)
    return (
        f"{counted(len(loaded.cluster.nodes), 'node')}, {counted(running, 'pod')} with a node,"
        f" {len(pods) - running} pending; question {question}: {counted(len(free), 'pod')} to place"
        + (f", {counted(others, 'running pod')} may leave their places" if others else "")
    )


def show_result(console: Console, loaded: Loaded, result: Result) -> None:
    """A solve: status, stages, score, and where every pod goes."""
    say(console, subject(loaded, result.question, result.placement))
    reached = "no pod is placed" if result.score.empty else f"score {result.score.total:.2f}"
    say(console, f"{result.status}, {reached}", "bold")
    console.print()
    show_proof(console, result)
    ordered = set(result.order)
    if result.placement:
        table = grid("pod", "node", left=2)
        for key in (*result.order, *(key for key in result.placement if key not in ordered)):
            was = loaded.cluster.pod_by_key[key].node_name
            row(table, key, result.placement[key] or f"- ({'evicted' if was else 'pending'})")
        console.print(table)
    show_moves(console, loaded, {"placement": result.placement})
    show_left_out(console, result, loaded)
    show_violations(console, result.violations)


def show_proof(console: Console, result: Result) -> None:
    """Status, value, bound and gap of every stage."""
    table = grid("stage", "value", "bound", "gap", "status", left=1)
    for stage in result.stages:
        row(table, stage.name, *_stage_values(result, stage), gap(stage.gap), str(stage.status))
    console.print(table)
    if result.unadmitted:
        say(
            console,
            f"No order was found in which kube-scheduler admits {listed(result.unadmitted)}.",
            "yellow",
        )
    console.print()


def _stage_values(result: Result, stage: StageResult) -> tuple[str, str]:
    if stage.gap_points is not None and stage.name == "cost" and not result.score.empty:
        reached = result.score.total
        return f"score {reached:.4f}", f"score {reached + stage.gap_points:.4f}"
    return str(stage.value), "-" if stage.bound is None else str(stage.bound)


def show_moves(console: Console, loaded: Loaded, sides: Mapping[str, Mapping[str, str | None]]) -> None:
    """Running pods that are elsewhere on one of the `sides` (name to placement), the evicted first.

    A pod that a side does not name stays where it is.
    """
    nodes = {pod.key: pod.node_name for pod in loaded.cluster.pods if pod.node_name}
    ends = {
        key: [side.get(key, node) for side in sides.values()]
        for key in dict.fromkeys(key for side in sides.values() for key in side)
        if (node := nodes.get(key))
    }
    moved = [key for key, end in ends.items() if any(node != nodes[key] for node in end)]
    if not moved:
        return
    moved.sort(key=lambda key: all(ends[key]))
    console.print()
    table = grid("moved or evicted", "current", *sides, left=2 + len(sides))
    for key in moved[:_MOVES]:
        row(table, key, str(nodes[key]), *(node or "- (evicted)" for node in ends[key]))
    console.print(table)
    if len(moved) > _MOVES:
        say(console, f"… and {len(moved) - _MOVES} more")


def show_left_out(console: Console, result: Result, loaded: Loaded) -> None:
    """Pending pods that the question does not place, by reason."""
    pods = loaded.cluster.pod_by_key
    by_reason: dict[str, list[str]] = {}
    for key, reason in result.excluded.items():
        if not pods[key].node_name and not pods[key].completed:
            by_reason.setdefault(reason, []).append(key)
    for reason, keys in by_reason.items():
        say(console, f"Left out: {listed(keys)} ({reason}).")


def show_violations(console: Console, found: Sequence[Violation]) -> None:
    """What is broken in the placement, each in a line."""
    if not found:
        return
    console.print()
    say(console, f"{counted(len(found), 'violation')}, inherited or advisory:")
    for violation in found[:SHOWN]:
        say(console, f"  {violation.rule}: {violation.message}")
    if len(found) > SHOWN:
        say(console, f"  and {counted(len(found) - SHOWN, 'other')}")
