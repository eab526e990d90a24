"""ObjectMeta, selectors and the other types that several kinds share."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from ..quantity import Amounts, Quantity
from .base import ApiObject, Bool, StringMap, Time, one_of


class OwnerReference(ApiObject):
    """The object that manages this one."""

    kind: str = ""
    name: str = ""
    uid: str = ""
    controller: Bool = False
    api_version: str = ""


class ObjectMeta(ApiObject):
    """``metadata`` of any object."""

    name: str = ""
    generate_name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    labels: StringMap = Field(default_factory=dict)
    annotations: StringMap = Field(default_factory=dict)
    owner_references: tuple[OwnerReference, ...] = ()
    creation_timestamp: Time | None = None
    deletion_timestamp: Time | None = None

    @property
    def controller(self) -> OwnerReference | None:
        """The owner that is marked as controller, if any."""
        return next((owner for owner in self.owner_references if owner.controller), None)


class LabelSelectorRequirement(ApiObject):
    """One ``matchExpressions`` entry of a label selector."""

    key: str
    operator: Annotated[str, one_of("In", "NotIn", "Exists", "DoesNotExist")]
    values: tuple[str, ...] = ()


class LabelSelector(ApiObject):
    """``matchLabels`` and ``matchExpressions``, all of which must hold."""

    match_labels: StringMap = Field(default_factory=dict)
    match_expressions: tuple[LabelSelectorRequirement, ...] = ()


class NodeSelectorRequirement(ApiObject):
    """One requirement of a node selector term; also Gt and Lt."""

    key: str
    operator: Annotated[str, one_of("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")]
    values: tuple[str, ...] = ()


class NodeSelectorTerm(ApiObject):
    """Requirements that must all hold; an empty term matches nothing."""

    match_expressions: tuple[NodeSelectorRequirement, ...] = ()
    match_fields: tuple[NodeSelectorRequirement, ...] = ()


class NodeSelector(ApiObject):
    """Terms of which one must hold."""

    node_selector_terms: tuple[NodeSelectorTerm, ...] = ()


class LocalObjectReference(ApiObject):
    """A reference by kind and name."""

    kind: str = ""
    name: str = ""
    namespace: str = ""
    uid: str = ""


class ResourceRequirements(ApiObject):
    """``resources`` of a container, a pod or a claim."""

    requests: Amounts = Field(default_factory=dict)
    limits: dict[str, Quantity] = Field(default_factory=dict)
    claims: tuple[Any, ...] = ()


class Condition(ApiObject):
    """One entry of ``status.conditions``."""

    type: str = ""
    status: str = ""
    reason: str = ""
    message: str = ""
