"""Fields that Kubernetes does not have are said, and those that it has are not."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from golden_cases import cases
from kubestow.adapters.fields import known_fields, read_fields
from kubestow.adapters.read import read
from kubestow.model.api.unread import UNREAD
from kubestow.model.reasons import Warning

ROOT = Path(__file__).parents[2]
TERM = "requiredDuringSchedulingIgnoredDuringExecution"
CONTAINER = {"name": "c"}


def pod(name: str = "p", **spec: Any) -> dict[str, Any]:
    return {"kind": "Pod", "metadata": {"name": name}, "spec": {"containers": [CONTAINER], **spec}}


def of(kind: str, spec: dict[str, Any]) -> dict[str, Any]:
    return {"kind": kind, "metadata": {"name": "p"}, "spec": spec}


def warned(tmp_path: Path, *objects: dict[str, Any]) -> list[Warning]:
    path = tmp_path / "input.yaml"
    path.write_text(yaml.safe_dump_all(objects))
    return [w for w in read(path).cluster.warnings if w.code in ("unknown-field", "empty")]


MISSPELT: dict[str, tuple[dict[str, Any], str, str]] = {
    "letter": (pod(nodeSelecter={}), "spec.nodeSelecter", "did you mean nodeSelector?"),
    "missing letter": (pod(affinty={}), "spec.affinty", "did you mean affinity?"),
    "case": (pod(nodeselector={}), "spec.nodeselector", "did you mean nodeSelector?"),
    "snake case": (pod(node_selector={"a": "b"}), "spec.node_selector", "did you mean nodeSelector?"),
    "resource": (
        pod(containers=[{"name": "c", "resource": {}}]),
        "spec.containers[].resource", "did you mean resources?",
    ),
    "request": (
        pod(containers=[{"name": "c", "resources": {"request": {}}}]),
        "spec.containers[].resources.request", "did you mean requests?",
    ),
    "our own name": (
        pod(affinity={"nodeAffinity": {"required": {"nodeSelectorTerms": []}}}),
        "spec.affinity.nodeAffinity.required", "ignored",
    ),
    "in a term": (
        pod(affinity={"podAffinity": {TERM: [{"topologyKey": "z", "label_selector": {}}]}}),
        f"spec.affinity.podAffinity.{TERM}[].label_selector", "did you mean labelSelector?",
    ),
    "in a constraint": (
        pod(topologySpreadConstraints=[{"topologyKey": "z", "maxskew": 2}]),
        "spec.topologySpreadConstraints[].maxskew", "did you mean maxSkew?",
    ),
    "volume": (
        pod(volumes=[{"name": "v", "persistentVolumeClaims": {}}]),
        "spec.volumes[].persistentVolumeClaims", "did you mean persistentVolumeClaim?",
    ),
    "metadata": (
        {"kind": "Pod", "metadata": {"name": "p", "lables": {}}, "spec": {"containers": [CONTAINER]}},
        "metadata.lables", "did you mean labels?",
    ),
    "owner": (
        {**pod(), "metadata": {"name": "p", "ownerReferences": [{"kind": "Job", "controler": True}]}},
        "metadata.ownerReferences[].controler", "did you mean controller?",
    ),
    "status": ({**pod(), "status": {"phse": "Running"}}, "status.phse", "did you mean phase?"),
    "top": ({**pod(), "spce": {}}, "spce", "did you mean spec?"),
    "outside the spec": ({**pod(), "nodeName": "n"}, "nodeName", "belongs into the spec of a pod"),
    "like nothing": (pod(frobnicate=1), "spec.frobnicate", "unknown to Kubernetes and ignored"),
    "too big for JSON": (pod(tolerration=10**30), "spec.tolerration", "did you mean tolerations?"),
    "too big for JSON, in a part": (
        pod(tolerations=[{"operater": 10**30}]), "spec.tolerations[].operater", "did you mean operator?",
    ),
    "workload": (
        of("Job", {"nodeSelector": {}, "template": {"spec": {"containers": [CONTAINER]}}}),
        "spec.nodeSelector", "belongs into the spec of a pod",
    ),
    "template": (
        of("Job", {"template": {"spec": {"tolerration": [], "containers": [CONTAINER]}}}),
        "spec.template.spec.tolerration", "did you mean tolerations?",
    ),
    "job template": (
        of("CronJob", {"jobTemplate": {"spec": {"template": {"spec": {"priorty": 1}}}}}),
        "spec.jobTemplate.spec.template.spec.priorty", "did you mean priority?",
    ),
    "taint": (
        {**of("Node", {"taint": []}), "status": {"allocatable": {"cpu": 1}}},
        "spec.taint", "did you mean taints?",
    ),
    "budget": (
        of("PodDisruptionBudget", {"minavailable": 1}), "spec.minavailable", "did you mean minAvailable?",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", MISSPELT)
def test_a_field_that_kubernetes_does_not_have_is_said(case: str, tmp_path: Path) -> None:
    """One warning names the object, the path and, where one is like it, the field that was meant."""
    given, path, says = MISSPELT[case]
    (warning,) = warned(tmp_path, given)
    kind = given["kind"]
    name = f"{kind}/p" if kind == "Node" else f"{kind}/default/p"
    assert (warning.code, warning.object, warning.field) == ("unknown-field", name, path)
    assert warning.message.startswith("unknown to Kubernetes and ignored")
    assert says in warning.message


def test_only_the_names_that_kubernetes_has_are_read(tmp_path: Path) -> None:
    """A field in our own spelling is ignored, as the API server ignores it."""
    path = tmp_path / "input.yaml"
    terms = {"nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "Exists"}]}]}
    path.write_text(yaml.safe_dump(pod(affinity={"nodeAffinity": {"required": terms}}, host_network=True)))
    (found,) = read(path).cluster.pods
    assert found.spec.affinity.node_affinity.required is None
    assert not found.spec.host_network


def test_a_misspelt_field_is_said_once_for_all_objects(tmp_path: Path) -> None:
    """The number of objects is told, however often each has the field, whether or not they share a spec."""
    twice = [{"name": "a", "resource": {}}, {"name": "b", "resource": {}}]
    objects = [pod(f"p{i}", nodeSelecter={"a": str(i // 2)}, containers=twice) for i in range(4)]
    found = warned(tmp_path, *objects)
    assert [(w.object, w.field) for w in found] == [
        ("Pod/default/p0", "spec.nodeSelecter"),
        ("Pod/default/p0", "spec.containers[].resource"),
    ]
    assert all("in 4 objects of kind Pod" in warning.message for warning in found)


def test_a_spec_shared_with_a_good_one_is_not_blamed(tmp_path: Path) -> None:
    """Pods that differ in the misspelt field only are told apart."""
    (warning,) = warned(tmp_path, pod("good"), pod("bad", nodeSelecter={}), pod("fine"))
    assert warning.object == "Pod/default/bad"
    assert "objects" not in warning.message


def test_very_many_unknown_fields_are_summed_up(tmp_path: Path) -> None:
    """There are at most twenty lines, and one that counts the rest; names are cut and escaped."""
    fields = {f"x{i}": 1 for i in range(30)}
    found = warned(tmp_path, pod(**{"y" * 1000: 1, "z\x1b[31m": 1}, **fields))
    assert len(found) == 21
    assert "12 more fields" in found[-1].message
    assert all(len(warning.field) < 100 and warning.field.isprintable() for warning in found)


def test_nothing_real_has_an_unknown_field() -> None:
    """No field of a captured cluster, a recorded case or a scenario is taken for a misspelt one."""
    captures = sorted((ROOT / "tests" / "data" / "captures").iterdir())
    scenarios = sorted((ROOT / "scenarios").glob("*.yaml"))
    assert captures
    assert scenarios
    for path in (*captures, *scenarios, *cases()):
        codes = {warning.code for warning in read(path).cluster.warnings}
        assert not codes & {"unknown-field", "empty"}, path


def test_what_is_listed_as_unread_is_not_read() -> None:
    """A field that a model learns to read leaves the list of those that it does not."""
    for model, names in UNREAD.items():
        assert not names.intersection(read_fields(model)), model
        assert names <= known_fields(model)


def test_a_pod_without_containers_and_a_node_without_allocatable_are_said(tmp_path: Path) -> None:
    """What cannot have been meant is said once for all pods, and once for all nodes."""
    nodes = [{"kind": "Node", "metadata": {"name": name}} for name in "ab"]
    sized = {"kind": "Node", "metadata": {"name": "c"}, "status": {"capacity": {"cpu": "1"}}}
    found = warned(tmp_path, *nodes, sized, pod(containers=[]), pod("q"))
    assert [(w.code, w.object, w.field) for w in found] == [
        ("empty", "Pod/default/p", "spec.containers"),
        ("empty", "Node/a", "status.allocatable"),
    ]
    assert found[1].message.endswith("(and 1 other node)")
