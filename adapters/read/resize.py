"""What kubelet reports about a pod's resources, where it says more than the spec.

Since in-place resize, every running pod's status repeats its containers'
resources, each differently from the next pod's. Only while a resize is under
way do they count; otherwise they are left out, so that pods of one template
stay alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from ...model import api
from ...model.admission import with_defaults
from ...model.resources import nonzero_requests, pod_requests, scored_requests

_REPORTED = ("allocatedResources", "resources")
_FIELDS = ("name", *_REPORTED)
_PER_CONTAINER = ("containerStatuses", "initContainerStatuses")
_ATTRIBUTE = {field.alias or name: name for name, field in api.PodStatus.model_fields.items()}


class Reports:
    """Decides, once per spec and report, whether the report counts."""

    def __init__(self) -> None:
        self._counting: dict[tuple[int, bytes, str], Mapping[str, Any]] = {}

    def counting(
        self, status: Mapping[str, Any], spec: api.PodSpec, conditions: tuple[api.Condition, ...]
    ) -> Mapping[str, Any]:
        """The status fields that change what the pod requests; `spec` must outlive this object."""
        reported = _reported(status)
        if not reported:
            return {}
        pending = tuple([c for c in conditions if c.type == "PodResizePending"])
        key = (id(spec), orjson.dumps(reported), pending[0].reason if pending else "")
        found = self._counting.get(key)
        if found is None:
            built = api.PodStatus.model_validate(reported)
            fields = {_ATTRIBUTE[name]: getattr(built, _ATTRIBUTE[name]) for name in reported}
            found = self._counting[key] = fields if _changes(fields, spec, pending) else {}
        return found


def _reported(status: Mapping[str, Any]) -> dict[str, Any]:
    reported = {name: status[name] for name in _REPORTED if status.get(name) is not None}
    for name in _PER_CONTAINER:
        entries = [
            {field: entry[field] for field in _FIELDS if field in entry}
            for entry in status.get(name) or ()
            if any(entry.get(name) is not None for name in _REPORTED)
        ]
        if entries:
            reported[name] = entries
    return reported


def _changes(fields: Mapping[str, Any], spec: api.PodSpec, pending: tuple[api.Condition, ...]) -> bool:
    # Whether a container mentions a resource shows only once its limits have become requests.
    plain = api.Pod(spec=with_defaults(spec), status=api.PodStatus(conditions=pending))
    status = plain.status.model_copy(update=dict(fields))
    reported = plain.model_copy(update={"status": status})
    return any(of(plain) != of(reported) for of in (pod_requests, nonzero_requests, scored_requests))
