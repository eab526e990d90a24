"""In-tree volumes as their CSI drivers see them."""

from __future__ import annotations

from typing import Any

import pytest
from builders import ZONE, cluster, node
from kubestow.model.api import Volume
from kubestow.model.csi_translation import (
    inline_handle,
    inline_plugin,
    persistent_handle,
    persistent_plugin,
)
from storage_builders import csi_node, volume

BETA_ZONE = "failure-domain.beta.kubernetes.io/zone"
MIGRATED = {"storage.alpha.kubernetes.io/migrated-plugins": "kubernetes.io/aws-ebs,kubernetes.io/gce-pd"}
DISK = {"gcePersistentDisk": {"pdName": "d"}}
NODES = (
    node("plain", labels={ZONE: "z"}),
    node("driver", labels={"topology.gke.io/zone": "z"}),
    node("other", labels={ZONE: "z", "topology.gke.io/zone": "q"}),
)


@pytest.mark.parametrize(
    ("source", "driver", "handle"),
    [
        ({"awsElasticBlockStore": {"volumeID": "vol-1"}}, "ebs.csi.aws.com", "vol-1"),
        ({"awsElasticBlockStore": {"volumeID": "aws://zone/vol-1"}}, "ebs.csi.aws.com", "vol-1"),
        (DISK, "pd.csi.storage.gke.io", "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/d"),
        ({"azureDisk": {"diskURI": "/x", "diskName": "n"}}, "disk.csi.azure.com", "/x"),
        ({"cinder": {"volumeID": "v"}}, "cinder.csi.openstack.org", "v"),
        ({"portworxVolume": {"volumeID": "v"}}, "pxd.portworx.com", "v"),
    ],
)
def test_a_volume_in_a_pod_has_a_driver_and_a_handle(source: Any, driver: str, handle: str) -> None:
    """So that two pods with the same disk attach it once."""
    stated = Volume.model_validate({"name": "v", **source})
    plugin = inline_plugin(stated)
    assert plugin is not None
    assert (plugin.driver, inline_handle(plugin, stated)) == (driver, handle)


@pytest.mark.parametrize(
    ("labels", "handle"),
    [
        ({}, "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/d"),
        ({ZONE: "us-a1-b"}, "projects/UNSPECIFIED/zones/us-a1-b/disks/d"),
        ({BETA_ZONE: "us-a1-b"}, "projects/UNSPECIFIED/zones/us-a1-b/disks/d"),
        ({ZONE: "us-a1-b__us-a1-c"}, "projects/UNSPECIFIED/regions/us-a1/disks/d"),
        ({ZONE: "us-a1-b__us-a2-c"}, ""),
        ({ZONE: "a__b"}, ""),
    ],
)
def test_a_gce_disk_is_named_by_its_zones(labels: dict[str, str], handle: str) -> None:
    """One zone, a region of several, or none that can be told."""
    given = volume("v", labels=labels, **DISK)
    plugin = persistent_plugin(given)
    assert plugin is not None
    assert persistent_handle(plugin, given) == handle


@pytest.mark.parametrize("junk", [{}, {"volumeID": 7}, {"volumeID": ["x"]}, {"volumeID": None}])
def test_a_source_that_is_not_what_it_should_be_does_no_harm(junk: Any) -> None:
    """The API model keeps these sources as they come."""
    given = volume("v", cinder=junk)
    plugin = persistent_plugin(given)
    assert plugin is not None
    assert isinstance(persistent_handle(plugin, given), str)


@pytest.mark.parametrize("key", [ZONE, BETA_ZONE, None])
@pytest.mark.parametrize("migrated", [False, True])
def test_zones_are_read_under_the_drivers_label_where_the_node_says_so(
    key: str | None, migrated: bool
) -> None:
    """The affinity's zone, or else the volume's zone label, moves to the driver's own key."""
    term = {"matchExpressions": [{"key": key, "operator": "In", "values": ["z"]}]}
    stated: dict[str, Any] = {"nodeAffinity": {"required": {"nodeSelectorTerms": [term]}}} if key else {}
    given = volume("v", labels={} if key else {ZONE: "z"}, **DISK, **stated)
    notes = tuple(csi_node(n.name, MIGRATED if migrated else None) for n in NODES)
    reach = cluster(NODES, [], csi_nodes=notes, persistent_volumes=(given,)).storage.reach
    found = {n.name for n in NODES if reach.bound_reaches(given, n.name)}
    as_it_stands = {ZONE: {"plain", "other"}, BETA_ZONE: set[str](), None: {"plain", "driver", "other"}}
    assert found == ({"driver"} if migrated else as_it_stands[key])
    assert {n.name for n in NODES if reach.reaches(given, n.name)} == as_it_stands[key]


@pytest.mark.parametrize(
    ("zones", "problem"),
    [
        ("a__b", "zone in unexpected format, expected: {locale}-{region}-{zone}, got: a"),
        ("a-b-c__", "zone in unexpected format, expected: {locale}-{region}-{zone}, got: "),
        ("x-y-z__a-b-c", "multiple or no regions gotten from zones, got: map[a-b:{} x-y:{}]"),
        ("a-b-c__a-b-d", ""),
        ("a", ""),
    ],
)
def test_zones_of_no_single_region_cannot_be_translated(zones: str, problem: str) -> None:
    """Asking for the volume then fails on nodes whose plugin has been migrated, and only there."""
    given = volume("v", labels={BETA_ZONE: zones}, **DISK)
    notes = (csi_node("plain", MIGRATED), csi_node("other"))
    reach = cluster(NODES, [], csi_nodes=notes, persistent_volumes=(given,)).storage.reach
    expected = problem and f"could not translate pv: failed to get region from zones: {problem}"
    assert reach.bound_problem(given, "plain") == expected
    assert not reach.bound_problem(given, "other")
    assert reach.bound_reaches(given, "other")
    assert not reach.bound_reaches(given, "plain")
