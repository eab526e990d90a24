import pytest
from builders import node, pod
from kubestow.model.resources import countable, extended, nonzero_requests, pod_requests, scored_requests
from kubestow.model.state import NodeInfo

MIB = 1024 * 1024


def container(name, restart="", **requests):
    return {
        "name": name,
        "resources": {"requests": requests},
        **({"restartPolicy": restart} if restart else {}),
    }


def cpu(**spec):
    return pod_requests(pod("p", **spec)).get("cpu", 0)


def test_containers_add_up():
    """Sums are exact; each quantity is first rounded up to milli units, the sum up to whole units."""
    given = pod(
        "p", containers=[container("a", cpu="100.5m", memory="0.1"), container("b", cpu="1", memory="0.1")]
    )
    assert pod_requests(given) == {"cpu": 1101, "memory": 1}


@pytest.mark.parametrize(
    ("init", "expected"),
    [
        ([], 500),
        ([("i", "", "400m")], 500),
        ([("i", "", "900m")], 900),
        ([("i", "", "900m"), ("j", "", "800m")], 900),
        ([("s", "Always", "200m")], 700),
        ([("s", "Always", "200m"), ("i", "", "600m")], 800),
        ([("i", "", "600m"), ("s", "Always", "200m")], 700),
    ],
)
def test_an_init_container_counts_where_it_needs_more_and_a_sidecar_always(init, expected):
    """While an init container runs, only the sidecars before it run too."""
    containers = [container(name, restart, cpu=amount) for name, restart, amount in init]
    assert cpu(containers=[container("main", cpu="500m")], initContainers=containers) == expected


def test_overhead_comes_on_top():
    """Of containers and of pod-level requests."""
    assert cpu(containers=[container("a", cpu="1")], overhead={"cpu": "250m"}) == 1250
    pod_level = {"requests": {"cpu": "2"}}
    assert cpu(containers=[container("a", cpu="1")], resources=pod_level, overhead={"cpu": "250m"}) == 2250


def test_pod_level_requests_replace_the_sum_of_the_containers():
    """For cpu, memory and huge pages only."""
    containers = [container("a", cpu="1", memory="1Gi", **{"example.com/foo": "1"})]
    resources = {"requests": {"cpu": "500m", "example.com/foo": "9"}}
    assert pod_requests(pod("p", containers=containers, resources=resources)) == {
        "cpu": 500, "memory": 1024 * MIB, "example.com/foo": 1,
    }  # fmt: skip


def resized(conditions=(), **status):
    containers = [container("a", cpu="1"), container("b", cpu="1")]
    pending = [{"type": "PodResizePending", "status": "True", "reason": reason} for reason in conditions]
    return pod("r", "n", containers=containers, status={"conditions": pending, **status})


def statuses(*cpus):
    return [
        {"name": name, "allocatedResources": {"cpu": allocated}, "resources": {"requests": {"cpu": actual}}}
        for name, (allocated, actual) in zip("ab", cpus, strict=True)
    ]


def test_a_resized_pod_counts_the_largest_of_three_sums():
    """Spec 2, allocated 1.5 + 1, actual 2 + 1.2; not the largest of each container."""
    assert pod_requests(resized(containerStatuses=statuses(("1500m", "2"), ("1", "1200m")))) == {"cpu": 3200}


def test_an_infeasible_resize_leaves_the_spec_out():
    """It will not happen; without a report nothing is known to be held."""
    held = statuses(("500m", "400m"), ("500m", "300m"))
    assert pod_requests(resized(["Infeasible"], containerStatuses=held)) == {"cpu": 1000}
    assert pod_requests(resized(["Deferred"], containerStatuses=held)) == {"cpu": 2000}
    assert pod_requests(resized(["Infeasible"])) == {}


def test_a_container_without_a_report_counts_as_its_spec_says():
    """And one whose report is empty counts nothing beyond the spec."""
    one = [{"name": "a", "allocatedResources": {"cpu": "3"}}]
    assert pod_requests(resized(containerStatuses=one)) == {"cpu": 4000}
    none = [{"name": "a", "allocatedResources": {}, "resources": {"requests": {}}}]
    assert pod_requests(resized(containerStatuses=none)) == {"cpu": 2000}


