# ruff: noqa: E501 - one row per kind of bad input
import gzip
from pathlib import Path

import pytest
from kubestow.adapters.read import Limits, read
from kubestow.model.errors import BadInput

NODE = "{apiVersion: v1, kind: Node, metadata: {name: n0}, status: {allocatable: {cpu: 1}}}\n---\n"


def pod(spec: str = "", metadata: str = "name: p", status: str = "{}") -> str:
    return f"{NODE}apiVersion: v1\nkind: Pod\nmetadata: {{{metadata}}}\nspec: {{{spec}}}\nstatus: {status}\n"


def container(resources: str) -> str:
    return f"containers: [{{name: c, resources: {resources}}}]"


def required(expression: str) -> str:
    terms = f"nodeSelectorTerms: [{{matchExpressions: [{expression}]}}]"
    return f"affinity: {{nodeAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: {{{terms}}}}}}}"


POD = "Pod/default/p"
BOMB = "\n".join(
    ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    + [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 9)]
)
MERGE_BOMB = "\n".join(
    ["a0: &a0 {" + ", ".join(f"k{i}: 1" for i in range(9)) + "}"]
    + [f"a{i}: &a{i} {{<<: [{', '.join([f'*a{i - 1}'] * 9)}]}}" for i in range(1, 9)]
)

