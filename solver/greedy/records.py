"""What kube-scheduler decides about one pod, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from ...model.reasons import Verdict


class Outcome(StrEnum):
    """How a scheduling cycle ends."""

    SCHEDULED = "scheduled"
    UNSCHEDULABLE = "unschedulable"
    GATED = "gated"
    """Scheduling gates hold the pod back."""
    DELETING = "deleting"
    """The pod has a deletionTimestamp."""
    OTHER_SCHEDULER = "otherScheduler"
    """No profile has the pod's schedulerName."""
    NOT_MODELLED = "notModelled"
    """A field of the pod that kube-scheduler would filter by is not modelled."""
    ERROR = "error"
    """The cycle fails; the pod stays pending."""
    RESERVE_FAILED = "reserveFailed"


@dataclass(frozen=True, slots=True)
class PluginScores:
    """One score plugin over the feasible nodes.

    Parameters
    ----------
    weight : int
    raw : mapping of str to int
        Node to what Score returns.
    normalized : mapping of str to int
        Node to 0..100, after NormalizeScore.
    """

    weight: int
    raw: Mapping[str, int]
    normalized: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A node on which evicting `victims` (most important first) makes room."""

    victims: tuple[str, ...]
    pdb_violations: int


@dataclass(frozen=True, slots=True)
class Preemption:
    """What the PostFilter plugins find for an unschedulable pod.

    Parameters
    ----------
    message : str
        The PostFilter part of the event.
    nominated : str or None
        The node that would be nominated: the first of `best`.
    candidates : mapping of str to Candidate
    best : tuple of str
        Equally good candidates by name; kube-scheduler takes a random one.
    """

    message: str
    nominated: str | None = None
    candidates: Mapping[str, Candidate] | None = None
    best: tuple[str, ...] = ()

    @property
    def victims(self) -> tuple[str, ...]:
        """Pods to evict from the nominated node, most important first."""
        if self.nominated is None or self.candidates is None:
            return ()
        return self.candidates[self.nominated].victims


@dataclass(frozen=True, slots=True)
class Record:
    """One pod's cycle. None means that the cycle did not get that far.

    Parameters
    ----------
    pod : str
        ``namespace/name``.
    outcome : Outcome
    node : str or None
        The node taken.
    best : tuple of str
        All nodes with the highest total, by name.
    filter : mapping of str to (Verdict or None)
        Node to the verdict of the first failing plugin; None is a feasible node.
    pre_filter : Verdict or None
        When a plugin turned the pod down for all nodes at once.
    considered_nodes : tuple of str or None
        The nodes that were filtered, when PreFilter narrowed them down.
    failing : mapping of str to (mapping of str to Verdict)
        Node to plugin to verdict, for every plugin that rejects the node when it runs alone.
    scores : mapping of str to PluginScores
    skipped_scores : tuple of str
        Plugins with nothing to say about this pod.
    total : mapping of str to int
        Node to the sum of weight x normalized.
    score_error : str or None
        Scoring fails, but a single feasible node is taken without it.
    fit_error, event : str or None
        The ``0/N nodes are available`` sentence without and with its PostFilter part.
    preemption : Preemption or None
    message : str or None
        For gated, error and reserveFailed.
    """

    pod: str
    outcome: Outcome
    node: str | None = None
    best: tuple[str, ...] = ()
    filter: Mapping[str, Verdict | None] | None = None
    pre_filter: Verdict | None = None
    considered_nodes: tuple[str, ...] | None = None
    failing: Mapping[str, Mapping[str, Verdict]] | None = None
    scores: Mapping[str, PluginScores] | None = None
    skipped_scores: tuple[str, ...] = ()
    total: Mapping[str, int] | None = None
    score_error: str | None = None
    fit_error: str | None = None
    event: str | None = None
    preemption: Preemption | None = None
    message: str | None = None


def render(record: Record) -> dict[str, Any]:
    """The record as JSON data; a field that says nothing is absent."""
    fields: dict[str, Any] = {
        "pod": record.pod,
        "outcome": str(record.outcome),
        "node": record.node,
        "best": list(record.best) or None,
        "filter": record.filter
        and {node: "ok" if verdict is None else _verdict(verdict) for node, verdict in record.filter.items()},
        "preFilter": record.pre_filter and _verdict(record.pre_filter),
        "consideredNodes": list(record.considered_nodes or ()) or None,
        "failing": record.failing and {node: _failing(found) for node, found in record.failing.items()},
        "scores": {name: _scores(scores) for name, scores in (record.scores or {}).items()} or None,
        "skippedScores": list(record.skipped_scores) or None,
        "total": record.total and dict(record.total),
        "scoreError": record.score_error,
        "fitError": record.fit_error,
        "event": record.event,
        "preemption": record.preemption and _preemption(record.preemption),
        "message": record.message,
    }
    return {name: value for name, value in fields.items() if name == "node" or value is not None}


def _verdict(verdict: Verdict) -> dict[str, Any]:
    return {"plugin": verdict.plugin, **_reasons(verdict)}


def _failing(found: Mapping[str, Verdict]) -> dict[str, Any]:
    return {plugin: _reasons(verdict) for plugin, verdict in found.items()}


def _reasons(verdict: Verdict) -> dict[str, Any]:
    return {"code": str(verdict.code), "reasons": list(verdict.reasons)}


def _scores(scores: PluginScores) -> dict[str, Any]:
    return {"weight": scores.weight, "raw": dict(scores.raw), "normalized": dict(scores.normalized)}


def _preemption(preemption: Preemption) -> dict[str, Any]:
    found: dict[str, Any] = {"message": preemption.message, "nominated": preemption.nominated}
    if preemption.candidates is not None:
        found["victims"] = list(preemption.victims)
        found["best"] = list(preemption.best)
        found["candidates"] = {
            node: {"victims": list(candidate.victims), "pdbViolations": candidate.pdb_violations}
            for node, candidate in preemption.candidates.items()
        }
    return found
