"""Controllers that own pods: Deployment, ReplicaSet, StatefulSet, DaemonSet, Job, CronJob."""

from __future__ import annotations

from typing import Annotated, Any, cast

from pydantic import Field, field_validator, model_validator

from .base import ApiObject, Bool, Int32, lift_node_name, one_of
from .meta import LabelSelector, ObjectMeta
from .pod import PodSpec
from .storage import PersistentVolumeClaimTemplate

_Count = Annotated[Int32, Field(ge=0)]


class PodTemplateSpec(ApiObject):
    """What a controller makes pods from; a `node_name` here *forces* the node."""

    metadata: ObjectMeta = ObjectMeta()
    spec: PodSpec = PodSpec()
    node_name: str | None = None

    _lift = model_validator(mode="before")(lift_node_name)


class Ordinals(ApiObject):
    """``ordinals`` of a StatefulSet: the number of its first pod."""

    start: _Count = 0


class WorkloadSpec(ApiObject):
    """``spec`` of any controller; each kind uses the fields it has."""

    replicas: _Count | None = None
    selector: LabelSelector | None = None
    template: PodTemplateSpec = PodTemplateSpec()
    parallelism: _Count | None = None
    completions: _Count | None = None
    completion_mode: Annotated[str, one_of("NonIndexed", "Indexed")] = "NonIndexed"
    suspend: Bool = False
    volume_claim_templates: tuple[PersistentVolumeClaimTemplate, ...] = ()
    ordinals: Ordinals | None = None
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

    succeeded: Int32 = 0
    active: Int32 = 0


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
