"""Pods by the spec they share, for messages that speak of one and mean all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .api import Pod
from .reasons import Warning


@dataclass(slots=True)
class SpecGroup:
    """Pods with one spec: the first of them, and how many they are."""

    pod: Pod
    count: int


def spec_groups(pods: Iterable[Pod]) -> list[SpecGroup]:
    """The pods that are not completed, by identity of their specs, in order of appearance."""
    groups: dict[int, SpecGroup] = {}
    for pod in pods:
        if pod.completed:
            continue
        group = groups.setdefault(id(pod.spec), SpecGroup(pod, 0))
        group.count += 1
    return list(groups.values())


def summed(code: str, found: Iterable[tuple[SpecGroup, str, str]]) -> Iterator[Warning]:
    """One warning per (field, message), naming the first pod and counting the others.

    Parameters
    ----------
    code : str
        Of all the warnings.
    found : iterable of (group, field, message)
    """
    firsts: dict[tuple[str, str], Pod] = {}
    counts: dict[tuple[str, str], int] = {}
    for group, field, message in found:
        firsts.setdefault((field, message), group.pod)
        counts[field, message] = counts.get((field, message), 0) + group.count
    for (field, message), pod in firsts.items():
        others = counts[field, message] - 1
        more = f" (and {others} other pod{'s' if others > 1 else ''})" if others else ""
        yield Warning(code, f"Pod/{pod.key}", field, message + more)
