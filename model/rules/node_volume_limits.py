"""NodeVolumeLimits: how many volumes a CSI driver can attach to a node.

Source: ``pkg/scheduler/framework/plugins/nodevolumelimits``;
https://kubernetes.io/docs/concepts/storage/storage-limits/
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..api import Pod
from ..claim_users import Findings, User, judged, users
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
        loads: dict[int, _Load] = {}
        for user, attachables in _attaching(final):
            checked = final.checked(user.pod, self.name)
            for place, positions in findings.by_node(user.placed).items():
                name = final.nodes[place].name
                for volume in _volumes(csi, attachables, name):
                    loads.setdefault(place, _Load()).add(final, volume, positions, checked=checked)
                    if checked and csi.lacks_driver(volume[0], name):
                        message = f"CSI driver {volume[0]} is not installed on node {name}"
                        for who, some in user.apart:
                            here = [position for position in some if position in positions]
                            findings.add(("driver", name, volume[0], *who), here, message, name)
        for use, user in _unknown_claims(final):
            message = f"{use.not_found}, but pods with it arrive on nodes"
            findings.add(("claim", use.key), user.arriving, message)
        yield from findings
        for place, load in loads.items():
            yield from self._excess(final, place, load)

    def _excess(self, final: FinalState, place: int, load: _Load) -> Iterator[Violation]:
        name = final.nodes[place].name
        for driver, limit in final.cluster.csi.limits(name).items():
            volumes = {volume for volume in load.counted(driver) if volume[0] == driver}
            if not volumes:
                continue
            count = len(
                volumes | {volume for volume in final.cluster.csi.attached(name) if volume[0] == driver}
            )
            if count > limit:
                users = {position for volume in volumes for position in load.users[volume]}
                pods = tuple(sorted(final.pods[position].key for position in users))
                message = f"node {name} attaches {count} volumes of {driver}, its limit is {limit}"
                key = ("limit", name, driver, *(("arriving",) if load.brings(driver) else ()))
                yield Violation(self.name, key, count - limit, pods, name, message)


@dataclass(slots=True)
class _Load:
    """The volumes that pods use on a node.

    Attributes
    ----------
    users : dict of Volume to list of int
        Positions of the pods.
    staying, judged, brought : set of Volume
        Those of pods that stay; those of pods whose profile looks at limits, and of such pods that arrive.
    """

    users: dict[Volume, list[int]] = field(default_factory=dict[Volume, list[int]])
    staying: set[Volume] = field(default_factory=set[Volume])
    judged: set[Volume] = field(default_factory=set[Volume])
    brought: set[Volume] = field(default_factory=set[Volume])

    def add(self, final: FinalState, volume: Volume, positions: Sequence[int], *, checked: bool) -> None:
        """Count pods at `positions` as users of `volume`."""
        self.users.setdefault(volume, []).extend(positions)
        staying = any(final.staying[position] for position in positions)
        arriving = any(final.arriving[position] for position in positions)
        self.staying |= {volume} if staying else set()
        self.judged |= {volume} if checked and staying else set()
        self.brought |= {volume} if checked and arriving else set()

    def brings(self, driver: str) -> bool:
        """Whether a judged pod that arrives brings a volume of the driver."""
        return any(volume[0] == driver for volume in self.brought - self.staying)

    def counted(self, driver: str) -> Iterable[Volume]:
        """All volumes where a judged pod brings one of the driver; else those there before, if any is judged.

        Arriving pods that are not judged come last, and are nobody's fault.
        """
        if self.brings(driver):
            return self.users
        return self.staying if any(volume[0] == driver for volume in self.judged) else ()


def _may_attach(pod: Pod) -> bool:
    return any(has_claim(volume) or inline_plugin(volume) is not None for volume in pod.spec.volumes)


def _attaching(final: FinalState) -> Iterator[tuple[User, tuple[Attachable, ...]]]:
    for user in users(final, _may_attach):
        attachables = final.cluster.csi.attachables(user.pod)
        if attachables:
            yield user, attachables


def _unknown_claims(final: FinalState) -> Iterator[tuple[ClaimUse, User]]:
    for user in judged(final, NodeVolumeLimits.name):
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
