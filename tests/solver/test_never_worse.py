"""The optimum against greedy, on the golden cases: small clusters with a little of everything."""

from __future__ import annotations

import pytest
from golden_cases import committed
from kubestow.adapters.inputs import load
from kubestow.solver.compare import compare
from kubestow.solver.result import Limits, Status

CASES = committed()[::2]


@pytest.mark.parametrize("question", ["pending", "preempt"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}/{case.stem}")
def test_never_worse_than_greedy(case, question):
    """No first differing stage is in greedy's favour, unless greedy's final state breaks a rule."""
    loaded = load([str(case)])
    found = compare(
        loaded.cluster, loaded.configuration, question=question, limits=Limits(time=10, workers=1)
    )
    broken = any(not violation.advisory for violation in found.greedy.violations)
    assert found.verdict != "worse" or (broken and question == "preempt")
    if found.result.status is Status.OPTIMAL:
        assert all(stage.bound == stage.value for stage in found.result.stages)
        assert not found.result.unadmitted
