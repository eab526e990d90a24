"""KubeSchedulerConfiguration documents to scheduler profiles.

Plugins merge as in kube-scheduler: the defaults are all in ``multiPoint``; a
custom set disables and replaces in place; what an extension point names itself
comes before what ``multiPoint`` adds if it overrides it, else after.

Source: ``pkg/scheduler/apis/config/v1`` mergePlugins and
``pkg/scheduler/framework/runtime`` expandMultiPointPlugins.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

from pydantic import ValidationError

from ..model.errors import BadInput
from ..model.profile import (
    FILTERS,
    OPTIONAL_FILTERS,
    SCORES,
    Profile,
    SchedulerConfiguration,
    ScoringStrategy,
)
from ..model.reasons import Warning
from . import plugin_args as args
from .invalid import first_problem, shown

KIND = "KubeSchedulerConfiguration"
API_VERSION = "kubescheduler.config.k8s.io/v1"
POST_FILTERS = ("DynamicResources", "DefaultPreemption")
_OTHERS = ("SchedulingGates", "PrioritySort", "DefaultBinder")
_DEFAULTS: Mapping[str, int] = {
    **dict.fromkeys((*_OTHERS, *FILTERS, *POST_FILTERS), 0), **SCORES,
}  # fmt: skip
"""The default ``multiPoint`` plugins in order, with their weights."""
_FILTERS = (*FILTERS, *OPTIONAL_FILTERS)
_SILENT = frozenset({"multi_point", "filter", "score", "post_filter"})
_ALL = "*"


class _Wrong(ValueError):
    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


def parse_configuration(
    raw: Mapping[str, Any], *, file: str = "", document: int | None = None
) -> SchedulerConfiguration:
    """The profiles of one KubeSchedulerConfiguration document.

    Without ``percentageOfNodesToScore`` all nodes are scored; an explicit 0
    is kept, and means kube-scheduler's adaptive share.

    Raises
    ------
    BadInput
        For an unknown apiVersion, field, plugin or argument, and for values out of range.
    """
    try:
        return _configuration(raw)
    except _Wrong as wrong:
        field, message = wrong.field, str(wrong)
    except ValidationError as error:
        field, message = first_problem(error)
    raise BadInput(message, file=file, document=document, object=KIND, field=field)


def _configuration(raw: Mapping[str, Any]) -> SchedulerConfiguration:
    version = raw.get("apiVersion")
    if version != API_VERSION:
        raise _Wrong("apiVersion", f"{shown(version)} is not supported; write {API_VERSION}")
    document = args.ConfigurationDocument.model_validate(raw)
    share = document.percentage_of_nodes_to_score
    profiles = tuple(_profile(entry, f"profiles[{i}]") for i, entry in enumerate(document.profiles))
    _check_names(profiles)
    return SchedulerConfiguration(
        profiles=profiles or (Profile(),),
        percentage_of_nodes_to_score=100 if share is None else share,
        warnings=tuple(_warnings(document)),
    )


def _check_names(profiles: tuple[Profile, ...]) -> None:
    seen: set[str] = set()
    for position, profile in enumerate(profiles):
        if profile.scheduler_name in seen:
            name = shown(profile.scheduler_name)
            raise _Wrong(f"profiles[{position}].schedulerName", f"{name} is there twice; names must differ")
        seen.add(profile.scheduler_name)


def _profile(entry: args.ProfileDocument, path: str) -> Profile:
    multi_point = _merge(_DEFAULTS, entry.plugins.multi_point, f"{path}.plugins.multiPoint")
    weights = _expand(entry.plugins.score, multi_point, tuple(SCORES), f"{path}.plugins.score")
    profile = Profile(
        scheduler_name=entry.scheduler_name or "default-scheduler",
        filters=tuple(_expand(entry.plugins.filter, multi_point, _FILTERS, f"{path}.plugins.filter")),
        scores={name: weight or 1 for name, weight in weights.items()},
        post_filters=tuple(
            _expand(entry.plugins.post_filter, multi_point, POST_FILTERS, f"{path}.plugins.postFilter")
        ),
        percentage_of_nodes_to_score=entry.percentage_of_nodes_to_score,
    )
    return _with_arguments(profile, entry, path)


def _merge(defaults: Mapping[str, int], custom: args.PluginSet, path: str) -> dict[str, int]:
    disabled = {plugin.name for plugin in custom.disabled}
    enabled = _enabled(custom, tuple(_DEFAULTS), path)
    kept = {} if _ALL in disabled else {name: w for name, w in defaults.items() if name not in disabled}
    replaced = {name: enabled.get(name, weight) for name, weight in kept.items()}
    return {**replaced, **{name: weight for name, weight in enabled.items() if name not in replaced}}


def _enabled(plugins: args.PluginSet, known: tuple[str, ...], path: str) -> dict[str, int]:
    enabled: dict[str, int] = {}
    for position, plugin in enumerate(plugins.enabled):
        where = f"{path}.enabled[{position}].name"
        if plugin.name in enabled:
            raise _Wrong(where, f"{shown(plugin.name)} is enabled twice; keep one")
        if plugin.name not in known:
            raise _Wrong(where, _unknown(plugin.name, known))
        enabled[plugin.name] = plugin.weight
    return enabled


def _unknown(name: str, known: tuple[str, ...]) -> str:
    if name in _DEFAULTS:
        return f"{name} does not work at this extension point; those that do: {', '.join(known)}"
    return f"plugin {shown(name)} is not known to kubestow; known: {', '.join(known)}"


def _expand(
    own: args.PluginSet, multi_point: Mapping[str, int], implementing: tuple[str, ...], path: str
) -> dict[str, int]:
    enabled = _enabled(own, implementing, path)
    disabled = {plugin.name for plugin in own.disabled}
    if _ALL in disabled:
        return enabled
    reached = [name for name in multi_point if name in implementing and name not in disabled]
    first = {name: weight for name, weight in enabled.items() if name in reached}
    added = {name: multi_point[name] for name in reached if name not in enabled}
    return {**first, **added, **enabled}


def _with_arguments(profile: Profile, entry: args.ProfileDocument, path: str) -> Profile:
    seen: set[str] = set()
    for position, config in enumerate(entry.plugin_config):
        where = f"{path}.pluginConfig[{position}]"
        if config.name in seen:
            raise _Wrong(f"{where}.name", f"{shown(config.name)} has arguments twice; keep one")
        seen.add(config.name)
        profile = replace(profile, **_arguments(config, where))
    return profile


def _arguments(config: args.PluginConfig, where: str) -> dict[str, Any]:
    model = args.ARGS.get(config.name)
    if model is None:
        known = tuple(args.ARGS)
        raise _Wrong(
            f"{where}.name",
            f"{shown(config.name)} takes no arguments known to kubestow; known: {', '.join(known)}",
        )
    try:
        parsed = model.model_validate(config.args)
    except ValidationError as error:
        field, message = first_problem(error)
        raise _Wrong(f"{where}.args.{field}" if field else f"{where}.args", message) from None
    try:
        return _fields(parsed)
    except _Wrong as wrong:
        raise _Wrong(f"{where}.args.{wrong.field}", str(wrong)) from None


def _fields(parsed: args.Args) -> dict[str, Any]:
    match parsed:
        case args.NodeResourcesFitArgs():
            return {
                "scoring": _scoring(parsed.scoring_strategy),
                "ignored_resources": parsed.ignored_resources,
                "ignored_resource_groups": parsed.ignored_resource_groups,
            }
        case args.BalancedAllocationArgs():
            return {"balanced_resources": _weights(parsed.resources)}
        case args.InterPodAffinityArgs():
            return {
                "hard_pod_affinity_weight": parsed.hard_pod_affinity_weight,
                "ignore_preferred_terms_of_existing_pods": parsed.ignore_preferred_terms_of_existing_pods,
            }
        case args.NodeAffinityArgs():
            return {"added_affinity": parsed.added_affinity}
        case args.PodTopologySpreadArgs():
            return _spread(parsed)
        case args.VolumeBindingArgs() if parsed.shape:
            return {"storage_shape": _rising(parsed.shape, "shape")}
        case _:
            return {}


def _weights(resources: tuple[args.ResourceWeight, ...]) -> tuple[tuple[str, int], ...]:
    return tuple((each.name, each.weight or 1) for each in resources) or (("cpu", 1), ("memory", 1))


def _scoring(strategy: args.Strategy) -> ScoringStrategy:
    points = strategy.requested_to_capacity_ratio.shape if strategy.requested_to_capacity_ratio else ()
    where = "scoringStrategy.requestedToCapacityRatio.shape"
    shape = _rising(points, where)
    if strategy.type == "RequestedToCapacityRatio" and not shape:
        raise _Wrong(where, "RequestedToCapacityRatio needs at least one point")
    return ScoringStrategy(strategy.type, _weights(strategy.resources), shape)


def _rising(points: tuple[args.ShapePoint, ...], where: str) -> tuple[tuple[int, int], ...]:
    shape = tuple((point.utilization, point.score) for point in points)
    if any(left >= right for (left, _), (right, _) in pairwise(shape)):
        raise _Wrong(where, f"utilization must rise from point to point, not {[x for x, _ in shape]}")
    return shape


def _spread(parsed: args.PodTopologySpreadArgs) -> dict[str, Any]:
    if parsed.defaulting_type == "System" and parsed.default_constraints:
        raise _Wrong(
            "defaultConstraints", "needs defaultingType: List; with System the defaults are built in"
        )
    for position, constraint in enumerate(parsed.default_constraints):
        if constraint.label_selector is not None:
            raise _Wrong(
                f"defaultConstraints[{position}].labelSelector",
                "must be absent; kube-scheduler takes the selectors of Services and owners",
            )
    return {"default_constraints": parsed.default_constraints, "defaulting": parsed.defaulting_type}


def _warnings(document: args.ConfigurationDocument) -> Iterator[Warning]:
    if document.extenders:
        message = (
            f"{len(document.extenders)} extenders are not asked; what they filter, score or bind is not known"
        )
        yield Warning("not-modelled", KIND, "extenders", message)
    for position, entry in enumerate(document.profiles):
        for name, field in type(entry.plugins).model_fields.items():
            plugins: args.PluginSet = getattr(entry.plugins, name)
            if name not in _SILENT and (plugins.enabled or plugins.disabled):
                where = f"profiles[{position}].plugins.{field.alias}"
                yield Warning("not-modelled", KIND, where, "changes at this extension point are not modelled")
