"""From results to documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from typing import Any

from ...model.evaluate import Score
from ...model.metrics import Metrics
from ...model.reasons import Violation
from ...model.verify import Changes, Verification
from ...solver.compare import Comparison, Side
from ...solver.greedy import Record, Schedule, render
from ...solver.result import Limits, Result, StageResult
from ..inputs import Loaded
from . import documents as d

KUBERNETES = "v1.37.2"


def metadata(loaded: Loaded | None, limits: Limits | None = None, seed: int | None = None) -> d.Metadata:
    """Versions, inputs and limits."""
    bounds = d.Limits()
    if limits is not None:
        bounds = d.Limits(time_limit=limits.time, deterministic_limit=limits.deterministic, gap=limits.gap)
    read = loaded.files if loaded is not None else ()
    files = [d.InputFile(path=f.path, sha256=f.digest, objects=dict(f.objects)) for f in read]
    return d.Metadata(
        version=version("kubestow"),
        ortools_version=version("ortools"),
        kubernetes=KUBERNETES,
        seed=limits.seed if limits else seed,
        workers=limits.workers if limits else None,
        limits=bounds,
        inputs=files,
    )


def warnings(loaded: Loaded) -> list[d.WarningItem]:
    """The input's warnings."""
    return [
        d.WarningItem(code=w.code, object=w.object, field=w.field, message=w.message) for w in loaded.warnings
    ]


def placement(loaded: Loaded, result: Result, limits: Limits) -> d.Placement:
    """Document of a solve."""
    return d.Placement(
        metadata=metadata(loaded, limits),
        warnings=warnings(loaded),
        timing=dict(result.seconds),
        question=result.question,
        status=str(result.status),
        stages=[stage(s) for s in result.stages],
        placement=dict(result.placement),
        order=list(result.order),
        unadmitted=list(result.unadmitted),
        excluded=dict(result.excluded),
        score=score(result.score),
        violations=violations(result.violations),
    )


def schedule(loaded: Loaded, found: Schedule, seed: int | None, seconds: float) -> d.ScheduleDocument:
    """Document of a greedy run."""
    return d.ScheduleDocument(
        metadata=metadata(loaded, seed=seed),
        warnings=warnings(loaded),
        timing={"schedule": seconds},
        order=list(found.order),
        placement=dict(found.placement),
        evicted=list(found.evicted),
        sequence=[render(record) for record in found.sequence],
    )


def explanation(loaded: Loaded, records: Iterable[Record], seconds: float) -> d.ExplanationDocument:
    """Document of an explanation."""
    return d.ExplanationDocument(
        metadata=metadata(loaded),
        warnings=warnings(loaded),
        timing={"explain": seconds},
        independent=[render(record) for record in records],
    )


def comparison(loaded: Loaded, found: Comparison, limits: Limits) -> d.ComparisonDocument:
    """Document of a comparison."""
    names = [s.name for s in found.result.stages]
    optimal = d.OptimalItem(
        **_side(found.optimal),
        status=str(found.result.status),
        stages=[stage(s) for s in found.result.stages],
        order=list(found.result.order),
        unadmitted=list(found.result.unadmitted),
    )
    return d.ComparisonDocument(
        metadata=metadata(loaded, limits),
        warnings=warnings(loaded),
        timing={**found.result.seconds, "greedy": found.greedy.seconds, "optimal": found.optimal.seconds},
        question=found.question,
        current=d.BaselineItem(
            **_side(found.current), values=dict(zip(names, found.current.values, strict=True))
        ),
        greedy=d.BaselineItem(
            **_side(found.greedy), values=dict(zip(names, found.greedy.values, strict=True))
        ),
        optimal=optimal,
        verdict=found.verdict,
        first_difference=found.first_difference,
        excluded=dict(found.result.excluded),
    )


def benchmark(name: str, rows: Sequence[Mapping[str, Any]], seconds: float) -> d.BenchmarkDocument:
    """Document of a benchmark."""
    return d.BenchmarkDocument(
        metadata=metadata(None),
        warnings=[],
        timing={"total": seconds},
        benchmark=name,
        rows=[dict(row) for row in rows],
    )


def verification(
    loaded: Loaded, found: Verification, reached: Score, seconds: float
) -> d.VerificationDocument:
    """Document of a verification."""
    findings = [
        d.FindingItem(
            **violation(finding.violation).__dict__, standing=finding.standing.value, before=finding.before
        )
        for finding in found.findings
    ]
    return d.VerificationDocument(
        metadata=metadata(loaded),
        warnings=warnings(loaded),
        timing={"verify": seconds},
        ok=found.ok,
        pods=_counts(found.changes),
        findings=findings,
        score=score(reached),
    )


def _counts(changes: Changes) -> d.PodCounts:
    return d.PodCounts(
        placed=len(changes.placed),
        pending=len(changes.pending),
        moved=len(changes.moved),
        evicted=len(changes.evicted),
    )


def _side(side: Side) -> dict[str, Any]:
    """The fields of `documents.SideItem`."""
    return {
        "placed": {str(tier): d.Placed(placed=p, of=of) for tier, (p, of) in side.metrics.placed.items()},
        "score": score(side.score),
        "metrics": _figures(side.metrics),
        "violations": violations(side.violations),
        "placement": dict(side.placement),
    }


def _figures(metrics: Metrics) -> d.Figures:
    return d.Figures(
        utilization=dict(metrics.utilization),
        imbalance=dict(metrics.imbalance),
        fragmentation=dict(metrics.fragmentation),
        fairness=metrics.fairness,
        nodes_in_use=metrics.nodes_in_use,
    )


def score(found: Score) -> d.Score:
    """Score with its terms; what says nothing is null."""
    terms = {
        term.name: d.Term(
            value=None if found.empty else term.score, weight=term.weight, cost=term.cost, worst=term.worst
        )
        for term in (*found.first, *found.terms)
    }
    return d.Score(total=None if found.empty else found.total, terms=terms)


def stage(result: StageResult) -> d.StageItem:
    """One stage."""
    return d.StageItem(
        name=result.name,
        sense="max" if result.sense == "max" else "min",
        status=str(result.status),
        value=result.value,
        bound=result.bound,
        gap=result.gap,
        gap_points=result.gap_points,
    )


def violations(found: Iterable[Violation]) -> list[d.ViolationItem]:
    """Violations in order."""
    return [violation(item) for item in found]


def violation(found: Violation) -> d.ViolationItem:
    """One violation."""
    return d.ViolationItem(
        rule=found.rule,
        key=list(found.key),
        magnitude=found.magnitude,
        pods=list(found.pods),
        node=found.node,
        message=found.message,
        advisory=found.advisory,
    )
