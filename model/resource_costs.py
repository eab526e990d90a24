"""What a final placement costs by its use of resources: ``docs/objective.md``, sections 2, 3 and 6."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from .final import FinalState
from .profile import Profile
from .reasons import TermCost
from .terms import NodeFunctions, TermUnits, node_functions, scales
from .usage import (
    Ints,
    by_node,
    capacities,
    integers,
    nonzero_request,
    per_kind,
    plain_request,
    total,
)

_SHARE = 2**26
_PRECISION = 64


@dataclass(frozen=True, eq=False)
class _Resource:
    """A resource in term units: capacities, and usage on the nodes that list it."""

    units: TermUnits
    usage: Ints
    now: Ints
    total: int
    differs: bool = False

    @cached_property
    def listed(self) -> list[int]:
        """Positions of the nodes that list the resource."""
        return [node for node, size in enumerate(self.units.sizes) if size >= 1]

    @cached_property
    def most(self) -> list[int]:
        """Largest usage of each node that is possible without a new violation."""
        if self.differs:
            return [self.total] * len(self.units.sizes)
        now: list[int] = self.now.tolist()
        return [max(pair) for pair in zip(self.units.sizes, now, strict=True)]


def _resource(final: FinalState, name: str, *, nonzero: bool) -> _Resource:
    units = TermUnits.of(capacities(final.nodes, name))
    plain = per_kind(final, name, plain_request)
    counted = per_kind(final, name, nonzero_request) if nonzero else plain
    amounts = units.amounts(counted)
    return _Resource(
        units=units,
        usage=by_node(final, amounts),
        now=by_node(final, amounts, final.current),
        total=total(final, amounts),
        differs=counted != plain,
    )


def fit_cost(final: FinalState, profile: Profile) -> TermCost | None:
    """NodeResourcesFit: the scoring strategy's functions of the nodes' usage."""
    weight = profile.scores.get("NodeResourcesFit", 0)
    weights = {name: share for name, share in profile.scoring.resources if share > 0}
    resources = {name: _resource(final, name, nonzero=True) for name in weights}
    resources = {name: resource for name, resource in resources.items() if resource.units.total}
    if not weight or not any(resource.total for resource in resources.values()):
        return None
    factors = scales(
        [resource.units.total for resource in resources.values()], [weights[name] for name in resources]
    )
    cost = worst = 0
    for resource, factor in zip(resources.values(), factors, strict=True):
        sizes = [size for size in resource.units.sizes if size]
        functions = node_functions(profile.scoring, sizes, factor)
        cost += int(functions(resource.usage[resource.listed]).sum())
        worst += _worst(profile, resource, functions)
    return TermCost(profile.scoring.type, cost, worst, weight) if worst else None


def _worst(profile: Profile, resource: _Resource, functions: NodeFunctions) -> int:
    if profile.scoring.type != "LeastAllocated":
        return resource.total * functions.steepest
    bounds = resource.most
    most = [bounds[node] for node in resource.listed]
    full: list[int] = functions(integers(most, max(most))).tolist()
    return max(-(-resource.total * value // bound) for value, bound in zip(full, most, strict=True))


def balanced_cost(final: FinalState, profile: Profile) -> TermCost | None:
    """NodeResourcesBalancedAllocation: how far apart a node's resources are used."""
    weight = profile.scores.get("NodeResourcesBalancedAllocation", 0)
    resources = [_resource(final, name, nonzero=False) for name, _ in profile.balanced_resources]
    nodes = _balanced_nodes(resources)
    if not weight or not nodes or not any(resource.total for resource in resources):
        return None
    totals = [sum(resource.units.sizes[node] for node in nodes) for resource in resources]
    cost = worst = 0
    for node in nodes:
        listed = [r for r, resource in enumerate(resources) if resource.units.sizes[node]]
        sizes = [resources[r].units.sizes[node] for r in listed]
        factors = [(_SHARE + size // 2) // size for size in sizes]
        share = _node_weight(sizes, [totals[r] for r in listed], len(nodes))
        cost += share * _deviation(
            [factor * int(resources[r].usage[node]) for r, factor in zip(listed, factors, strict=True)]
        )
        widest = max(factor * resources[r].most[node] for r, factor in zip(listed, factors, strict=True))
        worst += share * 2 * (len(listed) // 2) * ((len(listed) + 1) // 2) * widest
    return TermCost("BalancedAllocation", cost, worst, weight)


def _balanced_nodes(resources: list[_Resource]) -> list[int]:
    """Positions of the nodes that list at least two of the resources."""
    listing = zip(*(resource.units.sizes for resource in resources), strict=True)
    return [node for node, sizes in enumerate(listing) if sum(size >= 1 for size in sizes) >= 2]


def _node_weight(sizes: list[int], totals: list[int], nodes: int) -> int:
    """Weight of a node in proportion to its mean share of the capacities, at least 1."""
    common = prod(totals)
    shares = sum(size * (common // total) for size, total in zip(sizes, totals, strict=True))
    return max(1, 4 * _PRECISION * nodes * shares // (common * len(sizes) ** 3))


def _deviation(shares: list[int]) -> int:
    together = sum(shares)
    return sum(abs(len(shares) * share - together) for share in shares)


def nodes_in_use(final: FinalState) -> TermCost | None:
    """How many nodes hold a pod that is not of a DaemonSet, mirrored or terminating."""
    if not final.nodes:
        return None
    passing = (kind.of_daemon_set or kind.mirror or kind.terminating for kind in final.kinds)
    keeps = ~np.fromiter(passing, bool, len(final.kinds))
    used = final.count_by_node(keeps[final.kind_of]) > 0
    return TermCost("NodesInUse", int(used.sum()), len(final.nodes), 1)
