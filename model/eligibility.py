"""Statically eligible nodes: what labels, taints, names and cordons alone decide.

Static matching reads nothing but the pod's spec and the node, so the checker
and the encoders share it. Nodes are compared through *signatures* (taints,
cordon, referenced labels), so that thousands of nodes cost as much as the few
kinds of nodes there are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from .api import Node, NodeAffinity, NodeSelectorTerm, Pod, PodSpec, Taint, Toleration
from .labels import node_selected
from .profile import Profile

Mask = NDArray[np.bool_]
UNSCHEDULABLE_TAINT = Taint(key="node.kubernetes.io/unschedulable", effect="NoSchedule")


def tolerates(tolerations: Sequence[Toleration], taint: Taint) -> bool:
    """Whether one of the tolerations tolerates the taint.

    Source: https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/
    """
    return any(_tolerates(toleration, taint) for toleration in tolerations)


def _tolerates(toleration: Toleration, taint: Taint) -> bool:
    if toleration.effect and toleration.effect != taint.effect:
        return False
    if toleration.key and toleration.key != taint.key:
        return False
    match toleration.operator or "Equal":
        case "Exists":
            return True
        case "Equal":
            return toleration.value == taint.value
        case _:
            return False


def untolerated(pod: Pod, node: Node, effects: Iterable[str]) -> int:
    """How many of the node's taints with one of `effects` the pod does not tolerate."""
    wanted = tuple(effects)
    return sum(
        taint.effect in wanted and not tolerates(pod.spec.tolerations, taint) for taint in node.spec.taints
    )


def affinity_admits(pod: Pod, node: Node, added: NodeAffinity | None = None) -> bool:
    """NodeSelector, required node affinity and the profile's ``addedAffinity``."""
    if added is not None and not node_selected(added.required, node):
        return False
    if any(node.labels.get(key) != value for key, value in pod.spec.node_selector.items()):
        return False
    return node_selected(pod.spec.affinity.node_affinity.required, node)


def required_names(pod: Pod) -> frozenset[str] | None:
    """The only nodes that can match, when every required term names its nodes; None when one does not."""
    required = pod.spec.affinity.node_affinity.required
    named = [_term_names(term) for term in required.node_selector_terms] if required else []
    if not named or None in named:
        return None
    return frozenset(name for names in named if names is not None for name in names)


def _term_names(term: NodeSelectorTerm) -> frozenset[str] | None:
    fields = [
        frozenset(field.values)
        for field in term.match_fields
        if field.key == "metadata.name" and field.operator == "In"
    ]
    return reduce(frozenset[str].intersection, fields) if fields else None


def admits_cordon(pod: Pod, node: Node, profile: Profile) -> bool:
    """NodeUnschedulable, if the profile runs it."""
    cordoned = node.spec.unschedulable and "NodeUnschedulable" in profile.filters
    return not cordoned or tolerates(pod.spec.tolerations, UNSCHEDULABLE_TAINT)


def admits_taints(pod: Pod, node: Node, profile: Profile) -> bool:
    """TaintToleration, if the profile runs it."""
    return "TaintToleration" not in profile.filters or not untolerated(pod, node, ("NoSchedule", "NoExecute"))


def admits_affinity(pod: Pod, node: Node, profile: Profile) -> bool:
    """NodeAffinity, as far as the profile runs it: PreFilter alone looks at the names of nodes."""
    if "NodeAffinity" in profile.filters:
        return affinity_admits(pod, node, profile.added_affinity)
    names = required_names(pod) if "NodeAffinity" in profile.prepared else None
    return names is None or node.name in names


def statically_admits(pod: Pod, node: Node, profile: Profile) -> bool:
    """NodeUnschedulable, TaintToleration and NodeAffinity, as far as the profile runs them."""
    return all(admits(pod, node, profile) for admits in (admits_cordon, admits_taints, admits_affinity))


