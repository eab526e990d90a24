"""NodeVolumeLimits: how many volumes a CSI driver can attach to a node.

Source: ``pkg/scheduler/framework/plugins/nodevolumelimits``;
https://kubernetes.io/docs/concepts/storage/storage-limits/
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ..api import Pod
from ..claim_users import Findings, User, users
from ..claims import ClaimUse, claim_uses, foreign, has_claim
from ..csi import Attachable, Csi
from ..csi_translation import inline_plugin
from ..final import FinalState
from ..profile import Profile
from ..reasons import Verdict, Violation
from ..state import ClusterState, NodeInfo
from .base import CycleError, PreFilter, Rule

FULL = "node(s) exceed max volume count"
Volume = tuple[str, str]
"""(driver, handle)"""


class NodeVolumeLimits(Rule):
    """A volume that several pods use on a node attaches once; attachments without a pod count too."""

    name = "NodeVolumeLimits"

    def pre_filter(self, state: ClusterState, profile: Profile, pod: Pod) -> PreFilter:
        """PreFilter: skip a pod without attachable volumes."""
        return PreFilter(skip=not _may_attach(pod), data=state.cluster.csi.attachables(pod))

    def pod_added(
        self, state: ClusterState, profile: Profile, pod: Pod, data: Any, other: Pod, node: NodeInfo
    ) -> Any:
        """AddPod: nothing, the pods on the node are looked at in Filter."""
        return data

    def pod_removed(
        self, state: ClusterState, profile: Profile, pod: Pod, data: Any, other: Pod, node: NodeInfo
    ) -> Any:
        """RemovePod: nothing either."""
        return data

    def admits(
        self, state: ClusterState, profile: Profile, pod: Pod, node: NodeInfo, data: Any
    ) -> Verdict | None:
        """Filter: the drivers are there where they insist on it, and can attach what is new."""
        csi, attachables = state.cluster.csi, data
        problem = self._problem(state, pod)
        if problem is not None:
            return problem
        new = _volumes(csi, attachables, node.name)
        missing = sorted({driver for driver, _ in new if csi.lacks_driver(driver, node.name)})
        if missing:
            return Verdict.unschedulable(self.name, f"{missing[0]} CSI driver is not installed on the node")
        limits = csi.limits(node.name)
        if not new or not limits:
            return None
        used = _used(state, node)
        total = Counter(driver for driver, _ in used | csi.attached(node.name))
        added = Counter(driver for driver, _ in new - used)
        full = any(
            driver in limits and total[driver] + count > limits[driver] for driver, count in added.items()
        )
        return Verdict.unschedulable(self.name, FULL) if full else None

    def _problem(self, state: ClusterState, pod: Pod) -> Verdict | None:
        for use in claim_uses(pod, state.cluster.claims):
            if not use.name:
                raise CycleError("PersistentVolumeClaim had no name")
            if use.claim is None:
                return Verdict.unresolvable(self.name, f"looking up PVC {use.key}: {use.not_found}")
            if problem := foreign(pod, use):
                raise CycleError(problem)
        return None

    def violations(self, final: FinalState) -> Iterable[Violation]:
        """Volumes beyond a limit, by node and driver; pods without their driver, by node and driver."""
        csi, findings = final.cluster.csi, Findings(self.name, final)
        on_node: dict[int, dict[Volume, list[int]]] = {}
        for user, attachables in _attaching(final):
            for place, positions in findings.by_node(user.placed).items():
                name = final.nodes[place].name
                for volume in _volumes(csi, attachables, name):
                    on_node.setdefault(place, {}).setdefault(volume, []).extend(positions)
                    if csi.lacks_driver(volume[0], name):
                        message = f"CSI driver {volume[0]} is not installed on node {name}"
                        findings.add(("driver", name, volume[0]), positions, message, name)
        for use, user in _unknown_claims(final):
            findings.add(
                ("claim", use.key), user.arriving, f"{use.not_found}, but pods with it arrive on nodes"
            )
        yield from findings
        for place, volumes in on_node.items():
            yield from self._excess(final, place, volumes)

    def _excess(self, final: FinalState, place: int, volumes: dict[Volume, list[int]]) -> Iterator[Violation]:
        name = final.nodes[place].name
        count = Counter(driver for driver, _ in volumes.keys() | final.cluster.csi.attached(name))
        for driver, limit in final.cluster.csi.limits(name).items():
            users = {p for (owner, _), positions in volumes.items() if owner == driver for p in positions}
            if users and count[driver] > limit:
                pods = tuple(sorted(final.pods[position].key for position in users))
                message = f"node {name} attaches {count[driver]} volumes of {driver}, its limit is {limit}"
                yield Violation(
                    self.name, ("limit", name, driver), count[driver] - limit, pods, name, message
                )


def _may_attach(pod: Pod) -> bool:
    return any(has_claim(volume) or inline_plugin(volume) is not None for volume in pod.spec.volumes)


def _attaching(final: FinalState) -> Iterator[tuple[User, tuple[Attachable, ...]]]:
    for user in users(final, _may_attach):
        attachables = final.cluster.csi.attachables(user.pod)
        if attachables:
            yield user, attachables


def _unknown_claims(final: FinalState) -> Iterator[tuple[ClaimUse, User]]:
    for user in users(final):
        for use in claim_uses(user.pod, final.cluster.claims):
            if use.claim is None:
                yield use, user


def _volumes(csi: Csi, attachables: Sequence[Attachable], node: str) -> set[Volume]:
    return {attachable.volume for attachable in attachables if csi.counts_on(attachable, node)}


def _used(state: ClusterState, node: NodeInfo) -> set[Volume]:
    """Volumes of the pods on the node; an ephemeral claim made for another pod fails the cycle."""
    csi, found = state.cluster.csi, set[Volume]()
    for pod in node.pods.values():
        if _may_attach(pod):
            for use in claim_uses(pod, state.cluster.claims):
                if problem := foreign(pod, use):
                    raise CycleError(problem)
            found |= _volumes(csi, csi.attachables(pod), node.name)
    return found
