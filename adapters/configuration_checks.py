"""What kube-scheduler refuses in a configuration beyond the type of a single field.

Source: ``pkg/scheduler/apis/config/validation`` and ``pkg/scheduler/framework/runtime`` NewFramework.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any

from pydantic.alias_generators import to_camel

from ..model.api import NodeAffinity
from ..model.labels import valid_key
from ..model.node_selector_errors import term_errors
from ..model.words import counted
from . import plugin_args as args
from .fields import unknown_fields
from .invalid import shown

QUEUE_SORT, BIND = "PrioritySort", "DefaultBinder"
_BACKOFF, _LONGEST_BACKOFF = 1, 10
_REQUIRED = "addedAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms"
_PREFERRED = "addedAffinity.preferredDuringSchedulingIgnoredDuringExecution"
_STATED = ("max_skew", "topology_key", "when_unsatisfiable")
_RATIO = "scoringStrategy.requestedToCapacityRatio"


class Wrong(ValueError):
    """A field, by its path in the document, and what is wrong with it."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


def check_document(document: args.ConfigurationDocument) -> None:
    """See that the parts of a document fit each other.

    Raises
    ------
    Wrong
        As do all functions here.
    """
    _check_names(document.profiles)
    for position, entry in enumerate(document.profiles):
        if entry.plugins.queue_sort != document.profiles[0].plugins.queue_sort:
            where = f"profiles[{position}].plugins.queueSort"
            raise Wrong(where, "differs from that of profiles[0]; there is one queue, so make them equal")
    first, longest = document.pod_initial_backoff_seconds, document.pod_max_backoff_seconds
    first, longest = _BACKOFF if first is None else first, _LONGEST_BACKOFF if longest is None else longest
    if longest < first:
        message = f"{longest} is less than podInitialBackoffSeconds, {first}; write at least that"
        raise Wrong("podMaxBackoffSeconds", message)
    _check_extenders(document.extenders)


def _check_names(profiles: tuple[args.ProfileDocument, ...]) -> None:
    seen: set[str] = set()
    for position, entry in enumerate(profiles):
        where, name = f"profiles[{position}].schedulerName", entry.scheduler_name
        if name is None:
            if len(profiles) > 1:
                raise Wrong(where, "is missing; each of several profiles needs one")
        elif name in seen:
            raise Wrong(where, f"{shown(name)} is there twice; names must differ")
        else:
            seen.add(name)


def _check_extenders(extenders: tuple[args.Extender, ...]) -> None:
    for position, extender in enumerate(extenders):
        if extender.prioritize_verb and not extender.weight:
            raise Wrong(f"extenders[{position}].weight", "is missing or 0; with a prioritizeVerb it counts")
    if sum(bool(extender.bind_verb) for extender in extenders) > 1:
        raise Wrong("extenders", "more than one has a bindVerb; keep one")


def check_plugins(plugins: args.Plugins, multi_point: Iterable[str], path: str) -> None:
    """See that one plugin sorts the queue and that some plugin binds, once ``multiPoint`` is expanded."""
    sorting = _left(plugins.queue_sort, multi_point, QUEUE_SORT)
    if len(sorting) != 1:
        found = counted(len(sorting), "plugin")
        message = f"leaves {found} to sort the queue; there must be exactly one, such as {QUEUE_SORT}"
        raise Wrong(f"{path}.queueSort", message)
    if not _left(plugins.bind, multi_point, BIND):
        raise Wrong(f"{path}.bind", f"leaves no plugin to bind pods; there must be one, such as {BIND}")


def _left(own: args.PluginSet, multi_point: Iterable[str], default: str) -> set[str]:
    disabled = {plugin.name for plugin in own.disabled}
    expanded = default in multi_point and disabled.isdisjoint({"*", default})
    return {plugin.name for plugin in own.enabled} | ({default} if expanded else set())


