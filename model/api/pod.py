"""Pod and everything inside it."""

from __future__ import annotations

from functools import cached_property
from typing import Annotated, Any

from pydantic import Field, model_validator

from ..quantity import Amounts
from .base import ApiObject, Bool, Int32, Int64, StringMap, Time, lift_node_name, one_of
from .meta import (
    Condition,
    LabelSelector,
    NodeSelector,
    NodeSelectorTerm,
    ObjectMeta,
    ResourceRequirements,
)
from .volume import Volume

MIRROR = "kubernetes.io/config.mirror"
"""Annotation of a mirror pod."""


_Port = Annotated[Int32, Field(ge=0, le=65535)]
_Weight = Annotated[Int32, Field(ge=1, le=100)]
_Positive = Annotated[Int32, Field(ge=1)]
_Policy = Annotated[str, one_of("Honor", "Ignore")]


class ContainerPort(ApiObject):
    """A port; with ``hostPort`` it occupies the node's port."""

    container_port: _Port = 0
    host_port: _Port = 0
    host_ip: str = Field(default="", alias="hostIP")
    protocol: Annotated[str, one_of("TCP", "UDP", "SCTP")] = "TCP"


class Container(ApiObject):
    """A container, an init container or (``restartPolicy: Always``) a sidecar."""

    name: str = ""
    image: str = ""
    ports: tuple[ContainerPort, ...] = ()
    resources: ResourceRequirements = ResourceRequirements()
    restart_policy: str = ""
    restart_policy_rules: tuple[Any, ...] = ()


class Toleration(ApiObject):
    """What taints the pod tolerates."""

    key: str = ""
    operator: Annotated[str, one_of("", "Equal", "Exists", "Lt", "Gt")] = "Equal"
    value: str = ""
    effect: Annotated[str, one_of("", "NoSchedule", "PreferNoSchedule", "NoExecute")] = ""


class PreferredSchedulingTerm(ApiObject):
    """A weighted node preference."""

    weight: _Weight
    preference: NodeSelectorTerm = NodeSelectorTerm()


class NodeAffinity(ApiObject):
    """Required and preferred node affinity."""

    required: NodeSelector | None = Field(
        default=None, alias="requiredDuringSchedulingIgnoredDuringExecution"
    )
    preferred: tuple[PreferredSchedulingTerm, ...] = Field(
        default=(), alias="preferredDuringSchedulingIgnoredDuringExecution"
    )


class PodAffinityTerm(ApiObject):
    """Pods of a kind, within a topology domain."""

    topology_key: str = ""
    label_selector: LabelSelector | None = None
    namespaces: tuple[str, ...] = ()
    namespace_selector: LabelSelector | None = None
    match_label_keys: tuple[str, ...] = ()
    mismatch_label_keys: tuple[str, ...] = ()


class WeightedPodAffinityTerm(ApiObject):
    """A weighted preference for or against pods of a kind."""

    weight: _Weight
    pod_affinity_term: PodAffinityTerm = PodAffinityTerm()


class PodAffinity(ApiObject):
    """``podAffinity`` or ``podAntiAffinity``: both have this shape."""

    required: tuple[PodAffinityTerm, ...] = Field(
        default=(), alias="requiredDuringSchedulingIgnoredDuringExecution"
    )
    preferred: tuple[WeightedPodAffinityTerm, ...] = Field(
        default=(), alias="preferredDuringSchedulingIgnoredDuringExecution"
    )


class Affinity(ApiObject):
    """``spec.affinity``."""

    node_affinity: NodeAffinity = NodeAffinity()
    pod_affinity: PodAffinity = PodAffinity()
    pod_anti_affinity: PodAffinity = PodAffinity()


class TopologySpreadConstraint(ApiObject):
    """How evenly matching pods spread over the domains of a topology key."""

    max_skew: _Positive = 1
    topology_key: str = ""
    when_unsatisfiable: Annotated[str, one_of("DoNotSchedule", "ScheduleAnyway")] = "DoNotSchedule"
    label_selector: LabelSelector | None = None
    min_domains: _Positive | None = None
    node_affinity_policy: _Policy = "Honor"
    node_taints_policy: _Policy = "Ignore"
    match_label_keys: tuple[str, ...] = ()


