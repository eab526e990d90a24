"""SchedulingGates: the encoding against the checker on all placements of a tiny cluster."""

from __future__ import annotations

from builders import cluster, node, pod
from encoder_checks import Case, check_sets
from kubestow.solver.rules.scheduling_gates import SchedulingGates


def test_gated_pods_go_nowhere():
    """A pod with a gate has no eligible node, one without has them all."""
    pods = [pod("p0", schedulingGates=[{"name": "wait"}]), pod("p1")]
    case = Case(cluster([node("n0"), node("n1")], pods), SchedulingGates())
    assert case.eligible.any(axis=1).tolist() == [False, True]
    check_sets(case)
