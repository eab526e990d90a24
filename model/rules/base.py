"""What a rule is: one kube-scheduler plugin with up to four faces.

Filter and Score are asked in an order, about one pod against the state so far
(`admits`, `score`). A placement has no order: `violations` judges the final
state as a whole and `cost` measures it. The solver's encodings of the last two
live in ``solver/rules`` under the same name and share no relational code with
these, so that each can prove the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ..api import Pod
from ..final import FinalState
from ..profile import Profile
from ..reasons import TermCost, Verdict, Violation
from ..state import ClusterState, NodeInfo


class CycleError(Exception):
    """A plugin fails on this pod (as opposed to rejecting it): the cycle ends, the pod stays pending."""


@dataclass(frozen=True, slots=True)
class PreFilter:
    """What a rule computes once per pod before it looks at nodes.

    Parameters
    ----------
    skip : bool
        The rule has nothing to say about this pod: `Rule.admits` is not asked.
    verdict : Verdict or None
        The pod is turned down for all nodes at once.
    nodes : frozenset of str or None
        The only nodes worth looking at, when the rule can narrow them down.
    data : Any
        Handed to `Rule.admits`.
    """

    skip: bool = False
    verdict: Verdict | None = None
    nodes: frozenset[str] | None = None
    data: Any = None


@dataclass(frozen=True, slots=True)
class PreScore:
    """What a rule computes once per pod before it scores the feasible nodes."""

    skip: bool = False
    data: Any = None


class Rule:
    """One kube-scheduler plugin. Subclasses override the faces they have."""

    name: ClassVar[str]
    """kube-scheduler's name, such as ``NodeResourcesFit``."""

    def pre_filter(self, state: ClusterState, profile: Profile, pod: Pod) -> PreFilter:
        """PreFilter: look at the pod once, before any node."""
        return PreFilter()

    def admits(
        self, state: ClusterState, profile: Profile, pod: Pod, node: NodeInfo, data: Any
    ) -> Verdict | None:
        """Filter: None when the node is fine, else why not."""
        return None

    def pod_added(
        self, state: ClusterState, profile: Profile, pod: Pod, data: Any, other: Pod, node: NodeInfo
    ) -> Any:
        """AddPod: `data` once `other` counts on `node` too, as it does in `state` already.

        Asked when nominated pods are taken into account and in the dry run of preemption.
        `data` stays valid for the state without `other`: return a new value.
        """
        return self.pre_filter(state, profile, pod).data

    def pod_removed(
        self, state: ClusterState, profile: Profile, pod: Pod, data: Any, other: Pod, node: NodeInfo
    ) -> Any:
        """RemovePod: `data` once `other` no longer counts on `node`; otherwise as `pod_added`."""
        return self.pre_filter(state, profile, pod).data

    def pre_score(
        self, state: ClusterState, profile: Profile, pod: Pod, nodes: Sequence[NodeInfo]
    ) -> PreScore:
        """PreScore: look at the feasible nodes once."""
        return PreScore()

    def score(self, state: ClusterState, profile: Profile, pod: Pod, node: NodeInfo, data: Any) -> int:
        """Score: kube-scheduler's raw integer for this node."""
        return 0

    def normalize(
        self, state: ClusterState, profile: Profile, pod: Pod, scores: Mapping[str, int], data: Any
    ) -> Mapping[str, int]:
        """NormalizeScore: raw scores by node name to 0..100."""
        return scores

    def reserve(self, state: ClusterState, profile: Profile, pod: Pod, node: NodeInfo, data: Any) -> None:
        """Reserve: note in ``state.assumed`` what placing the pod takes, besides what NodeInfo counts."""

    def violations(self, final: FinalState) -> Iterable[Violation]:
        """Everything this rule finds broken in a final state, inherited or new."""
        return ()

    def cost(self, final: FinalState, profile: Profile) -> TermCost | None:
        """The rule's objective term for the whole placement; None when it applies to nothing."""
        return None


def default_normalize(scores: Mapping[str, int], *, reverse: bool = False) -> dict[str, int]:
    """kube-scheduler's ``DefaultNormalizeScore``: scale so that the largest becomes 100."""
    most = max(scores.values(), default=0)
    if most == 0:
        return {name: 100 if reverse else raw for name, raw in scores.items()}
    scaled = {name: raw * 100 // most for name, raw in scores.items()}
    return {name: 100 - value for name, value in scaled.items()} if reverse else scaled