@pytest.mark.parametrize(
    ("actual", "allocated", "infeasible", "expected"),
    [("3", "1", False, 3000), ("1", "3", False, 3000), ("1", "1", False, 2000), (None, "3", False, 2000),
     ("1", "500m", True, 1000), (None, "1", True, 2000)],
)  # fmt: skip
def test_a_pod_level_resize_counts_once_actual_resources_are_reported(
    actual, allocated, infeasible, expected
):
    """The largest of spec, actual and allocated; of the latter two when it is infeasible."""
    status = {"allocatedResources": {"cpu": allocated}}
    if actual:
        status["resources"] = {"requests": {"cpu": actual}}
    if infeasible:
        status["conditions"] = [{"type": "PodResizePending", "status": "True", "reason": "Infeasible"}]
    given = pod(
        "r", "n", containers=[container("a", cpu="1")], resources={"requests": {"cpu": "2"}}, status=status
    )
    assert pod_requests(given) == {"cpu": expected}


def test_with_pod_level_requests_a_container_reports_only_what_nobody_states():
    """Cpu is stated, memory is not."""
    status = {"containerStatuses": [{"name": "a", "resources": {"requests": {"cpu": "9", "memory": "1Gi"}}}]}
    given = pod(
        "r", "n", containers=[container("a", cpu="1")], resources={"requests": {"cpu": "2"}}, status=status
    )
    assert pod_requests(given) == {"cpu": 2000, "memory": 1024 * MIB}


def test_silent_containers_count_with_defaults():
    """100m and 200 MiB each; a stated 0 stays 0."""
    given = pod(
        "p", containers=[container("a"), container("b", cpu="0", memory="1Gi"), container("c", cpu="1")]
    )
    assert nonzero_requests(given) == {"cpu": 1100, "memory": (1024 + 400) * MIB}
    assert scored_requests(given) == nonzero_requests(given)


def test_with_pod_level_requests_defaults_fill_only_what_nobody_mentions():
    """Once the pod counts on its node; the score of a pending pod misses the pod level altogether."""
    containers = [container("a", cpu="1"), container("b")]
    given = pod("p", containers=containers, resources={"requests": {"cpu": "3"}})
    assert nonzero_requests(given) == {"cpu": 3000, "memory": 400 * MIB}
    assert scored_requests(given) == {"cpu": 1100, "memory": 400 * MIB}


@pytest.mark.parametrize(
    ("name", "is_extended", "counts"),
    [
        ("cpu", False, True), ("ephemeral-storage", False, True), ("hugepages-2Mi", False, True),
        ("attachable-volumes-aws-ebs", False, True), ("kubernetes.io/batch", False, True),
        ("nvidia.com/gpu", True, True), ("foo", False, False), ("storage", False, False),
        ("pods", False, False), ("example.com/", False, False),
        ("requests.example.com/foo", False, False), ("bad name/x", False, False),
    ],
)  # fmt: skip
def test_kube_scheduler_counts_only_resources_it_knows(name, is_extended, counts):
    """Native names, huge pages, attachable volumes and well-formed extended names."""
    assert (extended(name), countable(name)) == (is_extended, counts)


def test_a_node_counts_its_pods_up_and_down():
    """Adding and removing are inverse; a copy is independent."""
    info = NodeInfo.of(node("n"))
    ports = [{"containerPort": 80, "hostPort": 80}]
    one = pod("p", "n", containers=[{**container("a", cpu="1"), "ports": ports}])
    info.add(one)
    before = info.copy()
    assert (info.requested["cpu"], info.nonzero["memory"], info.ports) == (
        1000,
        200 * MIB,
        {("0.0.0.0", "TCP", 80)},
    )
    info.remove(one)
    assert (info.requested["cpu"], info.nonzero["memory"], info.ports, info.pods) == (0, 0, set(), {})
    assert list(before.pods) == ["default/p"]
