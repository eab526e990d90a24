"""NodePorts in a final state: host ports that two pods on a node want."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from .final import FinalState
from .reasons import Violation
from .state import ANY_ADDRESS, HostPort, host_ports

RULE = "NodePorts"
_Use = tuple[str, int]
"""Address and position of the pod."""


def ports_conflict(one: HostPort, other: HostPort) -> bool:
    """Whether two host ports cannot be had on one node."""
    return one[1:] == other[1:] and _same_address(one[0], other[0])


def conflicting(final: FinalState) -> Iterator[Violation]:
    """Each node, protocol and port that pods dispute; pods that arrive into a dispute count apart.

    A pod whose profile does not check ports may have come, or come, last: it counts only against one that
    arrives and does.
    """
    for (node, protocol, port), uses in _uses(final).items():
        pairs = [
            (one[1], other[1])
            for one, other in combinations(uses, 2)
            if one[1] != other[1] and _same_address(one[0], other[0])
        ]
        arriving = [pair for pair in pairs if any(_arrives(final, position) for position in pair)]
        staying = [pair for pair in pairs if all(_stays(final, position) for position in pair)]
        if staying:
            yield _violation(final, node, f"{protocol}/{port}", staying)
        if arriving:
            yield _violation(final, node, f"{protocol}/{port}", arriving, "arriving")


def _uses(final: FinalState) -> dict[tuple[int, str, int], list[_Use]]:
    """Who uses each port of each node."""
    uses: dict[tuple[int, str, int], list[_Use]] = {}
    for pod, members in final.cluster.pod_kinds.by_spec:
        ports = dict.fromkeys(host_ports(pod.spec))
        for position in members.tolist() if ports else ():
            node = int(final.node_of[position])
            for address, protocol, port in ports if node >= 0 else ():
                uses.setdefault((node, protocol, port), []).append((address, position))
    return uses


def _same_address(one: str, other: str) -> bool:
    return one == other or ANY_ADDRESS in (one, other)


def _arrives(final: FinalState, position: int) -> bool:
    """Whether the pod arrives and its profile checks ports."""
    return bool(final.arriving[position]) and final.checked(final.pods[position], RULE)


def _stays(final: FinalState, position: int) -> bool:
    """Whether the pod stays and its profile checks ports."""
    return bool(final.staying[position]) and final.checked(final.pods[position], RULE)


def _violation(
    final: FinalState, node: int, port: str, pairs: list[tuple[int, int]], *standing: str
) -> Violation:
    where = final.nodes[node].name
    pods = sorted({final.pods[position].key for pair in pairs for position in pair})
    return Violation(
        rule=RULE,
        key=(where, port, *standing),
        magnitude=len(pairs),
        pods=tuple(pods),
        node=where,
        message=f"host port {port} of {where} is wanted by {len(pods)} pods",
    )
