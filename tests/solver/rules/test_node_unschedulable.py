"""NodeUnschedulable: the encoding against the checker on all placements of a tiny cluster."""

from __future__ import annotations

from builders import cluster, node, pod
from encoder_checks import Case, check_sets
from kubestow.solver.rules.node_unschedulable import NodeUnschedulable

CORDON = {"key": "node.kubernetes.io/unschedulable", "operator": "Exists"}


def test_cordons_turn_away_who_does_not_tolerate_them():
    """A cordoned node takes the pod that tolerates it, and no other."""
    nodes = [node("n0", unschedulable=True), node("n1")]
    case = Case(cluster(nodes, [pod("p0"), pod("p1", tolerations=[CORDON])]), NodeUnschedulable())
    assert case.eligible.tolist() == [[False, True], [True, True]]
    check_sets(case)


def test_nothing_is_asked_without_a_cordon():
    """The rule does not apply where every node is schedulable."""
    assert not Case(cluster([node("n0")], [pod("p0")]), NodeUnschedulable()).applies
