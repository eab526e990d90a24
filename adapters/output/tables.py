"""Tables for people: what kube-scheduler does, why, and what a check found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rich.console import Console
from rich.table import Table

from ...model.evaluate import Score
from ...model.verify import Changes, Verification
from ...model.words import counted
from ...solver.greedy import Record, Schedule
from ..inputs import Loaded
from .documents import Document
from .grid import grid, row
from .text import listed, safe, say

_ALONE = (
    "Each pod is judged alone, against the cluster as it is; other pending pods may take its place first:"
    " kubestow schedule shows who does."
)


def show_schedule(console: Console, found: Schedule) -> None:
    """What kube-scheduler does, cycle by cycle, and what it says about the pods that it leaves."""
    if not found.sequence:
        say(console, "No pod is pending: there is nothing to schedule.")
        return
    table = grid("pod", "outcome", "node", left=3)
    messages: dict[str, list[str]] = {}
    for record in found.sequence:
        row(table, record.pod, str(record.outcome), record.node or "-")
        message = _said(record)
        if message:
            messages.setdefault(message, []).append(record.pod)
    console.print(table)
    if messages:
        console.print()
    for message, pods in messages.items():
        say(console, f"{listed(pods)}: {message}")
    if found.evicted:
        say(console, f"Evicted: {listed(found.evicted)}.")


def show_explanation(console: Console, records: Iterable[Record]) -> None:
    """Per pod: the sentence, and every node with its reasons or its scores by plugin."""
    records = list(records)
    if not records:
        say(console, "No pod is pending: there is nothing to explain.")
    if any(record.outcome == "scheduled" for record in records):
        say(console, _ALONE)
        console.print()
    for record in records:
        alone = record.outcome == "scheduled"
        outcome = f"alone, it would be scheduled on {record.node}" if alone else record.outcome
        say(console, f"{record.pod}: {outcome}", "bold")
        sentence = _said(record)
        if sentence:
            say(console, f"  {sentence}")
        if record.filter:
            console.print(_nodes(record))
        console.print()


def _said(record: Record) -> str:
    """What kube-scheduler says about the pod; it never hears of those of other schedulers."""
    if record.outcome == "otherScheduler":
        return "no profile is named after its scheduler; --scheduler-name takes it as another profile's"
    return record.event or record.message or ""


def _nodes(record: Record) -> Table:
    table = grid("  node", "total", "verdict, or points by plugin (weight x score)", left=1)
    table.columns[2].justify = "left"
    for node, verdict in (record.filter or {}).items():
        if verdict is not None:
            row(table, f"  {node}", "-", f"{verdict.plugin}: {', '.join(verdict.reasons)}")
            continue
        total = str(record.total[node]) if record.total else ""
        chosen = "would be chosen" if node == record.node else "feasible"
        points = [f"{name} {s.weight} x {s.normalized[node]}" for name, s in (record.scores or {}).items()]
        row(table, f"  {node}", total, f"{chosen}: {', '.join(points)}" if points else chosen)
    return table


def show_verification(console: Console, found: Verification, score: Score) -> None:
    """Where the pods are, and what the placement breaks, the new first."""
    say(console, _summary(found.changes, score))
    if found.changes.pending:
        say(console, f"Pending: {listed(found.changes.pending)}.")
    if found.findings:
        console.print()
        console.print(_findings(found))
        console.print()
    say(console, _conclusion(found), "bold")


def _summary(changes: Changes, score: Score) -> str:
    counts = ", ".join(
        f"{len(getattr(changes, what))} {what}" for what in ("placed", "pending", "moved", "evicted")
    )
    pods = counted(len(changes.placed) + len(changes.pending), "pod")
    return f"{pods}: {counts}" + ("" if score.empty else f"; score {score.total:.2f}")


def _findings(found: Verification) -> Table:
    table = grid("standing", "rule", "node", "what", left=4)
    order = {"new": 0, "grown": 1, "inherited": 2}
    for finding in sorted(found.findings, key=lambda finding: order[finding.standing.value]):
        violation = finding.violation
        standing = f"{finding.standing.value} (advisory)" if violation.advisory else finding.standing.value
        row(table, standing, violation.rule, violation.node or "-", violation.message)
    return table


def _conclusion(found: Verification) -> str:
    if not found.findings:
        return "Nothing is broken."
    return "Nothing is broken that was not broken before." if found.ok else "The placement breaks rules."


def show_warnings(console: Console, loaded: Loaded) -> None:
    """The input's warnings, one line each."""
    for warning in loaded.warnings:
        where = " ".join(part for part in (warning.object, warning.field) if part)
        say(console, f"warning: {where + ': ' if where else ''}{safe(warning.message)}", "yellow")


def show_scenarios(console: Console, found: Iterable[tuple[str, str]]) -> None:
    """Names and what they show."""
    table = grid("scenario", "what it shows", left=2)
    for name, description in found:
        row(table, name, description)
    console.print(table)


def show_kinds(console: Console, kinds: Mapping[str, type[Document]]) -> None:
    """The output kinds and which verb prints them."""
    table = grid("kind", "what it is", left=2)
    for name, model in kinds.items():
        row(table, name, (model.__doc__ or "").replace("``", ""))
    console.print(table)
