"""VolumeBinding: final states against a naive assignment and every order of arrival, and the cost."""

from __future__ import annotations

from itertools import permutations, product
from random import Random
from typing import Any

import pytest
from admitted import Placement, broken, final, placements, waiting
from binding_clusters import CLASSES, RULE, SELECTED, of, place
from builders import cluster, node, pod
from kubestow.model.cluster import Cluster
from kubestow.model.final import FinalState
from kubestow.model.profile import Profile
from storage_builders import claim, uses, volume


def random_cluster(seed: int) -> Cluster:
    """Few volumes for many claims, some shared, some reserved, some to be provisioned."""
    draw = Random(seed)
    reach: list[tuple[str, ...]] = [(), ("a",), ("b",)]
    names = ["c0", "c1", "c2", "c3"]

    def random_claim(name: str) -> Any:
        kind = draw.random()
        if kind < 0.1:
            return claim(name, draw.choice(["b0", "gone"]))
        notes = {SELECTED: draw.choice("ab")} if kind < 0.2 else {}
        return claim(
            name,
            of=draw.choice(["later", "later", "zonal", "now"]),
            size=draw.choice(["1Gi", "2Gi"]),
            annotations=notes,
        )

    volumes = [
        volume(
            f"v{i}",
            *draw.choice(reach),
            size=draw.choice(["1Gi", "2Gi"]),
            reserved=draw.choice(["", "", "", "c0"]),
        )
        for i in range(draw.randint(1, 3))
    ]
    waits = [pod(f"p{i}", volumes=uses(*draw.sample(names, draw.choice([1, 1, 2])))) for i in range(3)]
    running = [pod("r", draw.choice("ab"), volumes=uses(draw.choice(names)))]
    return of(
        [random_claim(name) for name in names],
        [*volumes, volume("b0", "a", phase="Bound")],
        [*running, *waits],
    )


class TestFinalState:
    @pytest.mark.parametrize("seed", range(80))
    def test_valid_placements_are_those_with_a_naive_assignment(self, seed: int) -> None:
        """Trying every claim with every volume finds the same placements."""
        it = random_cluster(seed)
        inherited = {v.key: v.magnitude for v in broken(RULE, final(it))}
        for placed in placements(it):
            found = broken(RULE, final(it, placed))
            fine = all(v.magnitude <= inherited.get(v.key, 0) for v in found)
            assert fine == assignable(it, dict(placed)), (sorted(placed), found)

    @pytest.mark.parametrize("seed", range(60))
    def test_what_kube_scheduler_reaches_is_valid(self, seed: int) -> None:
        """Whatever order of pods the filter admits, with reservations, the end has no new violation."""
        it = random_cluster(seed)
        inherited = {v.key: v.magnitude for v in broken(RULE, final(it))}
        for placed in placements(it):
            if any(place(it, list(order)) is not None for order in permutations(placed)):
                found = broken(RULE, final(it, placed))
                assert all(v.magnitude <= inherited.get(v.key, 0) for v in found)

    def test_claims_compete_for_volumes_of_their_class(self) -> None:
        """Three claims, two volumes: one claim too many, named by class; the losers' pods are listed."""
        pods = [pod(f"p{i}", volumes=uses(f"c{i}")) for i in range(3)]
        it = of([claim(f"c{i}") for i in range(3)], [volume("v"), volume("w", "a")], pods)
        (found,) = broken(RULE, final(it, frozenset((p.key, "a") for p in pods)))
        assert (found.key, found.magnitude) == (("class", "later"), 1)
        assert len(found.pods) == 1

    def test_a_longer_chain_of_exchanges_is_found(self) -> None:
        """Each claim could take its neighbour's volume; only one way serves all."""
        many = 30
        nodes = tuple(node(f"n{i}") for i in range(many + 1))
        volumes = tuple(volume(f"v{i:02}", f"n{i}", f"n{i + 1}") for i in range(many))
        pods = [pod(f"p{i}", volumes=uses(f"c{i}")) for i in range(many)]
        it = cluster(
            nodes,
            pods,
            persistent_volume_claims=tuple(claim(f"c{i}") for i in range(many)),
            persistent_volumes=volumes,
            storage_classes=CLASSES,
        )
        shifted = frozenset((p.key, f"n{i + 1}") for i, p in enumerate(pods))
        assert not broken(RULE, final(it, shifted))
        assert not broken(RULE, final(it, frozenset((p.key, f"n{i}") for i, p in enumerate(pods))))

    def test_pods_that_stay_out_of_reach_are_reported_by_claim_and_node(self) -> None:
        """A newcomer to the same node is a violation of its own."""
        pods = [pod("old", "b", volumes=uses("c")), pod("new", volumes=uses("c"))]
        it = of([claim("c", "v")], [volume("v", "a", phase="Bound")], pods)
        (before,) = broken(RULE, final(it))
        same, new = broken(RULE, final(it, frozenset({("default/new", "b")})))
        assert before == same
        assert (before.key, new.key) == (
            ("claim", "default/c", "b"),
            ("claim", "default/c", "b", "arriving"),
        )
        assert (before.pods, new.pods) == (("default/old",), ("default/new",))