BAD: dict[str, tuple[str, int | None, str, str, str]] = {
    # name: (text, document, object, field, message)
    "broken-yaml": (f"{NODE}a: [1, 2\nb: 3\n", 2, "", "", "not YAML"),
    "tab-in-yaml": (f"{NODE}a:\n\t- b\n", 2, "", "", "not YAML"),
    "broken-json": ('{"kind": "Node", }', None, "", "", "not JSON"),
    "cut-off-json": ('{"kind": "List", "items": [{"kind": "Node", "metadata": {"name": "a"', None, "", "", "not JSON"),
    "mismatched-json": ('{"kind": "List", "items": [{"kind": "Node", "metadata": {"name": "a"}}}}', None, "", "", "not JSON"),
    "json-nan": ('{"kind": "Node", "metadata": {"name": "a"}, "x": NaN}', None, "", "", "NaN"),
    "deep-yaml": (f"{NODE}a: {'[' * 600}{']' * 600}", 2, "", "", "levels deep"),
    "deep-json": ('{"a": ' * 5000 + "1" + "}" * 5000, None, "", "", "deep"),
    "alias-bomb": (f"{NODE}{BOMB}", 2, "", "", "aliases expand"),
    "merge-bomb": (f"{NODE}{MERGE_BOMB}", 2, "", "", "aliases expand"),
    "alias-to-itself": (f"{NODE}a: &a [*a]", 2, "", "", "no finished anchor"),
    "alias-to-nothing": (f"{NODE}a: *b", 2, "", "", "*b has no finished anchor"),
    "python-tag": (f"{NODE}a: !!python/object/apply:os.system [ls]", 2, "", "", "is not supported"),
    "own-tag": (f"{NODE}a: !Ref b", 2, "", "", "is not supported"),
    "duplicate-key": (f"{NODE}kind: Pod\nkind: Node\n", 2, "", "", "'kind' is there twice"),
    "duplicate-json-key": ('{"kind": "Node", "metadata": {"name": "a", "name": "b"}}', None, "", "", "'name' is there twice"),
    "duplicate-json-head": ('{"kind": "Node", "kind": "Pod"}', None, "", "", "'kind' is there twice"),
    "null-key": (f"{NODE}~: 1", 2, "", "", "a key must be a string"),
    "list-key": (f"{NODE}? [a]\n: 1", 2, "", "", "a key must be a string"),
    "text": ("just some text\n", 1, "", "", "an API object is a mapping, not 'just some text'"),
    "number": ("5", 1, "", "", "an API object is a mapping, not the number 5"),
    "empty": ("", None, "", "", "holds no document"),
    "comments": ("# nothing\n---\n# here\n", None, "", "", "holds no document"),
    "no-kind": ("metadata: {name: a}\n", 1, "", "kind", "is missing"),
    "kind-number": ("kind: 5\n", 1, "", "kind", "the number 5 is no kind"),
    "kind-control": ('kind: "Po\\ed"\n', 1, "", "kind", r"'Po\x1bd' is no kind"),
    "version-number": ("kind: Pod\napiVersion: 1\n", 1, "", "apiVersion", "the number 1 is no version"),
    "items-text": ("kind: List\nitems: x\n", 1, "", "items", "must be a list, not 'x'"),
    "items-of-text": ("kind: PodList\nitems: [x]\n", 1, "", "", "an API object is a mapping, not 'x'"),
    "only-others": ("kind: ConfigMap\nmetadata: {name: a}\n", None, "", "", "nothing in it matters to scheduling"),
    "no-metadata": ("kind: Pod\n", 1, "Pod", "metadata.name", "is missing"),
    "metadata-text": ("kind: Pod\nmetadata: x\n", 1, "Pod", "metadata", "must be a mapping, not 'x'"),
    "no-name": ("kind: Pod\nmetadata: {namespace: a}\n", 1, "Pod/a/?", "metadata.name", "is missing"),
    "name-number": ("kind: Node\nmetadata: {name: 5}\n", 1, "Node/the number 5", "metadata.name", "put it in quotes"),
    "name-capital": ("kind: Node\nmetadata: {name: Big}\n", 1, "Node/'Big'", "metadata.name", "'Big' is no valid name"),
    "name-terminal": ('kind: Node\nmetadata: {name: "a\\e[31m"}\n', 1, r"Node/'a\x1b[31m'", "metadata.name", r"'a\x1b[31m' is no valid name"),
    "name-markup": ('kind: Node\nmetadata: {name: "[red]a"}\n', 1, "Node/'[red]a'", "metadata.name", "'[red]a' is no valid name"),
    "name-html": ('kind: Node\nmetadata: {name: "<b>"}\n', 1, "Node/'<b>'", "metadata.name", "is no valid name"),
    "name-formula": ('kind: Node\nmetadata: {name: "=1+1"}\n', 1, "Node/'=1+1'", "metadata.name", "is no valid name"),
    "name-slash": ("kind: Node\nmetadata: {name: a/b}\n", 1, "Node/'a/b'", "metadata.name", "is no valid name"),
    "name-long": (f"kind: Node\nmetadata: {{name: {'a' * 300}}}\n", 1, "Node/", "metadata.name", "is no valid name"),
    "namespace-dots": ("kind: Pod\nmetadata: {name: p, namespace: a.b}\n", 1, "Pod/a.b/p", "metadata.namespace", "'a.b' is no valid name"),
    "label-key": (pod(metadata='name: p, labels: {"a b": c}'), 2, POD, "metadata.labels", "'a b' is no label key"),
    "label-value": (pod(metadata='name: p, labels: {a: "b c"}'), 2, POD, "metadata.labels['a']", "'b c' is no label value"),
    "label-number": (pod(metadata="name: p, labels: {version: 5}"), 2, POD, "metadata.labels.version", "must be a string, not the number 5; put it in quotes"),
    "label-exponent": (pod(metadata="name: p, labels: {build: 12e4}"), 2, POD, "metadata.labels.build", "must be a string, not the number 120000; put it in quotes"),
    "label-boolean": (pod(metadata="name: p, labels: {canary: yes}"), 2, POD, "metadata.labels.canary", "must be a string, not the boolean true; put it in quotes"),
    "labels-list": (pod(metadata="name: p, labels: [a]"), 2, POD, "metadata.labels", "must be a mapping, not a list"),
    "spec-text": (f"{NODE}kind: Pod\nmetadata: {{name: p}}\nspec: x\n", 2, POD, "spec", "must be a mapping, not 'x'"),
    "containers-mapping": (pod("containers: {name: c}"), 2, POD, "spec.containers", "must be a list, not a mapping"),
    "container-text": (pod("containers: [c]"), 2, POD, "spec.containers[0]", "must be a mapping, not 'c'"),
    "image-list": (pod("containers: [{name: c, image: [a]}]"), 2, POD, "spec.containers[0].image", "must be a string, not a list"),
    "volume-text": (pod("volumes: [x]"), 2, POD, "spec.volumes[0]", "must be a mapping, not 'x'"),
    "cpu-word": (pod(container("{requests: {cpu: lots}}")), 2, POD, "spec.containers[0].resources.requests.cpu", "'lots' is not a quantity"),
    "cpu-negative": (pod(container("{requests: {cpu: -1}}")), 2, POD, "spec.containers[0].resources.requests.cpu", "negative"),
    "memory-unit": (pod(container("{limits: {memory: 1GB}}")), 2, POD, "spec.containers[0].resources.limits.memory", "'1GB' is not a quantity"),
    "gpu-boolean": (pod(container("{limits: {nvidia.com/gpu: yes}}")), 2, POD, "spec.containers[0].resources.limits['nvidia.com/gpu']", "not a boolean"),
    "cpu-nan": (pod(container("{requests: {cpu: .nan}}")), 2, POD, "spec.containers[0].resources.requests.cpu", "'.nan' is not a quantity"),
    "cpu-peta": (pod(container("{requests: {cpu: 10P}}")), 2, POD, "spec.containers[0].resources.requests.cpu", "'10P' is too large; at most 4611686018427387903m can be counted"),
    "cpu-exponent": (pod("initContainers: [{name: c, resources: {requests: {cpu: 1e400}}}]"), 2, POD, "spec.initContainers[0].resources.requests.cpu", "'1e400' is too large"),
    "memory-exponent": (pod(container("{requests: {memory: 1e400}}")), 2, POD, "spec.containers[0].resources.requests.memory", "'1e400' is too large; at most 4611686018427387903 can be counted"),
    "gpu-digits": (pod(container("{requests: {nvidia.com/gpu: 99999999999999999999}}")), 2, POD, "spec.containers[0].resources.requests['nvidia.com/gpu']", "the number 99999999999999999999 is too large"),
    "overhead-huge": (pod("overhead: {cpu: 1E}"), 2, POD, "spec.overhead.cpu", "'1E' is too large"),
    "pod-level-huge": (pod("resources: {requests: {cpu: 1E}}"), 2, POD, "spec.resources.requests.cpu", "'1E' is too large"),
    "node-cpu-exa": ("kind: Node\nmetadata: {name: a}\nstatus: {allocatable: {cpu: 1E}}\n", 1, "Node/a", "status.allocatable.cpu", "'1E' is too large"),
    "node-pods-huge": ("kind: Node\nmetadata: {name: a}\nstatus: {capacity: {pods: 8Ei}}\n", 1, "Node/a", "status.capacity.pods", "'8Ei' is too large"),
    "template-huge": ("kind: Deployment\nmetadata: {name: d}\nspec: {template: {spec: {containers: [{resources: {requests: {cpu: 10P}}}]}}}\n", 1, "Deployment/default/d", "spec.template.spec.containers[0].resources.requests.cpu", "'10P' is too large"),
    "overhead-word": (pod("overhead: {cpu: x}"), 2, POD, "spec.overhead.cpu", "'x' is not a quantity"),
    "node-cpu": ("kind: Node\nmetadata: {name: a}\nstatus: {allocatable: {cpu: ''}}\n", 1, "Node/a", "status.allocatable.cpu", "'' is not a quantity"),
    "port-huge": (pod("containers: [{ports: [{hostPort: 70000}]}]"), 2, POD, "spec.containers[0].ports[0].hostPort", "must be less than or equal to 65535, not the number 70000"),
    "port-quoted": (pod("containers: [{ports: [{hostPort: '80'}]}]"), 2, POD, "spec.containers[0].ports[0].hostPort", "must be a whole number, not '80'"),
    "port-protocol": (pod("containers: [{ports: [{protocol: ICMP}]}]"), 2, POD, "spec.containers[0].ports[0].protocol", "'ICMP' is unknown; use one of TCP, UDP, SCTP"),
    "priority-huge": (pod("priority: 99999999999999999999"), 2, POD, "spec.priority", "99999999999999999999"),
    "priority-fraction": (pod("priority: 1.5"), 2, POD, "spec.priority", "must be a whole number, not the number 1.5"),
    "host-network-text": (pod('hostNetwork: "yes"'), 2, POD, "spec.hostNetwork", "must be true or false, not 'yes'"),
    "node-operator": (pod(required("{key: a, operator: Like, values: [b]}")), 2, POD, "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].operator", "'Like' is unknown; use one of In, NotIn, Exists, DoesNotExist, Gt, Lt"),
    "node-operator-case": (pod(required("{key: a, operator: in, values: [b]}")), 2, POD, "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].operator", "'in' is unknown"),
    "node-key-missing": (pod(required("{operator: Exists}")), 2, POD, "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].key", "is missing"),
    "label-operator": (pod("topologySpreadConstraints: [{topologyKey: z, labelSelector: {matchExpressions: [{key: a, operator: Gt, values: ['1']}]}}]"), 2, POD, "spec.topologySpreadConstraints[0].labelSelector.matchExpressions[0].operator", "'Gt' is unknown"),
    "weight-zero": (pod("affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 0}]}}"), 2, POD, "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight", "must be greater than or equal to 1, not the number"),
    "skew-zero": (pod("topologySpreadConstraints: [{maxSkew: 0, topologyKey: z}]"), 2, POD, "spec.topologySpreadConstraints[0].maxSkew", "must be greater than or equal to 1, not the number"),
    "unsatisfiable": (pod("topologySpreadConstraints: [{topologyKey: z, whenUnsatisfiable: Maybe}]"), 2, POD, "spec.topologySpreadConstraints[0].whenUnsatisfiable", "'Maybe' is unknown"),
    "toleration-operator": (pod("tolerations: [{key: a, operator: Is}]"), 2, POD, "spec.tolerations[0].operator", "'Is' is unknown"),
    "toleration-effect": (pod("tolerations: [{key: a, effect: NoRun}]"), 2, POD, "spec.tolerations[0].effect", "'NoRun' is unknown"),
    "taint-effect": ("kind: Node\nmetadata: {name: a}\nspec: {taints: [{key: b, effect: NoRun}]}\n", 1, "Node/a", "spec.taints[0].effect", "'NoRun' is unknown"),
    "taint-without-effect": ("kind: Node\nmetadata: {name: a}\nspec: {taints: [{key: b, value: c}]}\n", 1, "Node/a", "spec.taints[0].effect", "is missing; it is required"),
    "taint-empty-effect": ("kind: Node\nmetadata: {name: a}\nspec: {taints: [{key: b, effect: ''}]}\n", 1, "Node/a", "spec.taints[0].effect", "'' is unknown; use one of NoSchedule"),
    "taint-without-key": ("kind: Node\nmetadata: {name: a}\nspec: {taints: [{effect: NoSchedule}]}\n", 1, "Node/a", "spec.taints[0].key", "is missing; it is required"),
    "taint-empty-key": ("kind: Node\nmetadata: {name: a}\nspec: {taints: [{key: '', effect: NoSchedule}]}\n", 1, "Node/a", "spec.taints[0].key", "is empty; it is required"),
    "preemption-policy": (pod("preemptionPolicy: Sometimes"), 2, POD, "spec.preemptionPolicy", "'Sometimes' is unknown"),
    "time": (pod(metadata="name: p, creationTimestamp: yesterday"), 2, POD, "metadata.creationTimestamp", "'yesterday' is not a time"),
    "status-text": (pod(status="x"), 2, POD, "status", "must be a mapping, not 'x'"),
    "conditions-text": (pod(status="{conditions: [x]}"), 2, POD, "status.conditions[0]", "must be a mapping, not 'x'"),
    "statuses-text": (pod(status="{containerStatuses: [{name: c, resources: {requests: {cpu: x}}}]}"), 2, POD, "status.containerStatuses[0].resources.requests.cpu", "'x' is not a quantity"),
    "budget": (f"{NODE}kind: PodDisruptionBudget\nmetadata: {{name: b}}\nspec: {{minAvailable: half}}\n", 2, "PodDisruptionBudget/default/b", "spec.minAvailable", "neither a count nor a percentage"),
    "budget-negative": (f"{NODE}kind: PodDisruptionBudget\nmetadata: {{name: b}}\nspec: {{maxUnavailable: -1}}\n", 2, "PodDisruptionBudget/default/b", "spec.maxUnavailable", "-1 is negative"),
    "binding-mode": (f"{NODE}kind: StorageClass\nmetadata: {{name: s}}\nvolumeBindingMode: Later\n", 2, "StorageClass/s", "volumeBindingMode", "'Later' is unknown"),
    "replicas-negative": (f"{NODE}kind: Deployment\nmetadata: {{name: d}}\nspec: {{replicas: -1}}\n", 2, "Deployment/default/d", "spec.replicas", "must be greater than or equal to 0, not the number"),
    "template-quantity": (f"{NODE}kind: Deployment\nmetadata: {{name: d}}\nspec: {{template: {{spec: {{containers: [{{resources: {{limits: {{cpu: x}}}}}}]}}}}}}\n", 2, "Deployment/default/d", "spec.template.spec.containers[0].resources.limits.cpu", "'x' is not a quantity"),
    "two-different": (pod("priority: 1") + "---\n" + pod("priority: 2").removeprefix(NODE), 3, POD, "", "document 2, and no resourceVersion tells which is newer"),
}  # fmt: skip


