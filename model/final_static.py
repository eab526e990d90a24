"""Static filters in a final state: pods on nodes that labels, taints, names, cordons or gates refuse.

Only arriving pods are judged: these rules are IgnoredDuringExecution for pods
that stay, except NoExecute taints, which evict.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from .api import Node, Pod
from .eligibility import admits_affinity, admits_cordon, admits_taints, untolerated
from .final import FinalState
from .profile import Profile
from .reasons import Violation

Positions = NDArray[np.int64]
Admits = Callable[[Pod, Node, Profile], bool]


def refused(final: FinalState, rule: str, reason: str, admits: Admits) -> Iterator[Violation]:
    """Arriving pods on nodes that a static filter refuses.

    Parameters
    ----------
    final : FinalState
    rule : str
        Name of the plugin.
    reason : str
        kube-scheduler's words.
    admits : callable
        The filter itself, as far as a profile runs it.
    """
    for pod, node in final.stands(_ineligible(final)):
        if not admits(pod, node, final.profile_or_first(pod)):
            yield violation(rule, pod, node, reason)


def _ineligible(final: FinalState) -> Positions:
    """Positions of the arriving pods on nodes that one of the static filters refuses."""
    static = final.cluster.static_nodes
    found: list[Positions] = [np.empty(0, dtype=np.int64)]
    for pod, members in final.cluster.pod_kinds.by_spec:
        arriving = members[final.arriving[members]]
        if arriving.size:
            eligible = static.eligible(pod, final.profile_or_first(pod))
            found.append(arriving[~eligible[final.node_of[arriving]]])
    return np.sort(np.concatenate(found))


def violation(rule: str, pod: Pod, node: Node, reason: str, *key: str) -> Violation:
    """One pod on one node."""
    return Violation(
        rule=rule,
        key=(pod.key, node.name, *key),
        magnitude=1,
        pods=(pod.key,),
        node=node.name,
        message=f"{pod.key} is on {node.name}: {reason}",
    )


def unschedulable(final: FinalState, rule: str) -> Iterator[Violation]:
    """Arriving pods on cordoned nodes that do not tolerate it."""
    return refused(final, rule, "node(s) were unschedulable", admits_cordon)


def off_affinity(final: FinalState, rule: str) -> Iterator[Violation]:
    """Arriving pods on nodes that their selectors, or the profile's, do not select."""
    return refused(final, rule, "node(s) didn't match Pod's node affinity/selector", admits_affinity)


def tainted(final: FinalState, rule: str) -> Iterator[Violation]:
    """Pods on nodes with taints they do not tolerate: arriving, or staying against a NoExecute taint."""
    yield from refused(final, rule, "node(s) had untolerated taint(s)", admits_taints)
    for node, place in enumerate(final.nodes):
        if any(taint.effect == "NoExecute" for taint in place.spec.taints):
            here = final.pods_on(node)
            for pod, _ in final.stands(here[final.staying[here]]):
                if untolerated(pod, place, ("NoExecute",)):
                    yield violation(rule, pod, place, "a NoExecute taint evicts it", "NoExecute")


def misplaced(final: FinalState, rule: str) -> Iterator[Violation]:
    """Pods that name their node and are placed on another."""
    named = final.arriving & final.cluster.pod_kinds.named
    for pod, node in final.stands(np.flatnonzero(named)):
        if pod.node_name != node.name and final.cluster.forced(pod):
            yield violation(rule, pod, node, f"it names {pod.node_name}")


def gated(final: FinalState, rule: str) -> Iterator[Violation]:
    """Arriving pods that scheduling gates hold back."""
    for spec, members in final.cluster.pod_kinds.by_spec:
        for pod, node in final.stands(members[final.arriving[members]]) if spec.gated else ():
            gates = " ".join(gate.name for gate in pod.spec.scheduling_gates)
            yield violation(rule, pod, node, f"waiting for scheduling gates: [{gates}]")
