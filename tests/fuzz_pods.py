"""Random pods as documents; see `fuzz_clusters`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from hypothesis import strategies as st

Value = TypeVar("Value")
Draw = Callable[[st.SearchStrategy[Any]], Any]
Document = dict[str, Any]
KEYS = ("kubernetes.io/hostname", "topology.kubernetes.io/zone", "disk")
LABELS = {"app": ("web", "db"), "tier": ("one", "two"), "version": ("1", "2")}


def pick(draw: Draw, *values: Value) -> Value:
    """One of the values; simpler ones first."""
    return draw(st.sampled_from(values))


def between(draw: Draw, least: int, most: int) -> int:
    """An integer, both ends included."""
    return draw(st.integers(least, most))


def rarely(draw: Draw) -> bool:
    """True in about one of six draws."""
    return draw(st.integers(0, 5)) == 5


def some(draw: Draw, choices: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Some of the keys, each with one of its values."""
    return {key: pick(draw, *values) for key, values in choices.items() if draw(st.booleans())}


def selector(draw: Draw) -> Document:
    """A label selector over the pods' labels; now and then an empty one."""
    if rarely(draw):
        return {}
    operator = pick(draw, "", "In", "NotIn", "Exists", "DoesNotExist")
    key = pick(draw, *LABELS)
    if not operator:
        return {"matchLabels": {key: pick(draw, *LABELS[key])}}
    requirement: Document = {"key": key, "operator": operator}
    if operator in ("In", "NotIn"):
        requirement["values"] = list(draw(st.sets(st.sampled_from(LABELS[key]), min_size=1)))
    return {"matchExpressions": [requirement]}


def pod(draw: Draw, name: str, features: frozenset[str], nodes: Sequence[str], *, bound: bool) -> Document:
    """A pod that uses some of the features, running on a node or pending."""
    metadata: Document = {
        "name": name,
        "namespace": "other" if rarely(draw) else "default",
        "uid": f"uid-{name}",
        "labels": some(draw, LABELS),
        "creationTimestamp": f"2026-01-01T00:00:0{between(draw, 0, 3)}Z",
    }
    spec: Document = {"containers": [_container(draw, "main", features)]}
    status: Document = {"phase": "Running" if bound else "Pending"}
    if bound:
        spec["nodeName"] = "gone" if rarely(draw) else pick(draw, *nodes)
        if not rarely(draw):
            status["startTime"] = f"2026-01-01T00:01:0{between(draw, 0, 3)}Z"
    for feature, extend in _EXTEND.items():
        if feature in features:
            extend(draw, metadata, spec, status, nodes)
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": status}


def _container(draw: Draw, name: str, features: frozenset[str]) -> Document:
    image = pick(draw, "nginx", "registry.example/app:1", "nginx:1.25") if "images" in features else "nginx"
    resources: Document = {"requests": _amounts(draw, features)}
    if "resources" in features and rarely(draw):
        resources = {"limits": _amounts(draw, features)}
    return {"name": name, "image": image, "resources": resources}


def _amounts(draw: Draw, features: frozenset[str] = frozenset()) -> dict[str, str]:
    found = some(draw, {"cpu": ("500m", "100m", "1", "0", "2"), "memory": ("256Mi", "1Gi", "0", "1500M")})
    if "resources" in features:
        extra = {"example.com/foo": ("1", "2"), "ephemeral-storage": ("1Gi", "2G"), "hugepages-2Mi": ("2Mi",)}
        found.update(some(draw, extra) if rarely(draw) else {})
    return found


def _resources(
    draw: Draw, metadata: Document, spec: Document, status: Document, nodes: Sequence[str]
) -> None:
    if draw(st.booleans()):
        spec["containers"].append(_container(draw, "second", frozenset(["resources"])))
    if rarely(draw):
        spec["initContainers"] = [
            {**_container(draw, "sidecar", frozenset()), "restartPolicy": "Always"},
            _container(draw, "init", frozenset()),
        ][between(draw, 0, 1) :]
    if rarely(draw):
        spec["overhead"] = {"cpu": "100m"}
    if rarely(draw):
        spec["resources"] = {pick(draw, "requests", "limits"): _amounts(draw)}


