# ruff: noqa: E501 - one row per mistake
from pathlib import Path
from typing import Any

import pytest
from golden_cases import cases, recorded
from kubestow.adapters.configuration import parse_configuration
from kubestow.adapters.inputs import load
from kubestow.adapters.read import read
from kubestow.model.errors import BadInput
from kubestow.model.profile import FILTERS, SCORES, Profile, SchedulerConfiguration

VERSION = "kubescheduler.config.k8s.io/v1"


def parse(**fields: Any) -> SchedulerConfiguration:
    return parse_configuration({"apiVersion": VERSION, "kind": "KubeSchedulerConfiguration", **fields})


def profile(**fields: Any) -> Profile:
    return parse(profiles=[fields]).profiles[0]


def arguments(plugin: str, **args: Any) -> Profile:
    return profile(pluginConfig=[{"name": plugin, "args": args}])


@pytest.mark.parametrize(
    "case", [pytest.param(case, id=f"{case.parent.name}/{case.stem}") for case in cases()]
)
def test_profiles_are_those_of_the_real_scheduler(case: Path) -> None:
    """Filters in their order, PostFilters, and scores with weights, for every recorded configuration."""
    configured = "KubeSchedulerConfiguration" in case.read_text()
    configuration = read(case).configuration if configured else SchedulerConfiguration()
    assert configuration is not None
    ours = {
        each.scheduler_name: {
            "filter": list(each.filters),
            "postFilter": list(each.post_filters),
            "score": dict(each.scores),
        }
        for each in configuration.profiles
    }
    assert ours == recorded(case)["profile"]


def test_an_empty_document_is_the_default() -> None:
    """What is not said is as in kube-scheduler without a configuration."""
    assert parse() == SchedulerConfiguration()
    assert parse(profiles=[{}]) == SchedulerConfiguration()


def test_a_plugin_without_its_filter_keeps_its_pre_filter() -> None:
    """Each extension point is switched off by itself; ``multiPoint`` switches off both."""
    off = {"disabled": [{"name": "NodeAffinity"}, {"name": "NodeName"}]}
    for point, prepares in (("filter", True), ("multiPoint", False)):
        found = profile(plugins={point: off})
        assert {"NodeAffinity", "NodeName"}.isdisjoint(found.filters)
        assert ("NodeAffinity" in found.prepared, "NodeName" in found.prepared) == (prepares, False)
    both = profile(plugins={"filter": off, "preFilter": {"disabled": [{"name": "*"}]}})
    assert both.prepared == both.filters
    own = profile(
        plugins={
            "multiPoint": {"disabled": [{"name": "NodeAffinity"}, {"name": "NodePorts"}]},
            "preFilter": {"enabled": [{"name": "NodePorts"}, {"name": "NodeResourcesFit"}]},
        }
    )
    assert own.pre_filters[0] == "NodeResourcesFit"
    assert own.pre_filters[-1] == "NodePorts"
    assert "NodePorts" not in own.filters


def test_fields_of_no_consequence_are_accepted() -> None:
    """Connection, leader election and back-off do not decide where a pod goes."""
    configuration = parse(
        leaderElection={"leaderElect": False},
        clientConnection={"qps": 50},
        parallelism=16,
        podInitialBackoffSeconds=1,
        healthzBindAddress="0.0.0.0:10251",
    )
    assert configuration == SchedulerConfiguration()


def test_disabling_all_leaves_what_is_enabled() -> None:
    """``*`` removes every default, also of one extension point."""
    enabled = [{"name": name} for name in ("PrioritySort", "DefaultBinder", "NodeName")]
    only = profile(plugins={"multiPoint": {"disabled": [{"name": "*"}], "enabled": enabled}})
    assert (only.filters, dict(only.scores), only.post_filters) == (("NodeName",), {}, ())
    scored = profile(
        plugins={"score": {"disabled": [{"name": "*"}], "enabled": [{"name": "NodeAffinity", "weight": 4}]}}
    )
    assert (scored.filters, dict(scored.scores)) == (FILTERS, {"NodeAffinity": 4})


def test_a_multi_point_weight_replaces_the_default() -> None:
    """A plugin that multiPoint enables again keeps its place and takes the new weight."""
    changed = profile(plugins={"multiPoint": {"enabled": [{"name": "ImageLocality", "weight": 9}]}})
    assert changed.scores == {**SCORES, "ImageLocality": 9}
    assert changed.filters == FILTERS


