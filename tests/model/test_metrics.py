"""Figures about placements, against hand-worked examples and the definitions."""

from __future__ import annotations

from statistics import median, pstdev

import pytest
from builders import cluster, pod
from final_states import GPU, random_state
from hypothesis import given
from hypothesis import strategies as st
from kubestow.model.api import Node, Pod
from kubestow.model.final import FinalState
from kubestow.model.metrics import jain, measure
from kubestow.model.resources import pod_requests, to_units

SEEDS = st.integers(0, 10**6)


def sized(name: str, cpu: str, memory: str, pods: str = "10") -> Node:
    amounts = {"cpu": cpu, "memory": memory, "pods": pods}
    return Node.model_validate({"metadata": {"name": name}, "status": {"allocatable": amounts}})


def asking(name: str, on: str | None, cpu: str, memory: str, priority: int = 0) -> Pod:
    requests = {"requests": {"cpu": cpu, "memory": memory}}
    return pod(name, on, containers=[{"name": "main", "resources": requests}], priority=priority)


EXAMPLE = FinalState(
    cluster(
        [sized("n", "4", "4Gi"), sized("m", "4", "8Gi")],
        [
            asking("a/one", "n", "2", "1Gi"),
            asking("a/two", "n", "1", "2Gi", priority=9),
            asking("b/one", "m", "1", "6Gi"),
            asking("b/two", None, "2", "1Gi", priority=9),
        ],
    ),
    {},
)


def test_utilization_is_the_share_of_everything() -> None:
    """Requested of all that nodes can allocate."""
    assert measure(EXAMPLE).utilization == {"cpu": pytest.approx(4 / 8), "memory": pytest.approx(9 / 12)}


def test_imbalance_is_the_deviation_between_nodes() -> None:
    """Standard deviation of the nodes' own utilisation."""
    assert measure(EXAMPLE).imbalance == {"cpu": pytest.approx(0.25), "memory": pytest.approx(0)}


def test_fragmentation_is_free_where_nothing_typical_fits() -> None:
    """The median pod asks 1.5 cpu and 1.5 Gi: n has 1 cpu and 1 Gi left, too little, m has 3 and 2 Gi."""
    assert measure(EXAMPLE).fragmentation == {"cpu": pytest.approx(1 / 4), "memory": pytest.approx(1 / 3)}


def test_a_node_without_slots_is_no_use() -> None:
    """Free cpu on a node that may hold no more pods counts as fragmented."""
    full = FinalState(cluster([sized("n", "4", "4Gi", pods="1")], [asking("p", "n", "1", "1Gi")]), {})
    assert measure(full).fragmentation == {"cpu": 1.0, "memory": 1.0}


def test_fairness_compares_dominant_shares() -> None:
    """Namespace a has 3/8 of the cpu, b half of the memory."""
    assert measure(EXAMPLE).fairness == pytest.approx(jain([3 / 8, 6 / 12]))


def test_placed_counts_by_priority() -> None:
    """Tiers run from the highest priority down."""
    assert list(measure(EXAMPLE).placed.items()) == [(9, (1, 2)), (0, (2, 2))]


@given(shares=st.lists(st.floats(0.001, 1), min_size=1, max_size=9))
def test_jain_lies_between_one_nth_and_one(shares: list[float]) -> None:
    """Equal shares give 1, a single taker 1/n, all else something between."""
    assert 1 / len(shares) - 1e-9 <= jain(shares) <= 1 + 1e-9
    assert jain([shares[0]] * len(shares)) == pytest.approx(1)
    assert jain([shares[0], *[0.0] * (len(shares) - 1)]) == pytest.approx(1 / len(shares))
    assert jain([]) == 1


@given(seed=SEEDS)
def test_figures_follow_their_definitions(seed: int) -> None:
    """Loops over nodes and pods give the same figures."""
    final = random_state(seed)
    found = measure(final)
    where = {p.key: final.placement.get(p.key, p.node_name) for p in final.pods}
    offered = {n.name: to_units(n.status.allocatable) for n in final.nodes}
    slots = {n: amounts["pods"] - list(where.values()).count(n) for n, amounts in offered.items()}
    room = {n for n, free in slots.items() if free >= 1}
    frees: dict[str, dict[str, int]] = {}
    for name in ("cpu", "memory", GPU):
        asked = [amount for p in final.pods for amount in [pod_requests(p).get(name, 0)] if amount]
        capacity = {n: amounts.get(name, 0) for n, amounts in offered.items()}
        if not any(capacity.values()) or (name == GPU and not asked):
            assert name not in found.utilization
            continue
        used = {
            n: sum(pod_requests(p).get(name, 0) for p in final.pods if where[p.key] == n) for n in offered
        }
        listing = [n for n in offered if capacity[n]]
        assert found.utilization[name] == pytest.approx(sum(used.values()) / sum(capacity.values()))
        assert found.imbalance[name] == pytest.approx(pstdev(used[n] / capacity[n] for n in listing))
        frees[name] = {n: max(0, capacity[n] - used[n]) for n in offered}
        room = {n for n in room if not asked or frees[name][n] >= median(asked)}
    for name, free in frees.items():
        lost = sum(amount for n, amount in free.items() if n not in room)
        assert found.fragmentation[name] == pytest.approx(
            lost / sum(free.values()) if any(free.values()) else 0
        )
    assert sum(placed for placed, _ in found.placed.values()) == sum(n in offered for n in where.values())