def _resize(draw: Draw, metadata: Document, spec: Document, status: Document, nodes: Sequence[str]) -> None:
    if "nodeName" not in spec or rarely(draw):
        return
    status["containerStatuses"] = [
        {
            "name": container["name"],
            "allocatedResources": _amounts(draw),
            "resources": {"requests": _amounts(draw)},
        }
        for container in spec["containers"]
    ]
    if rarely(draw):
        status["resources"] = {"requests": _amounts(draw)}
    if rarely(draw):
        status["allocatedResources"] = _amounts(draw)
    if rarely(draw):
        spec["resources"] = {"requests": _amounts(draw)}
    if rarely(draw):
        status["conditions"] = [{"type": "PodResizePending", "status": "True", "reason": "Infeasible"}]


def _taints(draw: Draw, metadata: Document, spec: Document, status: Document, nodes: Sequence[str]) -> None:
    toleration = st.fixed_dictionaries(
        {},
        optional={
            "key": st.sampled_from(["hard", "soft", "node.kubernetes.io/unschedulable"]),
            "effect": st.sampled_from(["NoSchedule", "PreferNoSchedule", "NoExecute"]),
            "value": st.sampled_from(["x", "y"]),
            "operator": st.sampled_from(["Exists", "Equal"]),
        },
    )
    spec["tolerations"] = draw(st.lists(toleration, max_size=2))


def _node_term(draw: Draw, nodes: Sequence[str]) -> Document:
    if rarely(draw):
        operator = pick(draw, "In", "NotIn")
        return {
            "matchFields": [{"key": "metadata.name", "operator": operator, "values": [pick(draw, *nodes)]}]
        }
    operator = pick(draw, "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")
    if operator in ("Gt", "Lt"):
        return {"matchExpressions": [{"key": "gen", "operator": operator, "values": [pick(draw, "5", "1")]}]}
    requirement: Document = {"key": "disk", "operator": operator}
    if operator in ("In", "NotIn"):
        requirement["values"] = [pick(draw, "ssd", "hdd")]
    return {"matchExpressions": [requirement]}


def _node_affinity(
    draw: Draw, metadata: Document, spec: Document, status: Document, nodes: Sequence[str]
) -> None:
    if rarely(draw):
        spec["nodeSelector"] = {"disk": pick(draw, "ssd", "hdd")}
    affinity: Document = {}
    if rarely(draw):
        terms = [_node_term(draw, nodes) for _ in range(between(draw, 1, 2))]
        affinity["requiredDuringSchedulingIgnoredDuringExecution"] = {"nodeSelectorTerms": terms}
    if draw(st.booleans()):
        affinity["preferredDuringSchedulingIgnoredDuringExecution"] = [
            {"weight": between(draw, 1, 9), "preference": _node_term(draw, nodes)}
        ]
    spec.setdefault("affinity", {})["nodeAffinity"] = affinity


def _ports(draw: Draw, metadata: Document, spec: Document, status: Document, nodes: Sequence[str]) -> None:
    port = st.fixed_dictionaries(
        {"containerPort": st.sampled_from([80, 81])},
        optional={
            "hostPort": st.sampled_from([80, 81]),
            "hostIP": st.sampled_from(["127.0.0.1", "0.0.0.0", "::"]),
            "protocol": st.sampled_from(["TCP", "UDP"]),
        },
    )
    spec["containers"][0]["ports"] = draw(st.lists(port, max_size=2))
    if rarely(draw):
        spec["hostNetwork"] = True


def _pod_term(draw: Draw) -> Document:
    term: Document = {"topologyKey": pick(draw, *KEYS)}
    if not rarely(draw):
        term["labelSelector"] = selector(draw)
    if rarely(draw):
        term["namespaces"] = ["other"]
    if rarely(draw):
        term["namespaceSelector"] = {} if rarely(draw) else {"matchLabels": {"team": "red"}}
    if rarely(draw):
        term[pick(draw, "matchLabelKeys", "mismatchLabelKeys")] = ["version"]
    return term


def _pod_affinity(
    draw: Draw, metadata: Document, spec: Document, status: Document, nodes: Sequence[str]
) -> None:
    for side in ("podAffinity", "podAntiAffinity"):
        affinity: Document = {}
        if rarely(draw) or rarely(draw):
            affinity["requiredDuringSchedulingIgnoredDuringExecution"] = [_pod_term(draw)]
        if rarely(draw) or rarely(draw):
            affinity["preferredDuringSchedulingIgnoredDuringExecution"] = [
                {"weight": between(draw, 1, 9), "podAffinityTerm": _pod_term(draw)}
            ]
        if affinity:
            spec.setdefault("affinity", {})[side] = affinity


