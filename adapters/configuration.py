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
from typing import Any

from pydantic import ValidationError

from ..model.errors import BadInput
from ..model.profile import (
    FILTERS,
    OPTIONAL_FILTERS,
    PRE_FILTERS,
    SCORES,
    Profile,
    SchedulerConfiguration,
    ScoringStrategy,
)
from ..model.reasons import Warning
from . import plugin_args as args
from .configuration_checks import BIND, QUEUE_SORT, Wrong, check_arguments, check_document, check_plugins
from .invalid import first_problem, shown

KIND = "KubeSchedulerConfiguration"
API_VERSION = "kubescheduler.config.k8s.io/v1"
POST_FILTERS = ("DynamicResources", "DefaultPreemption")
_OTHERS = ("SchedulingGates", QUEUE_SORT, BIND)
_DEFAULTS: Mapping[str, int] = {
    **dict.fromkeys((*_OTHERS, *FILTERS, *POST_FILTERS), 0), **SCORES,
}  # fmt: skip
"""The default ``multiPoint`` plugins in order, with their weights."""
_FILTERS = (*FILTERS, *OPTIONAL_FILTERS)
_SILENT = frozenset({"multi_point", "pre_filter", "filter", "score", "post_filter"})
_RESERVING = ("VolumeBinding", "DynamicResources")
"""Plugins whose Reserve needs what their PreFilter found."""
_ALL = "*"
_EVERY = 100


def parse_configuration(
    raw: Mapping[str, Any], *, file: str = "", document: int | None = None
) -> SchedulerConfiguration:
    """The profiles of one KubeSchedulerConfiguration document.

    Without ``percentageOfNodesToScore`` all nodes are scored; an explicit 0
    is kept, and means kube-scheduler's adaptive share.

    Raises
    ------
    BadInput
        For an unknown apiVersion, field, plugin or argument, for values out of range, and for what
        kube-scheduler would not start with.
    """
    try:
        return _configuration(raw)
    except Wrong as wrong:
        field, message = wrong.field, str(wrong)
    except ValidationError as error:
        field, message = first_problem(error)
    raise BadInput(message, file=file, document=document, object=KIND, field=field)


def _configuration(raw: Mapping[str, Any]) -> SchedulerConfiguration:
    version = raw.get("apiVersion")
    if version != API_VERSION:
        raise Wrong("apiVersion", f"{shown(version)} is not supported; write {API_VERSION}")
    document = args.ConfigurationDocument.model_validate(raw, by_alias=True, by_name=False)
    check_document(document)
    share = document.percentage_of_nodes_to_score
    profiles = tuple(_profile(entry, f"profiles[{i}]") for i, entry in enumerate(document.profiles))
    return SchedulerConfiguration(
        profiles=profiles or (Profile(),),
        percentage_of_nodes_to_score=_EVERY if share is None else share,
        warnings=(*_warnings(document), *_unprepared(profiles)),
    )


def _profile(entry: args.ProfileDocument, path: str) -> Profile:
    multi_point = _merge(_DEFAULTS, entry.plugins.multi_point, f"{path}.plugins.multiPoint")
    check_plugins(entry.plugins, multi_point, f"{path}.plugins")
    weights = _expand(entry.plugins.score, multi_point, tuple(SCORES), f"{path}.plugins.score")
    profile = Profile(
        scheduler_name=entry.scheduler_name or "default-scheduler",
        filters=tuple(_expand(entry.plugins.filter, multi_point, _FILTERS, f"{path}.plugins.filter")),
        pre_filters=tuple(
            _expand(entry.plugins.pre_filter, multi_point, PRE_FILTERS, f"{path}.plugins.preFilter")
        ),
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
            raise Wrong(where, f"{shown(plugin.name)} is enabled twice; keep one")
        if plugin.name not in known:
            raise Wrong(where, _unknown(plugin.name, known))
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
            raise Wrong(f"{where}.name", f"{shown(config.name)} has arguments twice; keep one")
        seen.add(config.name)
        profile = replace(profile, **_arguments(config, where))
    return profile


def _arguments(config: args.PluginConfig, where: str) -> dict[str, Any]:
    model = args.ARGS.get(config.name)
    if model is None:
        known = tuple(args.ARGS)
        raise Wrong(
            f"{where}.name",
            f"{shown(config.name)} takes no arguments known to kubestow; known: {', '.join(known)}",
        )
    try:
        parsed = model.model_validate(config.args, by_alias=True, by_name=False)
        check_arguments(parsed, config.args)
    except ValidationError as error:
        field, message = first_problem(error)
        raise Wrong(f"{where}.args.{field}" if field else f"{where}.args", message) from None
    except Wrong as wrong:
        raise Wrong(f"{where}.args.{wrong.field}", str(wrong)) from None
    return _fields(parsed)


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
            return {"default_constraints": parsed.default_constraints, "defaulting": parsed.defaulting_type}
        case args.VolumeBindingArgs() if parsed.shape:
            return {"storage_shape": _shape(parsed.shape)}
        case _:
            return {}


def _weights(
    resources: tuple[args.ResourceWeight | args.BalancedResource, ...],
) -> tuple[tuple[str, int], ...]:
    return tuple((each.name, each.weight or 1) for each in resources) or (("cpu", 1), ("memory", 1))


def _scoring(strategy: args.Strategy | None) -> ScoringStrategy:
    if strategy is None:
        return ScoringStrategy()
    ratio = strategy.requested_to_capacity_ratio
    return ScoringStrategy(strategy.type, _weights(strategy.resources), _shape(ratio.shape if ratio else ()))


def _shape(points: tuple[args.ShapePoint, ...]) -> tuple[tuple[int, int], ...]:
    return tuple((point.utilization, point.score) for point in points)


def _warnings(document: args.ConfigurationDocument) -> Iterator[Warning]:
    yield from _of_share(document.percentage_of_nodes_to_score, "")
    if document.extenders:
        message = (
            f"{len(document.extenders)} extenders are not asked; what they filter, score or bind is not known"
        )
        yield Warning("not-modelled", KIND, "extenders", message)
    for position, entry in enumerate(document.profiles):
        yield from _of_share(entry.percentage_of_nodes_to_score, f"profiles[{position}].")
        for name, field in type(entry.plugins).model_fields.items():
            plugins: args.PluginSet = getattr(entry.plugins, name)
            if name not in _SILENT and (plugins.enabled or plugins.disabled):
                where = f"profiles[{position}].plugins.{field.alias}"
                yield Warning("not-modelled", KIND, where, "changes at this extension point are not modelled")


def _unprepared(profiles: tuple[Profile, ...]) -> Iterator[Warning]:
    for position, profile in enumerate(profiles):
        running = {*profile.filters, *(name for name in _RESERVING if name in profile.scores)}
        names = [name for name in PRE_FILTERS if name in running and name not in profile.pre_filters]
        if names:
            message = (
                f"{', '.join(names)} without PreFilter: what the rest of a plugin does then is not modelled"
            )
            yield Warning("not-modelled", KIND, f"profiles[{position}].plugins.preFilter", message)


def _of_share(share: int | None, path: str) -> Iterator[Warning]:
    if share is not None and share < _EVERY:
        message = "all nodes are looked at and scored, as kube-scheduler itself does below 100 nodes only"
        yield Warning("not-modelled", KIND, f"{path}percentageOfNodesToScore", message)
