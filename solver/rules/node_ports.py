"""NodePorts: host ports of pods on one node must not collide."""

from __future__ import annotations

from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from ...model.api import Pod
from ..bounds.relaxation import Relaxation
from ..cpsat.scope import Scope
from ..problem import Problem
from ..relations.conflicts import Conflicts
from ..relations.coupling import Coupling
from .base import Encoder

_ANY = "0.0.0.0"  # noqa: S104 - an address to compare, not to bind
Port = tuple[str, str, int]


class NodePorts(Encoder):
    """Two pods that want the same port, protocol and address may not share a node."""

    name = "NodePorts"

    def applies_to(self, problem: Problem) -> bool:
        """Whether any free pod wants a host port."""
        return any(host_ports(cls.pod) for cls in problem.classes)

    def restrict(self, problem: Problem, eligible: NDArray[np.bool_]) -> None:
        """Clear nodes on which a pinned pod has the port."""
        problem.once(port_conflicts).restrict(eligible)

    def couple(self, problem: Problem, coupling: Coupling) -> None:
        """Colliding classes stay apart."""
        problem.once(port_conflicts).couple(coupling)

    def constrain(self, scope: Scope) -> None:
        """Colliding classes are not on one node, and a class that collides with itself at most once."""
        scope.problem.once(port_conflicts).constrain(scope)

    def relax(self, relaxation: Relaxation) -> None:
        """Pods that all collide are no more than the nodes."""
        relaxation.problem.once(port_conflicts).relax(relaxation)


def port_conflicts(problem: Problem) -> Conflicts:
    """Which classes collide, and with which pinned kinds; a pod whose profile does not look may come last."""
    classes = [host_ports(cls.pod) for cls in problem.classes]
    kinds = [host_ports(pod) for pod in problem.pinned.kinds]
    wanting = [c for c, ports in enumerate(classes) if ports]
    looking = {c for c in wanting if NodePorts.name in problem.classes[c].profile.filters}
    pairs = [
        (c, d)
        for c, d in combinations_with_replacement(wanting, 2)
        if looking & {c, d} and collide(classes[c], classes[d])
    ]
    pinned = [
        (c, k) for c in wanting if c in looking for k, other in enumerate(kinds) if collide(classes[c], other)
    ]
    return Conflicts(problem, pairs, pinned, problem.checked(NodePorts.name))


def host_ports(pod: Pod) -> frozenset[Port]:
    """(address, protocol, port) that the pod takes on its node; of init containers only sidecars count."""
    sidecars = [container for container in pod.spec.init_containers if container.restart_policy == "Always"]
    return frozenset(
        (port.host_ip or _ANY, port.protocol or "TCP", port.host_port)
        for container in (*pod.spec.containers, *sidecars)
        for port in container.ports
        if port.host_port > 0
    )


def collide(left: frozenset[Port], right: frozenset[Port]) -> bool:
    """Whether a port of `left` cannot be had beside `right`."""
    return any(
        protocol == other_protocol and port == other_port and (ip == other_ip or _ANY in (ip, other_ip))
        for ip, protocol, port in left
        for other_ip, other_protocol, other_port in right
    )
