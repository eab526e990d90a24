"""The greedy replica: kube-scheduler's cycle, pod by pod."""

from __future__ import annotations

from .records import Candidate, Outcome, PluginScores, Preemption, Record, render
from .scheduler import Schedule, explain, schedule

__all__ = [
    "Candidate",
    "Outcome",
    "PluginScores",
    "Preemption",
    "Record",
    "Schedule",
    "explain",
    "render",
    "schedule",
]
