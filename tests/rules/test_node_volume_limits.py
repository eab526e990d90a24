"""NodeVolumeLimits: verdicts, and final states against brute force."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from admitted import broken, final, placements, reachable, verdict
from builders import cluster, node, pod
from kubestow.model.api import PersistentVolume, PersistentVolumeClaim
from kubestow.model.cluster import Cluster
from kubestow.model.reasons import Code
from kubestow.model.rules.base import CycleError
from kubestow.model.rules.node_volume_limits import FULL, NodeVolumeLimits
from storage_builders import attachment, claim, csi_node, driver, storage_class, uses, volume

RULE = NodeVolumeLimits()
NODES = (node("a"), node("b"))
GCE = "pd.csi.storage.gke.io"


def bound(name: str, handle: str, of: str = "csi.x") -> tuple[PersistentVolumeClaim, PersistentVolume]:
    """A claim and the CSI volume it is bound to."""
    return claim(name, f"v-{name}"), volume(f"v-{name}", csi={"driver": of, "volumeHandle": handle})


def of(
    pods: list[Any], pairs: list[tuple[PersistentVolumeClaim, PersistentVolume]], **objects: Any
) -> Cluster:
    """A cluster with these claims and volumes."""
    claims = (*objects.pop("claims", ()), *(pair[0] for pair in pairs))
    volumes = tuple(pair[1] for pair in pairs)
    return cluster(NODES, pods, persistent_volume_claims=claims, persistent_volumes=volumes, **objects)


class TestFilter:
    @pytest.mark.parametrize(("limit", "fits"), [(0, False), (1, False), (2, True)])
    def test_new_volumes_count_on_top_of_those_in_use(self, limit: int, fits: bool) -> None:
        """One volume is attached, one is new."""
        it = of(
            [pod("old", "a", volumes=uses("c")), pod("new", volumes=uses("d"))],
            [bound("c", "1"), bound("d", "2")],
            csi_nodes=(csi_node("a", csi_x=limit),),
        )
        found = verdict(RULE, it, "new", "a")
        assert (found is None) == fits
        if found is not None:
            assert (found.code, found.reasons) == (Code.UNSCHEDULABLE, (FULL,))
        assert verdict(RULE, it, "new", "b") is None

    def test_a_shared_volume_attaches_once(self) -> None:
        """A second user of a volume needs nothing, however full the node is."""
        it = of(
            [pod("old", "a", volumes=uses("c")), pod("new", volumes=uses("c"))],
            [bound("c", "1")],
            csi_nodes=(csi_node("a", csi_x=0),),
        )
        assert verdict(RULE, it, "new", "a") is None

    def test_an_attachment_without_a_pod_takes_a_place(self) -> None:
        """VolumeAttachments count, by their attacher and the volume's handle."""
        pairs = [bound("c", "1"), bound("d", "2")]
        it = of(
            [pod("new", volumes=uses("c"))],
            pairs,
            csi_nodes=(csi_node("a", csi_x=1),),
            volume_attachments=(attachment("x", "a", "csi.x", "v-d"), attachment("y", "a", "csi.x", "gone")),
        )
        assert verdict(RULE, it, "new", "a") is not None

    def test_a_volume_attached_ahead_of_its_pod_counts_twice(self) -> None:
        """Until a pod on the node uses it, its own attachment stands in the pod's way."""
        ahead = (attachment("x", "a", "csi.x", "v-c"),)
        for limit, fits in ((1, False), (2, True)):
            it = of(
                [pod("new", volumes=uses("c"))],
                [bound("c", "1")],
                csi_nodes=(csi_node("a", csi_x=limit),),
                volume_attachments=ahead,
            )
            assert (verdict(RULE, it, "new", "a") is None) == fits

    def test_claims_to_be_provisioned_count_for_their_provisioner(self) -> None:
        """Each unbound claim takes a place of its own."""
        it = of(
            [pod("old", "a", volumes=uses("c")), pod("new", volumes=uses("d"))],
            [],
            claims=(claim("c"), claim("d")),
            storage_classes=(storage_class(provisioner="csi.x"),),
            csi_nodes=(csi_node("a", csi_x=1),),
        )
        assert verdict(RULE, it, "new", "a") is not None

    @pytest.mark.parametrize(
        ("installed", "on_node", "fits"),
        [(True, {"csi_x": None}, True), (True, {}, False), (True, None, False), (False, None, True)],
    )
    def test_a_driver_may_insist_on_being_installed(
        self, installed: bool, on_node: dict[str, int | None] | None, fits: bool
    ) -> None:
        """``preventPodSchedulingIfMissing`` wants the driver in the node's CSINode, limit or not."""
        it = of(
            [pod("new", volumes=uses("c"))],
            [bound("c", "1")],
            csi_drivers=(driver("csi.x", preventPodSchedulingIfMissing=True),) if installed else (),
            csi_nodes=() if on_node is None else (csi_node("a", **on_node),),
        )
        found = verdict(RULE, it, "new", "a")
        assert (found is None) == fits
        if found is not None:
            assert found.reasons == ("csi.x CSI driver is not installed on the node",)

    def test_an_in_tree_disk_counts_for_the_driver_it_migrated_to(self) -> None:
        """A GCE disk takes a place of the persistent disk driver where the node has a CSINode."""
        disk = [{"name": "v", "gcePersistentDisk": {"pdName": "d"}}]
        full = csi_node("a", None, **{GCE: 0})
        it = of([pod("new", volumes=disk)], [], csi_nodes=(full,))
        assert verdict(RULE, it, "new", "a") is not None
        assert verdict(RULE, it, "new", "b") is None

    def test_a_missing_claim_is_unresolvable(self) -> None:
        """It is looked up node by node, with the API server's words."""
        found = verdict(RULE, of([pod("new", volumes=uses("c"))], []), "new", "a")
        assert found is not None
        assert found.reasons == ('looking up PVC default/c: persistentvolumeclaim "c" not found',)
        assert found.code == Code.UNRESOLVABLE

    def test_an_ephemeral_claim_of_somebody_else_fails_the_cycle(self) -> None:
        """A running pod whose ephemeral claim belongs to no pod of that uid stops the count."""
        template = {"spec": {"accessModes": ["ReadWriteOnce"]}}
        scratch = [{"name": "s", "ephemeral": {"volumeClaimTemplate": template}}]
        it = of(
            [pod("old", "a", volumes=scratch), pod("new", volumes=uses("c"))],
            [bound("c", "1")],
            claims=(claim("old-s"),),
            csi_nodes=(csi_node("a", csi_x=9),),
        )
        with pytest.raises(CycleError, match=r"PVC default/old-s was not created for pod default/old"):
            verdict(RULE, it, "new", "a")


