import io
import json
from pathlib import Path
from typing import Any

import pytest
from golden_cases import cases
from kubestow.adapters.bench.snapshot import write_snapshot
from kubestow.adapters.read import read
from kubestow.adapters.read.build import Builder
from kubestow.adapters.read.documents import raw_objects
from kubestow.adapters.read.kinds import CLUSTER_FIELDS
from kubestow.adapters.read.limits import Limits
from kubestow.adapters.read.problems import Problems
from kubestow.adapters.read.sources import sources
from kubestow.model.api import Pod
from kubestow.model.resources import nonzero_requests, pod_requests, scored_requests

CAPTURE = Path(__file__).parents[1] / "data" / "captures" / "kubectl-get-all-kinds.json.gz"


def raw(paths: list[str]) -> list[tuple[str, dict[str, Any]]]:
    problems = Problems()
    found = (
        each
        for source in sources(paths, Limits(), problems)
        for each in raw_objects(source, Limits(), problems)
    )
    return [(each.kind, each.fields) for each in found if each.kind in CLUSTER_FIELDS and each.fields]


def comparable(built: Any) -> Any:
    """Everything that a rule may read; volumes of no consequence and idle reports are dropped on purpose."""
    if not isinstance(built, Pod):
        annotations = {k: v for k, v in built.metadata.annotations.items() if "last-applied" not in k}
        return built.model_copy(
            update={"metadata": built.metadata.model_copy(update={"annotations": annotations})}
        )
    volumes = tuple(
        v for v in built.spec.volumes if any(value is not None for name, value in v if name != "name")
    )
    spec = built.spec.model_copy(update={"volumes": volumes})
    requests = (pod_requests(built), nonzero_requests(built), scored_requests(built))
    status = built.status
    return spec, requests, built.node_name, built.labels, built.metadata.owner_references, (
        status.phase, status.conditions, status.start_time, status.nominated_node_name
    )  # fmt: skip


def examples() -> list[str]:
    return [str(CAPTURE), *(str(case) for case in cases() if int(case.stem) % 4 == 0)]


def test_shared_parts_are_what_plain_validation_gives() -> None:
    """The fast way to build objects differs from the plain one in nothing that a rule reads."""
    builder = Builder()
    compared = 0
    for kind, fields in raw(examples()):
        plain = CLUSTER_FIELDS[kind][1].model_validate(fields)
        assert comparable(builder.build(kind, fields)) == comparable(plain)
        compared += 1
    assert compared > 500


def test_equal_parts_are_one_object() -> None:
    """Pods of a workload share spec and owners, nodes with the same image share it."""
    out = io.StringIO()
    write_snapshot(out, nodes=6, pods=60, seed=3)
    builder = Builder()
    built = [
        (item["kind"], builder.build(item["kind"], item)) for item in json.loads(out.getvalue())["items"]
    ]
    pods: list[Any] = [each for kind, each in built if kind == "Pod"]
    assert len({id(pod.spec) for pod in pods}) == 3
    assert len({id(pod.metadata.owner_references[0]) for pod in pods}) == 3
    images: list[Any] = [image for kind, each in built if kind == "Node" for image in each.status.images]  # type: ignore[attr-defined]
    assert len({id(image) for image in images}) == len({image.names for image in images}) < len(images)


@pytest.mark.parametrize("indent", [4, None])
def test_a_big_snapshot_is_read_item_by_item(
    indent: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Indented or not, through the way that big texts take, a made-up live cluster is read whole."""
    monkeypatch.setattr("kubestow.adapters.read.json_text._CHECKED", 0)
    path = tmp_path / "snapshot.json"
    with path.open("w") as out:
        write_snapshot(out, nodes=20, pods=400, indent=indent)
    cluster = read(path).cluster
    assert (len(cluster.nodes), len(cluster.pods)) == (20, 400)
    assert len({id(pod.spec) for pod in cluster.pods}) == 20
    assert sum(bool(pod.node_name) for pod in cluster.pods) > 300


def resized(requests: str, allocated: str, actual: str, reason: str | None = None) -> dict[str, Any]:
    pending = [{"type": "PodResizePending", "status": "True", "reason": reason}] if reason else []
    return {
        "metadata": {"name": "p", "namespace": "a"},
        "spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": requests}}}]},
        "status": {
            "conditions": pending,
            "containerStatuses": [
                {
                    "name": "c",
                    "allocatedResources": {"cpu": allocated},
                    "resources": {"requests": {"cpu": actual}},
                }
            ],
        },
    }


@pytest.mark.parametrize(
    ("pod", "kept"),
    [
        (resized("1", "1", "1"), False),
        (resized("1", "1000m", "1"), False),
        (resized("2", "1", "1"), False),
        (resized("1", "1", "2"), True),
        (resized("2", "1", "1", "Infeasible"), True),
        (resized("2", "1", "1", "Deferred"), False),
    ],
)
def test_reports_of_resources_are_kept_only_while_they_count(pod: dict[str, Any], kept: bool) -> None:
    """What kubelet reports stays in the model exactly when it changes the pod's requests."""
    built = Builder().build("Pod", pod)
    assert isinstance(built, Pod)
    assert bool(built.status.container_statuses) is kept
    assert pod_requests(built) == pod_requests(Pod.model_validate(pod))
