"""Configurations that leave filters out: what kube-scheduler then does is no violation, on either side."""

from __future__ import annotations

import kubestow
import pytest
import yaml
from kubestow.model.profile import FILTERS

LAST = ("DynamicResources", "NodeDeclaredFeatures")
DISABLED = {name: (name,) for name in FILTERS if name not in LAST} | {"all": FILTERS}
NODE = """
---
apiVersion: v1
kind: Node
metadata: {{name: {name}, labels: {{topology.kubernetes.io/zone: {name}, kubernetes.io/hostname: {name}}}}}
status: {{allocatable: {{cpu: {cpu}, memory: 8Gi, pods: 10}}}}
---
apiVersion: storage.k8s.io/v1
kind: CSINode
metadata: {{name: {name}}}
spec: {{drivers: [{{name: disk.example.com, nodeID: {name}, allocatable: {{count: 1}}}}]}}
"""
CLAIM = """
---
apiVersion: v1
kind: PersistentVolume
metadata: {{name: v{number}, labels: {{topology.kubernetes.io/zone: b}}}}
spec:
  capacity: {{storage: 1Gi}}
  accessModes: [{mode}]
  csi: {{driver: disk.example.com, volumeHandle: v{number}}}
  claimRef: {{namespace: default, name: c{number}}}
  nodeAffinity:
    required:
      nodeSelectorTerms: [{{matchExpressions: [{{key: kubernetes.io/hostname, operator: In, values: [b]}}]}}]
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {{name: c{number}}}
spec:
  volumeName: v{number}
  storageClassName: ""
  accessModes: [{mode}]
  resources: {{requests: {{storage: 1Gi}}}}
status: {{phase: Bound}}
"""
POD = """
---
apiVersion: v1
kind: Pod
metadata: {{name: p{number}}}
spec:
  containers: [{{name: c, resources: {{requests: {{cpu: 1}}}}}}]
  volumes: [{{name: v, persistentVolumeClaim: {{claimName: c{claim}}}}}]
"""
PLAIN = """
---
apiVersion: v1
kind: Pod
metadata: {name: plain}
spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}]}
"""
ELSEWHERE = """
---
apiVersion: v1
kind: Pod
metadata: {name: elsewhere}
spec:
  containers: [{name: c, resources: {requests: {cpu: 1}}}]
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [gone]}]}]
"""


@pytest.fixture
def storage(tmp_path):
    """Five pods that fight for two claims, which are bound to volumes in a full zone."""
    path = tmp_path / "storage.yaml"
    nodes = (NODE.format(name=name, cpu=cpu) for name, cpu in (("a", 4), ("b", 2)))
    modes = ("ReadWriteOncePod", "ReadWriteOnce")
    claims = (CLAIM.format(number=i, mode=mode) for i, mode in enumerate(modes))
    pods = (POD.format(number=i, claim=i % 2) for i in range(5))
    path.write_text("".join((*nodes, *claims, *pods)))
    return path


def configured(tmp_path, plugins, point="multiPoint"):
    """A KubeSchedulerConfiguration without these plugins at this extension point."""
    disabled = {"disabled": [{"name": name} for name in plugins]}
    document = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [{"plugins": {point: disabled}}],
    }
    path = tmp_path / "configuration.yaml"
    path.write_text(yaml.safe_dump(document))
    return str(path)


def check(loaded):
    """Greedy's final state has no violation that is not inherited, and optimal is no worse."""
    found = kubestow.compare(loaded, limits=kubestow.Limits(time=10, workers=1))
    now = {(v.rule, v.key) for v in found.current.violations}
    assert {(v.rule, v.key) for v in found.greedy.violations} <= now
    assert found.verdict in ("better", "equal", "proven-equal")
    assert kubestow.verify(loaded, found.greedy.placement).ok
    assert kubestow.verify(loaded, found.optimal.placement).ok
    return found


@pytest.mark.parametrize("plugins", DISABLED)
@pytest.mark.parametrize(
    "scenario", ["resources", "host-ports", "disk-conflict", "taints", "pod-anti-affinity"]
)
def test_bundled_clusters(scenario, plugins, tmp_path):
    """Each filter alone, and all of them, left out of each cluster that is about filters."""
    check(kubestow.read(scenario=scenario, config=configured(tmp_path, DISABLED[plugins])))


@pytest.mark.parametrize("point", ["multiPoint", "filter"])
@pytest.mark.parametrize("plugins", DISABLED)
def test_storage(plugins, point, storage, tmp_path):
    """The same with claims, zones and limits of drivers, whether or not the PreFilters are left."""
    check(kubestow.read(storage, config=configured(tmp_path, DISABLED[plugins], point)))


@pytest.mark.parametrize(("point", "placed"), [("multiPoint", 3), ("filter", 1)])
def test_what_pre_filter_alone_refuses(point, placed, tmp_path):
    """Without their Filter, plugins still refuse a missing claim, and the nodes that a pod does not name."""
    path = tmp_path / "input.yaml"
    nodes = (NODE.format(name=name, cpu=8) for name in "ab")
    path.write_text("".join((*nodes, POD.format(number=0, claim=0), PLAIN, ELSEWHERE)))
    found = check(kubestow.read(path, config=configured(tmp_path, FILTERS, point)))
    assert found.greedy.values[0] == found.optimal.values[0] == placed


def test_they_bite(storage, tmp_path):
    """More pods are placed where a filter is left out, by both sides."""
    strict = check(kubestow.read(storage, config=configured(tmp_path, ())))
    volumes = ("VolumeRestrictions", "NodeVolumeLimits", "VolumeBinding", "VolumeZone")
    loose = check(kubestow.read(storage, config=configured(tmp_path, volumes)))
    assert strict.greedy.values[0] < loose.greedy.values[0] == loose.optimal.values[0] == 5
