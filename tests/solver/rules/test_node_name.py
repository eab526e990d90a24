"""NodeName: the encoding against the checker on all placements of a tiny cluster."""

from __future__ import annotations

from builders import cluster, node, pod
from encoder_checks import Case, check_sets
from kubestow.solver.rules.node_name import NodeName


def test_forced_pods_go_where_they_say():
    """A bare pod created for a node may be there or nowhere; a bound one anywhere."""
    bound = {"phase": "Running", "startTime": "2024-01-01T00:00:00Z"}
    pods = [pod("p0", "n1"), pod("p1", "n1", {"app": "x"}, status=bound, priority=1)]
    case = Case(cluster([node("n0"), node("n1")], pods), NodeName())
    assert sorted(map(sum, case.eligible.tolist())) == [1, 2]
    check_sets(case)
