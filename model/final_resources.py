"""NodeResourcesFit in a final state: nodes whose pods request more than is allocatable."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from .final import FinalState
from .reasons import Violation
from .resources import CPU, PODS
from .usage import by_node, capacities, checks, per_kind, plain_request, resource_names

RULE = "NodeResourcesFit"
Positions = NDArray[np.int64]


def overcommitted(final: FinalState) -> Iterator[Violation]:
    """Each node and resource of which more is requested than allocatable.

    kube-scheduler compares a resource only for a pod that requests it. So a node
    may stay overcommitted, and even receive pods that do not request the
    resource; an arriving pod that does is a violation of its own, whatever leaves.
    Pods whose profile does not compare the resource may have come, or come, last:
    they count only against one that arrives and is compared.
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
    compared = wants & np.array([checks(final.profile_or_first(kind), name) for kind in final.kinds])
    compared_use = by_node(
        final, [amount if each else 0 for amount, each in zip(amounts, compared, strict=True)]
    )
    for node in over:
        here = final.pods_on(node)
        here = here[compared[final.kind_of[here]]]
        new = here[final.arriving[here]]
        if new.size:
            yield _violation(final, name, node, new, used[node], offered[node], "arriving")
        elif int(compared_use[node]) > offered[node]:
            yield _violation(final, name, node, here, int(compared_use[node]), offered[node])


def _violation(
    final: FinalState, name: str, node: int, pods: Positions, used: int, offered: int, *standing: str
) -> Violation:
    where, unit = final.nodes[node].name, "m" if name == CPU else ""
    reason = "Too many pods" if name == PODS else f"Insufficient {name}"
    return Violation(
        rule=RULE,
        key=(where, name, *standing),
        magnitude=used - offered,
        pods=final.keys_of(pods),
        node=where,
        message=f"{reason}: the pods on {where} request {used}{unit}, {offered}{unit} is allocatable",
    )
