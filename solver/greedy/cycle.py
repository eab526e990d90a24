"""One scheduling cycle: PreFilter, Filter, PreScore, Score, Normalize.

Source: ``pkg/scheduler/schedule_one.go``, ``pkg/scheduler/framework/runtime/framework.go``.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ...model.api import Pod
from ...model.profile import Profile
from ...model.reasons import Code, Verdict
from ...model.rules import rules_named
from ...model.rules.base import CycleError, PreFilter, Rule
from ...model.state import ClusterState, NodeInfo
from .records import PluginScores

Active = tuple[tuple[Rule, Any], ...]
"""Filter rules that have something to say about the pod, with what they prepared."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """What PreFilter found.

    Parameters
    ----------
    active : Active
    verdict : Verdict or None
        The pod is turned down for all nodes.
    aborted : bool
        The verdict came before all plugins were asked.
    considered : frozenset of str or None
        The only nodes worth filtering.
    narrowed_by : tuple of str
        Plugins that narrowed them down, sorted.
    """

    active: Active = ()
    verdict: Verdict | None = None
    aborted: bool = False
    considered: frozenset[str] | None = None
    narrowed_by: tuple[str, ...] = ()

    def outside(self) -> Verdict:
        """The verdict on nodes that PreFilter left out."""
        plugins = " ".join(self.narrowed_by)
        return Verdict.unresolvable(self.narrowed_by[0], f"node(s) didn't satisfy plugin(s) [{plugins}]")


def prepare(state: ClusterState, profile: Profile, pod: Pod) -> Prepared:
    """Run PreFilter.

    Raises
    ------
    CycleError
        When a plugin fails.
    """
    data: dict[str, Any] = {}
    verdict: Verdict | None = None
    considered: frozenset[str] | None = None
    narrowed_by: list[str] = []
    for rule in rules_named(profile.prepared):
        with _running(f'PreFilter plugin "{rule.name}"'):
            found = rule.pre_filter(state, profile, pod)
        if found.verdict is not None:
            if found.verdict.code is Code.UNRESOLVABLE:
                return Prepared(verdict=found.verdict, aborted=True)
            verdict = found.verdict
        if not found.skip:
            data[rule.name] = found.data
        if found.nodes is not None:
            narrowed_by = sorted({*narrowed_by, rule.name})
            considered = found.nodes if considered is None else considered & found.nodes
            if not considered:
                return Prepared(verdict=_nowhere(narrowed_by), aborted=True)
    active = tuple((rule, data[rule.name]) for rule in rules_named(profile.filters) if rule.name in data)
    return Prepared(active, verdict, False, considered, tuple(narrowed_by))


def _nowhere(plugins: Sequence[str]) -> Verdict:
    if len(plugins) == 1:
        return Verdict.unresolvable(plugins[0], f"node(s) didn't satisfy plugin {plugins[0]}")
    names = " ".join(plugins)
    return Verdict.unresolvable(plugins[-1], f"node(s) didn't satisfy plugin(s) [{names}] simultaneously")


@contextmanager
def _running(what: str) -> Generator[None]:
    """Say which plugin failed."""
    try:
        yield
    except CycleError as error:
        raise CycleError(f"running {what}: {error}") from error


def first_failing(
    state: ClusterState, profile: Profile, pod: Pod, node: NodeInfo, active: Active
) -> Verdict | None:
    """Run the filters on one node; the verdict of the first that rejects it, or fails."""
    for rule, data in active:
        try:
            verdict = rule.admits(state, profile, pod, node, data)
        except CycleError as error:
            return failed(rule, f'running "{rule.name}" filter plugin: {error}')
        if verdict is not None:
            return verdict
    return None


def failed(rule: Rule, message: str) -> Verdict:
    """The verdict of a plugin that fails."""
    return Verdict(rule.name, Code.ERROR, (message,))


class Nominations:
    """Pods that preemption has promised a node, while they are not placed."""

    def __init__(self, pods: Iterable[Pod] = ()) -> None:
        self._by_node: dict[str, dict[str, Pod]] = {}
        for pod in pods:
            self.add(pod)

    def add(self, pod: Pod) -> None:
        """Note the pod's ``status.nominatedNodeName``, if it has one."""
        if pod.status.nominated_node_name:
            self._by_node.setdefault(pod.status.nominated_node_name, {})[pod.key] = pod

    def remove(self, pod: Pod) -> None:
        """The pod is placed, or its nomination is withdrawn."""
        self._by_node.get(pod.status.nominated_node_name, {}).pop(pod.key, None)

    def __bool__(self) -> bool:
        return any(self._by_node.values())

    def on(self, node: str) -> list[Pod]:
        """The pods nominated to the node."""
        return list(self._by_node.get(node, {}).values())


