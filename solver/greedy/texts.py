"""kube-scheduler's sentences, word for word.

Source: ``pkg/scheduler/framework/types.go`` FitError.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from ...model.reasons import Verdict

NO_NODES = "no nodes available to schedule pods"


def fit_error(nodes: int, verdicts: Iterable[Verdict], pre_filter: Verdict | None) -> str:
    """``0/N nodes are available: COUNT REASON, ….``; counts are per reason, sorted as text."""
    head = f"0/{nodes} nodes are available:"
    if pre_filter is not None:
        return f"{head} {', '.join(pre_filter.reasons)}."
    counts = Counter(reason for verdict in verdicts for reason in verdict.reasons)
    reasons = sorted(f"{count} {reason}" for reason, count in counts.items())
    return f"{head} {', '.join(reasons)}." if reasons else head


def errors(messages: Iterable[str]) -> str:
    """Several errors as one, each once."""
    distinct = list(dict.fromkeys(messages))
    return distinct[0] if len(distinct) == 1 else f"[{', '.join(distinct)}]"
