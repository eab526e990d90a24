"""VolumeBinding: bound claims within reach of the node, the others bound or provisioned there.

Source: ``pkg/scheduler/framework/plugins/volumebinding``;
https://kubernetes.io/docs/concepts/storage/storage-classes/#volume-binding-mode
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..api import PersistentVolumeClaim, Pod
from ..claim_demands import Demand, Demands
from ..claim_serving import Assumed, PodClaims, Served, UnreadableClaim, pod_claims, serve
from ..claim_users import Findings, User, prepared, users
from ..claims import ClaimUse, claim_class, claim_uses, foreign
from ..final import FinalState
from ..profile import Profile
from ..reasons import TermCost, Verdict, Violation
from ..state import ClusterState, NodeInfo
from ..storage import Binding, Storage
from ..storage_scores import NOT_SERVED, storage_score
from .base import CycleError, PreFilter, PreScore, Rule

UNBOUND = "pod has unbound immediate PersistentVolumeClaims"


class VolumeBinding(Rule):
    """Raw score: the profile's shape at the utilisation of the storage that would serve the pod."""

    name = "VolumeBinding"

    def pre_filter(self, state: ClusterState, profile: Profile, pod: Pod) -> PreFilter:
        """PreFilter: a claim that is missing, lost, deleted or not bound in time turns the pod down."""
        storage = state.cluster.storage
        uses = claim_uses(pod, storage.claims)
        problem = next((found for use in uses if (found := _problem(pod, use))), "")
        if not problem and any(_unbound(use, storage) for use in uses):
            problem = UNBOUND
        if problem:
            return PreFilter(verdict=Verdict.unresolvable(self.name, problem))
        return PreFilter(skip=not uses, data=pod_claims(storage, pod))

    def pod_added(
        self, state: ClusterState, profile: Profile, pod: Pod, data: Any, other: Pod, node: NodeInfo
    ) -> Any:
        """AddPod: nothing, only what a pod reserved when it was placed counts."""
        return data

    def pod_removed(
        self, state: ClusterState, profile: Profile, pod: Pod, data: Any, other: Pod, node: NodeInfo
    ) -> Any:
        """RemovePod: nothing either."""
        return data

    def admits(
        self, state: ClusterState, profile: Profile, pod: Pod, node: NodeInfo, data: Any
    ) -> Verdict | None:
        """Filter: every claim can be served on the node."""
        reasons = _served(state, data, node).reasons
        return Verdict.unresolvable(self.name, *reasons) if reasons else None

    def pre_score(
        self, state: ClusterState, profile: Profile, pod: Pod, nodes: Sequence[NodeInfo]
    ) -> PreScore:
        """PreScore: never skipped; fails without the PreFilter, finds nothing to rate without the Filter."""
        if self.name not in profile.prepared:
            raise CycleError("not found")
        rated = self.name in profile.filters
        return PreScore(data=pod_claims(state.cluster.storage, pod) if rated else PodClaims())

    def score(self, state: ClusterState, profile: Profile, pod: Pod, node: NodeInfo, data: Any) -> int:
        """Score: 0 for a pod that nothing is bound or tracked for."""
        claims: PodClaims = data
        return storage_score(_served(state, claims, node), profile.storage_shape) if claims.delayed else 0

    def reserve(self, state: ClusterState, profile: Profile, pod: Pod, node: NodeInfo, data: Any) -> None:
        """Reserve: the volumes are taken, what will be provisioned is tied to the node."""
        claims = pod_claims(state.cluster.storage, pod)
        if claims.delayed:
            _assumed(state).reserve(_served(state, claims, node), node.name)

    def violations(self, final: FinalState) -> Iterable[Violation]:
        """Claims out of reach, by claim and node; for arriving pods, claims that nothing is left for."""
        storage = final.cluster.storage
        findings, demands = Findings(self.name, final), Demands(storage, final.nodes)
        for user in prepared(final, self.name):
            for use in claim_uses(user.pod, storage.claims):
                problem = _problem(user.pod, use) or (UNBOUND if _unbound(use, storage) else "")
                if use.claim is None or problem:
                    findings.add(("claim", use.key), user.arriving, f"claim {use.key}: {problem}")
                elif not final.checked(user.pod, self.name):
                    continue
                elif storage.binding(use.claim) is Binding.BOUND:
                    _find_out_of_reach(findings, final, user, use.claim)
                else:
                    demands.add(use.claim, findings.by_node(user.arriving))
        helpless, losers = demands.unserved()
        for demand in helpless:
            findings.add(("claim", demand.claim.key), demand.positions, _helpless(demand, final))
        yield from findings
        yield from self._shortages(final, losers)

    def _shortages(self, final: FinalState, losers: Sequence[Demand]) -> Iterator[Violation]:
        by_class: dict[str, list[Demand]] = {}
        for demand in losers:
            by_class.setdefault(claim_class(demand.claim), []).append(demand)
        for name, demands in by_class.items():
            pods = {final.pods[position].key for demand in demands for position in demand.positions}
            claims = ", ".join(sorted(demand.claim.key for demand in demands)[:5])
            message = (
                f"{len(demands)} claims of class {name} find every fitting volume taken, such as {claims}"
            )
            yield Violation(self.name, ("class", name), len(demands), tuple(sorted(pods)), None, message)

    def cost(self, final: FinalState, profile: Profile) -> TermCost | None:
        """Per pod: the best score among its statically eligible nodes minus the score here."""
        weight = profile.scores.get(self.name, 0)
        cost = worst = 0
        level: dict[int, bool] = {}
        for user in users(final) if weight else ():
            claims = pod_claims(final.cluster.storage, user.pod)
            if not claims.delayed or not final.checked(user.pod, self.name):
                continue
            own = final.profile_or_first(user.pod)
            scores = final.cluster.storage_scores.of(claims, own.storage_shape)
            if id(scores) not in level:
                level[id(scores)] = _range(scores[scores != NOT_SERVED]) == (0, 0)
            if level[id(scores)]:
                continue
            eligible = final.cluster.static_nodes.eligible(user.pod, own)
            best, span = _range(scores[eligible & (scores != NOT_SERVED)])
            here = scores[final.node_of[user.placed]]
            cost += int(np.clip(best - here, 0, span).sum()) + span * len(user.unplaced)
            worst += span * (len(user.placed) + len(user.unplaced))
        return TermCost(self.name, cost, worst, weight) if worst else None


