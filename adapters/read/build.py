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
from ...model.api.unread import UNREAD
from ...model.labels import valid_value
from ..fields import Unknown, read_fields, shape, unknown_fields
from ..invalid import first_problem, shown
from .kinds import CLUSTER_FIELDS
from .names import valid_key
from .resize import Reports

Shared = TypeVar("Shared")
Model = TypeVar("Model", bound=api.ApiObject)
Fields = dict[str, Any]
_IDLE = UNREAD[api.Volume] | {"name"}
_UNREAD_ANNOTATION = "kubectl.kubernetes.io/last-applied-configuration"


class BadObject(ValueError):
    """An object that cannot be used; the reader turns it into BadInput."""

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(message)
        self.field = field


_OWNER = read_fields(api.OwnerReference)
_STATUS = ("phase", "nominatedNodeName", "startTime", "resize")


class Builder:
    """Builds the objects of one input, so that equal parts are one object.

    Attributes
    ----------
    unknown : list of Unknown
        Fields of the object built last that Kubernetes does not have.
    """

    def __init__(self) -> None:
        self.unknown: list[Unknown] = []
        self._caches: dict[str, dict[object, Any]] = {}
        self._unknown_in: dict[int, list[Unknown]] = {}
        self._reports = Reports()

    def build(self, kind: str, raw: Fields) -> api.ApiObject:
        """The model object of a raw one.

        Raises
        ------
        BadObject
            For a field that is missing, of the wrong type, or impossible.
        """
        model = CLUSTER_FIELDS[kind][1]
        self.unknown = []
        try:
            built = _validated(model, self._share(kind, raw))
        except (ValidationError, TypeError, ValueError, AttributeError, KeyError) as error:
            if isinstance(error, BadObject):
                raise
        else:
            if kind != "Pod":
                self.unknown += unknown_fields(model, raw, but=api.PodSpec)
            return built
        # Once more as it was written, so that the message names the field as the user knows it.
        try:
            built = _validated(model, raw)
        except ValidationError as error:
            field, message = first_problem(error)
            raise BadObject(message, field) from None
        self.unknown = unknown_fields(model, raw)
        return built

    def _share(self, kind: str, raw: Fields) -> Fields:
        fields = {**raw, "metadata": self._metadata(raw.get("metadata") or {})}
        if kind == "Pod":
            return self._pod(fields)
        if kind == "Node" and raw.get("status"):
            fields["status"] = self._node_status(raw["status"])
        elif kind in api.WORKLOAD_KINDS and raw.get("spec"):
            fields["spec"] = self._workload_spec(raw["spec"], "spec.")
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
        fields = _read(api.ObjectMeta, raw)
        labels = fields.get("labels")
        if labels:
            fields["labels"] = self._keyed("labels", tuple(labels.items()), labels, _labels)
        annotations = fields.get("annotations")
        if annotations:
            fields["annotations"] = {intern(k): v for k, v in annotations.items() if k != _UNREAD_ANNOTATION}
        owners = fields.get("ownerReferences")
        if owners:
            key = tuple([(*owner, *map(owner.get, _OWNER)) for owner in owners])
            fields["ownerReferences"] = self._keyed("owners", key, owners, self._new_owners)
        return fields

    def _new_owners(self, raw: list[Fields]) -> tuple[api.OwnerReference, ...]:
        owners = _each(api.OwnerReference)(raw)
        found = [field for owner in raw for field in unknown_fields(api.OwnerReference, owner)]
        if found:
            self._unknown_in[id(owners)] = found
        return owners

    def _pod(self, fields: Fields) -> Fields:
        spec, status = fields.get("spec") or {}, fields.get("status") or {}
        self._note(api.Pod, fields, "")
        self._note(api.ObjectMeta, fields["metadata"], "metadata.")
        self._note(api.PodStatus, status, "status.")
        self._note_part(fields["metadata"].get("ownerReferences"), "metadata.ownerReferences[].")
        fields["spec"] = shared = self._spec(spec, "spec.")
        fields["nodeName"] = spec.get("nodeName") or None
        fields["status"] = self._status(status, shared)
        return fields

    def _spec(self, raw: Fields, path: str) -> api.PodSpec:
        fields = _read(api.PodSpec, raw)
        for name in ("containers", "initContainers"):
            if fields.get(name):
                fields[name] = [_read(api.Container, container) for container in fields[name]]
        if fields.get("volumes"):
            fields["volumes"] = [volume for volume in fields["volumes"] if not volume.keys() <= _IDLE]
        spec = self._once("spec", fields, self._new_spec)
        self._note_part(spec, path)
        return spec

    def _note(self, model: type[api.ApiObject], raw: Fields, path: str) -> None:
        unknown = shape(model, raw).unknown
        if unknown:
            self.unknown += [Unknown(path, name, model) for name in unknown]

    def _note_part(self, part: object, path: str) -> None:
        if self._unknown_in:
            found = self._unknown_in.get(id(part), ())
            self.unknown += [field._replace(path=path + field.path) for field in found]

    def _new_spec(self, fields: Fields) -> api.PodSpec:
        spec = _validated(api.PodSpec, fields)
        found = unknown_fields(api.PodSpec, fields)
        if found:
            self._unknown_in[id(spec)] = found
        return spec

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
        fields = {name: raw[name] for name in _STATUS if name in raw}
        return _validated(api.PodStatus, {**fields, "conditions": conditions})

    def _node_status(self, raw: Fields) -> Fields:
        images = [self._once("image", image, _image) for image in raw.get("images") or ()]
        return {**raw, "images": images}

    def _workload_spec(self, raw: Fields, path: str) -> Fields:
        fields = dict(raw)
        if raw.get("template"):
            fields["template"] = self._template(raw["template"], f"{path}template.spec.")
        job = raw.get("jobTemplate")
        if job and job.get("spec"):
            fields["jobTemplate"] = {
                **job,
                "spec": self._workload_spec(job["spec"], f"{path}jobTemplate.spec."),
            }
        return fields

    def _template(self, raw: Fields, path: str) -> Fields:
        spec = raw.get("spec") or {}
        return {
            "metadata": self._metadata(raw.get("metadata") or {}),
            "spec": self._spec(spec, path),
            "nodeName": spec.get("nodeName") or None,
        }


def _read(model: type[api.ApiObject], raw: Any) -> Fields:
    """The fields of a mapping that the model reads, and the names of those that Kubernetes does not have."""
    found = shape(model, raw)
    fields = {name: raw[name] for name in found.read}
    return fields | dict.fromkeys(found.unknown) if found.unknown else fields


def _validated(model: type[Model], raw: Any) -> Model:
    """The model of a raw mapping, by the names that Kubernetes knows, not by our own."""
    return model.model_validate(raw, by_alias=True, by_name=False)


def _image(raw: Any) -> api.ContainerImage:
    return _validated(api.ContainerImage, raw)


def _each(model: type[api.ApiObject]) -> Callable[[Any], tuple[Any, ...]]:
    return lambda items: tuple(_validated(model, item) for item in items)


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