def assignable(it: Cluster, placed: Placement) -> bool:
    """Whether every arriving pod's claims can be served, by trying all ways to give volumes to claims."""
    where: dict[str, set[str]] = {}
    for arriving in waiting(it):
        if arriving.key in placed:
            for use in arriving.spec.volumes:
                assert use.persistent_volume_claim is not None
                where.setdefault(use.persistent_volume_claim.claim_name, set()).add(placed[arriving.key])
    choices = [options(it, name, nodes) for name, nodes in where.items()]
    return any(_distinct(way) for way in product(*choices))


def _distinct(way: tuple[str, ...]) -> bool:
    taken = [name for name in way if name.startswith("v")]
    return len(taken) == len(set(taken))


def options(it: Cluster, name: str, nodes: set[str]) -> list[str]:
    """Volumes that could serve a claim on all `nodes`; or that it is bound already, or can be made."""
    asked = it.claims[f"default/{name}"]
    if asked.spec.volume_name:
        return ["fine"] if asked.spec.volume_name == "b0" and nodes == {"a"} else []
    if asked.spec.storage_class_name == "now":
        return []
    selected = asked.metadata.annotations.get(SELECTED)
    made = asked.spec.storage_class_name == "zonal" and nodes == {"a"} and selected in (None, "a")
    if selected is not None:
        return ["made"] if made else []
    size = asked.spec.resources.requests["storage"]
    large = [v for v in it.persistent_volumes if v.name != "b0" and v.spec.capacity["storage"] >= size]
    same = [v for v in large if v.spec.storage_class_name == asked.spec.storage_class_name]
    mine = [v for v in same if v.spec.claim_ref is not None and v.spec.claim_ref.name == name][:1]
    free = mine or [v for v in same if v.spec.claim_ref is None]
    return [v.name for v in free if nodes <= reach_of(v)] + (["made"] if made else [])


def reach_of(given: Any) -> set[str]:
    if given.spec.node_affinity is None or given.spec.node_affinity.required is None:
        return {"a", "b"}
    (term,) = given.spec.node_affinity.required.node_selector_terms
    return set(term.match_expressions[0].values)


class TestCost:
    def rated(self) -> Cluster:
        """Two pods that prefer node a by 45 points, one without preference."""
        volumes = [volume("v", "a", size="10Gi"), volume("w", "b", size="4Gi")]
        pods = [pod(f"p{i}", volumes=uses(f"c{i}")) for i in range(2)]
        return of([claim(f"c{i}", size="3Gi") for i in range(2)], volumes, [*pods, pod("q")])

    @pytest.mark.parametrize(("places", "cost"), [(("a", "a"), 0), (("a", "b"), 45), ((None, "b"), 90)])
    def test_a_pod_costs_what_its_node_scores_below_the_best(
        self, places: tuple[str | None, ...], cost: int
    ) -> None:
        """The score is that of the cluster as given; an unplaced pod counts as on its worst node."""
        it = self.rated()
        placement = {f"default/p{i}": place for i, place in enumerate(places)}
        found = RULE.cost(FinalState(it, placement), Profile())
        assert found is not None
        assert (found.name, found.cost, found.worst, found.weight) == ("VolumeBinding", cost, 90, 1)

    def test_a_profile_without_the_score_has_no_such_term(self) -> None:
        """No weight, no term."""
        assert RULE.cost(FinalState(self.rated(), {}), Profile(scores={})) is None

    @pytest.mark.parametrize("seed", range(40))
    def test_cost_is_within_its_bounds(self, seed: int) -> None:
        """0 <= cost <= worst, whatever the placement; and worst is the same for all."""
        it = random_cluster(seed)
        worst = {
            None if (found := RULE.cost(final(it, p), Profile())) is None else found.worst
            for p in placements(it)
        }
        assert len(worst) == 1
        for placed in placements(it):
            found = RULE.cost(final(it, placed), Profile())
            assert found is None or 0 <= found.cost <= found.worst
