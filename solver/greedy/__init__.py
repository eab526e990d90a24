"""The greedy replica: kube-scheduler's cycle, pod by pod."""

from __future__ import annotations

from .records import Candidate, Outcome, PluginScores, Preemption, Record, render
from .sequence import PreemptionMode, Schedule, explain, schedule

__all__ = [
    "Candidate",
    "Outcome",
    "PluginScores",
    "Preemption",
    "PreemptionMode",
    "Record",
    "Schedule",
    "explain",
    "render",
    "schedule",
]
