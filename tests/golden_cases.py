"""Golden cases: small clusters with what the real kube-scheduler said about them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kubestow.adapters.read import read
from kubestow.model.admission import admit
from kubestow.model.profile import SchedulerConfiguration
from kubestow.solver.greedy import explain, render, schedule

ROOT = Path(__file__).parent.parent
COMMITTED = ROOT / "tests" / "data" / "golden"
SHARED = Path(os.environ.get("KUBESTOW_SHARED", ROOT.parent / "shared")) / "golden"
ABSENT = object()


def cases() -> list[Path]:
    """All cases, the committed share first; one that is in both is taken once."""
    found = {f"{path.parent.name}/{path.stem}": path for root in (SHARED, COMMITTED) for path in _under(root)}
    return [found[name] for name in sorted(found, key=_natural)]


def committed() -> list[Path]:
    """The cases that come with the sources."""
    return sorted(_under(COMMITTED), key=lambda path: _natural(f"{path.parent.name}/{path.stem}"))


def _under(root: Path) -> list[Path]:
    return [path for path in root.glob("*/*.yaml") if path.with_suffix(".json").exists()]


def _natural(name: str) -> tuple[str, int]:
    family, _, seed = name.partition("/")
    return family, int(seed)


def recorded(case: Path) -> dict[str, Any]:
    """What the real scheduler said."""
    return json.loads(case.with_suffix(".json").read_text())


def replica(case: Path) -> dict[str, Any]:
    """What ours says, in the same fields."""
    given = read(case)
    configuration = given.configuration or SchedulerConfiguration()
    cluster = admit(given.cluster)
    done = schedule(cluster, configuration)
    completed = [pod.key for pod in cluster.pods if pod.completed]
    return {
        "nodes": sorted(node.name for node in cluster.nodes),
        **({"completed": completed} if completed else {}),
        "order": list(done.order),
        "placement": dict(done.placement),
        "sequence": [render(record) for record in done.sequence],
        "independent": [render(record) for record in explain(cluster, configuration)],
        "profile": {
            profile.scheduler_name: {
                "filter": list(profile.filters),
                "postFilter": list(profile.post_filters),
                "score": dict(profile.scores),
            }
            for profile in configuration.profiles
        },
    }


def differences(golden: dict[str, Any], ours: dict[str, Any]) -> list[str]:
    """One line per field that differs: where, what was recorded, what ours says."""
    fields = [name for name in golden if name not in ("format", "kubernetes", "case", "invalid")]
    return [line for name in fields for line in _compare(name, golden[name], ours.get(name, ABSENT))]


def _compare(where: str, golden: Any, ours: Any) -> Iterator[str]:
    if isinstance(golden, dict) and isinstance(ours, dict):
        for key in {**golden, **ours}:
            yield from _compare(f"{where}.{key}", golden.get(key, ABSENT), ours.get(key, ABSENT))
    elif _records(golden) and _records(ours) and len(golden) == len(ours):
        for one, other in zip(golden, ours, strict=True):
            yield from _compare(f"{where}[{one['pod']}]", one, other)
    elif golden != ours:
        yield f"{where}: recorded {_shown(golden)}, ours {_shown(ours)}"


def _records(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, dict) for item in value)


def _shown(value: Any) -> str:
    return "nothing" if value is ABSENT else json.dumps(value)