def written(tmp_path: Path, text: str | bytes, name: str = "input.yaml") -> Path:
    path = tmp_path / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


@pytest.mark.parametrize("name", BAD)
def test_bad_input_names_file_document_object_and_field(name: str, tmp_path: Path) -> None:
    """Each kind of bad input ends in one sentence with its place, however it is bad."""
    text, document, object_, field, message = BAD[name]
    path = written(tmp_path, text)
    with pytest.raises(BadInput) as caught:
        read(path)
    error = caught.value
    assert message in error.message
    assert error.file == str(path)
    assert (error.document, error.field) == (document, field)
    assert error.object.startswith(object_)
    assert bool(error.object) == bool(object_)
    assert str(error).isprintable()


KEPT = {name: bad for name, bad in BAD.items() if bad[0].startswith(NODE)}


@pytest.mark.parametrize("name", KEPT)
def test_keep_going_drops_what_is_bad_and_says_so(name: str, tmp_path: Path) -> None:
    """The good object before a bad one stays, and one warning has what the error would have said."""
    text, _, object_, field, message = BAD[name]
    found = read(written(tmp_path, text), keep_going=True)
    assert [node.name for node in found.cluster.nodes] == ["n0"]
    dropped = [warning for warning in found.cluster.warnings if warning.code == "dropped"]
    assert len(dropped) == 1
    assert message in dropped[0].message
    assert dropped[0].field == field
    assert object_ in dropped[0].object


