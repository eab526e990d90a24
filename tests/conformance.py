"""The support matrix: what is modelled, plugin by plugin and field by field, and how many cases prove it.

``python tests/conformance.py`` runs the committed golden cases and writes ``docs/conformance.md``.
A case counts only if the replica agrees with it in every recorded field.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from golden_cases import ROOT, committed, differences, recorded, replica
from kubestow.model.profile import OPTIONAL_FILTERS
from kubestow.model.rules import RULES

PAGE = ROOT / "docs" / "conformance.md"
RECORD_FIELDS = (
    "outcome", "node", "best", "filter", "preFilter", "consideredNodes", "failing", "scores", "skippedScores",
    "total", "scoreError", "fitError", "event", "preemption", "message",
)  # fmt: skip
SHOWN_VALUES = re.compile(
    r"\.(operator|effect|whenUnsatisfiable|protocol|hostIP|volumeBindingMode|accessModes|restartPolicy|type"
    r"|nodeAffinityPolicy|nodeTaintsPolicy|preemptionPolicy|defaultingType)$"
)
_POD, _AFFINITY = "Pod.spec", "Pod.spec.affinity"
_ARGUMENTS = "KubeSchedulerConfiguration.profiles.pluginConfig"
FIELDS: Mapping[str, tuple[str, ...]] = {
    "SchedulingGates": (f"{_POD}.schedulingGates",),
    "NodeName": (f"{_POD}.nodeName",),
    "NodeUnschedulable": ("Node.spec.unschedulable",),
    "TaintToleration": ("Node.spec.taints", f"{_POD}.tolerations"),
    "NodeAffinity": (f"{_POD}.nodeSelector", f"{_AFFINITY}.nodeAffinity", f"{_ARGUMENTS}.NodeAffinity"),
    "NodePorts": (f"{_POD}.containers.ports", f"{_POD}.initContainers.ports", f"{_POD}.hostNetwork"),
    "NodeResourcesFit": (
        "Node.status.allocatable", f"{_POD}.containers.resources", f"{_POD}.initContainers.resources",
        f"{_POD}.initContainers.restartPolicy", f"{_POD}.overhead", f"{_POD}.resources",
        "Pod.status.containerStatuses", "Pod.status.conditions.type", f"{_ARGUMENTS}.NodeResourcesFit",
    ),
    "VolumeRestrictions": (
        f"{_POD}.volumes.gcePersistentDisk", f"{_POD}.volumes.awsElasticBlockStore", f"{_POD}.volumes.rbd",
        f"{_POD}.volumes.iscsi", "PersistentVolumeClaim.spec.accessModes",
    ),
    "NodeVolumeLimits": ("CSINode.spec", "VolumeAttachment.spec", "CSIDriver.spec", f"{_POD}.volumes.csi"),
    "VolumeBinding": (
        f"{_POD}.volumes.persistentVolumeClaim", f"{_POD}.volumes.ephemeral", "PersistentVolume.spec",
        "PersistentVolumeClaim.spec", "StorageClass", "CSIStorageCapacity", f"{_ARGUMENTS}.VolumeBinding",
    ),
    "VolumeZone": ("PersistentVolume.metadata.labels",),
    "PodTopologySpread": (
        f"{_POD}.topologySpreadConstraints", "Service.spec.selector", "Pod.metadata.ownerReferences",
        f"{_ARGUMENTS}.PodTopologySpread",
    ),
    "InterPodAffinity": (
        f"{_AFFINITY}.podAffinity", f"{_AFFINITY}.podAntiAffinity", "Namespace.metadata.labels",
        f"{_ARGUMENTS}.InterPodAffinity",
    ),
    "DynamicResources": (),
    "NodeResourcesBalancedAllocation": (f"{_ARGUMENTS}.NodeResourcesBalancedAllocation",),
    "ImageLocality": ("Node.status.images", f"{_POD}.volumes.image"),
    "DefaultPreemption": (
        "PriorityClass", f"{_POD}.priority", f"{_POD}.preemptionPolicy", "Pod.status.nominatedNodeName",
        "Pod.status.startTime", "PodDisruptionBudget.spec.selector", "PodDisruptionBudget.status",
    ),
}  # fmt: skip
"""What each plugin reads; a path stands for everything under it."""


@dataclass
class Counts:
    """What the cases show: numbers of cases, and of verdicts, scores or records."""

    cases: int = 0
    agreeing: int = 0
    kubernetes: set[str] = field(default_factory=set[str])
    paths: Counter[str] = field(default_factory=Counter[str])
    rejecting: Counter[str] = field(default_factory=Counter[str])
    verdicts: Counter[str] = field(default_factory=Counter[str])
    scoring: Counter[str] = field(default_factory=Counter[str])
    scores: Counter[str] = field(default_factory=Counter[str])
    records: Counter[str] = field(default_factory=Counter[str])

    def add(self, case: Path) -> None:
        """Count the case, if the replica agrees with it."""
        said = recorded(case)
        self.cases += 1
        if differences(said, replica(case)):
            return
        self.agreeing += 1
        self.kubernetes.add(said["kubernetes"])
        self.paths.update(paths_of(case))
        records = [*said["sequence"], *said["independent"]]
        verdicts, scores = Counter(_verdicts(records)), Counter(_scores(records))
        self.verdicts += verdicts
        self.rejecting.update(verdicts.keys())
        self.scores += scores
        self.scoring.update(scores.keys())
        self.records.update(name for record in records for name in record)


def _verdicts(records: list[dict[str, Any]]) -> Iterator[str]:
    for record in records:
        for verdict in record.get("filter", {}).values():
            if verdict != "ok":
                yield verdict["plugin"]
        for found in record.get("failing", {}).values():
            yield from found
        if record["outcome"] == "gated":
            yield "SchedulingGates"
        if record.get("preemption", {}).get("message", "").startswith("preemption"):
            yield "DefaultPreemption"


def _scores(records: list[dict[str, Any]]) -> Iterator[str]:
    for record in records:
        for plugin, scores in record.get("scores", {}).items():
            yield from [plugin] * len(scores["raw"])


def paths_of(case: Path) -> set[str]:
    """The fields that occur in a case, such as ``Pod.spec.tolerations.operator: Exists``."""
    found: set[str] = set()
    for document in yaml.load_all(case.read_text(), yaml.CSafeLoader):
        for each in document["items"] if document["kind"] == "List" else [document]:
            found.update(_walk(each["kind"], {name: value for name, value in each.items() if name != "kind"}))
    return found


def _walk(path: str, value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield path
        for name, inner in value.items():
            if name == "args" and path == _ARGUMENTS:
                yield from _walk(f"{path}.{value['name']}", inner)
            else:
                yield from _walk(f"{path}.{name}", inner)
    elif isinstance(value, list):
        yield path
        for inner in value:
            yield from _walk(path, inner)
    else:
        yield path
        if SHOWN_VALUES.search(path):
            yield f"{path}: {value}"


def _under(path: str, counts: Counter[str]) -> list[tuple[str, int]]:
    """The path and everything below it that is a leaf or a shown value."""
    below = {found for found in counts if found == path or found.startswith((f"{path}.", f"{path}:"))}
    leaves = {found for found in below if not any(other.startswith(f"{found}.") for other in below)}
    return [(found, counts[found]) for found in sorted(leaves or {path})]


def count() -> Counts:
    """Run every committed case."""
    counts = Counts()
    for case in committed():
        counts.add(case)
    return counts


def page(counts: Counts) -> str:
    """The document."""
    version = ", ".join(sorted(counts.kubernetes))
    lines = [
        "# Conformance",
        "",
        "<!-- Written by tests/conformance.py from a run of the golden cases. Do not edit. -->",
        "",
        f"The greedy replica against the scheduling framework of **Kubernetes {version}** (real plugins,",
        f"default feature gates): {counts.agreeing} of {counts.cases} cases in `tests/data/golden` agree in",
        "every recorded field. A case counts below only if it does. Beyond them, hundreds of cases",
        "and random clusters are compared in the same way where the real scheduler is at hand",
        "(`tests/differential`).",
        "",
        "## Plugins",
        "",
        "A plugin *rejects* where it turns a node (or the pod) down, *scores* where it gives a node points.",
        "",
        "| plugin | cases in which it rejects | verdicts | cases in which it scores | scores |",
        "|---|---|---|---|---|",
        *(_plugin_row(plugin, counts) for plugin in FIELDS),
        "",
        "NodeDeclaredFeatures and claims of DynamicResources are not modelled: pods with resource claims",
        "are left unplaced with that reason. See [limits](limits.md).",
        "",
        "## Recorded fields",
        "",
        "| field of a record | records that agree |",
        "|---|---|",
        *(f"| `{name}` | {counts.records[name]} |" for name in RECORD_FIELDS if counts.records[name]),
        "",
        "## Fields that each plugin reads",
        "",
    ]
    for plugin, paths in FIELDS.items():
        rows = [row for path in paths for row in _under(path, counts.paths)]
        if rows:
            lines += [f"### {plugin}", "", "| field | cases |", "|---|---|"]
            lines += [f"| `{path}` | {number} |" for path, number in rows] + [""]
    return "\n".join(lines)


def _plugin_row(plugin: str, counts: Counts) -> str:
    numbers = (
        counts.rejecting[plugin], counts.verdicts[plugin], counts.scoring[plugin], counts.scores[plugin],
    )  # fmt: skip
    return f"| {plugin} | " + " | ".join(str(number or "") for number in numbers) + " |"


def unmapped() -> set[str]:
    """Plugins of kube-scheduler of which nobody has said what they read."""
    return {rule.name for rule in RULES} - FIELDS.keys() - set(OPTIONAL_FILTERS)


if __name__ == "__main__":
    PAGE.write_text(page(count()))
    print(json.dumps({"written": str(PAGE)}))
