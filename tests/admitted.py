"""What a single rule lets kube-scheduler reach, by trying every order."""

from __future__ import annotations

from collections.abc import Mapping

from kubestow.model.api import Pod
from kubestow.model.cluster import Cluster
from kubestow.model.final import FinalState
from kubestow.model.profile import Profile, SchedulerConfiguration
from kubestow.model.reasons import Verdict, Violation
from kubestow.model.rules.base import Rule
from kubestow.model.state import ClusterState

Placement = Mapping[str, str]


def verdict(
    rule: Rule, cluster: Cluster, name: str, node: str, profile: Profile | None = None
) -> Verdict | None:
    """What the rule's filter says about pod `name` on `node`, the cluster as given."""
    profile = profile or Profile()
    state = ClusterState.of(cluster, SchedulerConfiguration((profile,)))
    pod = cluster.pod_by_key[f"default/{name}"]
    before = rule.pre_filter(state, profile, pod)
    if before.verdict or before.skip:
        return before.verdict
    return rule.admits(state, profile, pod, state.nodes[node], before.data)


def scores(
    rule: Rule, cluster: Cluster, name: str, profile: Profile | None = None
) -> tuple[dict[str, int], dict[str, int]] | None:
    """Raw and normalised scores of pod `name` with every node feasible; None when the rule skips it."""
    profile = profile or Profile()
    state = ClusterState.of(cluster, SchedulerConfiguration((profile,)))
    pod = cluster.pod_by_key[f"default/{name}"]
    nodes = list(state.nodes.values())
    before = rule.pre_score(state, profile, pod, nodes)
    if before.skip:
        return None
    raw = {info.name: rule.score(state, profile, pod, info, before.data) for info in nodes}
    return raw, dict(rule.normalize(state, profile, pod, raw, before.data))


def reachable(rule: Rule, cluster: Cluster) -> set[frozenset[tuple[str, str]]]:
    """Every placement of some pending pods that the rule's filter admits one by one, in some order."""
    start: frozenset[tuple[str, str]] = frozenset()
    found, pending = {start}, [start]
    while pending:
        before = pending.pop()
        for after in _next(rule, cluster, before):
            if after not in found:
                found.add(after)
                pending.append(after)
    return found


def _next(
    rule: Rule, cluster: Cluster, placed: frozenset[tuple[str, str]]
) -> set[frozenset[tuple[str, str]]]:
    profile = Profile()
    state = ClusterState.of(cluster, SchedulerConfiguration((profile,)))
    for key, node in placed:
        state.nodes[node].add(cluster.pod_by_key[key])
    done = dict(placed)
    found: set[frozenset[tuple[str, str]]] = set()
    for pod in waiting(cluster):
        if pod.key not in done:
            before = rule.pre_filter(state, profile, pod)
            for node in state.nodes.values() if before.verdict is None else ():
                if before.skip or rule.admits(state, profile, pod, node, before.data) is None:
                    found.add(placed | {(pod.key, node.name)})
    return found


def waiting(cluster: Cluster) -> list[Pod]:
    """Pods without a node."""
    return [pod for pod in cluster.pods if pod.node_name is None]


def placements(cluster: Cluster) -> list[frozenset[tuple[str, str]]]:
    """Every placement of some of the pending pods."""
    found: list[frozenset[tuple[str, str]]] = [frozenset()]
    for pod in waiting(cluster):
        found += [old | {(pod.key, node.name)} for old in found for node in cluster.nodes]
    return found


def final(cluster: Cluster, placed: frozenset[tuple[str, str]] = frozenset()) -> FinalState:
    """The final state of a placement; everybody else stays."""
    return FinalState(cluster, dict(placed))


def broken(rule: Rule, state: FinalState) -> list[Violation]:
    """Violations that speak against the final state."""
    return [violation for violation in rule.violations(state) if not violation.advisory]
