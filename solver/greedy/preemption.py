"""PostFilter: what evicting less important pods would do for an unschedulable pod.

Source: ``pkg/scheduler/framework/preemption``, ``pkg/scheduler/framework/plugins/defaultpreemption``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from ...model.api import Pod, PodDisruptionBudget
from ...model.labels import InvalidSelector, empty, selects
from ...model.profile import Profile
from ...model.reasons import Code, Verdict
from ...model.state import ClusterState, NodeInfo
from . import texts
from .cycle import Active, Nominations, Prepared, filter_node, on_trial
from .go_sort import go_sorted
from .records import Candidate, Preemption

NOW = 4_102_444_799 * 10**9
"""startTime of a pod that does not have one: later than any that was read, earlier than assumed pods."""
NO_VICTIMS = "No preemption victims found for incoming pod"
NOT_HELPFUL = "Preemption is not helpful for scheduling"


@dataclass(frozen=True, slots=True)
class Attempt:
    """An unschedulable pod, and what its cycle found out."""

    state: ClusterState
    profile: Profile
    pod: Pod
    prepared: Prepared
    verdicts: Mapping[str, Verdict | None]
    nominations: Nominations
    random: Random | None = None

    def started(self, pod: Pod) -> int:
        """When the pod started, in ns."""
        started = self.state.started.get(pod.key, pod.status.start_time)
        return NOW if started is None else started

    def ranks(self, pods: Sequence[Pod]) -> Mapping[str, tuple[int, int]]:
        """Sort keys, most important first: priority, then how long a pod has been running.

        Of pods that do not say when they started, those that come first in `pods` did.
        """
        found: dict[str, tuple[int, int]] = {}
        for number, pod in enumerate(pods):
            started = self.started(pod)
            found[pod.key] = -pod.priority, NOW + number if started == NOW else started
        return found


@dataclass(frozen=True, slots=True)
class _Room:
    """Victims on a node, most important first; how many exceed a budget; the earliest start at the top."""

    victims: tuple[Pod, ...]
    violations: int
    earliest: int


def post_filter(attempt: Attempt) -> Preemption | None:
    """Run the PostFilter plugins; None when the profile has none that says anything."""
    plugins = attempt.profile.post_filters
    if attempt.prepared.aborted and "DynamicResources" in plugins:
        # The plugin misses the state that its PreFilter did not get to write, and fails.
        return Preemption("not found")
    if "DefaultPreemption" not in plugins:
        return None
    found = _preempt(attempt)
    return Preemption(f"preemption: {found}") if isinstance(found, str) else found


def _preempt(attempt: Attempt) -> Preemption | str:
    obstacle = _ineligible(attempt)
    if obstacle:
        return obstacle
    rooms: dict[str, _Room] = {}
    failures: dict[str, Verdict] = {}
    for name, verdict in attempt.verdicts.items():
        if verdict is None or verdict.code is not Code.UNSCHEDULABLE:
            failures[name] = Verdict.unresolvable("", NOT_HELPFUL)
            continue
        found = _make_room(attempt, name)
        if isinstance(found, _Room):
            rooms[name] = found
        else:
            failures[name] = found
    errors = [verdict.reasons[0] for verdict in failures.values() if verdict.code is Code.ERROR]
    if not rooms and errors:
        return texts.errors(errors)
    if not rooms:
        return texts.fit_error(len(attempt.verdicts), failures.values(), None)
    best = _best(rooms)
    nominated = best[0] if attempt.random is None else attempt.random.choice(best)
    victims = len(rooms[nominated].victims)
    message = f"found a potential placement for pod on node {nominated}, preempting {victims} victims"
    candidates = {name: _candidate(room) for name, room in rooms.items()}
    return Preemption(f"preemption: {message}", nominated, candidates, best)


def _candidate(room: _Room) -> Candidate:
    return Candidate(tuple(pod.key for pod in room.victims), room.violations)


def _ineligible(attempt: Attempt) -> str:
    """Why the pod may not preempt others, or nothing."""
    pod, nominated = attempt.pod, attempt.pod.status.nominated_node_name
    if pod.spec.preemption_policy == "Never":
        return "not eligible due to preemptionPolicy=Never."
    node = attempt.state.nodes.get(nominated)
    verdict = attempt.verdicts.get(nominated)
    if node is None or (verdict is not None and verdict.code is Code.UNRESOLVABLE):
        return ""
    if any(other.priority < pod.priority and _preempted(other) for other in node.pods.values()):
        return "not eligible due to a terminating pod on the nominated node."
    return ""


def _preempted(pod: Pod) -> bool:
    """Whether the pod is terminating because of an earlier preemption."""
    target = next((c for c in pod.status.conditions if c.type == "DisruptionTarget"), None)
    return (
        pod.terminating
        and target is not None
        and target.status == "True"
        and target.reason == "PreemptionByScheduler"
    )


def _make_room(attempt: Attempt, name: str) -> _Room | Verdict:
    """The fewest victims on one node: remove all that are less important, put back what still fits."""
    with on_trial(attempt.state, name) as node:
        trial = _Trial(attempt, node, attempt.prepared.active)
        removable = [pod for pod in node.pods.values() if pod.priority < attempt.pod.priority]
        if not removable:
            return Verdict.unresolvable("", NO_VICTIMS)
        for pod in removable:
            trial.remove(pod)
        verdict = trial.verdict()
        if verdict is not None:
            return verdict
        ranks = attempt.ranks(removable)
        removable = go_sorted(removable, lambda pod: ranks[pod.key])
        violating = _violating(removable, attempt.state.cluster.pod_disruption_budgets)
        first = [pod for pod in removable if pod.key in violating]
        second = [pod for pod in removable if pod.key not in violating]
        victims = [pod for pod in (*first, *second) if not trial.reprieve(pod)]
        violations = sum(pod.key in violating for pod in victims)
        if first and second:
            victims = go_sorted(victims, lambda pod: ranks[pod.key])
        return _Room(tuple(victims), violations, attempt.started(victims[0]))


class _Trial:
    """A copy of one node from which pods are taken and given back."""

    def __init__(self, attempt: Attempt, node: NodeInfo, active: Active) -> None:
        self.attempt = attempt
        self.node = node
        self.active: Active = active

    def remove(self, pod: Pod) -> None:
        self.node.remove(pod)
        attempt = self.attempt
        self.active = tuple(
            (rule, rule.pod_removed(attempt.state, attempt.profile, attempt.pod, data, pod, self.node))
            for rule, data in self.active
        )

    def add(self, pod: Pod) -> None:
        self.node.add(pod)
        attempt = self.attempt
        self.active = tuple(
            (rule, rule.pod_added(attempt.state, attempt.profile, attempt.pod, data, pod, self.node))
            for rule, data in self.active
        )

    def verdict(self) -> Verdict | None:
        attempt = self.attempt
        return filter_node(
            attempt.state, attempt.profile, attempt.pod, self.node, self.active, attempt.nominations
        )

    def reprieve(self, pod: Pod) -> bool:
        """Put the pod back if the preemptor still fits."""
        self.add(pod)
        if self.verdict() is None:
            return True
        self.remove(pod)
        return False


def _violating(pods: Sequence[Pod], budgets: Sequence[PodDisruptionBudget]) -> frozenset[str]:
    """Pods whose eviction exceeds a budget, when they are evicted in this order.

    A pod draws on its budgets in the order of their names, down to the first that it exceeds.
    """
    budgets = sorted(budgets, key=lambda budget: budget.metadata.name)
    allowed = [0 if budget.status is None else budget.status.disruptions_allowed for budget in budgets]
    found: set[str] = set()
    for pod in pods:
        for position in _budgets(pod, budgets):
            allowed[position] -= 1
            if allowed[position] < 0:
                found.add(pod.key)
                break
    return frozenset(found)


def _budgets(pod: Pod, budgets: Sequence[PodDisruptionBudget]) -> Iterator[int]:
    """Positions of the budgets that the pod draws on."""
    if not pod.labels:
        return
    for position, budget in enumerate(budgets):
        selector = budget.spec.selector
        if budget.metadata.namespace != pod.namespace or selector is None or empty(selector):
            continue
        if budget.status is not None and pod.name in budget.status.disrupted_pods:
            continue
        try:
            if selects(selector, pod.labels):
                yield position
        except InvalidSelector:
            continue


def _best(rooms: Mapping[str, _Room]) -> tuple[str, ...]:
    """The nodes that kube-scheduler likes best, by name; it takes a random one of them."""
    least = min(_cost(room) for room in rooms.values())
    return tuple(sorted(name for name, room in rooms.items() if _cost(room) == least))


def _cost(room: _Room) -> tuple[int, int, int, int, int]:
    """Budget violations, top priority, sum of priorities, number of victims, earliest start at the top."""
    victims = room.victims
    total = sum(pod.priority + 2**31 for pod in victims)
    return room.violations, victims[0].priority, total, len(victims), -room.earliest