def filter_node(
    state: ClusterState, profile: Profile, pod: Pod, node: NodeInfo, active: Active, nominations: Nominations
) -> Verdict | None:
    """Filter one node as if the pods nominated to it were there; and, should that matter, as if not."""
    rivals = [
        other
        for other in nominations.on(node.name)
        if other.key != pod.key and other.priority >= pod.priority
    ]
    if rivals:
        with on_trial(state, node.name) as crowded:
            extended = _joined(state, profile, pod, crowded, active, rivals)
            verdict = first_failing(state, profile, pod, crowded, extended)
        if verdict is not None:
            return verdict
    return first_failing(state, profile, pod, node, active)


@contextmanager
def on_trial(state: ClusterState, name: str) -> Generator[NodeInfo]:
    """A copy of the node stands in for it, to be changed at will."""
    original = state.nodes[name]
    state.nodes[name] = original.copy()
    try:
        yield state.nodes[name]
    finally:
        state.nodes[name] = original


def _joined(
    state: ClusterState, profile: Profile, pod: Pod, node: NodeInfo, active: Active, others: Sequence[Pod]
) -> Active:
    for other in others:
        node.add(other)
        active = tuple(
            (rule, rule.pod_added(state, profile, pod, data, other, node)) for rule, data in active
        )
    return active


def failing_alone(state: ClusterState, profile: Profile, pod: Pod) -> dict[str, dict[str, Verdict]]:
    """Node to plugin to verdict, for every plugin that rejects the node when it runs alone."""
    found: dict[str, dict[str, Verdict]] = {}
    for rule in rules_named(profile.prepared):
        try:
            prepared = rule.pre_filter(state, profile, pod)
        except CycleError as error:
            prepared = PreFilter(verdict=failed(rule, str(error)))
        for node in state.nodes.values():
            verdict = _alone(rule, prepared, state, profile, pod, node)
            if verdict is not None:
                found.setdefault(node.name, {})[rule.name] = verdict
    return found


def _alone(
    rule: Rule, prepared: PreFilter, state: ClusterState, profile: Profile, pod: Pod, node: NodeInfo
) -> Verdict | None:
    if prepared.verdict is not None:
        return prepared.verdict
    if prepared.nodes is not None and node.name not in prepared.nodes:
        return Verdict.unresolvable(rule.name, "not among the PreFilterResult's nodes")
    try:
        passes = prepared.skip or rule.name not in profile.filters
        return None if passes else rule.admits(state, profile, pod, node, prepared.data)
    except CycleError as error:
        return failed(rule, str(error))


@dataclass(frozen=True, slots=True)
class Scored:
    """The scores of the feasible nodes."""

    plugins: Mapping[str, PluginScores]
    skipped: tuple[str, ...]
    total: Mapping[str, int]

    @property
    def best(self) -> tuple[str, ...]:
        """Nodes with the highest total, by name."""
        most = max(self.total.values())
        return tuple(sorted(node for node, total in self.total.items() if total == most))


def score(state: ClusterState, profile: Profile, pod: Pod, nodes: Sequence[NodeInfo]) -> Scored:
    """Run PreScore, Score and Normalize over the feasible nodes.

    Raises
    ------
    CycleError
        When a plugin fails.
    """
    plugins: dict[str, PluginScores] = {}
    skipped: list[str] = []
    # Without any score plugin kube-scheduler gives every feasible node one point.
    total = {node.name: 0 if profile.scores else 1 for node in nodes}
    for rule in rules_named(profile.scores):
        with _running(f'PreScore plugin "{rule.name}"'):
            prepared = rule.pre_score(state, profile, pod, nodes)
        if prepared.skip:
            skipped.append(rule.name)
            continue
        raw = {node.name: rule.score(state, profile, pod, node, prepared.data) for node in nodes}
        normalized = rule.normalize(state, profile, pod, raw, prepared.data)
        weight = profile.scores[rule.name]
        plugins[rule.name] = PluginScores(weight, raw, dict(normalized))
        for node, value in normalized.items():
            total[node] += weight * value
    return Scored(plugins, tuple(skipped), total)