def test_a_weight_of_zero_counts_as_one() -> None:
    """A plugin that is enabled without a weight scores with 1."""
    changed = profile(plugins={"score": {"enabled": [{"name": "NodeAffinity"}]}})
    assert changed.scores["NodeAffinity"] == 1


def test_order_follows_the_extension_point_then_multi_point() -> None:
    """What an extension point enables by name comes first when multiPoint has it too."""
    changed = profile(plugins={"filter": {"enabled": [{"name": "NodePorts"}, {"name": "NodeName"}]}})
    assert changed.filters[:3] == ("NodePorts", "NodeName", "NodeUnschedulable")
    assert sorted(changed.filters) == sorted(FILTERS)
    last = profile(
        plugins={"filter": {"disabled": [{"name": "NodeName"}], "enabled": [{"name": "NodeName"}]}}
    )
    assert last.filters[-1] == "NodeName"


def test_arguments_of_each_plugin_are_kept() -> None:
    """Everything that decides placements is in the profile."""
    strategy = {
        "type": "RequestedToCapacityRatio",
        "resources": [{"name": "cpu", "weight": 3}, {"name": "memory"}],
        "requestedToCapacityRatio": {
            "shape": [{"utilization": 0, "score": 0}, {"utilization": 100, "score": 10}]
        },
    }
    fit = arguments(
        "NodeResourcesFit", scoringStrategy=strategy, ignoredResources=["a/b"], ignoredResourceGroups=["c"]
    )
    assert (fit.scoring.type, fit.scoring.resources) == (
        "RequestedToCapacityRatio",
        (("cpu", 3), ("memory", 1)),
    )
    assert fit.scoring.shape == ((0, 0), (100, 10))
    assert (fit.ignored_resources, fit.ignored_resource_groups) == (("a/b",), ("c",))
    assert arguments("NodeResourcesBalancedAllocation", resources=[{"name": "cpu"}]).balanced_resources == (
        ("cpu", 1),
    )
    affinity = arguments("InterPodAffinity", hardPodAffinityWeight=0, ignorePreferredTermsOfExistingPods=True)
    assert (affinity.hard_pod_affinity_weight, affinity.ignore_preferred_terms_of_existing_pods) == (0, True)
    term = {"weight": 1, "preference": {"matchExpressions": [{"key": "a", "operator": "Exists"}]}}
    added = arguments(
        "NodeAffinity", addedAffinity={"preferredDuringSchedulingIgnoredDuringExecution": [term]}
    ).added_affinity
    assert added is not None
    assert added.preferred[0].preference.match_expressions[0].key == "a"
    spread = arguments(
        "PodTopologySpread",
        defaultingType="List",
        defaultConstraints=[{"maxSkew": 2, "topologyKey": "z", "whenUnsatisfiable": "ScheduleAnyway"}],
    )
    assert (spread.defaulting, spread.default_constraints[0].max_skew) == ("List", 2)
    shape = [{"utilization": 0, "score": 10}, {"utilization": 100, "score": 0}]
    assert arguments("VolumeBinding", shape=shape).storage_shape == ((0, 10), (100, 0))


def test_a_strategy_without_resources_takes_cpu_and_memory() -> None:
    """As kube-scheduler's defaults do."""
    assert arguments("NodeResourcesFit", scoringStrategy={"type": "MostAllocated"}).scoring.resources == (
        ("cpu", 1),
        ("memory", 1),
    )


def test_the_share_of_nodes_to_score_is_kept() -> None:
    """For all profiles, and for one."""
    both = parse(percentageOfNodesToScore=50, profiles=[{"percentageOfNodesToScore": 10}])
    assert (both.percentage_of_nodes_to_score, both.profiles[0].percentage_of_nodes_to_score) == (50, 10)
    assert parse().percentage_of_nodes_to_score == 100


