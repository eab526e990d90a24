"""VolumeRestrictions: verdicts, the dry run of preemption, and final states against brute force."""

from __future__ import annotations

from itertools import combinations
from random import Random
from typing import Any

import pytest
from admitted import broken, final, placements, reachable, verdict
from builders import cluster, node, pod
from kubestow.model.cluster import Cluster
from kubestow.model.profile import Profile, SchedulerConfiguration
from kubestow.model.reasons import Code
from kubestow.model.rules.volume_restrictions import DISK, SINGLE_POD, VolumeRestrictions
from kubestow.model.state import ClusterState
from storage_builders import claim, uses

RULE = VolumeRestrictions()
NODES = (node("a"), node("b"))


def gce(name: str = "d", read_only: bool = False) -> dict[str, Any]:
    return {"gcePersistentDisk": {"pdName": name, "readOnly": read_only}}


def ebs(name: str = "d", read_only: bool = False) -> dict[str, Any]:
    return {"awsElasticBlockStore": {"volumeID": name, "readOnly": read_only}}


def iscsi(iqn: str = "q", lun: int = 0, read_only: bool = False) -> dict[str, Any]:
    return {"iscsi": {"iqn": iqn, "lun": lun, "targetPortal": f"10.0.0.{lun}", "readOnly": read_only}}


def rbd(monitors: str = "m", image: str = "i", read_only: bool = False, **more: str) -> dict[str, Any]:
    return {"rbd": {"monitors": list(monitors), "image": image, "readOnly": read_only, **more}}


CASES = [
    (gce(), gce(), False),
    (gce(), gce(read_only=True), False),
    (gce(read_only=True), gce(read_only=True), True),
    (gce("d"), gce("e"), True),
    (gce("d"), ebs("d"), True),
    (ebs(read_only=True), ebs(read_only=True), False),
    (iscsi(lun=0), iscsi(lun=1), False),
    (iscsi(read_only=True), iscsi(lun=1, read_only=True), True),
    (rbd("mn"), rbd("no"), False),
    (rbd("m"), rbd("n"), True),
    (rbd(), rbd(pool="rbd"), False),
    (rbd(), rbd(pool="p"), True),
    (rbd(read_only=True), rbd(read_only=True), True),
]


class TestFilter:
    @pytest.mark.parametrize(("mine", "other", "fits"), CASES)
    def test_only_readers_share_a_disk(self, mine: Any, other: Any, fits: bool) -> None:
        """A disk in use rejects its node alone, unless both only read, which never helps on EBS."""
        it = cluster(NODES, [pod("old", "a", volumes=[other]), pod("new", volumes=[mine])])
        found = verdict(RULE, it, "new", "a")
        assert (found is None) == fits
        if found is not None:
            assert (found.code, found.reasons) == (Code.UNSCHEDULABLE, (DISK,))
        assert verdict(RULE, it, "new", "b") is None

    def test_a_single_pod_claim_in_use_rejects_every_node(self) -> None:
        """ReadWriteOncePod is for one pod in the cluster; evicting it would help."""
        claims = (claim("c", "v", modes=["ReadWriteOncePod"]),)
        pods = [pod("old", "a", volumes=uses("c")), pod("new", volumes=uses("c"))]
        it = cluster(NODES, pods, persistent_volume_claims=claims)
        for name in ("a", "b"):
            found = verdict(RULE, it, "new", name)
            assert found is not None
            assert (found.code, found.reasons) == (Code.UNSCHEDULABLE, (SINGLE_POD,))

    def test_the_same_name_elsewhere_is_another_claim(self) -> None:
        """A claim of that name in another namespace is not in use by this pod's claim."""
        claims = (claim("c", "v", modes=["ReadWriteOncePod"]),)
        pods = [pod("other/old", "a", volumes=uses("c")), pod("new", volumes=uses("c"))]
        assert verdict(RULE, cluster(NODES, pods, persistent_volume_claims=claims), "new", "a") is None

    def test_a_missing_claim_turns_the_pod_down(self) -> None:
        """Without the claim nobody knows its access modes."""
        found = verdict(RULE, cluster(NODES, [pod("new", volumes=uses("c"))]), "new", "a")
        assert found is not None
        assert (found.code, found.reasons) == (Code.UNRESOLVABLE, ('persistentvolumeclaim "c" not found',))

    @pytest.mark.parametrize(("victim", "fits"), [("default/old", True), ("default/bystander", False)])
    def test_evicting_the_user_frees_the_claim(self, victim: str, fits: bool) -> None:
        """The dry run of preemption counts the claim's users down and up again."""
        claims = (claim("c", "v", modes=["ReadWriteOncePod"]),)
        pods = [pod("old", "a", volumes=uses("c")), pod("bystander", "a"), pod("new", volumes=uses("c"))]
        it = cluster(NODES, pods, persistent_volume_claims=claims)
        state, profile = ClusterState.of(it, SchedulerConfiguration()), Profile()
        new, other, info = it.pod_by_key["default/new"], it.pod_by_key[victim], state.nodes["a"]
        before = RULE.pre_filter(state, profile, new).data
        info.remove(other)
        without = RULE.pod_removed(state, profile, new, before, other, info)
        assert (RULE.admits(state, profile, new, info, without) is None) == fits
        info.add(other)
        again = RULE.pod_added(state, profile, new, without, other, info)
        assert RULE.admits(state, profile, new, info, again) is not None


