"""From which nodes a persistent volume can be reached.

Source: https://kubernetes.io/docs/concepts/storage/persistent-volumes/#node-affinity
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from .api import CSINode, Node, NodeSelector, NodeSelectorRequirement, NodeSelectorTerm, PersistentVolume
from .csi_translation import (
    InTreePlugin,
    migrated_on,
    persistent_plugin,
    translated_affinity,
    translation_problem,
)
from .labels import InvalidSelector, check_term, holds

Nodes = frozenset[str]


class VolumeReach:
    """Node affinities of volumes, evaluated over all nodes once per distinct affinity.

    Parameters
    ----------
    nodes : iterable of Node
    csi_nodes : mapping of str to CSINode
        By node name.
    """

    def __init__(self, nodes: Iterable[Node], csi_nodes: Mapping[str, CSINode]) -> None:
        self._nodes = {node.name: node for node in nodes}
        self._csi_nodes = csi_nodes
        self._known: dict[object, Nodes] = {}
        self._by_value: dict[str, dict[str, list[str]]] = {}

    def nodes(self, volume: PersistentVolume) -> Nodes | None:
        """Names of the nodes within the volume's node affinity as it stands; None for every node."""
        affinity = volume.spec.node_affinity
        return self._evaluate(affinity.required if affinity else None)

    def reaches(self, volume: PersistentVolume, node: str) -> bool:
        """Whether `node` is within the volume's node affinity as it stands."""
        found = self.nodes(volume)
        return found is None or node in found

    def bound_reaches(self, volume: PersistentVolume, node: str) -> bool:
        """The same for a bound volume, which is read translated where its plugin has been migrated."""
        plugin = self._migrated(volume, node)
        if plugin is None:
            return self.reaches(volume, node)
        if translation_problem(plugin, volume):
            return False
        found = self._evaluate(translated_affinity(plugin, volume))
        return found is None or node in found

    def bound_problem(self, volume: PersistentVolume, node: str) -> str:
        """Why asking for a bound volume on `node` fails altogether; empty when it does not."""
        plugin = self._migrated(volume, node)
        return translation_problem(plugin, volume) if plugin else ""

    def _migrated(self, volume: PersistentVolume, node: str) -> InTreePlugin | None:
        plugin = persistent_plugin(volume)
        return plugin if plugin and migrated_on(plugin, self._csi_nodes.get(node)) else None

    def _evaluate(self, required: NodeSelector | None) -> Nodes | None:
        if required is None:
            return None
        key = tuple(map(_term_key, required.node_selector_terms))
        found = self._known.get(key)
        if found is None:
            terms = required.node_selector_terms
            found = self._known[key] = frozenset(name for term in terms for name in self._within(term))
        return found

    def _within(self, term: NodeSelectorTerm) -> Iterable[str]:
        if not _meaningful(term):
            return ()
        candidates = self._candidates(term.match_expressions)
        return (name for name in candidates if _matches(term.match_expressions, self._nodes[name].labels))

    def _candidates(self, requirements: Sequence[NodeSelectorRequirement]) -> Iterable[str]:
        """The fewest nodes that an ``In`` requirement leaves: a local volume leaves one."""
        found = [
            [name for label in set(r.values) for name in self._with_value(r.key).get(label, ())]
            for r in requirements
            if r.operator == "In"
        ]
        return min(found, key=len) if found else self._nodes

    def _with_value(self, key: str) -> Mapping[str, list[str]]:
        known = self._by_value.get(key)
        if known is None:
            known = self._by_value[key] = {}
            for name, node in self._nodes.items():
                if key in node.labels:
                    known.setdefault(node.labels[key], []).append(name)
        return known


def _matches(requirements: Sequence[NodeSelectorRequirement], labels: Mapping[str, str]) -> bool:
    return all(holds(r.operator, r.values, labels, r.key) for r in requirements)


def _meaningful(term: NodeSelectorTerm) -> bool:
    """Whether the term can match: ``matchFields`` are parsed, but never compared for volumes."""
    if not term.match_expressions and not term.match_fields:
        return False
    if any(r.operator not in ("In", "NotIn") or len(r.values) != 1 for r in term.match_fields):
        return False
    try:
        check_term(term)
    except InvalidSelector:
        return False
    return True


def _term_key(term: NodeSelectorTerm) -> object:
    return (
        tuple((r.key, r.operator, r.values) for r in term.match_expressions),
        tuple((r.key, r.operator, r.values) for r in term.match_fields),
    )
