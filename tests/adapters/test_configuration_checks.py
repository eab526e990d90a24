# ruff: noqa: E501 - one row per mistake
"""What kube-scheduler 1.37.2 does not start with is refused, and what it starts with is not: its own verdicts."""

from typing import Any

import pytest
from kubestow.adapters.configuration import parse_configuration
from kubestow.model.errors import BadInput

HEAD = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
ALL = [{"name": "*"}]
POINT = {"utilization": 0, "score": 0}
SPREAD = {"maxSkew": 1, "topologyKey": "z", "whenUnsatisfiable": "ScheduleAnyway"}
TERMS = "addedAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def named(*names: str) -> list[dict[str, Any]]:
    return [{"name": name} for name in names]


def plugins(**points: Any) -> dict[str, Any]:
    return {"profiles": [{"plugins": points}]}


def arguments(plugin: str, **given: Any) -> dict[str, Any]:
    return {"profiles": [{"pluginConfig": [{"name": plugin, "args": given}]}]}


def spread(*constraints: dict[str, Any]) -> dict[str, Any]:
    return arguments("PodTopologySpread", defaultingType="List", defaultConstraints=list(constraints))


def without(name: str) -> dict[str, Any]:
    return {key: value for key, value in SPREAD.items() if key != name}


def fit(**strategy: Any) -> dict[str, Any]:
    return arguments("NodeResourcesFit", scoringStrategy=strategy)


def added(*expressions: dict[str, Any]) -> dict[str, Any]:
    terms = {"nodeSelectorTerms": [{"matchExpressions": list(expressions)}]}
    return arguments("NodeAffinity", addedAffinity={"requiredDuringSchedulingIgnoredDuringExecution": terms})


def preferred(**expression: Any) -> dict[str, Any]:
    term = {"weight": 1, "preference": {"matchExpressions": [expression]}}
    return arguments("NodeAffinity", addedAffinity={PREFERRED: [term]})


