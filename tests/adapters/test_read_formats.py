import gzip
import io
import json
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest
import yaml
from kubestow.adapters.read import read
from kubestow.adapters.read.reader import Input
from kubestow.model.errors import BadInput

NODE = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "n"},
    "status": {"allocatable": {"cpu": "2"}},
}
PODS = [
    {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "a"},
        "spec": {"containers": [{"name": "c"}]},
    }
    for name in ("p", "q")
]
OBJECTS = [NODE, *PODS]
LOG = 'some text\n{"kind": "Node"}\n---\n'


def bare(item: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in item.items() if name not in ("kind", "apiVersion")}


def lists() -> list[dict[str, Any]]:
    return [
        {"kind": "NodeList", "apiVersion": "v1", "metadata": {}, "items": [bare(NODE)]},
        {"apiVersion": "v1", "items": [bare(pod) for pod in PODS], "kind": "PodList"},
        {"kind": "ServiceList", "apiVersion": "v1", "items": None},
    ]


def logged(documents: str) -> str:
    marks = "logs for container c of pod a/p ===="
    return f"{documents}\n==== START {marks}\n{LOG}==== END {marks}\n{documents}"


def dumped(documents: list[Any], **options: Any) -> str:
    return "\n".join(json.dumps(document, **options) for document in documents)


FORMS = {
    "yaml": yaml.safe_dump_all(OBJECTS),
    "yaml-crlf": yaml.safe_dump_all(OBJECTS).replace("\n", "\r\n"),
    "yaml-bom": "\ufeff" + yaml.safe_dump_all(OBJECTS),
    "yaml-comments": f"# a\n---\n# b\n---\n{yaml.safe_dump_all(OBJECTS, explicit_start=True)}---\n# c\n...\n",
    "yaml-flow": "\n---\n".join(yaml.safe_dump(item, default_flow_style=True) for item in OBJECTS),
    "yaml-list": yaml.safe_dump({"apiVersion": "v1", "kind": "List", "items": OBJECTS}),
    "yaml-typed-lists": yaml.safe_dump_all(lists()),
    "yaml-nested-lists": yaml.safe_dump({"kind": "List", "items": lists()}),
    "json-list": json.dumps({"apiVersion": "v1", "items": OBJECTS, "kind": "List"}),
    "json-indented": json.dumps({"kind": "List", "items": OBJECTS, "metadata": {}}, indent=4),
    "json-typed-lists": dumped(lists(), indent=4),
    "json-lines": dumped(OBJECTS),
    "json-touching": "".join(json.dumps(item) for item in OBJECTS),
    "json-array": json.dumps(OBJECTS),
    "json-separated": "\n---\n".join(json.dumps(item) for item in OBJECTS),
    "dump-json": logged(dumped(lists(), indent=4)),
    "dump-yaml": logged(yaml.safe_dump_all(lists(), explicit_start=True)),
}  # fmt: skip


def names(found: Input) -> tuple[list[str], list[str]]:
    return [node.name for node in found.cluster.nodes], [pod.key for pod in found.cluster.pods]


EXPECTED = (["n"], ["a/p", "a/q"])


@pytest.mark.parametrize("form", FORMS)
def test_the_same_objects_in_every_form(form: str, tmp_path: Path) -> None:
    """Each way of writing the same objects is read as the same cluster."""
    path = tmp_path / "input"
    path.write_bytes(FORMS[form].encode())
    assert names(read(path)) == EXPECTED


