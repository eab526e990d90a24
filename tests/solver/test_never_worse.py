"""The optimum against greedy: on the golden cases, and on random clusters."""

from __future__ import annotations

import os

import oracle
import pytest
from fuzz_clusters import clusters
from golden_cases import committed
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from kubestow.adapters.inputs import load
from kubestow.solver.compare import compare
from kubestow.solver.result import Limits, Status

CASES = committed()[::2]
EXAMPLES = int(os.environ.get("KUBESTOW_FUZZ", "0"))
QUESTIONS = ("pending", "preempt", "scratch")


def check(case, question):
    """No first differing stage is in greedy's favour, unless greedy breaks a rule or evicts in vain."""
    loaded = load([str(case)])
    limits = Limits(time=10, workers=1)
    found = compare(loaded.cluster, loaded.configuration, question=question, limits=limits)
    broken = any(not violation.advisory for violation in found.greedy.violations)
    assert found.verdict != "worse" or broken
    if found.result.status is Status.OPTIMAL:
        assert all(stage.bound == stage.value for stage in found.result.stages)
        assert not found.result.unadmitted


@pytest.mark.parametrize("question", ["pending", "preempt"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}/{case.stem}")
def test_never_worse_on_golden_cases(case, question):
    """Small clusters with a little of everything."""
    check(case, question)


@settings(
    max_examples=EXAMPLES or 40,
    derandomize=not EXAMPLES,
    database=None,
    phases=(Phase.generate, Phase.shrink) if EXAMPLES else (Phase.generate,),
    suppress_health_check=list(HealthCheck),
    deadline=None,
)
@given(documents=clusters(), question=st.sampled_from(QUESTIONS))
def test_never_worse_on_random_clusters(documents, question, tmp_path_factory):
    """Clusters that nobody has looked at."""
    check(oracle.write(tmp_path_factory.mktemp("never-worse") / "case.yaml", documents), question)
