"""The benchmark ``openb``: GPUs in use when the whole trace is placed as one batch.

kubestow sees all pods at once. The online policies beside it, like the figures
that were published for them, see one pod at a time and never move it: the
difference is what knowing the batch is worth, not a better online rule.
"""

from __future__ import annotations

import os
import time
from math import ceil, floor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...model.admission import admit
from ...model.cluster import Cluster
from ...model.errors import BadInput
from ...solver.devices.online import POLICIES
from ...solver.result import Limits
from ..openb import CONFIGURATION, read_openb
from .environment import processor_seconds

if TYPE_CHECKING:
    from ...solver.devices.solve import SharedGpus

VARIANTS = ("default", "gpuspec33")
"""The trace as it is, and with 33 % of the pods with GPUs asking for certain models."""
METHODS = ("kubestow", *POLICIES)
_SOURCE = "https://github.com/alibaba/clusterdata/tree/master/cluster-trace-gpu-v2023"
_SHARED = Path(__file__).resolve().parents[3] / "shared"


def run(
    variant: str = "default",
    seed: int = 0,
    time_limit: float = 300.0,
    workers: int = 2,
    *,
    method: str = "kubestow",
    folder: str | None = None,
) -> dict[str, Any]:
    """Place the trace once.

    Parameters
    ----------
    variant : str
        One of `VARIANTS`.
    seed : int
        Of the search; of the arrival order for the online policies.
    time_limit : float
        Wall seconds from the read cluster to the checked placement; online policies ignore it.
    workers : int
    method : str
        One of `METHODS`.
    folder : str, optional
        Where the trace is; default ``data/openb`` in ``$KUBESTOW_SHARED`` or in ``../shared``.

    Returns
    -------
    dict
        One row: what was run, per cent of the GPUs in use, bound and gap in points, pods placed, seconds.

    Raises
    ------
    BadInput
        For unknown names, and when the trace is not there.
    """
    if method not in METHODS:
        raise BadInput(f"method {method!r} is unknown; there are {', '.join(METHODS)}")
    # OR-Tools takes a while to load, and most commands do without.
    from ...solver.devices.solve import share_gpus, share_gpus_online

    cluster = load(variant, folder)
    wall, cpu = time.monotonic(), processor_seconds()
    if method == "kubestow":
        limits = Limits(time=time_limit, seed=seed, workers=workers)
        found = share_gpus(cluster, CONFIGURATION, limits=limits)
    else:
        found = share_gpus_online(cluster, CONFIGURATION, method, seed=seed)
    spent = {"seconds": time.monotonic() - wall, "cpuSeconds": processor_seconds() - cpu}
    asked = {"timeLimit": time_limit, "workers": workers} if method == "kubestow" else {}
    return {
        "benchmark": "openb",
        "variant": variant,
        "method": method,
        "seed": seed,
        **asked,
        **_row(found, spent),
    }


def load(variant: str, folder: str | None = None) -> Cluster:
    """The trace as a cluster, admitted; arguments as for `run`."""
    if variant not in VARIANTS:
        raise BadInput(f"variant {variant!r} is unknown; there are {', '.join(VARIANTS)}")
    shared = Path(os.environ.get("KUBESTOW_SHARED") or _SHARED)
    where = Path(folder) if folder else shared / "data" / "openb"
    nodes, pods = (where / f"openb_{name}.csv.gz" for name in ("node_list_gpu_node", f"pod_list_{variant}"))
    for path in (nodes, pods):
        if not path.is_file():
            raise BadInput(f"is not there; get the trace from {_SOURCE} (gzip the files)", file=str(path))
    return admit(read_openb(str(nodes), str(pods)))


def _row(found: SharedGpus, spent: dict[str, float]) -> dict[str, Any]:
    milli, pods = found.stages
    # What was reached is rounded down, what cannot be passed is rounded up.
    allocated = floor(found.allocated * 10_000) / 10_000
    bound = None if found.bound is None else ceil(found.bound * 10_000) / 10_000
    return {
        "status": str(found.status),
        "allocatedPercent": allocated,
        "boundPercent": bound,
        "gapPoints": None if bound is None else round(bound - allocated, 4),
        "milliGpus": milli.value,
        "milliGpusBound": milli.bound,
        "podsPlaced": pods.value,
        "podsBound": pods.bound,
        "pods": pods.worst,
        **{name: round(seconds, 2) for name, seconds in spent.items()},
        "phases": {name: round(seconds, 2) for name, seconds in found.seconds.items()},
    }