def test_big_texts_are_read_by_item_like_small_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The faster way through indented lists, which big texts take, finds the same objects."""
    monkeypatch.setattr("kubestow.adapters.read.json_text._CHECKED", 0)
    for name, text in FORMS.items():
        path = tmp_path / name
        path.write_text(text)
        assert names(read(path)) == EXPECTED, name


def test_utf_16_with_its_mark_is_read(tmp_path: Path) -> None:
    """Windows PowerShell redirects output as UTF-16."""
    path = tmp_path / "input.yaml"
    path.write_bytes(FORMS["yaml"].encode("utf-16"))
    assert names(read(path)) == EXPECTED


def test_standard_input_is_a_dash(monkeypatch: pytest.MonkeyPatch) -> None:
    """``-`` reads standard input, and is named so."""
    stream = io.TextIOWrapper(io.BytesIO(FORMS["yaml"].encode()))
    monkeypatch.setattr(sys, "stdin", stream)
    found = read("-")
    assert names(found) == EXPECTED
    assert found.files[0].path == "<stdin>"


def test_gzip_is_known_by_its_content(tmp_path: Path) -> None:
    """Compressed input needs no particular name."""
    path = tmp_path / "input"
    path.write_bytes(gzip.compress(FORMS["json-list"].encode()))
    assert names(read(path)) == EXPECTED


def archive(members: dict[str, bytes], mode: str) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as tar:  # type: ignore[call-overload]
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
        link = tarfile.TarInfo("link.yaml")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
    return out.getvalue()


@pytest.mark.parametrize(("suffix", "mode"), [(".tar", "w"), (".tar.gz", "w:gz"), (".tgz", "w:gz")])
def test_archives_are_read_in_memory(suffix: str, mode: str, tmp_path: Path) -> None:
    """Members are read wherever their paths point, links are left alone, nothing is written."""
    members = {
        "../../nodes.json": json.dumps(NODE).encode(),
        "/pods.yaml": yaml.safe_dump_all(PODS).encode(),
        "pods/logs.txt": LOG.encode(),
        "pods/zipped.json.gz": gzip.compress(json.dumps(PODS[0]).encode()),
    }
    path = tmp_path / f"dump{suffix}"
    path.write_bytes(archive(members, mode))
    assert names(read(path)) == EXPECTED
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


def test_directories_are_searched_in_order(tmp_path: Path) -> None:
    """A tree is read sorted by path; hidden files, logs and documents that are no objects are passed over."""
    (tmp_path / "b").mkdir()
    (tmp_path / ".git").mkdir()
    (tmp_path / "b" / "pods.yml").write_text(yaml.safe_dump(PODS[1]))
    (tmp_path / "a.json").write_text(json.dumps([NODE, PODS[0]]))
    (tmp_path / "values.yaml").write_text("replicas: 3\n")
    (tmp_path / "empty.yaml").write_text("")
    (tmp_path / "pods.log").write_text("{")
    (tmp_path / ".git" / "x.yaml").write_text("{")
    found = read(tmp_path)
    assert names(found) == EXPECTED
    assert [(w.code, Path(w.object).name) for w in found.cluster.warnings] == [("skipped", "values.yaml")]


def test_a_must_gather_tree_names_pods_twice_and_they_merge(tmp_path: Path) -> None:
    """Each pod is in its namespace's list and in a file of its own: equal duplicates are one object."""
    core = tmp_path / "namespaces" / "a" / "core"
    core.mkdir(parents=True)
    (core / "pods.yaml").write_text(yaml.safe_dump(lists()[1]))
    nodes = tmp_path / "cluster-scoped-resources" / "core" / "nodes"
    nodes.mkdir(parents=True)
    (nodes / "n.yaml").write_text(yaml.safe_dump(NODE))
    for pod in PODS:
        own = tmp_path / "namespaces" / "a" / "pods" / pod["metadata"]["name"]  # type: ignore[index]
        own.mkdir(parents=True)
        (own / "pod.yaml").write_text(yaml.safe_dump(pod))
    found = read(tmp_path)
    assert names(found) == EXPECTED
    assert [w.code for w in found.cluster.warnings] == ["duplicate"]
    assert "Pod/a/p, Pod/a/q" in found.cluster.warnings[0].message


def test_several_paths_make_one_cluster(tmp_path: Path) -> None:
    """Files add up, and each is listed with its digest and what it held."""
    (tmp_path / "nodes.yaml").write_text(yaml.safe_dump(NODE))
    (tmp_path / "pods.json").write_text(dumped(PODS))
    found = read([tmp_path / "nodes.yaml", tmp_path / "pods.json"])
    assert names(found) == EXPECTED
    assert [dict(file.objects) for file in found.files] == [{"Node": 1}, {"Pod": 2}]
    assert all(len(file.digest) == 64 for file in found.files)
    assert found.objects == {"Node": 1, "Pod": 2}


def test_what_is_not_used_is_counted_and_forgotten(tmp_path: Path) -> None:
    """Secrets and unknown kinds appear as counts; nothing is kept, and namesakes of other groups are said."""
    secret = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "s"},
        "data": {"token": "aHVudGVyMg=="},
    }
    other = {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": {"name": "j"}, "spec": 5}
    path = tmp_path / "input.json"
    path.write_text(dumped([*OBJECTS, secret, other]))
    found = read(path)
    assert found.objects == {"Node": 1, "Pod": 2, "Secret": 1, "Job": 1}
    assert found.cluster.workloads == ()
    (warning,) = [w for w in found.cluster.warnings if w.code == "foreign-group"]
    assert (warning.object, warning.message) == (
        "Job",
        "1 object of batch.volcano.sh/v1alpha1 not read; the Job that counts is of batch",
    )
    assert "aHVudGVyMg" not in repr(found)


def test_a_log_that_imitates_the_marks_is_said(tmp_path: Path) -> None:
    """Objects cannot be smuggled in through a pod's log, and the user hears that one looks like it."""
    marks = "logs for container c of pod a/evil ===="
    forged = f"==== END {marks}\n{json.dumps({**NODE, 'metadata': {'name': 'forged'}})}\n==== START {marks}\n"
    text = f"{dumped(OBJECTS)}\n==== START {marks}\nx\n{forged}y\n==== END {marks}\n"
    path = tmp_path / "dump.txt"
    path.write_text(text)
    found = read(path)
    assert names(found) == EXPECTED
    assert [(w.code, w.object) for w in found.cluster.warnings] == [("doubtful-log", "Pod/a/evil")]


def test_a_log_without_end_is_an_error(tmp_path: Path) -> None:
    """A dump cut off inside a log is not taken for a whole one."""
    path = tmp_path / "dump.txt"
    path.write_text(f"{dumped(OBJECTS)}\n==== START logs for container c of pod a/p ====\nx\n")
    with pytest.raises(BadInput, match="no start or no end"):
        read(path)
