"""Reasons as data: what a rule says about a pod and a node, rendered late."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Code(StrEnum):
    """kube-scheduler's status codes for a rejected node."""

    UNSCHEDULABLE = "Unschedulable"
    """Evicting pods from the node might help."""
    UNRESOLVABLE = "UnschedulableAndUnresolvable"
    """Evicting pods from the node cannot help."""
    ERROR = "Error"
    """The plugin failed; the pod stays pending, whatever other nodes say."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Why a rule rejects a node (or, from PreFilter, every node).

    Parameters
    ----------
    plugin : str
        Name of the kube-scheduler plugin.
    code : Code
        Whether preemption might help.
    reasons : tuple of str
        kube-scheduler's reason strings, sorted.
    """

    plugin: str
    code: Code
    reasons: tuple[str, ...]

    @classmethod
    def unschedulable(cls, plugin: str, *reasons: str) -> Verdict:
        """A rejection that preemption might lift."""
        return cls(plugin, Code.UNSCHEDULABLE, reasons)

    @classmethod
    def unresolvable(cls, plugin: str, *reasons: str) -> Verdict:
        """A rejection that preemption cannot lift."""
        return cls(plugin, Code.UNRESOLVABLE, reasons)


@dataclass(frozen=True, slots=True)
class Violation:
    """A rule that a placement breaks.

    Parameters
    ----------
    rule : str
        Name of the kube-scheduler plugin.
    key : tuple of str
        Identity of what is broken: constraint, node or domain, resource; two states that break
        the same thing give the same key, so that inherited violations can be told from new ones.
    magnitude : int
        How badly, at least 1; comparable between two states for the same key.
    pods : tuple of str
        Keys (``namespace/name``) of the pods concerned, sorted.
    node : str or None
        The node, where there is one.
    message : str
        One sentence: what, both values.
    advisory : bool
        Only pods that stay are concerned, by a rule that is IgnoredDuringExecution: reported, but
        no reason to reject a placement.
    """

    rule: str
    key: tuple[str, ...]
    magnitude: int
    pods: tuple[str, ...] = ()
    node: str | None = None
    message: str = ""
    advisory: bool = False


@dataclass(frozen=True, slots=True)
class Warning:
    """Something the user must know: an unmodelled field, a missing kind, a merged duplicate.

    Parameters
    ----------
    code : str
        Stable identifier, such as ``not-modelled`` or ``incomplete``.
    object : str
        ``Kind/namespace/name``, or a file, or empty.
    field : str
        Path of the field, or empty.
    message : str
        What follows from it.
    """

    code: str
    object: str
    field: str
    message: str


@dataclass(frozen=True, slots=True)
class TermCost:
    """One objective term of a whole placement.

    Parameters
    ----------
    name : str
        Name of the term, after the rule or score it comes from.
    cost : int
        0 <= cost <= worst.
    worst : int
        Largest possible cost: a constant of the instance, never of the placement.
    weight : int
        The profile's weight.
    """

    name: str
    cost: int
    worst: int
    weight: int

    @property
    def score(self) -> float:
        """100 at no cost, 0 at the worst."""
        return 100.0 * (1.0 - self.cost / self.worst) if self.worst else 100.0