def test_keep_going_skips_a_broken_document_only(tmp_path: Path) -> None:
    """Documents after a broken one are read."""
    text = "kind: Node\nmetadata: {name: a}\n---\nx: [\n---\nkind: Node\nmetadata: {name: b}\n"
    found = read(written(tmp_path, text), keep_going=True)
    assert [node.name for node in found.cluster.nodes] == ["a", "b"]


def test_keep_going_goes_on_past_missing_files(tmp_path: Path) -> None:
    """A file that cannot be read is dropped like an object."""
    found = read([tmp_path / "missing", written(tmp_path, NODE)], keep_going=True)
    assert [node.name for node in found.cluster.nodes] == ["n0"]
    assert [warning.code for warning in found.cluster.warnings] == ["dropped"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.yaml", b"kind: Node\nmetadata: {name: \xff}\n", "not utf-8 text"),
        ("a.yaml", b"\x00\x01\x02", "not YAML"),
        ("a.gz", gzip.compress(b"x" * 1000, mtime=0)[:-9], "damaged"),
        ("a.tar.gz", gzip.compress(b"x" * 1000, mtime=0), "the tar archive is damaged"),
        ("a.tar", b"", "the tar archive is damaged"),
        ("a.tar.gz", gzip.compress(b"\0" * 10240, mtime=0), "the archive holds no"),
    ],
)
def test_unusable_files_are_bad_input(name: str, content: bytes, message: str, tmp_path: Path) -> None:
    """What is no text, or a damaged or empty archive, names the file."""
    path = written(tmp_path, content, name)
    with pytest.raises(BadInput, match=message) as caught:
        read(path)
    assert caught.value.file == str(path)