def random_cluster(seed: int, attached: bool) -> Cluster:
    """Pods that share few volumes of two drivers on nodes with small limits."""
    draw = Random(seed)
    pairs = [bound(f"c{i}", str(draw.randrange(3)), draw.choice(["csi.x", "csi.y"])) for i in range(4)]
    names = [pair[0].metadata.name for pair in pairs]
    limits = [csi_node(n.name, csi_x=draw.choice([None, 1, 2]), csi_y=draw.choice([0, 1, 2])) for n in NODES]
    waiting = [pod(f"p{i}", volumes=uses(*draw.sample(names, draw.randint(1, 2)))) for i in range(3)]
    ahead = [attachment(f"x{i}", draw.choice("ab"), "csi.x", f"v-c{i}") for i in range(2)] if attached else []
    strict = draw.random() < 0.3
    return of(
        waiting,
        pairs,
        csi_nodes=tuple(limits[: draw.randint(1, 2)]),
        csi_drivers=(driver("csi.y", preventPodSchedulingIfMissing=strict),),
        volume_attachments=tuple(ahead),
    )


class TestFinalState:
    @pytest.mark.parametrize("seed", range(60))
    def test_valid_placements_are_those_that_the_filter_reaches(self, seed: int) -> None:
        """Counts only grow, so order never matters: both sets are equal."""
        it = random_cluster(seed, attached=False)
        valid = {placed for placed in placements(it) if not broken(RULE, final(it, placed))}
        assert valid == reachable(RULE, it)

    @pytest.mark.parametrize("seed", range(40))
    def test_what_the_filter_reaches_is_valid_with_attachments_too(self, seed: int) -> None:
        """A volume that is attached ahead of its pod counts once in the end."""
        it = random_cluster(seed, attached=True)
        untouched = not broken(RULE, final(it))
        for placed in reachable(RULE, it) if untouched else ():
            assert not broken(RULE, final(it, placed))

    @pytest.mark.parametrize("seed", range(40))
    def test_the_magnitude_is_the_number_of_volumes_beyond_the_limit(self, seed: int) -> None:
        """Counted from the claims' volumes, each once."""
        it = random_cluster(seed, attached=False)
        state = final(it, frozenset((p.key, "a") for p in it.pods))
        found = {v.key[2]: v.magnitude for v in broken(RULE, state) if v.key[0] == "limit"}
        on_node = {
            (source.driver, source.volume_handle)
            for p in it.pods
            for use in p.spec.volumes
            if use.persistent_volume_claim is not None
            and (source := it.volumes[f"v-{use.persistent_volume_claim.claim_name}"].spec.csi) is not None
        }
        limits = {
            d.name: d.allocatable.count for d in it.csi_nodes[0].spec.drivers if d.allocatable is not None
        }
        excess = {
            name: sum(owner == name for owner, _ in on_node) - limit
            for name, limit in limits.items()
            if limit is not None
        }
        assert found == {name: beyond for name, beyond in excess.items() if beyond > 0}
