"""The openb GPU trace: CSV files of nodes and pods to a cluster in which every pod is pending.

A node becomes one with ``cpu``, ``memory`` and ``alibabacloud.com/gpu-milli``
(1,000 for each device) and the model of its devices as a label; a pod requests
the same three and selects models through node affinity. QoS, phases and times
are left out: the trace is taken as one batch, as in the published comparison.

Source: cluster-trace-gpu-v2023 of https://github.com/alibaba/clusterdata.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..model.api import Node, Pod, PodSpec
from ..model.cluster import Cluster
from ..model.devices import DEVICE, GPU_MILLI, GPU_MODEL
from ..model.errors import BadInput
from ..model.labels import valid_value
from ..model.profile import FILTERS, OPTIONAL_FILTERS, Profile, SchedulerConfiguration
from .invalid import shown
from .read.limits import Limits
from .read.problems import Problems
from .read.sources import sources

NODE_COLUMNS = ("sn", "cpu_milli", "memory_mib", "gpu", "model")
POD_COLUMNS = ("name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli", "gpu_spec")
CONFIGURATION = SchedulerConfiguration((Profile(filters=(*FILTERS, *OPTIONAL_FILTERS)),))
"""kube-scheduler's default profile with GpuSharing among its filters."""
_LARGEST = 10**12
_LONGEST_NAME = 253


@dataclass(frozen=True, slots=True)
class _Row:
    """One line of a file, with the place for error messages."""

    file: str
    line: int
    values: Mapping[str, str]

    def wrong(self, column: str, message: str) -> BadInput:
        return BadInput(message, file=self.file, object=f"line {self.line}", field=column)

    def number(self, column: str) -> int:
        text = self.values[column].strip()
        if not (text.isascii() and text.isdigit() and int(text[:20]) <= _LARGEST and len(text) <= 20):
            raise self.wrong(column, f"{shown(text)} is not a whole number from 0 to {_LARGEST}")
        return int(text)

    def name(self, column: str) -> str:
        name = self.values[column].strip()
        if not name or len(name) > _LONGEST_NAME or not name.isprintable() or "/" in name:
            raise self.wrong(column, f"{shown(name)} is not a name; give each object one without slashes")
        return name

    def models(self, column: str) -> tuple[str, ...]:
        models = sorted({model.strip() for model in self.values[column].split("|")} - {""})
        for model in models:
            if not valid_value(model):
                raise self.wrong(column, f"{shown(model)} is not a model; it has to be a legal label value")
        return tuple(models)


def read_openb(nodes: str, pods: str) -> Cluster:
    """Read a trace.

    Parameters
    ----------
    nodes, pods : str
        Paths of the two CSV files, plain or gzip.

    Returns
    -------
    Cluster
        To be used with `CONFIGURATION`.

    Raises
    ------
    BadInput
        With file, line and column of what cannot be used.
    """
    pod_rows = list(_rows(pods, POD_COLUMNS))
    node_rows = list(_rows(nodes, NODE_COLUMNS))
    _unique(node_rows, "sn")
    _unique(pod_rows, "name")
    # The trace knows no limit of pods per node, and Kubernetes wants one.
    most = str(len(pod_rows))
    specs: dict[object, PodSpec] = {}
    return Cluster(
        nodes=tuple(_node(row, most) for row in node_rows), pods=tuple(_pod(row, specs) for row in pod_rows)
    )


def _rows(path: str, columns: tuple[str, ...]) -> Iterator[_Row]:
    for source in sources([path], Limits(total_bytes=2**30), Problems()):
        reader = csv.DictReader(source.text.splitlines(), restval="")
        missing = [column for column in columns if column not in (reader.fieldnames or ())]
        if missing:
            raise BadInput(
                f"the header lacks {', '.join(missing)}; it must name {', '.join(columns)}", file=source.name
            )
        try:
            for values in reader:
                yield _Row(source.name, reader.line_num, values)
        except csv.Error as error:
            raise BadInput(f"is not CSV: {error}", file=source.name) from None


def _unique(rows: list[_Row], column: str) -> None:
    seen: dict[str, int] = {}
    for row in rows:
        name = row.name(column)
        if name in seen:
            raise row.wrong(column, f"{shown(name)} is on line {seen[name]} already; names must differ")
        seen[name] = row.line


def _node(row: _Row, most: str) -> Node:
    name, models = row.name("sn"), row.models("model")
    amounts = {**_amounts(row), "pods": most, GPU_MILLI: str(DEVICE * row.number("gpu"))}
    labels = {"kubernetes.io/hostname": name} | ({GPU_MODEL: models[0]} if models else {})
    status = {"allocatable": amounts, "capacity": amounts}
    return Node.model_validate({"metadata": {"name": name, "labels": labels}, "status": status})


def _amounts(row: _Row) -> dict[str, str]:
    return {"cpu": f"{row.number('cpu_milli')}m", "memory": f"{row.number('memory_mib')}Mi"}


def _pod(row: _Row, specs: dict[object, PodSpec]) -> Pod:
    requests = _amounts(row) | ({GPU_MILLI: str(gpu)} if (gpu := _gpu(row)) else {})
    models = row.models("gpu_spec")
    key = (*requests.values(), models)
    if key not in specs:
        specs[key] = _spec(requests, models)
    pod = Pod.model_validate({"metadata": {"name": row.name("name"), "namespace": "default"}})
    return pod.model_copy(update={"spec": specs[key]})


def _gpu(row: _Row) -> int:
    devices, milli = row.number("num_gpu"), row.number("gpu_milli")
    if milli > DEVICE or (devices > 1 and milli != DEVICE):
        raise row.wrong(
            "gpu_milli",
            f"{devices} devices with {milli} milli each cannot be asked for; "
            f"ask for a share of one device, or for whole devices of {DEVICE}",
        )
    return devices * milli


def _spec(requests: Mapping[str, str], models: tuple[str, ...]) -> PodSpec:
    container = {"name": "main", "resources": {"requests": requests, "limits": _limits(requests)}}
    term = {"matchExpressions": [{"key": GPU_MODEL, "operator": "In", "values": models}]}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
    affinity = {"affinity": {"nodeAffinity": required}} if models else {}
    return PodSpec.model_validate({"containers": [container], **affinity})


def _limits(requests: Mapping[str, str]) -> dict[str, str]:
    return {name: amount for name, amount in requests.items() if name == GPU_MILLI}