def test_a_missing_file_is_bad_input(tmp_path: Path) -> None:
    """The file is named, with the reason the system gives."""
    with pytest.raises(BadInput, match="cannot be read: No such file"):
        read(tmp_path / "missing.yaml")


def test_a_path_with_control_characters_is_escaped(tmp_path: Path) -> None:
    """A hostile file name cannot reach the terminal."""
    with pytest.raises(BadInput) as caught:
        read(str(tmp_path / "a\x1b[2Jb\0"))
    assert str(caught.value).isprintable()


def test_an_empty_directory_is_bad_input(tmp_path: Path) -> None:
    """A directory without manifests is a mistake, not an empty cluster."""
    with pytest.raises(BadInput, match=r"holds no \.yaml"):
        read(tmp_path)


@pytest.mark.parametrize(
    ("limits", "message"),
    [(Limits(total_bytes=10), "more than 10 bytes"), (Limits(files=1), "more than 1 files")],
)
def test_limits_hold(limits: Limits, message: str, tmp_path: Path) -> None:
    """What is past a limit is refused while it is being read."""
    paths = [written(tmp_path, NODE, f"{name}.yaml") for name in "ab"]
    with pytest.raises(BadInput, match=message):
        read(paths, limits=limits)


def test_a_gzip_bomb_stops_at_the_limit(tmp_path: Path) -> None:
    """Decompression counts, not the size on disk."""
    path = written(tmp_path, gzip.compress(b" " * 10**7), "bomb.gz")
    assert path.stat().st_size < 10**5
    with pytest.raises(BadInput, match="more than 1000000 bytes"):
        read(path, limits=Limits(total_bytes=10**6))


