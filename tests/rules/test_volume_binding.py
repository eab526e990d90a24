"""VolumeBinding: verdicts, scores and reservations."""

from __future__ import annotations

from typing import Any

import pytest
from admitted import broken, final, scores, verdict
from binding_clusters import RULE, SELECTED, of, place
from builders import pod
from kubestow.model.cluster import Cluster
from kubestow.model.profile import Profile
from kubestow.model.reasons import Code
from kubestow.model.rules.base import CycleError
from kubestow.model.rules.volume_binding import UNBOUND
from storage_builders import claim, driver, segment, uses, volume

OUT_OF_REACH = "node(s) didn't match PersistentVolume's node affinity"
NOTHING = "node(s) didn't find available persistent volumes to bind"
NO_SPACE = "node(s) did not have enough free storage"
NO_VOLUME = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"


def reasons(it: Cluster, on: str = "a") -> tuple[str, ...]:
    """Why pod ``p`` may not go to a node; empty when it may."""
    found = verdict(RULE, it, "p", on)
    assert found is None or found.code == Code.UNRESOLVABLE
    return found.reasons if found else ()


class TestPreFilter:
    @pytest.mark.parametrize(
        ("claims", "reason"),
        [
            ([], 'persistentvolumeclaim "c" not found'),
            (
                [claim("c", "v", phase="Lost")],
                'persistentvolumeclaim "c" bound to non-existent persistentvolume "v"',
            ),
            (
                [
                    claim(
                        "c",
                        metadata={
                            "name": "c",
                            "namespace": "default",
                            "deletionTimestamp": "2026-01-01T00:00:00Z",
                        },
                    )
                ],
                'persistentvolumeclaim "c" is being deleted',
            ),
            ([claim("c", of="now")], UNBOUND),
            ([claim("c", of=None)], UNBOUND),
            ([claim("c", of="unknown")], UNBOUND),
            ([claim("c", volumeName="v")], UNBOUND),
        ],
    )
    def test_a_claim_in_no_fit_state_turns_the_pod_down(self, claims: Any, reason: str) -> None:
        """The reason is the API server's or kube-scheduler's, on every node."""
        it = of(claims, pods=[pod("p", volumes=uses("c"))])
        assert reasons(it, "a") == reasons(it, "b") == (reason,)

    @pytest.mark.parametrize(
        ("owner", "reason"),
        [
            (None, 'waiting for ephemeral volume controller to create the persistentvolumeclaim "p-s"'),
            ("other", "PVC default/p-s was not created for pod default/p (pod is not owner)"),
            ("uid-p", ""),
        ],
    )
    def test_an_ephemeral_claim_must_be_the_pods_own(self, owner: str | None, reason: str) -> None:
        """Its name is the pod's and the volume's, its controller is the pod."""
        reference = {"kind": "Pod", "name": "p", "uid": owner, "controller": True}
        metadata = {"ownerReferences": [reference]}
        template = {"spec": {"accessModes": ["ReadWriteOnce"]}}
        volumes = [{"name": "s", "ephemeral": {"volumeClaimTemplate": template}}]
        claims = (
            []
            if owner is None
            else [claim("p-s", of="made", metadata={"name": "p-s", "namespace": "default", **metadata})]
        )
        it = of(claims, pods=[pod("p", metadata={"uid": "uid-p"}, volumes=volumes)])
        assert reasons(it) == ((reason,) if reason else ())


class TestBoundClaims:
    def test_the_volume_must_be_within_reach(self) -> None:
        """Node affinity of the volume decides, as labels have it."""
        it = of([claim("c", "v")], [volume("v", "a", phase="Bound")])
        assert reasons(it, "a") == ()
        assert reasons(it, "b") == (OUT_OF_REACH,)

    def test_the_first_problem_is_named(self) -> None:
        """A missing volume ends the look at further claims."""
        it = of([claim("c", "gone"), claim("d", "v")], [volume("v", "b")])
        assert reasons(it, "a") == (NO_VOLUME,)


