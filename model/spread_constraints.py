"""Topology spread constraints of pods: selectors, defaults, eligible nodes, identity.

Static matching only (labels, taints and node selectors), so checker and encoders share it.

Source: https://kubernetes.io/docs/concepts/scheduling-eviction/topology-spread-constraints/
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .api import LabelSelector, LabelSelectorRequirement, Pod, Service, TopologySpreadConstraint, Workload
from .labels import empty, selects
from .profile import Profile
from .selection import quoted, requirements, selector_text

HARD = "DoNotSchedule"
SOFT = "ScheduleAnyway"
HOSTNAME = "kubernetes.io/hostname"
SYSTEM_DEFAULTS = (
    TopologySpreadConstraint(max_skew=3, topology_key=HOSTNAME, when_unsatisfiable=SOFT),
    TopologySpreadConstraint(max_skew=5, topology_key="topology.kubernetes.io/zone", when_unsatisfiable=SOFT),
)
"""What ``defaultingType: System`` stands for."""


@dataclass(frozen=True, slots=True)
class SpreadConstraint:
    """One constraint as kube-scheduler evaluates it.

    Parameters
    ----------
    topology_key : str
    max_skew : int
    selector : LabelSelector or None
        Of the pods in the owner's namespace; a default constraint has that of the owner's
        services and controller.
    min_domains : int
        With fewer eligible domains the global minimum is 0.
    honor_affinity, honor_taints : bool
        ``nodeAffinityPolicy`` and ``nodeTaintsPolicy``: leave out nodes that the owner's
        node selector and required affinity, or its tolerations, do not admit.
    """

    topology_key: str
    max_skew: int
    selector: LabelSelector | None
    min_domains: int
    honor_affinity: bool
    honor_taints: bool

    def selects(self, pod: Pod) -> bool:
        """Whether the selector matches the pod's labels, as kube-scheduler asks of the pod being placed."""
        return selects(self.selector, pod.labels)

    def counts(self, pod: Pod, namespace: str) -> bool:
        """Whether `pod` counts for a constraint of a pod in `namespace`; for an empty selector none does."""
        return (
            not pod.terminating
            and pod.namespace == namespace
            and not empty(self.selector)
            and selects(self.selector, pod.labels)
        )


def own_constraints(
    constraints: Iterable[TopologySpreadConstraint], action: str
) -> tuple[SpreadConstraint, ...]:
    """Those of `constraints` whose ``whenUnsatisfiable`` is `action`, in their order."""
    return tuple(_parsed(c, c.label_selector) for c in constraints if c.when_unsatisfiable == action)


def _parsed(constraint: TopologySpreadConstraint, selector: LabelSelector | None) -> SpreadConstraint:
    return SpreadConstraint(
        topology_key=constraint.topology_key,
        max_skew=constraint.max_skew,
        selector=selector,
        min_domains=1 if constraint.min_domains is None else constraint.min_domains,
        honor_affinity=constraint.node_affinity_policy == "Honor",
        honor_taints=constraint.node_taints_policy == "Honor",
    )


def spread_constraints(
    pod: Pod, profile: Profile | None, defaults: DefaultSelectors, action: str
) -> tuple[SpreadConstraint, ...]:
    """The pod's constraints with `action`: its own, or else the profile's defaults.

    Parameters
    ----------
    profile : Profile or None
        None for a pod of a scheduler without a profile: only its own constraints count.
    action : str
        `HARD` or `SOFT`.
    """
    own = pod.spec.topology_spread_constraints
    if own:
        return own_constraints(own, action)
    chosen = [c for c in default_constraints(profile) if c.when_unsatisfiable == action]
    if not chosen:
        return ()
    selector = defaults.of(pod)
    return () if empty(selector) else tuple(_parsed(c, selector) for c in chosen)


def default_constraints(profile: Profile | None) -> tuple[TopologySpreadConstraint, ...]:
    """The constraints of a pod that states none."""
    if profile is None:
        return ()
    return SYSTEM_DEFAULTS if profile.defaulting == "System" else profile.default_constraints


def needs_all_keys(pod: Pod, profile: Profile | None, action: str) -> bool:
    """Whether a node counts only with the keys of all the pod's constraints.

    The system's soft defaults are the exception: nodes without a zone still spread by host.
    """
    system = profile is not None and profile.defaulting == "System"
    return action == HARD or bool(pod.spec.topology_spread_constraints) or not system


class DefaultSelectors:
    """Selectors of default constraints: what the pod's services and controller select together.

    Parameters
    ----------
    services : iterable of Service
    workloads : iterable of Workload
        ReplicationControllers, ReplicaSets and StatefulSets matter.
    """

    def __init__(self, services: Iterable[Service], workloads: Iterable[Workload]) -> None:
        self._services: dict[tuple[str, str, str], list[Mapping[str, str]]] = {}
        for service in services:
            items = sorted(service.spec.selector.items())
            if items:
                key = (service.metadata.namespace, *items[0])
                self._services.setdefault(key, []).append(service.spec.selector)
        self._owners = {
            (OWNER_VERSIONS[w.kind], w.kind, w.metadata.namespace, w.metadata.name): w.spec.selector
            for w in workloads
            if w.kind in OWNER_VERSIONS
        }
        self._found: dict[object, LabelSelector] = {}

    def of(self, pod: Pod) -> LabelSelector:
        """The selector for `pod`; empty when no service and no known controller selects anything."""
        owner = pod.metadata.controller
        identity = (owner.api_version, owner.kind, pod.namespace, owner.name) if owner else None
        key = (pod.namespace, tuple(sorted(pod.labels.items())), identity)
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = self._merge(pod, identity)
        return found

    def _merge(self, pod: Pod, identity: tuple[str, str, str, str] | None) -> LabelSelector:
        labels: dict[str, str] = {}
        for item in pod.labels.items():
            for selector in self._services.get((pod.namespace, *item), ()):
                if selector.items() <= pod.labels.items():
                    labels.update(selector)
        owned = self._owners.get(identity) if identity else None
        if owned is None:
            return LabelSelector(match_labels=labels)
        if identity and identity[1] == "ReplicationController":
            return LabelSelector(match_labels={**labels, **owned.match_labels})
        added = (LabelSelectorRequirement(key=k, operator=o, values=v) for k, o, v in requirements(owned))
        return LabelSelector(match_labels=labels, match_expressions=tuple(added))


OWNER_VERSIONS = {"ReplicationController": "v1", "ReplicaSet": "apps/v1", "StatefulSet": "apps/v1"}
"""Controllers whose selectors enter default constraints, and their API version."""


def constraint_text(namespace: str, constraint: SpreadConstraint) -> str:
    """The constraint's identity in words, without the eligible nodes."""
    few = f", at least {constraint.min_domains} domains" if constraint.min_domains > 1 else ""
    which, key = selector_text(constraint.selector), quoted(constraint.topology_key)
    return f"{which} in {quoted(namespace)} by {key}, skew {constraint.max_skew}{few}"
