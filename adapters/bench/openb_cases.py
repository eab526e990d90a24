"""The runs of the benchmark ``openb``."""

from __future__ import annotations

from .openb import METHODS, VARIANTS, run
from .registry import Benchmark, Row, Run
from .report import averages

_KEYS = ("variant", "method")


def _run(wanted: Run) -> Row:
    case = wanted.case
    return run(
        str(case["variant"]), wanted.seed, wanted.time_limit, wanted.workers, method=str(case["method"])
    )


BENCHMARKS = {
    "openb": Benchmark(
        name="openb",
        cases=tuple({"variant": variant, "method": method} for variant in VARIANTS for method in METHODS),
        run=_run,
        time_limit=lambda _: 300.0,
        summary=averages(*_KEYS, "timeLimit", ranges=("allocatedPercent",)),
        apart=True,
    )
}
