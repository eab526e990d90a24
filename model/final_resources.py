"""NodeResourcesFit in a final state: nodes whose pods request more than is allocatable."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from .final import FinalState
from .reasons import Violation
from .resources import PODS
from .usage import Mask, by_node, capacities, checks, per_kind, plain_request, resource_names

RULE = "NodeResourcesFit"
Positions = NDArray[np.int64]


def overcommitted(final: FinalState) -> Iterator[Violation]:
    """Each node and resource of which more is requested than allocatable.

    kube-scheduler compares a resource only for a pod that requests it. So a node
    may stay overcommitted, and even receive pods that do not request the
    resource; an arriving pod that does is a violation of its own, whatever leaves.
    Arrivals that their profile does not check are reported as advice.
    """
    for name in (PODS, *resource_names(final)):
        yield from _of_resource(final, name)


def _of_resource(final: FinalState, name: str) -> Iterator[Violation]:
    amounts = per_kind(final, name, plain_request)
    offered = capacities(final.nodes, name)
    used = by_node(final, amounts).tolist()
    over = [node for node, amount in enumerate(used) if amount > offered[node]]
    if not over:
        return
    wants = np.array([amount > 0 for amount in amounts])
    checked = np.array([checks(final.profile_or_first(kind), name) for kind in final.kinds])
    for node in over:
        here = final.pods_on(node)
        here = here[wants[final.kind_of[here]]]
        yield _violation(final, name, node, here, checked, used[node], offered[node])


def _violation(
    final: FinalState, name: str, node: int, here: Positions, checked: Mask, used: int, offered: int
) -> Violation:
    where = final.nodes[node].name
    new = here[final.arriving[here]]
    arriving = new[checked[final.kind_of[new]]]
    reason = "Too many pods" if name == PODS else f"Insufficient {name}"
    return Violation(
        rule=RULE,
        key=(where, name, "arriving") if arriving.size else (where, name),
        magnitude=used - offered,
        pods=final.keys_of(arriving if arriving.size else here),
        node=where,
        message=f"{reason}: the pods on {where} request {used}, {offered} is allocatable",
        advisory=not arriving.size and bool(new.size),
    )
