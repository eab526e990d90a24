"""The JSON documents, as pydantic models: each model is the schema of its kind.

The names are stable (``apiVersion: kubestow/v1``); fields may be added.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

API_VERSION = "kubestow/v1"
NodeName = str | None


class Part(BaseModel):
    """Base of everything in a document: camelCase, no unknown fields."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid")


class InputFile(Part):
    """A file that was read."""

    path: str
    sha256: str = Field(description="SHA-256 of the file as it is on disk")
    objects: dict[str, int] = Field(description="number of objects by kind")


class Limits(Part):
    """What bounded the work."""

    time_limit: float | None = Field(default=None, description="wall seconds")
    deterministic_limit: float | None = Field(default=None, description="deterministic seconds")
    gap: float | None = Field(default=None, description="relative gap at which to stop")


class Metadata(Part):
    """Where a document comes from."""

    version: str = Field(description="of kubestow")
    ortools_version: str
    kubernetes: str = Field(description="version of the kube-scheduler that is replicated")
    seed: int | None = None
    workers: int | None = Field(default=None, description="0: one per core")
    limits: Limits = Limits()
    inputs: list[InputFile]


class WarningItem(Part):
    """Something the reader of the result must know."""

    code: str
    object: str
    field: str
    message: str


class Document(Part):
    """What all kinds share."""

    api_version: Literal["kubestow/v1"] = "kubestow/v1"
    metadata: Metadata
    warnings: list[WarningItem]
    timing: dict[str, float] = Field(
        description="wall seconds by phase; the only part that differs between equal runs"
    )


class Term(Part):
    """One term of the score."""

    value: float | None = Field(description="0 (worst) to 100; null where no pod is on a node")
    weight: int
    cost: int
    worst: int


class Score(Part):
    """How good a placement is."""

    total: float | None = Field(
        description="weighted mean of the terms, 0 to 100; null where no pod is on a node"
    )
    terms: dict[str, Term]


class StageItem(Part):
    """One stage of the lexicographic objective."""

    name: str
    sense: Literal["max", "min"]
    status: str
    value: int
    bound: int | None
    gap: float | None = Field(description="|value - bound| / max(|value|, 1); null without a bound")
    gap_points: float | None = Field(description="the gap in score points, where the stage is a score")


class ViolationItem(Part):
    """A rule that a placement breaks."""

    rule: str
    key: list[str]
    magnitude: int
    pods: list[str]
    node: NodeName
    message: str
    advisory: bool = Field(
        description="only pods that stay are concerned, by a rule that ignores them while they run"
    )


class Placed(Part):
    """Pods placed, and pods there are."""

    placed: int
    of: int


class Placement(Document):
    """Result of ``solve``."""

    kind: Literal["Placement"] = "Placement"
    question: str
    status: str
    stages: list[StageItem]
    placement: dict[str, NodeName] = Field(description="namespace/name to node, or null")
    order: list[str] = Field(description="an order in which kube-scheduler's filters admit every placed pod")
    unadmitted: list[str] = Field(description="placed pods for which no such order was found")
    excluded: dict[str, str] = Field(description="pods that the question leaves alone, with the reason")
    score: Score
    violations: list[ViolationItem]


class ScheduleDocument(Document):
    """Result of ``schedule``."""

    kind: Literal["Schedule"] = "Schedule"
    order: list[str] = Field(description="pending pods in queue order")
    placement: dict[str, NodeName]
    evicted: list[str]
    sequence: list[dict[str, Any]] = Field(description="one record per cycle")


class ExplanationDocument(Document):
    """Result of ``explain``."""

    kind: Literal["Explanation"] = "Explanation"
    independent: list[dict[str, Any]] = Field(
        description="one record per pending pod, against the cluster as it is"
    )


class Figures(Part):
    """Metrics of one placement."""

    utilization: dict[str, float] = Field(description="requested share of what all nodes can allocate")
    imbalance: dict[str, float] = Field(description="standard deviation of utilization over nodes")
    fragmentation: dict[str, float] = Field(description="share of free room that a typical pod cannot use")
    fairness: float = Field(description="Jain's index of the namespaces' dominant shares")
    nodes_in_use: int


class SideItem(Part):
    """One placement of a comparison."""

    placed: dict[str, Placed] = Field(description="by priority")
    score: Score
    metrics: Figures
    violations: list[ViolationItem]
    placement: dict[str, NodeName]


class BaselineItem(SideItem):
    """A placement that the optimal one is compared with."""

    values: dict[str, int] = Field(description="what it reaches in each of the optimal placement's stages")


class OptimalItem(SideItem):
    """The optimal placement of a comparison."""

    status: str
    stages: list[StageItem]
    order: list[str]
    unadmitted: list[str]


class ComparisonDocument(Document):
    """Result of ``compare``."""

    kind: Literal["Comparison"] = "Comparison"
    question: str
    current: BaselineItem
    greedy: BaselineItem
    optimal: OptimalItem
    verdict: str = Field(
        description="better, equal, proven-equal, worse, greedy-violates or greedy-evicts-in-vain"
    )
    first_difference: str | None = Field(description="first stage in which greedy and optimal differ")
    excluded: dict[str, str]


class FindingItem(ViolationItem):
    """A violation, compared with the placement that was read."""

    standing: Literal["inherited", "grown", "new"]
    before: int


class PodCounts(Part):
    """How many pods are where, completed ones left out."""

    placed: int = Field(description="on a node")
    pending: int = Field(description="on no node of the cluster")
    moved: int = Field(description="on another node than the one that was read")
    evicted: int = Field(description="on a node when read, and now on none")


class VerificationDocument(Document):
    """Result of ``verify``."""

    kind: Literal["Verification"] = "Verification"
    ok: bool = Field(description="nothing is broken that was not broken before")
    pods: PodCounts
    findings: list[FindingItem]
    score: Score


class BenchmarkDocument(Document):
    """Result of ``bench``."""

    kind: Literal["Benchmark"] = "Benchmark"
    benchmark: str
    rows: list[dict[str, Any]] = Field(
        description="one per run: case, seed, limits, what was reached, seconds, machine and versions"
    )


KINDS: dict[str, type[Document]] = {
    "Benchmark": BenchmarkDocument,
    "Comparison": ComparisonDocument,
    "Explanation": ExplanationDocument,
    "Placement": Placement,
    "Schedule": ScheduleDocument,
    "Verification": VerificationDocument,
}