def test_profiles_are_found_by_scheduler_name() -> None:
    """A pod's ``schedulerName`` picks its profile; pods of others have none."""
    two = parse(
        profiles=[
            {"schedulerName": "a"},
            {"schedulerName": "b", "plugins": {"score": {"disabled": [{"name": "*"}]}}},
        ]
    )
    chosen = two.profile("b")
    assert chosen is not None
    assert chosen.scores == {}
    assert two.profile("default-scheduler") is None


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"extenders": [{"urlPrefix": "http://x"}]}, "extenders"),
        ({"percentageOfNodesToScore": 0}, "percentageOfNodesToScore"),
        ({"profiles": [{"percentageOfNodesToScore": 99}]}, "profiles[0].percentageOfNodesToScore"),
        (
            {"profiles": [{"plugins": {"permit": {"enabled": [{"name": "Wait"}]}}}]},
            "profiles[0].plugins.permit",
        ),
        (
            {"profiles": [{"plugins": {"preEnqueue": {"disabled": [{"name": "*"}]}}}]},
            "profiles[0].plugins.preEnqueue",
        ),
        (
            {"profiles": [{"plugins": {"preFilter": {"disabled": [{"name": "NodePorts"}]}}}]},
            "profiles[0].plugins.preFilter",
        ),
        (
            {"profiles": [{"plugins": {"preScore": {"disabled": [{"name": "NodeAffinity"}]}}}]},
            "profiles[0].plugins.preScore",
        ),
    ],
)
def test_what_is_not_modelled_is_said(fields: dict[str, Any], field: str) -> None:
    """Extenders, shares of the nodes and extension points that no rule covers give a warning each."""
    assert [(w.code, w.field) for w in parse(**fields).warnings] == [("not-modelled", field)]


def test_scoring_all_nodes_is_no_warning() -> None:
    """What is asked for is what is done."""
    assert not parse(percentageOfNodesToScore=100, profiles=[{"percentageOfNodesToScore": 100}]).warnings


@pytest.mark.parametrize(
    ("fields", "field", "message"),
    [
        ({"apiVersion": "kubescheduler.config.k8s.io/v1beta3"}, "apiVersion", "write kubescheduler.config.k8s.io/v1"),
        ({"apiVersion": None}, "apiVersion", "null is not supported"),
        ({"profile": []}, "profile", "is no known field"),
        ({"profiles": {}}, "profiles", "must be a list"),
        ({"percentageOfNodesToScore": 101}, "percentageOfNodesToScore", "101"),
        ({"profiles": [{"schedulerName": "a"}] * 2}, "profiles[1].schedulerName", "'a' is there twice"),
        ({"profiles": [{"plugins": {"filters": {}}}]}, "profiles[0].plugins.filters", "is no known field"),
        ({"profiles": [{"plugins": {"filter": {"enabled": [{"name": "Mine"}]}}}]}, "profiles[0].plugins.filter.enabled[0].name", "'Mine' is not known"),
        ({"profiles": [{"plugins": {"multiPoint": {"enabled": [{"name": "Mine"}]}}}]}, "profiles[0].plugins.multiPoint.enabled[0].name", "'Mine' is not known"),
        ({"profiles": [{"plugins": {"score": {"enabled": [{"name": "NodeName"}]}}}]}, "profiles[0].plugins.score.enabled[0].name", "NodeName does not work at this extension point"),
        ({"profiles": [{"plugins": {"score": {"enabled": [{"name": "NodeAffinity"}] * 2}}}]}, "profiles[0].plugins.score.enabled[1].name", "enabled twice"),
        ({"profiles": [{"plugins": {"score": {"enabled": [{"name": "NodeAffinity", "weight": -1}]}}}]}, "profiles[0].plugins.score.enabled[0].weight", "-1"),
        ({"profiles": [{"plugins": {"score": {"enabled": [{"name": "NodeAffinity", "weight": 2**31}]}}}]}, "profiles[0].plugins.score.enabled[0].weight", "2147483648"),
        ({"profiles": [{"plugins": {"multiPoint": {"enabled": [{"name": "NodeAffinity", "weight": 10**400}]}}}]}, "profiles[0].plugins.multiPoint.enabled[0].weight", "a huge number"),
        ({"profiles": [{"plugins": {"score": {"enabled": [{"name": "NodeAffinity", "weight": "5"}]}}}]}, "profiles[0].plugins.score.enabled[0].weight", "must be a whole number, not '5'"),
        ({"profiles": [{"percentageOfNodesToScore": 10**30}]}, "profiles[0].percentageOfNodesToScore", "less than or equal to 100"),
        ({"profiles": [{"pluginConfig": [{"name": "DefaultPreemption", "args": {"minCandidateNodesAbsolute": 2**31}}]}]}, "profiles[0].pluginConfig[0].args.minCandidateNodesAbsolute", "2147483648"),
        ({"profiles": [{"pluginConfig": [{"name": "VolumeBinding", "args": {"shape": [{"utilization": 101, "score": 1}]}}]}]}, "profiles[0].pluginConfig[0].args.shape[0].utilization", "101"),
        ({"profiles": [{"pluginConfig": [{"name": "VolumeBinding", "args": {"shape": [{"utilization": 1, "score": 10**20}]}}]}]}, "profiles[0].pluginConfig[0].args.shape[0].score", "less than or equal to 10"),
        ({"profiles": [{"pluginConfig": [{"name": "InterPodAffinity", "args": {"hardPodAffinityWeight": 10**20}}]}]}, "profiles[0].pluginConfig[0].args.hardPodAffinityWeight", "less than or equal to 100"),
        ({"profiles": [{"pluginConfig": [{"name": "Mine"}]}]}, "profiles[0].pluginConfig[0].name", "takes no arguments known"),
        ({"profiles": [{"pluginConfig": [{"name": "NodeAffinity"}] * 2}]}, "profiles[0].pluginConfig[1].name", "arguments twice"),
        ({"profiles": [{"pluginConfig": [{"name": "InterPodAffinity", "args": {"weight": 1}}]}]}, "profiles[0].pluginConfig[0].args.weight", "is no known field"),
        ({"profiles": [{"pluginConfig": [{"name": "InterPodAffinity", "args": {"hardPodAffinityWeight": 101}}]}]}, "profiles[0].pluginConfig[0].args.hardPodAffinityWeight", "101"),
        ({"profiles": [{"pluginConfig": [{"name": "NodeResourcesFit", "args": {"scoringStrategy": {"type": "Best"}}}]}]}, "profiles[0].pluginConfig[0].args.scoringStrategy.type", "must be 'LeastAllocated', 'MostAllocated' or 'RequestedToCapacityRatio', not 'Best'"),
        ({"profiles": [{"pluginConfig": [{"name": "NodeResourcesFit", "args": {"scoringStrategy": {"type": "RequestedToCapacityRatio"}}}]}]}, "profiles[0].pluginConfig[0].args.scoringStrategy.requestedToCapacityRatio.shape", "at least one point"),
        ({"profiles": [{"pluginConfig": [{"name": "VolumeBinding", "args": {"shape": [{"utilization": 5, "score": 1}] * 2}}]}]}, "profiles[0].pluginConfig[0].args.shape", "must rise"),
        ({"profiles": [{"pluginConfig": [{"name": "PodTopologySpread", "args": {"defaultConstraints": [{"maxSkew": 1, "topologyKey": "z", "whenUnsatisfiable": "ScheduleAnyway"}]}}]}]}, "profiles[0].pluginConfig[0].args.defaultConstraints", "needs defaultingType: List"),
        ({"profiles": [{"pluginConfig": [{"name": "PodTopologySpread", "args": {"defaultingType": "List", "defaultConstraints": [{"maxSkew": 1, "topologyKey": "z", "whenUnsatisfiable": "ScheduleAnyway", "labelSelector": {}}]}}]}]}, "profiles[0].pluginConfig[0].args.defaultConstraints[0].labelSelector", "must be absent"),
    ],
)  # fmt: skip
def test_what_is_not_known_is_bad_input(fields: dict[str, Any], field: str, message: str) -> None:
    """Each mistake names its field; nothing is silently left out."""
    with pytest.raises(BadInput) as caught:
        parse(**fields)
    assert caught.value.field == field
    assert message in caught.value.message