def test_a_pod_on_an_unknown_node_is_a_warning(tmp_path: Path) -> None:
    """A real cluster can have one: its node has just been removed."""
    found = read(written(tmp_path, pod("nodeName: gone, containers: [{name: c}]")))
    assert [(w.code, w.object, w.field) for w in found.cluster.warnings] == [
        ("unknown-node", POD, "spec.nodeName")
    ]
    assert "'gone'" in found.cluster.warnings[0].message


def test_a_cluster_without_nodes_is_a_warning(tmp_path: Path) -> None:
    """Pods alone are read; nothing can be placed, which is said."""
    found = read(written(tmp_path, pod("containers: [{name: c}]").removeprefix(NODE)))
    assert [warning.code for warning in found.cluster.warnings] == ["no-nodes"]


def test_generated_names_are_numbered(tmp_path: Path) -> None:
    """``generateName`` gives the first name that is free."""
    text = (pod(metadata="generateName: job-").removeprefix(NODE) + "---\n") * 2
    found = read(written(tmp_path, NODE + text))
    assert [pod.key for pod in found.cluster.pods] == ["default/job-0", "default/job-1"]


def test_a_namespace_on_a_cluster_wide_object_is_ignored(tmp_path: Path) -> None:
    """Nodes have none, whatever a file says."""
    found = read(written(tmp_path, NODE.replace("name: n0", "name: n0, namespace: a")))
    assert found.cluster.nodes[0].metadata.namespace == ""


def test_nulls_mean_absent(tmp_path: Path) -> None:
    """``null`` is what kubectl prints for what is not there; an empty label value may be null."""
    text = pod(
        "containers: null, nodeName: null, priority: ~", "name: p, labels: {a: }, creationTimestamp: null"
    )
    found = read(written(tmp_path, text)).cluster.pods[0]
    assert (found.node_name, found.spec.priority, found.labels) == (None, None, {"a": ""})


@pytest.mark.parametrize(
    "expression",
    ["{key: g, operator: Gt, values: ['-1']}", "{key: g, operator: Gt, values: [x]}", "{key: g, operator: In}",
     "{key: g, operator: Exists, values: [a]}", "{key: 'a b', operator: Exists}"],
)  # fmt: skip
def test_what_only_the_api_server_refuses_is_a_warning(expression: str, tmp_path: Path) -> None:
    """kube-scheduler has an answer for selectors that it cannot parse, so they load."""
    found = read(written(tmp_path, pod(f"containers: [{{name: c}}], {required(expression)}")))
    assert {(w.code, w.object) for w in found.cluster.warnings} == {("invalid", POD)}