def check_arguments(parsed: args.Args, raw: Mapping[str, Any]) -> None:
    """See that the arguments of one plugin are such as it takes."""
    for field in unknown_fields(type(parsed), raw):
        raise Wrong(field.path + field.name, "is no known field; check the spelling or remove it")
    match parsed:
        case args.NodeResourcesFitArgs():
            _check_fit(parsed)
        case args.BalancedAllocationArgs():
            names = (resource.name for resource in parsed.resources)
            _check_different(names, "resources[{}].name")
        case args.NodeAffinityArgs() if parsed.added_affinity:
            _check_affinity(parsed.added_affinity)
        case args.PodTopologySpreadArgs():
            _check_spread(parsed)
        case args.DefaultPreemptionArgs():
            if not parsed.min_candidate_nodes_percentage and not parsed.min_candidate_nodes_absolute:
                where = "minCandidateNodesPercentage"
                raise Wrong(where, "is 0, as is minCandidateNodesAbsolute; one must be more")
        case args.VolumeBindingArgs():
            _check_rising(parsed.shape, "shape")
        case _:
            pass


def _check_fit(parsed: args.NodeResourcesFitArgs) -> None:
    for position, name in enumerate(parsed.ignored_resources):
        _check_key(name, f"ignoredResources[{position}]")
    for position, group in enumerate(parsed.ignored_resource_groups):
        if "/" in group:
            raise Wrong(
                f"ignoredResourceGroups[{position}]", f"{shown(group)} is no group; leave out the '/'"
            )
        _check_key(group, f"ignoredResourceGroups[{position}]")
    strategy = parsed.scoring_strategy
    if strategy is None:
        return
    ratio = strategy.requested_to_capacity_ratio
    if strategy.type == "RequestedToCapacityRatio":
        if ratio is None or not ratio.shape:
            raise Wrong(f"{_RATIO}.shape", "RequestedToCapacityRatio needs at least one point")
        _check_rising(ratio.shape, f"{_RATIO}.shape")
    elif ratio is not None:
        raise Wrong(_RATIO, f"must be absent, as type is {strategy.type}")


def _check_rising(points: tuple[args.ShapePoint, ...], where: str) -> None:
    used = [point.utilization for point in points]
    if any(left >= right for left, right in pairwise(used)):
        raise Wrong(where, f"utilization must rise from point to point, not {used}")


def _check_affinity(affinity: NodeAffinity) -> None:
    for error in _affinity_errors(affinity):
        path, _, message = error.partition(": ")
        raise Wrong(path, message)


def _affinity_errors(affinity: NodeAffinity) -> Iterator[str]:
    for position, term in enumerate(affinity.required.node_selector_terms if affinity.required else ()):
        yield from term_errors(term, f"{_REQUIRED}[{position}]")
    for position, weighted in enumerate(affinity.preferred):
        yield from term_errors(weighted.preference, f"{_PREFERRED}[{position}].preference")


def _check_spread(parsed: args.PodTopologySpreadArgs) -> None:
    if parsed.defaulting_type == "System" and parsed.default_constraints:
        message = "needs defaultingType: List; with System the defaults are built in"
        raise Wrong("defaultConstraints", message)
    for position, constraint in enumerate(parsed.default_constraints):
        where = f"defaultConstraints[{position}]"
        for name in _STATED:
            if name not in constraint.model_fields_set:
                raise Wrong(f"{where}.{to_camel(name)}", "is missing; nothing fills it in here")
        _check_key(constraint.topology_key, f"{where}.topologyKey")
        if constraint.label_selector is not None:
            message = "must be absent; kube-scheduler takes the selectors of Services and owners"
            raise Wrong(f"{where}.labelSelector", message)
    pairs = (f"{each.topology_key}, {each.when_unsatisfiable}" for each in parsed.default_constraints)
    _check_different(pairs, "defaultConstraints[{}]")


def _check_key(name: str, where: str) -> None:
    if not valid_key(name):
        raise Wrong(where, f"{shown(name)} is no qualified name; use letters, digits, '-', '_' and '.'")


def _check_different(names: Iterable[str], where: str) -> None:
    seen: set[str] = set()
    for position, name in enumerate(names):
        if name in seen:
            raise Wrong(where.format(position), f"{shown(name)} is there twice; keep one")
        seen.add(name)
