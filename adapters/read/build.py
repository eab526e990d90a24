"""Raw objects to model objects, equal parts shared.

The pods of one template share one `PodSpec`: equal parts are recognised by
their JSON before pydantic sees them, after what scheduling does not read
(environment, mounts, token volumes with random names) is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from sys import intern
from typing import Any, TypeVar

import orjson
from pydantic import ValidationError

from ...model import api
from ...model.labels import valid_value
from ..invalid import first_problem, shown
from .kinds import CLUSTER_FIELDS
from .names import valid_key
from .resize import Reports

Shared = TypeVar("Shared")
Fields = dict[str, Any]
_UNREAD_ANNOTATION = "kubectl.kubernetes.io/last-applied-configuration"


class BadObject(ValueError):
    """An object that cannot be used; the reader turns it into BadInput."""

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(message)
        self.field = field


def _aliases(model: type[api.ApiObject]) -> tuple[str, ...]:
    return tuple(field.alias or name for name, field in model.model_fields.items())


_SPEC, _CONTAINER = _aliases(api.PodSpec), _aliases(api.Container)
_META, _OWNER = _aliases(api.ObjectMeta), _aliases(api.OwnerReference)
_STATUS = ("phase", "nominatedNodeName", "startTime", "resize")
_SOURCES = frozenset(_aliases(api.Volume)) - {"name"}


class Builder:
    """Builds the objects of one input, so that equal parts are one object."""

    def __init__(self) -> None:
        self._caches: dict[str, dict[object, Any]] = {}
        self._reports = Reports()

    def build(self, kind: str, raw: Fields) -> api.ApiObject:
        """The model object of a raw one.

        Raises
        ------
        BadObject
            For a field that is missing, of the wrong type, or impossible.
        """
        model = CLUSTER_FIELDS[kind][1]
        try:
            return model.model_validate(self._share(kind, raw))
        except (ValidationError, TypeError, ValueError, AttributeError, KeyError) as error:
            if isinstance(error, BadObject):
                raise
        # Once more as it was written, so that the message names the field as the user knows it.
        try:
            return model.model_validate(raw)
        except ValidationError as error:
            field, message = first_problem(error)
            raise BadObject(message, field) from None

    def _share(self, kind: str, raw: Fields) -> Fields:
        fields = {**raw, "metadata": self._metadata(raw.get("metadata") or {})}
        if kind == "Pod":
            return self._pod(fields)
        if kind == "Node" and raw.get("status"):
            fields["status"] = self._node_status(raw["status"])
        elif kind in api.WORKLOAD_KINDS and raw.get("spec"):
            fields["spec"] = self._workload_spec(raw["spec"])
        return fields

    def _once(self, what: str, fields: Any, build: Callable[[Any], Shared]) -> Shared:
        return self._keyed(what, orjson.dumps(fields), fields, build)

    def _keyed(self, what: str, key: object, fields: Any, build: Callable[[Any], Shared]) -> Shared:
        cache = self._caches.setdefault(what, {})
        found = cache.get(key)
        if found is None:
            found = cache[key] = build(fields)
        return found

    def _metadata(self, raw: Fields) -> Fields:
        fields = _only(raw, _META)
        labels = fields.get("labels")
        if labels:
            fields["labels"] = self._keyed("labels", tuple(labels.items()), labels, _labels)
        annotations = fields.get("annotations")
        if annotations:
            fields["annotations"] = {intern(k): v for k, v in annotations.items() if k != _UNREAD_ANNOTATION}
        owners = fields.get("ownerReferences")
        if owners:
            key = tuple([tuple(map(owner.get, _OWNER)) for owner in owners])
            fields["ownerReferences"] = self._keyed("owners", key, owners, _each(api.OwnerReference))
        return fields

    def _pod(self, fields: Fields) -> Fields:
        spec, status = fields.get("spec") or {}, fields.get("status") or {}
        fields["spec"] = shared = self._spec(spec)
        fields["nodeName"] = spec.get("nodeName") or None
        fields["status"] = self._status(status, shared)
        return fields

    def _spec(self, raw: Fields) -> api.PodSpec:
        fields = _only(raw, _SPEC)
        for name in ("containers", "initContainers"):
            if fields.get(name):
                fields[name] = [_only(container, _CONTAINER) for container in fields[name]]
        if fields.get("volumes"):
            fields["volumes"] = [v for v in fields["volumes"] if not v.keys().isdisjoint(_SOURCES)]
        return self._once("spec", fields, api.PodSpec.model_validate)

    def _status(self, raw: Fields, spec: api.PodSpec) -> api.PodStatus:
        told = tuple(
            [(c["type"], c["status"], c.get("reason"), c.get("message")) for c in raw.get("conditions") or ()]
        )
        plain = self._keyed("status", (told, *map(raw.get, _STATUS)), (raw, told), self._plain_status)
        counting = self._reports.counting(raw, spec, plain.conditions)
        return plain.model_copy(update=dict(counting)) if counting else plain

    def _plain_status(self, given: tuple[Fields, object]) -> api.PodStatus:
        raw, told = given
        conditions = self._keyed("conditions", told, raw.get("conditions") or (), _each(api.Condition))
        return api.PodStatus.model_validate({**_only(raw, _STATUS), "conditions": conditions})

    def _node_status(self, raw: Fields) -> Fields:
        images = [
            self._once("image", image, api.ContainerImage.model_validate) for image in raw.get("images") or ()
        ]
        return {**raw, "images": images}

    def _workload_spec(self, raw: Fields) -> Fields:
        template = raw.get("template")
        if not template:
            return raw
        spec = template.get("spec") or {}
        shared = {
            "metadata": self._metadata(template.get("metadata") or {}),
            "spec": self._spec(spec),
            "nodeName": spec.get("nodeName") or None,
        }
        return {**raw, "template": shared}


def _only(raw: Any, names: tuple[str, ...]) -> Fields:
    if not isinstance(raw, dict):
        raise TypeError("not a mapping")
    return {name: raw[name] for name in names if name in raw}


def _each(model: type[api.ApiObject]) -> Callable[[Any], tuple[Any, ...]]:
    return lambda items: tuple(model.model_validate(item) for item in items)


def _labels(raw: Mapping[str, Any]) -> dict[str, Any]:
    for key, value in raw.items():
        if not valid_key(key):
            raise BadObject(
                f"{shown(key)} is no label key; use letters, digits, '-', '_' and '.'", "metadata.labels"
            )
        if isinstance(value, str) and not valid_value(value):
            message = f"{shown(value)} is no label value; use at most 63 letters, digits, '-', '_' and '.'"
            raise BadObject(message, f"metadata.labels[{shown(key)}]")
    return {intern(key): intern(value) if isinstance(value, str) else value for key, value in raw.items()}
