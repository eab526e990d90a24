"""Node, CSINode and Namespace."""

from __future__ import annotations

from functools import cached_property
from typing import Annotated

from pydantic import Field

from ..quantity import Amounts
from .base import ApiObject, Bool, Int32, Int64, one_of
from .meta import Condition, ObjectMeta


class Taint(ApiObject):
    """A taint: pods that do not tolerate it are kept away."""

    key: Annotated[str, Field(min_length=1)]
    value: str = ""
    effect: Annotated[str, one_of("NoSchedule", "PreferNoSchedule", "NoExecute")]


class ContainerImage(ApiObject):
    """An image that the node has pulled."""

    names: tuple[str, ...] = ()
    size_bytes: Annotated[Int64, Field(ge=0)] = 0


class NodeSpec(ApiObject):
    """``spec`` of a node."""

    unschedulable: Bool = False
    taints: tuple[Taint, ...] = ()


class NodeStatus(ApiObject):
    """``status`` of a node, as far as scheduling reads it."""

    capacity: Amounts = Field(default_factory=dict)
    allocatable: Amounts = Field(default_factory=dict)
    images: tuple[ContainerImage, ...] = ()
    conditions: tuple[Condition, ...] = ()
    declared_features: tuple[str, ...] = ()


class Node(ApiObject):
    """A machine that pods can run on."""

    metadata: ObjectMeta = ObjectMeta()
    spec: NodeSpec = NodeSpec()
    status: NodeStatus = NodeStatus()

    @cached_property
    def name(self) -> str:
        """``metadata.name``."""
        return self.metadata.name

    @property
    def labels(self) -> dict[str, str]:
        """``metadata.labels``."""
        return self.metadata.labels


class CSINodeAllocatable(ApiObject):
    """How many volumes of a driver the node can attach."""

    count: Annotated[Int32, Field(ge=0)] | None = None


class CSINodeDriver(ApiObject):
    """A CSI driver installed on a node."""

    name: str = ""
    node_id: str = Field(default="", alias="nodeID")
    topology_keys: tuple[str, ...] = ()
    allocatable: CSINodeAllocatable | None = None


class CSINodeSpec(ApiObject):
    """``spec`` of a CSINode."""

    drivers: tuple[CSINodeDriver, ...] = ()


class CSINode(ApiObject):
    """What storage drivers a node has; it bears the node's name."""

    metadata: ObjectMeta = ObjectMeta()
    spec: CSINodeSpec = CSINodeSpec()

    @cached_property
    def name(self) -> str:
        """``metadata.name``, which is the node's name."""
        return self.metadata.name


class Namespace(ApiObject):
    """A namespace and its labels."""

    metadata: ObjectMeta = ObjectMeta()

    @cached_property
    def name(self) -> str:
        """``metadata.name``."""
        return self.metadata.name
