"""The benchmark ``load``: from a snapshot on disk to the solver's classes, in seconds and GiB."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from .environment import processor_seconds
from .registry import Benchmark, Row, Run
from .report import averages
from .snapshot import write_snapshot

SIZES = {"small": (100, 2000), "large": (5000, 100_000)}
_REPLICAS = 250


def run(wanted: Run) -> Row:
    """Write a snapshot, then read it, expand it and group its pods into classes; only that is timed."""
    nodes, pods = SIZES[str(wanted.case["size"])]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "snapshot.json"
        with path.open("w", encoding="utf-8") as file:
            write_snapshot(file, nodes=nodes, pods=pods, seed=wanted.seed, replicas=_REPLICAS)
        return {"nodes": nodes, "pods": pods, "fileMB": round(path.stat().st_size / 1e6, 1), **_timed(path)}


def _timed(path: Path) -> Row:
    from ...model.movable import free_pods
    from ...solver.build import build_problem
    from ..inputs import load

    wall, cpu = time.monotonic(), processor_seconds()
    loaded = load([str(path)], None)
    read = time.monotonic() - wall
    free = free_pods(loaded.cluster, loaded.configuration, "scratch")
    problem = build_problem(loaded.cluster, loaded.configuration, free.free, question="scratch")
    return {
        "seconds": round(time.monotonic() - wall, 2),
        "cpuSeconds": round(processor_seconds() - cpu, 2),
        "readSeconds": round(read, 2),
        "classes": len(problem.classes),
    }


BENCHMARKS = {
    "load": Benchmark(
        name="load",
        cases=tuple({"size": size} for size in SIZES),
        run=run,
        time_limit=lambda _: 0.0,
        summary=averages("size", ranges=("seconds", "cpuSeconds")),
        apart=True,
    )
}