def _range(scores: NDArray[np.int64]) -> tuple[int, int]:
    """The highest score and how far the lowest is from it; (0, 0) when none differs."""
    if not scores.size or scores.max() == scores.min():
        return 0, 0
    return int(scores.max()), int(scores.max() - scores.min())


def _problem(pod: Pod, use: ClaimUse) -> str:
    """Why the claim turns its pods down on every node; empty when it does not."""
    if use.claim is None:
        creating = f'waiting for ephemeral volume controller to create the persistentvolumeclaim "{use.name}"'
        return creating if use.ephemeral else use.not_found
    if use.claim.status.phase == "Lost":
        volume = use.claim.spec.volume_name
        return f'persistentvolumeclaim "{use.name}" bound to non-existent persistentvolume "{volume}"'
    if use.claim.metadata.deletion_timestamp is not None:
        return f'persistentvolumeclaim "{use.name}" is being deleted'
    return foreign(pod, use)


def _unbound(use: ClaimUse, storage: Storage) -> bool:
    return use.claim is not None and storage.binding(use.claim) is Binding.IMMEDIATE


def _assumed(state: ClusterState) -> Assumed:
    return state.assumed.setdefault(VolumeBinding.name, Assumed())


def _served(state: ClusterState, claims: PodClaims, node: NodeInfo) -> Served:
    try:
        return serve(state.cluster.storage, _assumed(state), claims, node.node)
    except UnreadableClaim as error:
        raise CycleError(str(error)) from error


def _find_out_of_reach(
    findings: Findings, final: FinalState, user: User, claim: PersistentVolumeClaim
) -> None:
    storage, name = final.cluster.storage, claim.spec.volume_name
    volume = storage.volumes.get(name)
    if volume is None:
        message = f"claim {claim.key} is bound to volume {name}, which does not exist"
        findings.add(("claim", claim.key), user.arriving, message)
        return
    for who, some in user.apart:
        for place, positions in findings.by_node(some).items():
            node = final.nodes[place].name
            if not storage.reach.bound_reaches(volume, node):
                message = f"claim {claim.key}: node {node} is outside the node affinity of volume {name}"
                findings.add(("claim", claim.key, node, *who), positions, message, node)


def _helpless(demand: Demand, final: FinalState) -> str:
    names = sorted(final.nodes[place].name for place in demand.pods)
    return (
        f"claim {demand.claim.key}: no volume can be bound or provisioned for pods on {', '.join(names[:5])}"
    )
