import json
from pathlib import Path
from typing import Any

import pytest
from kubestow.adapters.read import read

NODE = "{apiVersion: v1, kind: Node, metadata: {name: n0}}\n---\n"


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "input.yaml"
    path.write_text(text)
    return path


def versioned(version: str, priority: int) -> dict[str, Any]:
    metadata = {"name": "p", **({"resourceVersion": version} if version else {})}
    return {"kind": "Pod", "metadata": metadata, "spec": {"priority": priority}}


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_of_different_duplicates_the_newer_counts(order: tuple[int, int], tmp_path: Path) -> None:
    """``resourceVersion`` decides, as a number, whatever the order."""
    pods = [versioned("9", 1), versioned("10", 2)]
    found = read(written(tmp_path, "\n".join(json.dumps(pods[i]) for i in order)))
    assert [pod.priority for pod in found.cluster.pods] == [2]
    assert "duplicate" in {warning.code for warning in found.cluster.warnings}


def test_equal_duplicates_merge_whatever_their_version(tmp_path: Path) -> None:
    """kwok leaves the version out: the same object from two formats is one."""
    found = read(written(tmp_path, json.dumps(versioned("9", 1)) + json.dumps(versioned("", 1))))
    assert len(found.cluster.pods) == 1


def test_names_differ_between_kinds_and_namespaces(tmp_path: Path) -> None:
    """Only kind, namespace and name together identify an object."""
    text = "".join(f"kind: Pod\nmetadata: {{name: n0, namespace: {ns}}}\n---\n" for ns in ("a", "b"))
    found = read(written(tmp_path, NODE + text))
    assert [pod.key for pod in found.cluster.pods] == ["a/n0", "b/n0"]
