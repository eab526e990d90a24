"""What `solve` claims, replayed by the real scheduler's filters."""

from __future__ import annotations

import json
import os

import oracle
import pytest
from fuzz_clusters import clusters
from golden_cases import cases, committed
from hypothesis import HealthCheck, Phase, given, settings
from kubestow.adapters.inputs import load
from kubestow.solver.result import Limits, Status
from kubestow.solver.solve import solve

EXAMPLES = int(os.environ.get("KUBESTOW_FUZZ", "0"))
CASES = cases() if EXAMPLES else committed()[1::2]
pytestmark = pytest.mark.skipif(oracle.path() is None, reason=oracle.ABSENT)


def check(case, tmp_path):
    """Solve a case and let the oracle admit the claim."""
    loaded = load([str(case)])
    found = solve(loaded.cluster, loaded.configuration, limits=Limits(time=10, workers=1))
    claim = tmp_path / "claim.json"
    claim.write_text(json.dumps({"order": list(found.order), "placement": dict(found.placement)}))
    said = oracle.replay(case, claim)
    if said is None:
        pytest.skip("the oracle itself panics on this case")
    assert not said.get("rejected"), said["rejected"]
    assert not said.get("unknown"), said["unknown"]
    if found.status is Status.OPTIMAL:
        left = {pod: nodes for pod, nodes in said.get("stillFit", {}).items() if pod in found.placement}
        assert not left, left


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}/{case.stem}")
def test_claims_on_golden_cases_are_admitted(case, tmp_path):
    """Every claimed placement is admitted in the claimed order, and nothing that is left out still fits."""
    check(case, tmp_path)


@settings(
    max_examples=EXAMPLES or 12,
    derandomize=not EXAMPLES,
    database=None,
    phases=(Phase.generate, Phase.shrink) if EXAMPLES else (Phase.generate,),
    suppress_health_check=list(HealthCheck),
)
@given(documents=clusters())
def test_claims_on_random_clusters_are_admitted(documents, tmp_path_factory):
    """The same on clusters that nobody has looked at."""
    folder = tmp_path_factory.mktemp("replay")
    check(oracle.write(folder / "case.yaml", documents), folder)