class PodSchedulingGate(ApiObject):
    """A gate: while one is there, the pod is not scheduled."""

    name: str = ""


class PodSpec(ApiObject):
    """``spec`` of a pod without ``nodeName`` (see `Pod.node_name`).

    Readers intern it: pods of one template share one object, so that identity
    is a cheap first test for equality.
    """

    containers: tuple[Container, ...] = ()
    init_containers: tuple[Container, ...] = ()
    volumes: tuple[Volume, ...] = ()
    node_selector: StringMap = Field(default_factory=dict)
    affinity: Affinity = Affinity()
    tolerations: tuple[Toleration, ...] = ()
    topology_spread_constraints: tuple[TopologySpreadConstraint, ...] = ()
    scheduling_gates: tuple[PodSchedulingGate, ...] = ()
    scheduler_name: str = "default-scheduler"
    priority_class_name: str = ""
    priority: Int32 | None = None
    preemption_policy: Annotated[str, one_of("", "PreemptLowerPriority", "Never")] = ""
    host_network: Bool = False
    host_users: Bool | None = None
    overhead: Amounts = Field(default_factory=dict)
    resources: ResourceRequirements | None = None
    runtime_class_name: str = ""
    resource_claims: tuple[Any, ...] = ()
    scheduling_group: Any = None
    workload_ref: Any = None
    termination_grace_period_seconds: Int64 | None = None


class ContainerStatus(ApiObject):
    """``status.containerStatuses`` entry: what a resize in place needs."""

    name: str = ""
    allocated_resources: Amounts = Field(default_factory=dict)
    resources: ResourceRequirements | None = None


class PodStatus(ApiObject):
    """``status`` of a pod, as far as scheduling reads it."""

    phase: str = ""
    conditions: tuple[Condition, ...] = ()
    nominated_node_name: str = ""
    start_time: Time | None = None
    container_statuses: tuple[ContainerStatus, ...] = ()
    init_container_statuses: tuple[ContainerStatus, ...] = ()
    allocated_resources: Amounts = Field(default_factory=dict)
    resources: ResourceRequirements | None = None
    resize: str = ""


class Pod(ApiObject):
    """A pod; `node_name` holds ``spec.nodeName``."""

    metadata: ObjectMeta = ObjectMeta()
    spec: PodSpec = PodSpec()
    status: PodStatus = PodStatus()
    node_name: str | None = None

    _lift = model_validator(mode="before")(lift_node_name)

    @cached_property
    def key(self) -> str:
        """``namespace/name``."""
        return f"{self.metadata.namespace}/{self.metadata.name}"

    @property
    def name(self) -> str:
        """``metadata.name``."""
        return self.metadata.name

    @property
    def namespace(self) -> str:
        """``metadata.namespace``."""
        return self.metadata.namespace

    @property
    def labels(self) -> dict[str, str]:
        """``metadata.labels``."""
        return self.metadata.labels

    @property
    def priority(self) -> int:
        """``spec.priority``, 0 when priority admission has set none."""
        return self.spec.priority or 0

    @property
    def completed(self) -> bool:
        """Whether the phase is Succeeded or Failed: such a pod holds nothing."""
        return self.status.phase in ("Succeeded", "Failed")

    @property
    def terminating(self) -> bool:
        """Whether the pod has a ``deletionTimestamp``."""
        return self.metadata.deletion_timestamp is not None

    @property
    def gated(self) -> bool:
        """Whether a scheduling gate holds the pod back."""
        return bool(self.spec.scheduling_gates)

    @property
    def mirror(self) -> bool:
        """Whether the kubelet runs the pod from a file and only shows it to the API server."""
        owner = self.metadata.controller
        return MIRROR in self.metadata.annotations or (owner is not None and owner.kind == "Node")

    @property
    def of_daemon_set(self) -> bool:
        """Whether a DaemonSet owns the pod."""
        owner = self.metadata.controller
        return owner is not None and owner.kind == "DaemonSet"