def two(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    return {"profiles": [first, second]}


SORTED = {"schedulerName": "b", "plugins": {"queueSort": {"enabled": named("PrioritySort")}}}

REFUSED: dict[str, tuple[dict[str, Any], str, str]] = {
    "no queue sort": (plugins(queueSort={"disabled": ALL}), "plugins.queueSort", "leaves 0 plugins to sort the queue; there must be exactly one, such as PrioritySort"),
    "no queue sort, by name": (plugins(queueSort={"disabled": named("PrioritySort")}), "plugins.queueSort", "0 plugins"),
    "no plugins at all": (plugins(multiPoint={"disabled": ALL}), "plugins.queueSort", "0 plugins"),
    "no queue sort in multiPoint": (plugins(multiPoint={"disabled": named("PrioritySort")}), "plugins.queueSort", "0 plugins"),
    "two queue sorts": (plugins(queueSort={"enabled": named("Coscheduling")}), "plugins.queueSort", "2 plugins"),
    "no bind": (plugins(bind={"disabled": ALL}), "plugins.bind", "leaves no plugin to bind pods; there must be one, such as DefaultBinder"),
    "no bind, by name": (plugins(bind={"disabled": named("DefaultBinder")}), "plugins.bind", "no plugin to bind"),
    "no bind in multiPoint": (plugins(multiPoint={"disabled": named("DefaultBinder")}), "plugins.bind", "no plugin to bind"),
    "queue sorts differ": (two({"schedulerName": "a"}, SORTED), "profiles[1].plugins.queueSort", "differs from that of profiles[0]"),
    "one name of two": (two({"schedulerName": "a"}, {}), "profiles[1].schedulerName", "is missing; each of several profiles needs one"),
    "empty name": ({"profiles": [{"schedulerName": ""}]}, "profiles[0].schedulerName", "is empty"),
    "share above": ({"percentageOfNodesToScore": 101}, "percentageOfNodesToScore", "must be less than or equal to 100, not the number 101"),
    "share below": ({"profiles": [{"percentageOfNodesToScore": -1}]}, "profiles[0].percentageOfNodesToScore", "must be greater than or equal to 0"),
    "no parallelism": ({"parallelism": 0}, "parallelism", "must be greater than or equal to 1, not the number 0"),
    "no backoff": ({"podInitialBackoffSeconds": 0}, "podInitialBackoffSeconds", "must be greater than or equal to 1"),
    "backoff above the longest": ({"podInitialBackoffSeconds": 20}, "podMaxBackoffSeconds", "10 is less than podInitialBackoffSeconds, 20"),
    "longest backoff below": ({"podMaxBackoffSeconds": 0}, "podMaxBackoffSeconds", "0 is less than podInitialBackoffSeconds, 1"),
    "no candidates": (arguments("DefaultPreemption", minCandidateNodesPercentage=0, minCandidateNodesAbsolute=0), "args.minCandidateNodesPercentage", "one must be more"),
    "spread without skew": (spread(without("maxSkew")), "defaultConstraints[0].maxSkew", "is missing"),
    "spread without key": (spread(without("topologyKey")), "defaultConstraints[0].topologyKey", "is missing"),
    "spread without action": (spread(without("whenUnsatisfiable")), "defaultConstraints[0].whenUnsatisfiable", "is missing"),
    "spread by no key": (spread({**SPREAD, "topologyKey": "a b"}), "defaultConstraints[0].topologyKey", "'a b' is no qualified name"),
    "spread twice": (spread(SPREAD, {**SPREAD, "maxSkew": 2}), "defaultConstraints[1]", "'z, ScheduleAnyway' is there twice"),
    "spread with an unknown field": (spread({**SPREAD, "minDomain": 2}), "defaultConstraints[].minDomain", "is no known field"),
    "balanced twice": (arguments("NodeResourcesBalancedAllocation", resources=named("cpu", "cpu")), "resources[1].name", "'cpu' is there twice"),
    "balanced by weight": (arguments("NodeResourcesBalancedAllocation", resources=[{"name": "cpu", "weight": 2}]), "resources[0].weight", "less than or equal to 1, not the number 2"),
    "strategy without type": (fit(resources=named("cpu")), "scoringStrategy.type", "is missing"),
    "ratio without need": (fit(type="LeastAllocated", requestedToCapacityRatio={"shape": [POINT]}), "scoringStrategy.requestedToCapacityRatio", "must be absent, as type is LeastAllocated"),
    "ignored resource": (arguments("NodeResourcesFit", ignoredResources=["a b"]), "ignoredResources[0]", "'a b' is no qualified name"),
    "ignored group with slash": (arguments("NodeResourcesFit", ignoredResourceGroups=["a/b"]), "ignoredResourceGroups[0]", "leave out the '/'"),
    "ignored group": (arguments("NodeResourcesFit", ignoredResourceGroups=["a b"]), "ignoredResourceGroups[0]", "'a b' is no qualified name"),
    "added affinity to nothing": (added({"key": "a", "operator": "In"}), f"{TERMS}[0].matchExpressions[0].values", "for 'in', 'notin' operators, values set can't be empty"),
    "added preference by no key": (preferred(key="a b", operator="Exists"), f"{PREFERRED}[0].preference.matchExpressions[0].key", "name part must consist of"),
    "added affinity misspelt": (arguments("NodeAffinity", addedAffinity={"required": {}}), "args.addedAffinity.required", "is no known field"),
    "extender without weight": ({"extenders": [{"urlPrefix": "http://x", "prioritizeVerb": "p"}]}, "extenders[0].weight", "is missing or 0"),
    "two binding extenders": ({"extenders": [{"bindVerb": "b"}] * 2}, "extenders", "more than one has a bindVerb"),
    "unknown field of an extender": ({"extenders": [{"bind": "b"}]}, "extenders[0].bind", "is no known field"),
    "cache": ({"delayCacheUntilActive": "x"}, "delayCacheUntilActive", "must be true or false"),
    "snake case": ({"percentage_of_nodes_to_score": 5}, "percentage_of_nodes_to_score", "is no known field"),
    "snake case of a profile": ({"profiles": [{"scheduler_name": "x"}]}, "profiles[0].scheduler_name", "is no known field"),
}  # fmt: skip

ACCEPTED: dict[str, dict[str, Any]] = {
    "no profiles": {"profiles": []},
    "queue sort enabled again": plugins(queueSort={"disabled": ALL, "enabled": named("PrioritySort")}),
    "queue sort enabled twice": plugins(queueSort={"enabled": named("PrioritySort")}),
    "queue sorts alike": two({**SORTED, "schedulerName": "a"}, SORTED),
    "bind enabled again": plugins(bind={"disabled": ALL, "enabled": named("DefaultBinder")}),
    "bind in its place": plugins(multiPoint={"disabled": named("DefaultBinder")}, bind={"enabled": named("DefaultBinder")}),
    "adaptive share": {"percentageOfNodesToScore": 0},
    "short backoff": {"podMaxBackoffSeconds": 1},
    "candidates by number": arguments("DefaultPreemption", minCandidateNodesPercentage=0),
    "spread with domains": spread({**SPREAD, "whenUnsatisfiable": "DoNotSchedule", "minDomains": 2}),
    "no spread": spread(),
    "balanced by no weight": arguments("NodeResourcesBalancedAllocation", resources=[{"name": "cpu", "weight": 0}]),
    "scored twice": fit(type="LeastAllocated", resources=named("cpu", "cpu")),
    "added affinity to no term": added(),
    "timeouts": arguments("DynamicResources", filterTimeout="5s", bindingTimeout="5s"),
    "extender": {"extenders": [{"urlPrefix": "http://x", "filterVerb": "f", "enableHTTPS": True}]},
    "unknown plugin disabled": plugins(filter={"disabled": named("Mine")}),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_kube_scheduler_does_not_start_with_is_refused(case: str) -> None:
    """The message names the field and what it must be."""
    fields, field, message = REFUSED[case]
    with pytest.raises(BadInput) as caught:
        parse_configuration({**HEAD, **fields})
    assert caught.value.field.endswith(field)
    assert message in caught.value.message


@pytest.mark.parametrize("case", ACCEPTED)
def test_what_kube_scheduler_starts_with_is_accepted(case: str) -> None:
    """None of these checks is stricter than kube-scheduler's."""
    assert parse_configuration({**HEAD, **ACCEPTED[case]}).profiles