def test_a_configuration_is_read_with_its_place(tmp_path: Path) -> None:
    """A file may hold only a configuration; a mistake in it names file and document, and a second one is a mistake."""
    path = tmp_path / "scheduler.yaml"
    path.write_text(f"kind: KubeSchedulerConfiguration\napiVersion: {VERSION}\npercentageOfNodesToScore: 7\n")
    configuration = read(path).configuration
    assert configuration is not None
    assert configuration.percentage_of_nodes_to_score == 7
    with pytest.raises(BadInput, match="a second one") as caught:
        read([path, path])
    assert (caught.value.file, caught.value.document) == (str(path), 1)
    path.write_text(f"# first\n---\nkind: KubeSchedulerConfiguration\napiVersion: {VERSION}\nextender: []\n")
    with pytest.raises(BadInput) as caught:
        read(path)
    assert (caught.value.file, caught.value.document, caught.value.field) == (str(path), 1, "extender")


def test_warnings_of_a_configuration_reach_the_user(tmp_path: Path) -> None:
    """They are shown beside those of the cluster."""
    path = tmp_path / "input.yaml"
    path.write_text(f"kind: KubeSchedulerConfiguration\napiVersion: {VERSION}\nextenders: [{{}}]\n")
    assert [warning.code for warning in load([str(path)]).warnings] == ["no-nodes", "not-modelled"]
