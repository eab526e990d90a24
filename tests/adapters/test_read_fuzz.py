import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kubestow.adapters.read import read
from kubestow.adapters.read.reader import Input
from kubestow.model.errors import BadInput

COPIES = Path(__file__).parents[1] / "data" / "captures"
MANIFESTS = (COPIES / "workloads.yaml").read_text()
OBJECTS = [document for document in yaml.safe_load_all(MANIFESTS) if document]
OBJECTS += [
    {"kind": "Node", "apiVersion": "v1", "metadata": {"name": "n", "labels": {"a": "b"}},
     "spec": {"taints": [{"key": "k", "effect": "NoSchedule"}]},
     "status": {"allocatable": {"cpu": "4"}, "images": [{"names": ["a"], "sizeBytes": 5}]}},
    {"kind": "Pod", "apiVersion": "v1",
     "metadata": {"name": "p", "ownerReferences": [{"kind": "Job", "name": "j"}]},
     "spec": {"nodeName": "n", "containers": [{"name": "c", "resources": {"requests": {"cpu": "1"}}}]},
     "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}],
                "containerStatuses": [{"name": "c", "resources": {"requests": {"cpu": "2"}}}]}},
    {"kind": "CronJob", "apiVersion": "batch/v1", "metadata": {"name": "c"},
     "spec": {"jobTemplate": {"spec": {"template": {"spec": {"containers": []}}}}}},
    {"kind": "KubeSchedulerConfiguration", "apiVersion": "kubescheduler.config.k8s.io/v1",
     "profiles": [{"plugins": {"score": {"enabled": [{"name": "NodeAffinity", "weight": 3}]}},
                   "pluginConfig": [{"name": "InterPodAffinity", "args": {"hardPodAffinityWeight": 5}}]}]},
]  # fmt: skip

WORDS = ("", "x", "-1", "1e999", "9" * 30, "List", "Pod", "In", "metadata.name", "\x1b[2J", "[red]", "\ud800")
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(WORDS)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)
BOUNDED = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def read_or_refuse(path: Path, content: bytes) -> Input | None:
    """What was read; None when it was refused with a message that is safe to print."""
    path.write_bytes(content)
    found = None
    for keep_going in (True, False):
        try:
            found = read(path, keep_going=keep_going, workloads="all", cronjobs=True)
        except BadInput as error:
            found, texts = None, [str(error)]
        else:
            texts = [f"{w.object} {w.field} {w.message}" for w in found.cluster.warnings]
        assert all(text.isprintable() for text in texts)
    return found


def places(tree: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in items:
        yield (*path, key)
        yield from places(value, (*path, key))


@st.composite
def mutated(draw: st.DrawFn) -> list[Any]:
    """Objects in which a few fields were replaced, removed or renamed."""
    objects = json.loads(json.dumps(draw(st.lists(st.sampled_from(OBJECTS), min_size=1, max_size=4))))
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.sampled_from([place for place in places(objects) if place]))
        parent: Any = objects
        for key in path[:-1]:
            parent = parent[key]
        what = draw(st.sampled_from(["replace", "remove", "rename"]))
        if what == "replace" or isinstance(parent, list):
            parent[path[-1]] = draw(VALUES)
        elif what == "remove":
            del parent[path[-1]]
        else:
            parent[draw(st.text(max_size=4))] = parent.pop(path[-1])
    return objects


@given(content=st.binary(max_size=200))
@BOUNDED
def test_any_bytes_are_read_or_refused(content: bytes, tmp_path: Path) -> None:
    """No bytes end in anything but a cluster or BadInput."""
    read_or_refuse(tmp_path / "input", content)


@given(st.data())
@BOUNDED
def test_garbled_yaml_is_read_or_refused(tmp_path: Path, data: st.DataObject) -> None:
    """Neither does a manifest with pieces cut out, put in and moved."""
    text = MANIFESTS[: data.draw(st.integers(200, 3000))]
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = min(len(text), start + data.draw(st.integers(0, 30)))
        piece = st.text("\n -:{}[]&*!|>'\"#%@`,?<0aé\t\x00\u2028", max_size=6)
        text = text[:start] + data.draw(piece) + text[end:]
    read_or_refuse(tmp_path / "input.yaml", text.encode())


@given(objects=mutated())
@BOUNDED
def test_wrong_fields_are_read_or_refused(objects: list[Any], tmp_path: Path) -> None:
    """Neither do objects with fields of any type, missing, or under other names."""
    read_or_refuse(tmp_path / "input.json", json.dumps(objects).encode("utf-8", "surrogatepass"))


@given(objects=mutated())
@BOUNDED
def test_yaml_and_json_of_the_same_objects_are_read_alike(objects: list[Any], tmp_path: Path) -> None:
    """The two parsers agree on every document that both can say."""
    as_json = read_or_refuse(tmp_path / "input.json", json.dumps(objects).encode("utf-8", "surrogatepass"))
    try:
        text = yaml.safe_dump(objects, allow_unicode=False).encode()
    except (yaml.YAMLError, UnicodeError):
        return
    as_yaml = read_or_refuse(tmp_path / "input.yaml", b"items:\n" + text + b"kind: List\n")
    if as_json is not None and as_yaml is not None:
        assert [pod.key for pod in as_json.cluster.pods] == [pod.key for pod in as_yaml.cluster.pods]


def test_the_manifests_as_they_are_can_be_read(tmp_path: Path) -> None:
    """The fuzz starts from what is accepted, so that its mutations reach every part of the reader."""
    found = read_or_refuse(tmp_path / "input.json", json.dumps(OBJECTS).encode())
    assert found is not None
    assert found.configuration is not None
    assert len(found.cluster.pods) > len(OBJECTS)
