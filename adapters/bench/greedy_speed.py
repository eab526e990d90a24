"""The benchmark ``greedy-speed``: pods per second of the greedy replica, and of the real framework.

The real one is measured where the oracle is there: ``oracle/oracle.xz`` in ``$KUBESTOW_SHARED``
or in ``../shared`` beside the checkout. Its clusters are its own, of the same size.
"""

from __future__ import annotations

import lzma
import os
import re
import subprocess
import tempfile
import time
from collections.abc import Sequence
from itertools import product
from pathlib import Path

from ...model.admission import admit
from ...model.api import LabelSelector, TopologySpreadConstraint
from ...model.cluster import Cluster
from ...model.errors import BadInput
from ...model.profile import SchedulerConfiguration
from ...scenarios.generators import spread
from .environment import processor_seconds
from .registry import Benchmark, Case, Row, Run
from .report import averages

SIZES = ((100, 1000), (1000, 5000), (5000, 20_000))
METHODS = ("kubestow", "oracle")
_KEYS = ("nodes", "pods", "spread", "method")
_SHARED = Path(__file__).resolve().parents[3] / "shared"
_FIGURE = re.compile(r"placed=(\d+) seconds=([\d.]+)")
_CONSTRAINTS = (
    ("topology.kubernetes.io/zone", "DoNotSchedule"),
    ("kubernetes.io/hostname", "ScheduleAnyway"),
)
"""What every pod has when spreading; the oracle's pods have the same."""


def cluster_of(nodes: int, pods: int, seed: int, *, spreading: bool) -> Cluster:
    """Pods of 50 classes; when spreading, each must spread over the zones and prefers to over the nodes."""
    cluster = spread(nodes, pods, min(50, pods), seed=seed)
    if spreading:
        specs = {id(pod.spec): pod for pod in cluster.pods}
        changed = {
            key: pod.spec.model_copy(update={"topology_spread_constraints": _constraints(pod.labels)})
            for key, pod in specs.items()
        }
        placed = tuple(pod.model_copy(update={"spec": changed[id(pod.spec)]}) for pod in cluster.pods)
        cluster = cluster.with_changes(pods=placed)
    return admit(cluster)


def _constraints(labels: dict[str, str]) -> tuple[TopologySpreadConstraint, ...]:
    selector = LabelSelector(match_labels=labels)
    return tuple(
        TopologySpreadConstraint(topology_key=key, when_unsatisfiable=unsatisfiable, label_selector=selector)
        for key, unsatisfiable in _CONSTRAINTS
    )


def run(wanted: Run) -> Row:
    """Schedule all pods once; the time limit means nothing."""
    nodes, pods = int(wanted.case["nodes"]), int(wanted.case["pods"])
    spreading = bool(wanted.case["spread"])
    if wanted.case["method"] == "oracle":
        return _oracle(nodes, pods, spreading=spreading)
    from ...solver.greedy import schedule

    cluster = cluster_of(nodes, pods, wanted.seed, spreading=spreading)
    wall, cpu = time.monotonic(), processor_seconds()
    found = schedule(cluster, SchedulerConfiguration(), preemption="off", detail=False)
    seconds = time.monotonic() - wall
    placed = sum(node is not None for node in found.placement.values())
    return _row(placed, seconds) | {"cpuSeconds": round(processor_seconds() - cpu, 2)}


def _row(placed: int, seconds: float) -> Row:
    return {
        "placed": placed,
        "seconds": round(seconds, 2),
        "podsPerSecond": round(placed / max(seconds, 1e-9), 1),
    }


def _packed() -> Path:
    return Path(os.environ.get("KUBESTOW_SHARED") or _SHARED) / "oracle" / "oracle.xz"


def _missing(case: Case) -> str | None:
    packed = _packed()
    return f"{packed} is not there" if case["method"] == "oracle" and not packed.is_file() else None


def _oracle(nodes: int, pods: int, *, spreading: bool) -> Row:
    packed = _packed()
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "oracle"
        program.write_bytes(lzma.decompress(packed.read_bytes()))
        program.chmod(0o700)
        command = [str(program), "bench", "-nodes", str(nodes), "-pods", str(pods), "-parallelism", "1"]
        before = processor_seconds()
        done = subprocess.run(  # noqa: S603 - a program that the user has put there
            [*command, *(["-spread"] if spreading else [])], capture_output=True, text=True, check=False
        )
        cpu = processor_seconds() - before
    figures = _FIGURE.search(done.stdout + done.stderr)
    if figures is None:
        said = done.stderr.strip()[:200] or f"nothing, and it ended with {done.returncode}"
        raise BadInput(f"does not say how fast it is: {said}", file=str(packed))
    return _row(int(figures[1]), float(figures[2])) | {"cpuSeconds": round(cpu, 2)}


def summary(rows: Sequence[Row]) -> list[str]:
    """Averages; what a processor second places is there for machines that have other work."""
    speeds = [{**row, "podsPerCpuSecond": row["placed"] / max(row["cpuSeconds"], 0.01)} for row in rows]
    return averages(*_KEYS, ranges=("podsPerSecond", "podsPerCpuSecond"))(speeds)


BENCHMARKS = {
    "greedy-speed": Benchmark(
        name="greedy-speed",
        cases=tuple(
            dict(zip(_KEYS, (*size, spreading, method), strict=True))
            for size, spreading, method in product(SIZES, (False, True), METHODS)
        ),
        run=run,
        time_limit=lambda _: 0.0,
        summary=summary,
        missing=_missing,
    )
}
