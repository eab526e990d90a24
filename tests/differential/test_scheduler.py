"""The replica against the real scheduler on random clusters.

A short seeded run by default; ``KUBESTOW_FUZZ=N`` tries N new clusters. A
cluster on which the two differ is shrunk and kept among the golden cases.
"""

import hashlib
import json
import os

import oracle
import pytest
from fuzz_clusters import clusters
from golden_cases import COMMITTED, differences, replica
from hypothesis import HealthCheck, Phase, given, settings

EXAMPLES = int(os.environ.get("KUBESTOW_FUZZ", "0"))
pytestmark = pytest.mark.skipif(oracle.path() is None, reason=oracle.ABSENT)


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """The last cluster on which the two differed, which is the smallest one when the test ends."""
    case = tmp_path_factory.mktemp("differential") / "case.yaml"
    yield case
    if case.with_suffix(".json").exists():
        found = COMMITTED / "found"
        found.mkdir(parents=True, exist_ok=True)
        number = int(hashlib.sha256(case.read_bytes()).hexdigest()[:7], 16)
        for suffix in (".yaml", ".json"):
            (found / f"{number}{suffix}").write_text(case.with_suffix(suffix).read_text())


@settings(
    max_examples=EXAMPLES or 25,
    derandomize=not EXAMPLES,
    database=None,
    deadline=None,
    phases=(Phase.generate, Phase.shrink),
    suppress_health_check=list(HealthCheck),
)
@given(clusters())
def test_every_field_agrees(kept, documents):
    """On any cluster the replica says what kube-scheduler says, field by field."""
    case = oracle.write(kept, documents)
    said = oracle.run(case)
    found = differences(said, replica(case))
    case.with_suffix(".json").unlink(missing_ok=True)
    if found:
        case.with_suffix(".json").write_text(json.dumps(said, indent=1))
        pytest.fail("\n".join(["", *found[:20], f"{len(found)} fields differ", case.read_text()]))