def _spread(draw: Draw, metadata: Document, spec: Document, status: Document, nodes: Sequence[str]) -> None:
    spec["topologySpreadConstraints"] = [_constraint(draw) for _ in range(between(draw, 0, 2))]
    if rarely(draw):
        owner = {
            "apiVersion": "apps/v1",
            "kind": "ReplicaSet",
            "name": "web",
            "uid": "web",
            "controller": True,
        }
        metadata["ownerReferences"] = [owner]


def _constraint(draw: Draw) -> Document:
    constraint: Document = {
        "maxSkew": between(draw, 1, 2),
        "topologyKey": pick(draw, *KEYS),
        "whenUnsatisfiable": pick(draw, "DoNotSchedule", "ScheduleAnyway"),
        "labelSelector": selector(draw),
    }
    if rarely(draw) and constraint["whenUnsatisfiable"] == "DoNotSchedule":
        constraint["minDomains"] = between(draw, 1, 3)
    for policy in ("nodeAffinityPolicy", "nodeTaintsPolicy"):
        if rarely(draw):
            constraint[policy] = pick(draw, "Honor", "Ignore")
    if rarely(draw):
        constraint["matchLabelKeys"] = ["version"]
    return constraint


def _storage(draw: Draw, metadata: Document, spec: Document, status: Document, nodes: Sequence[str]) -> None:
    spec["volumes"] = [{"name": f"v{number}", **_volume(draw)} for number in range(between(draw, 0, 2))]


def _volume(draw: Draw) -> Document:
    kind = pick(draw, "claim", "claim", "claim", "disk", "block", "rbd", "iscsi", "inline", "ephemeral")
    read_only = {"readOnly": True} if draw(st.booleans()) else {}
    if kind == "claim":
        return {"persistentVolumeClaim": {"claimName": pick(draw, "c0", "c1", "c2", "missing"), **read_only}}
    if kind == "disk":
        return {"gcePersistentDisk": {"pdName": pick(draw, "a", "b"), **read_only}}
    if kind == "block":
        return {"awsElasticBlockStore": {"volumeID": pick(draw, "a", "b"), **read_only}}
    if kind == "rbd":
        monitors = list(draw(st.sets(st.sampled_from(["m1", "m2"]), min_size=1)))
        return {"rbd": {"monitors": monitors, "image": pick(draw, "a", "b"), **read_only}}
    if kind == "iscsi":
        return {"iscsi": {"targetPortal": "t", "iqn": pick(draw, "a", "b"), "lun": 0, **read_only}}
    if kind == "ephemeral":
        wants = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
        return {"ephemeral": {"volumeClaimTemplate": {"spec": {**wants, "storageClassName": "later"}}}}
    return {"csi": {"driver": "csi.example"}}


def _priority(draw: Draw, metadata: Document, spec: Document, status: Document, nodes: Sequence[str]) -> None:
    name = pick(draw, "", "low", "mid", "high")
    if name:
        spec["priorityClassName"] = name
    if "nodeName" not in spec and rarely(draw):
        status["nominatedNodeName"] = pick(draw, *nodes, "gone")


def _lifecycle(
    draw: Draw, metadata: Document, spec: Document, status: Document, nodes: Sequence[str]
) -> None:
    if rarely(draw):
        metadata["deletionTimestamp"] = "2026-01-02T00:00:00Z"
    if rarely(draw):
        status["phase"] = pick(draw, "Succeeded", "Failed")
    if rarely(draw) and "nodeName" not in spec:
        spec["schedulingGates"] = [{"name": "example.com/gate"}]
    if rarely(draw):
        spec["schedulerName"] = "elsewhere"


_EXTEND: Mapping[str, Callable[[Draw, Document, Document, Document, Sequence[str]], None]] = {
    "resources": _resources,
    "resize": _resize,
    "taints": _taints,
    "nodeAffinity": _node_affinity,
    "ports": _ports,
    "podAffinity": _pod_affinity,
    "spread": _spread,
    "storage": _storage,
    "priority": _priority,
    "lifecycle": _lifecycle,
}
