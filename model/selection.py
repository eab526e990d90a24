"""Which pods a label selector selects, without looking at every pod.

A cluster may hold as many kinds of pods as pods (a StatefulSet gives each pod a
label of its own), so a selector first looks up the pods that have one of its labels.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .api import LabelSelector, Pod
from .labels import selects

_PLAIN = re.compile(r"[-A-Za-z0-9_./]+")
Positions = NDArray[np.int64]


def requirements(selector: LabelSelector) -> list[tuple[str, str, tuple[str, ...]]]:
    """The selector's distinct requirements as sorted (key, operator, sorted values)."""
    equal = {(key, "In", (value,)) for key, value in selector.match_labels.items()}
    stated = {(r.key, r.operator, tuple(sorted(set(r.values)))) for r in selector.match_expressions}
    return sorted(equal | stated)


def selector_text(selector: LabelSelector | None) -> str:
    """The selector as kubectl writes it; selectors with the same requirements have the same text."""
    if selector is None:
        return "<none>"
    return ",".join(_requirement_text(*requirement) for requirement in requirements(selector)) or "<all>"


def _requirement_text(key: str, operator: str, values: tuple[str, ...]) -> str:
    key, among = quoted(key), ",".join(map(quoted, values))
    if operator == "In" and len(values) == 1:
        return f"{key}={among}"
    match operator:
        case "Exists":
            return key
        case "DoesNotExist":
            return f"!{key}"
        case _:
            return f"{key} {operator.lower()} ({among})"


def quoted(name: str) -> str:
    """`name` itself when it could be a label or a name, else in quotes, so that texts stay distinct."""
    return name if _PLAIN.fullmatch(name) else repr(name)


class LabelIndex:
    """Finds pods by namespace and labels.

    Parameters
    ----------
    pods : sequence of Pod
        Positions are what `selected` returns.
    """

    def __init__(self, pods: Sequence[Pod]) -> None:
        self._pods = tuple(pods)
        self._by_label: dict[str, dict[str, list[int]]] = {}
        self._found: dict[tuple[str, frozenset[str] | None], Positions] = {}

    def selected(self, selector: LabelSelector | None, namespaces: frozenset[str] | None) -> Positions:
        """Ascending positions of the pods in `namespaces` (None: in all) that `selector` selects."""
        key = (selector_text(selector), namespaces)
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = self._select(selector, namespaces)
        return found

    def _select(self, selector: LabelSelector | None, namespaces: frozenset[str] | None) -> Positions:
        if selector is None:
            return np.empty(0, dtype=np.int64)
        pods = self._pods
        chosen = (
            position
            for position in self._candidates(selector)
            if (namespaces is None or pods[position].namespace in namespaces)
            and selects(selector, pods[position].labels)
        )
        return np.fromiter(chosen, dtype=np.int64)

    def _candidates(self, selector: LabelSelector) -> Sequence[int]:
        narrow: Sequence[int] = range(len(self._pods))
        for key, operator, values in requirements(selector):
            if operator == "In":
                postings = self._postings(key)
                lists = [postings.get(value, []) for value in values]
                if sum(map(len, lists)) < len(narrow):
                    narrow = sorted(position for positions in lists for position in positions)
        return narrow

    def _postings(self, key: str) -> dict[str, list[int]]:
        found = self._by_label.get(key)
        if found is None:
            found = self._by_label[key] = {}
            for position, pod in enumerate(self._pods):
                value = pod.labels.get(key)
                if value is not None:
                    found.setdefault(value, []).append(position)
        return found
