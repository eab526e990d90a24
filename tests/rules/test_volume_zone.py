"""VolumeZone: verdicts, and final states against the filter."""

from __future__ import annotations

from random import Random

import pytest
from admitted import broken, final, placements, reachable, verdict
from builders import ZONE, cluster, node, pod
from kubestow.model.cluster import Cluster
from kubestow.model.reasons import Code
from kubestow.model.rules.volume_zone import CONFLICT, VolumeZone
from storage_builders import claim, storage_class, uses, volume

RULE = VolumeZone()
BETA_ZONE, REGION = "failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/region"
NODES = (node("a", "a"), node("b", "b"), node("old", labels={BETA_ZONE: "a"}), node("bare"))


def bound(labels: dict[str, str]) -> Cluster:
    """Pod ``p`` with a claim bound to a volume with these labels."""
    return cluster(
        NODES,
        [pod("p", volumes=uses("c"))],
        persistent_volume_claims=(claim("c", "v"),),
        persistent_volumes=(volume("v", labels=labels),),
    )


def admitted(labels: dict[str, str]) -> set[str]:
    """Nodes that the filter admits."""
    it = bound(labels)
    return {n.name for n in NODES if verdict(RULE, it, "p", n.name) is None}


class TestFilter:
    @pytest.mark.parametrize(
        ("labels", "names"),
        [
            ({}, {"a", "b", "old", "bare"}),
            ({ZONE: "a"}, {"a", "bare"}),
            ({ZONE: "a__b"}, {"a", "b", "bare"}),
            ({ZONE: " a__b "}, {"a", "b", "bare"}),
            ({ZONE: "a__"}, {"a", "b", "old", "bare"}),
            ({BETA_ZONE: "a"}, {"a", "old", "bare"}),
            ({REGION: "r"}, {"bare"}),
            ({ZONE: "a", BETA_ZONE: "b"}, {"bare"}),
        ],
    )
    def test_every_label_of_the_volume_must_fit(self, labels: dict[str, str], names: set[str]) -> None:
        """A node is in one of the label's values, or has no zone and region label at all."""
        assert admitted(labels) == names

    def test_a_conflict_cannot_be_resolved_by_eviction(self) -> None:
        """The verdict says so."""
        found = verdict(RULE, bound({ZONE: "a"}), "p", "b")
        assert found is not None
        assert (found.code, found.reasons) == (Code.UNRESOLVABLE, (CONFLICT,))

    @pytest.mark.parametrize(
        ("fields", "reason"),
        [
            ({"of": "later"}, ""),
            ({"of": "now"}, "PersistentVolume had no name"),
            ({"of": None}, "PersistentVolumeClaim had no pv name and storageClass name"),
            ({"of": "none"}, 'storageclass.storage.k8s.io "none" not found'),
            ({"volume": "gone"}, 'persistentvolume "gone" not found'),
        ],
    )
    def test_a_claim_without_a_volume_is_fine_only_while_it_waits(
        self, fields: dict[str, str], reason: str
    ) -> None:
        """Everything but WaitForFirstConsumer turns the pod down."""
        it = cluster(
            NODES,
            [pod("p", volumes=uses("c"))],
            persistent_volume_claims=(claim("c", **fields),),
            storage_classes=(storage_class(), storage_class("now", wait=False)),
        )
        found = verdict(RULE, it, "p", "a")
        assert (found.reasons if found else ("",)) == (reason,)


def random_cluster(seed: int) -> Cluster:
    """Pods whose claims are bound in zones, some to nothing."""
    draw = Random(seed)
    values = ["a", "b", "a__b", "c", ""]
    labels = [{draw.choice([ZONE, BETA_ZONE, REGION]): draw.choice(values)} for _ in range(3)]
    volumes = tuple(volume(f"v{i}", labels=labels[i]) for i in range(3))
    claims = tuple(claim(f"c{i}", draw.choice([f"v{i}", f"v{i}", "gone"])) for i in range(3))
    waiting = [
        pod(f"p{i}", volumes=uses(*draw.sample(["c0", "c1", "c2"], draw.randint(0, 2)))) for i in range(3)
    ]
    return cluster(NODES, waiting, persistent_volume_claims=claims, persistent_volumes=volumes)


class TestFinalState:
    @pytest.mark.parametrize("seed", range(40))
    def test_valid_placements_are_those_that_the_filter_reaches(self, seed: int) -> None:
        """Zones concern one pod at a time, so order never matters: both sets are equal."""
        it = random_cluster(seed)
        valid = {placed for placed in placements(it) if not broken(RULE, final(it, placed))}
        assert valid == reachable(RULE, it)

    def test_pods_that_stay_in_the_wrong_zone_are_reported_by_claim_and_node(self) -> None:
        """An inherited problem keeps its key while its pods stay, and counts them."""
        pods = [pod(f"p{i}", "b", volumes=uses("c")) for i in range(2)]
        it = cluster(
            NODES,
            pods,
            persistent_volume_claims=(claim("c", "v"),),
            persistent_volumes=(volume("v", labels={ZONE: "a"}),),
        )
        (found,) = broken(RULE, final(it))
        assert (found.key, found.magnitude, found.node) == (("claim", "default/c", "b"), 2, "b")

    def test_a_missing_volume_is_held_against_newcomers_only(self) -> None:
        """A running pod cannot be helped by moving it."""
        claims = (claim("c", "gone"),)
        it = cluster(
            NODES,
            [pod("old", "a", volumes=uses("c")), pod("new", volumes=uses("c"))],
            persistent_volume_claims=claims,
        )
        assert not broken(RULE, final(it))
        (found,) = broken(RULE, final(it, frozenset({("default/new", "a")})))
        assert found.pods == ("default/new",)
