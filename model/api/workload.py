"""Controllers that own pods: Deployment, ReplicaSet, StatefulSet, DaemonSet, Job, CronJob."""

from __future__ import annotations

from typing import Any, cast

from pydantic import Field, field_validator, model_validator

from .base import ApiObject, lift_node_name
from .meta import LabelSelector, ObjectMeta
from .pod import PodSpec
from .storage import PersistentVolumeClaimTemplate


class PodTemplateSpec(ApiObject):
    """What a controller makes pods from; a `node_name` here *forces* the node."""

    metadata: ObjectMeta = ObjectMeta()
    spec: PodSpec = PodSpec()
    node_name: str | None = None

    _lift = model_validator(mode="before")(lift_node_name)


class WorkloadSpec(ApiObject):
    """``spec`` of any controller; each kind uses the fields it has."""

    replicas: int | None = None
    selector: LabelSelector | None = None
    template: PodTemplateSpec = PodTemplateSpec()
    parallelism: int | None = None
    completions: int | None = None
    completion_mode: str = "NonIndexed"
    suspend: bool = False
    volume_claim_templates: tuple[PersistentVolumeClaimTemplate, ...] = ()
    job_template: JobTemplateSpec | None = None

    @field_validator("selector", mode="before")
    @classmethod
    def _bare_selector(cls, raw: Any) -> Any:
        # A ReplicationController's selector is a plain map of labels.
        if not isinstance(raw, dict):
            return raw
        fields = cast("dict[str, Any]", raw)
        return (
            fields
            if not fields or {"matchLabels", "matchExpressions"} & set(fields)
            else {"matchLabels": fields}
        )


class JobTemplateSpec(ApiObject):
    """``jobTemplate`` of a CronJob."""

    metadata: ObjectMeta = ObjectMeta()
    spec: WorkloadSpec = Field(default_factory=lambda: WorkloadSpec())


class WorkloadStatus(ApiObject):
    """``status`` of a controller, as far as expansion needs it."""

    succeeded: int = 0
    active: int = 0


class Workload(ApiObject):
    """A controller object; `kind` says which."""

    kind: str = ""
    metadata: ObjectMeta = ObjectMeta()
    spec: WorkloadSpec = WorkloadSpec()
    status: WorkloadStatus = WorkloadStatus()

    @property
    def key(self) -> str:
        """``Kind/namespace/name``."""
        return f"{self.kind}/{self.metadata.namespace}/{self.metadata.name}"


WorkloadSpec.model_rebuild()
WORKLOAD_KINDS = (
    "Deployment", "ReplicaSet", "ReplicationController", "StatefulSet", "DaemonSet", "Job", "CronJob",
)  # fmt: skip