class TestVolumesThatExist:
    @pytest.mark.parametrize(
        ("asked", "given", "fits"),
        [
            ({}, {}, True),
            ({"size": "2Gi"}, {}, False),
            ({}, {"of": "made"}, False),
            ({}, {"phase": "Released"}, False),
            ({"modes": ["ReadWriteMany"]}, {}, False),
            ({"modes": ["ReadWriteMany"]}, {"modes": ["ReadWriteOnce", "ReadWriteMany"]}, True),
            ({"volumeMode": "Block"}, {}, False),
            ({"volumeAttributesClassName": "gold"}, {}, False),
            ({"selector": {"matchLabels": {"k": "v"}}}, {}, False),
            ({"selector": {"matchLabels": {"k": "v"}}}, {"labels": {"k": "v"}}, True),
            ({}, {"reserved": "other"}, False),
            ({}, {"metadata": {"name": "v", "deletionTimestamp": "2026-01-01T00:00:00Z"}}, False),
            ({"modes": ["ReadWriteMany"]}, {"reserved": "c", "phase": "Bound"}, True),
            ({"size": "2Gi"}, {"reserved": "c"}, False),
        ],
    )
    def test_everything_stated_must_match(self, asked: Any, given: Any, fits: bool) -> None:
        """A volume that is reserved for the claim needs size and mode only."""
        it = of([claim("c", **asked)], [volume("v", **given)])
        assert reasons(it) == (() if fits else (NOTHING,))

    def test_a_reserved_volume_leaves_no_choice(self) -> None:
        """Out of its reach the claim is not given another one."""
        it = of([claim("c")], [volume("v", "a", reserved="c"), volume("w", "b")])
        assert reasons(it, "a") == ()
        assert reasons(it, "b") == (NOTHING,)

    def test_a_pods_claims_take_different_volumes(self) -> None:
        """Smallest claim first, each the smallest volume that is left."""
        claims = [claim("big", size="2Gi"), claim("small")]
        assert reasons(of(claims, [volume("v", size="2Gi"), volume("w")])) == ()
        assert reasons(of(claims, [volume("v", size="2Gi")])) == (NOTHING,)

    def test_a_selector_that_cannot_be_parsed_fails_the_cycle(self) -> None:
        """The API machinery's words are kept."""
        it = of([claim("c", selector={"matchLabels": {"k": "-1"}})])
        words = r'selector for claim: default/c: values\[0\]\[k\]: Invalid value: "-1"'
        with pytest.raises(CycleError, match=words):
            reasons(it)
        assert broken(RULE, final(it, frozenset({("default/p", "a")})))


class TestProvisioning:
    def test_only_within_the_allowed_topologies(self) -> None:
        """Zone x has node a."""
        it = of([claim("c", of="zonal")])
        assert reasons(it, "a") == ()
        assert reasons(it, "b") == (NOTHING,)

    def test_a_selected_node_settles_it(self) -> None:
        """A claim that waits for its provisioner is out of play elsewhere, even where a volume fits."""
        it = of([claim("c", of="made", annotations={SELECTED: "b"})], [volume("v", of="made")])
        assert reasons(it, "a") == (NOTHING,)
        assert reasons(it, "b") == ()

    @pytest.mark.parametrize(
        ("capacity", "largest", "fits"), [("1Gi", None, True), ("1Mi", None, False), ("9Gi", "1Mi", False)]
    )
    def test_tracked_capacity_must_suffice(self, capacity: str, largest: str | None, fits: bool) -> None:
        """The largest volume decides where it is given."""
        limits = {"maximumVolumeSize": largest} if largest else {}
        it = of(
            [claim("c", of="made")],
            csi_drivers=(driver("csi.x", storageCapacity=True),),
            csi_storage_capacities=(segment("s", "a", capacity, of="made", **limits),),
        )
        assert reasons(it, "a") == (() if fits else (NO_SPACE,))
        assert reasons(it, "b") == (NO_SPACE,)

    def test_capacity_counts_only_for_drivers_that_track_it(self) -> None:
        """Without ``storageCapacity`` nothing is looked up."""
        assert (
            reasons(of([claim("c", of="made")], csi_drivers=(driver("csi.x", storageCapacity=False),))) == ()
        )