class StaticNodes:
    """Evaluates static functions of (pod spec, node) over all nodes, once per node signature.

    Parameters
    ----------
    nodes : sequence of Node
        Positions index every result, shape (nodes,).
    """

    def __init__(self, nodes: Sequence[Node]) -> None:
        self.nodes = tuple(nodes)
        self._index = {node.name: position for position, node in enumerate(self.nodes)}
        self._eligible: dict[tuple[int, str], tuple[PodSpec, Mask]] = {}
        self._groups: dict[frozenset[str], tuple[NDArray[np.int64], list[int]]] = {}

    def eligible(self, pod: Pod, profile: Profile) -> Mask:
        """Shape (nodes,): the nodes that the static filters admit for `pod`. Do not write to it."""
        key = (id(pod.spec), profile.scheduler_name)
        cached = self._eligible.get(key)
        if cached is None:
            mask = self.evaluate(pod, profile, lambda node: statically_admits(pod, node, profile)).astype(
                bool
            )
            cached = self._eligible[key] = (pod.spec, mask)
        return cached[1]

    def tolerated(self, pod: Pod) -> Mask:
        """Shape (nodes,): the nodes whose NoSchedule and NoExecute taints `pod` tolerates."""
        of_node, representatives = self._signatures(frozenset())
        values = [not untolerated(pod, self.nodes[p], ("NoSchedule", "NoExecute")) for p in representatives]
        return np.array(values, dtype=bool)[of_node]

    def evaluate(self, pod: Pod, profile: Profile, function: Callable[[Node], int]) -> NDArray[np.int64]:
        """Shape (nodes,): `function` of each node; it may read only what `pod`'s static fields refer to."""
        named = _named_nodes(pod, profile)
        if named is not None:
            return self._evaluate_named(named, function)
        of_node, representatives = self._signatures(referenced_keys(pod.spec, profile))
        values = np.array([function(self.nodes[position]) for position in representatives], dtype=np.int64)
        return values[of_node] if representatives else np.zeros(0, dtype=np.int64)

    def _evaluate_named(self, names: frozenset[str], function: Callable[[Node], int]) -> NDArray[np.int64]:
        values = np.zeros(len(self.nodes), dtype=np.int64)
        for name in names & self._index.keys():
            position = self._index[name]
            values[position] = function(self.nodes[position])
        return values

    def _signatures(self, keys: frozenset[str]) -> tuple[NDArray[np.int64], list[int]]:
        cached = self._groups.get(keys)
        if cached is not None:
            return cached
        seen: dict[object, int] = {}
        representatives: list[int] = []
        of_node = np.empty(len(self.nodes), dtype=np.int64)
        for position, node in enumerate(self.nodes):
            signature = node_signature(node, keys)
            group = seen.setdefault(signature, len(representatives))
            if group == len(representatives):
                representatives.append(position)
            of_node[position] = group
        self._groups[keys] = (of_node, representatives)
        return of_node, representatives


def node_signature(node: Node, keys: frozenset[str]) -> object:
    """What static rules that refer to the label `keys` can read of a node."""
    return (
        node.spec.unschedulable,
        tuple((taint.key, taint.value, taint.effect) for taint in node.spec.taints),
        tuple((key, node.labels.get(key)) for key in sorted(keys)),
        node.name if "metadata.name" in keys else "",
    )


def referenced_keys(spec: PodSpec, profile: Profile) -> frozenset[str]:
    """Label keys (and ``metadata.name``) that the pod's or profile's node selectors read."""
    keys = set(spec.node_selector)
    for affinity in (spec.affinity.node_affinity, profile.added_affinity):
        if affinity is None:
            continue
        terms: list[NodeSelectorTerm] = [preferred.preference for preferred in affinity.preferred]
        if affinity.required is not None:
            terms.extend(affinity.required.node_selector_terms)
        for term in terms:
            keys.update(requirement.key for requirement in term.match_expressions)
            if term.match_fields:
                keys.add("metadata.name")
    return frozenset(keys)


def _named_nodes(pod: Pod, profile: Profile) -> frozenset[str] | None:
    """The nodes outside which nothing matters, as the pod cannot go there."""
    if "NodeAffinity" not in profile.prepared or pod.spec.affinity.node_affinity.preferred:
        return None
    return required_names(pod)
