import pytest
from builders import namespace, pod
from kubestow.model.admission import admit
from kubestow.model.api import PriorityClass
from kubestow.model.cluster import Cluster
from kubestow.model.quantity import parse_quantity

LOW, DEFAULT, OTHER_DEFAULT = (
    PriorityClass.model_validate({"metadata": {"name": name}, **fields})
    for name, fields in {
        "low": {"value": -5, "preemptionPolicy": "Never"},
        "default": {"value": 7, "globalDefault": True},
        "other": {"value": 9, "globalDefault": True},
    }.items()
)


def admitted(given, *classes):
    return admit(Cluster(pods=(given,), priority_classes=classes)).pods[0]


def priority_of(given, *classes):
    spec = admitted(given, *classes).spec
    return spec.priority, spec.priority_class_name, spec.preemption_policy


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, (7, "default", "PreemptLowerPriority")),
        ({"preemptionPolicy": "Never"}, (7, "default", "Never")),
        ({"priorityClassName": "low"}, (-5, "low", "Never")),
        ({"priorityClassName": "default", "preemptionPolicy": "Never"}, (7, "default", "Never")),
        ({"priority": 3}, (3, "", "")),
        ({"priority": 3, "priorityClassName": "low"}, (3, "low", "")),
        ({"priorityClassName": "system-node-critical"}, (2_000_001_000, "system-node-critical", "")),
    ],
)  # fmt: skip
def test_the_class_gives_the_priority_unless_it_is_stated(fields, expected):
    """A stated priority was admitted before; of two global defaults the lower one counts."""
    assert priority_of(pod("p", **fields), LOW, OTHER_DEFAULT, DEFAULT) == expected


def test_without_any_class_the_priority_is_zero():
    """No default, no policy."""
    assert priority_of(pod("p")) == (0, "", "")


def test_an_unknown_class_counts_as_zero_and_is_said():
    """A snapshot may lack its PriorityClasses."""
    done = admit(Cluster(pods=(pod("p", priorityClassName="gone"),)))
    assert done.pods[0].priority == 0
    assert [(w.code, w.object, w.field) for w in done.warnings] == [
        ("unknown-priority-class", "Pod/default/p", "spec.priorityClassName")
    ]


def test_limits_become_requests_where_none_is_stated():
    """Per resource and container."""
    resources = {"limits": {"cpu": "2", "memory": "1Gi"}, "requests": {"cpu": "1"}}
    requests = (
        admitted(pod("p", containers=[{"name": "c", "resources": resources}]))
        .spec.containers[0]
        .resources.requests
    )
    assert requests == {"cpu": parse_quantity("1"), "memory": parse_quantity("1Gi")}


def test_host_network_makes_container_ports_host_ports():
    """A stated host port stays."""
    ports = [{"containerPort": 80}, {"containerPort": 81, "hostPort": 8081}]
    for networked, expected in ((True, [80, 8081]), (False, [0, 8081])):
        given = pod("p", hostNetwork=networked, containers=[{"name": "c", "ports": ports}])
        assert [port.host_port for port in admitted(given).spec.containers[0].ports] == expected


@pytest.mark.parametrize(
    ("resources", "expected"),
    [
        ({"requests": {"cpu": "3"}}, {"cpu": "3"}),
        ({"limits": {"cpu": "3"}}, {"cpu": "2100m", "memory": "1Gi"}),
        ({"limits": {"memory": "4Gi"}, "requests": {"cpu": "3"}}, {"cpu": "3", "memory": "1Gi"}),
        ({"limits": {"hugepages-2Mi": "4Mi"}}, {"cpu": "2100m", "memory": "1Gi", "hugepages-2Mi": "4Mi"}),
    ],
)
def test_pod_level_limits_bring_pod_level_requests(resources, expected):
    """From the containers where they state any, else from the limit; without limits nothing is added."""
    containers = [
        {"name": "a", "resources": {"requests": {"cpu": "2", "memory": "1Gi"}}},
        {"name": "b", "resources": {"requests": {"cpu": "100m"}}},
    ]
    requests = admitted(pod("p", containers=containers, resources=resources)).spec.resources.requests
    assert requests == {name: parse_quantity(amount) for name, amount in expected.items()}


def test_huge_page_limits_of_containers_reach_the_pod_level():
    """They cannot be overcommitted, so the limit is the request."""
    containers = [{"name": "a", "resources": {"limits": {"hugepages-2Mi": "4Mi"}}}]
    given = pod("p", containers=containers, resources={"requests": {"cpu": "1"}})
    assert admitted(given).spec.resources.requests["hugepages-2Mi"] == parse_quantity("4Mi")


def term(**fields):
    return {"topologyKey": "zone", "labelSelector": {"matchLabels": {"app": "web"}}, **fields}


def expressions(selector):
    return [(e.key, e.operator, e.values) for e in selector.match_expressions]


def test_label_keys_are_merged_into_the_selectors():
    """Keys that the pod has; In for matching, NotIn for mismatching."""
    affinity = {
        "podAntiAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": [
                term(matchLabelKeys=["version", "absent"], mismatchLabelKeys=["team"])
            ],
            "preferredDuringSchedulingIgnoredDuringExecution": [
                {"weight": 1, "podAffinityTerm": term(matchLabelKeys=["team"])}
            ],
        }
    }
    spread = [{**term(matchLabelKeys=["version"]), "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule"}]
    given = pod(
        "p", labels={"version": "1", "team": "red"}, affinity=affinity, topologySpreadConstraints=spread
    )
    spec = admitted(given).spec
    side = spec.affinity.pod_anti_affinity
    assert expressions(side.required[0].label_selector) == [
        ("version", "In", ("1",)),
        ("team", "NotIn", ("red",)),
    ]
    assert expressions(side.preferred[0].pod_affinity_term.label_selector) == [("team", "In", ("red",))]
    assert expressions(spec.topology_spread_constraints[0].label_selector) == [("version", "In", ("1",))]


def test_label_keys_without_a_selector_do_nothing():
    """There is nothing to merge them into."""
    affinity = {
        "podAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": [
                {"topologyKey": "zone", "matchLabelKeys": ["app"]}
            ]
        }
    }
    spec = admitted(pod("p", labels={"app": "web"}, affinity=affinity)).spec
    assert spec.affinity.pod_affinity.required[0].label_selector is None


def test_a_namespace_gets_its_name_as_a_label():
    """Selectors by name rely on it."""
    done = admit(Cluster(namespaces=(namespace("a", team="red"),)))
    assert done.namespace_labels == {"a": {"team": "red", "kubernetes.io/metadata.name": "a"}}


def test_admitting_twice_changes_nothing_more():
    """What a server has admitted passes unchanged."""
    given = pod(
        "p",
        labels={"v": "1"},
        hostNetwork=True,
        containers=[{"name": "c", "ports": [{"containerPort": 80}], "resources": {"limits": {"cpu": "1"}}}],
        topologySpreadConstraints=[{**term(matchLabelKeys=["v"]), "maxSkew": 1}],
    )
    once = admit(Cluster(pods=(given,), namespaces=(namespace("a"),), priority_classes=(LOW, DEFAULT)))
    assert admit(once) == once


def test_pods_that_share_a_spec_share_it_afterwards():
    """Identity of specs is a cheap test for equality, so admission keeps it."""
    resources = {"limits": {"cpu": "1"}}
    both = tuple(pod(name, containers=[{"name": "c", "resources": resources}]) for name in ("p", "q"))
    one, other = admit(Cluster(pods=both)).pods
    assert one.spec is other.spec
    assert one.spec is not both[0].spec