class TestScore:
    def test_volumes_score_by_how_full_they_get(self) -> None:
        """Empty is best: 100 minus the percentage, rounded down."""
        it = of([claim("c", size="3Gi")], [volume("v", "a", size="10Gi"), volume("w", "b", size="4Gi")])
        assert scores(RULE, it, "p") == ({"a": 70, "b": 25}, {"a": 70, "b": 25})

    def test_the_shape_is_the_profiles(self) -> None:
        """Between its points it is a broken line."""
        it = of([claim("c", size="2Gi")], [volume("v", "a", size="7Gi"), volume("w", "b", size="3Gi")])
        profile = Profile(storage_shape=((0, 0), (30, 7), (100, 10)))
        assert scores(RULE, it, "p", profile) == ({"a": 65, "b": 85}, {"a": 65, "b": 85})

    def test_segments_count_where_nothing_exists(self) -> None:
        """Two claims of a class share its segment; the mean over classes is rounded to nearest."""
        it = of(
            [claim("c", of="made", size="3Gi"), claim("d", of="made", size="2Gi"), claim("e", of="zonal")],
            csi_drivers=(driver("csi.x", storageCapacity=True),),
            csi_storage_capacities=(
                segment("s", "a", "10Gi", of="made"),
                segment("t", "a", "3Gi", of="zonal"),
            ),
        )
        found = scores(RULE, it, "p")
        assert found is not None
        assert found[0]["a"] == (50 + 67 + 1) // 2

    def test_a_pod_without_claims_scores_zero(self) -> None:
        """The plugin is not skipped."""
        assert scores(RULE, of([], pods=[pod("p")]), "p") == ({"a": 0, "b": 0}, {"a": 0, "b": 0})

    def test_scoring_needs_the_pre_filter(self) -> None:
        """A profile without the plugin fails the cycle."""
        profile = Profile(filters=("NodeName",), pre_filters=())
        with pytest.raises(CycleError, match="not found"):
            scores(RULE, of([], pods=[pod("p")]), "p", profile)

    def test_without_the_filter_nothing_is_rated(self) -> None:
        """Volumes are looked for by the Filter alone, so every node gets 0."""
        it = of([claim("c", size="1Gi")], [volume("v", "a", size="2Gi")], [pod("p", volumes=uses("c"))])
        assert scores(RULE, it, "p") != ({"a": 0, "b": 0}, {"a": 0, "b": 0})
        profile = Profile(filters=("NodeName",))
        assert scores(RULE, it, "p", profile) == ({"a": 0, "b": 0}, {"a": 0, "b": 0})


class TestReserve:
    def test_a_volume_serves_one_claim(self) -> None:
        """Once a placed pod has it, the next claim finds none."""
        pods = [pod("p", volumes=uses("c")), pod("q", volumes=uses("d"))]
        it = of([claim("c"), claim("d")], [volume("v")], pods)
        assert place(it, [("default/p", "a")]) is not None
        assert place(it, [("default/p", "a"), ("default/q", "b")]) is None

    def test_the_smallest_volume_is_taken_by_name_on_a_tie(self) -> None:
        """Which one is gone shows in what fits afterwards."""
        pods = [pod("p", volumes=uses("c")), pod("q", volumes=uses("d"))]
        volumes = [volume("z", "a", "b", size="2Gi"), volume("w", "a"), volume("v", "a", "b")]
        it = of([claim("c"), claim("d", size="2Gi")], volumes, pods)
        assert place(it, [("default/p", "a"), ("default/q", "b")]) is not None
        state = place(it, [("default/p", "a")])
        assert state is not None
        assert list(state.assumed[RULE.name].claim_of) == ["v"]

    def test_smaller_claims_choose_first(self) -> None:
        """Not the order of the pod's volumes decides."""
        claims = [claim("big", size="2Gi"), claim("small")]
        state = place(of(claims, [volume("v", size="3Gi"), volume("w", size="5Gi")]), [("default/p", "a")])
        assert state is not None
        assert state.assumed[RULE.name].claim_of == {"v": "default/small", "w": "default/big"}

    def test_pods_that_share_a_claim_share_its_volume(self) -> None:
        """The second pod goes only where the volume that the first one took can be reached."""
        pods = [pod("p", volumes=uses("c")), pod("q", volumes=uses("c"))]
        it = of([claim("c")], [volume("v", "a"), volume("w", "a", "b", size="2Gi")], pods)
        assert place(it, [("default/p", "a"), ("default/q", "a")]) is not None
        assert place(it, [("default/p", "a"), ("default/q", "b")]) is None
        assert place(it, [("default/p", "b"), ("default/q", "a")]) is not None

    def test_a_claim_to_be_provisioned_is_tied_to_the_first_pods_node(self) -> None:
        """The second pod follows."""
        pods = [pod("p", volumes=uses("c")), pod("q", volumes=uses("c"))]
        it = of([claim("c", of="made")], pods=pods)
        assert place(it, [("default/p", "a"), ("default/q", "a")]) is not None
        assert place(it, [("default/p", "a"), ("default/q", "b")]) is None