def random_cluster(seed: int) -> Cluster:
    """Pods that fight for few disks and claims."""
    draw = Random(seed)
    claims = tuple(
        claim(name, name, modes=[mode]) for name, mode in (("s", "ReadWriteOncePod"), ("m", "ReadWriteOnce"))
    )

    def disks() -> list[dict[str, Any]]:
        kinds = [gce(read_only=draw.random() < 0.6), ebs(), iscsi(lun=draw.randrange(2), read_only=True)]
        kinds += [rbd(draw.choice(["m", "n", "mn"]), read_only=draw.random() < 0.5), *uses(draw.choice("sm"))]
        return draw.sample(kinds, draw.randint(1, 2))

    running = [pod(f"r{i}", "a", volumes=disks()) for i in range(draw.randrange(2))]
    waiting = [pod(f"p{i}", volumes=disks()) for i in range(3)]
    return cluster(NODES, [*running, *waiting], persistent_volume_claims=claims)


class TestFinalState:
    @pytest.mark.parametrize("seed", range(60))
    def test_valid_placements_are_those_that_the_filter_reaches(self, seed: int) -> None:
        """Conflicts are between pairs, so order never matters: both sets are equal."""
        it = random_cluster(seed)
        valid = {placed for placed in placements(it) if not broken(RULE, final(it, placed))}
        assert valid == reachable(RULE, it)

    @pytest.mark.parametrize("seed", range(60))
    def test_the_magnitude_counts_conflicting_pairs(self, seed: int) -> None:
        """The sum over disks of a node is the number of pairs in conflict, each disk counted."""
        it = random_cluster(seed)
        state = final(it, frozenset((p.key, "a") for p in it.pods))
        found = sum(v.magnitude for v in broken(RULE, state) if v.key[0] == "disk")
        assert found == sum(_conflicts(one, other) for one, other in combinations(it.pods, 2))

    def test_a_newcomer_to_an_inherited_conflict_counts_apart(self) -> None:
        """The conflict of those that stay is as before; the new pairs name all pods of the disk."""
        old = [pod(f"r{i}", "a", volumes=[gce()]) for i in range(2)]
        it = cluster(NODES, [*old, pod("new", volumes=[gce()])])
        (before,) = broken(RULE, final(it))
        same, new = broken(RULE, final(it, frozenset({("default/new", "a")})))
        assert (*before.key, "arriving") == (*same.key, "arriving") == new.key
        assert (before.magnitude, same.magnitude, new.magnitude) == (1, 1, 2)
        assert new.pods == ("default/new", "default/r0", "default/r1")
        assert new.node == "a"


def _conflicts(one: Any, other: Any) -> int:
    """Disks over which two pods conflict, from the volumes' own fields."""
    found = set()
    for mine in one.spec.volumes:
        for theirs in other.spec.volumes:
            for kind in ("gce_persistent_disk", "aws_elastic_block_store", "iscsi", "rbd"):
                left, right = getattr(mine, kind), getattr(theirs, kind)
                if (
                    left is None
                    or right is None
                    or (kind != "aws_elastic_block_store" and left.read_only and right.read_only)
                ):
                    continue
                if kind != "rbd" or set(left.monitors) & set(right.monitors):
                    found.add(kind)
    return len(found)
