"""What a pod requests, exactly as kube-scheduler sums it.

Integers: cpu in milli units, everything else in whole units. Each quantity is
rounded up to milli units when the API server stores it, sums are exact, and
the sum is rounded up once.

Source: ``k8s.io/component-helpers/resource`` PodRequests; ``pkg/scheduler/framework`` calculateResource.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar
from weakref import WeakKeyDictionary

from .api import Container, ContainerStatus, Pod, PodSpec
from .quantity import CPU as CPU
from .quantity import milli, units

T = TypeVar("T")
Requests = dict[str, int]
MEMORY, PODS, EPHEMERAL = "memory", "pods", "ephemeral-storage"
DEFAULT_MILLI_CPU = 100
DEFAULT_MEMORY = 200 * 1024 * 1024

_QUALIFIED = re.compile(
    r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"
)
_LONGEST_PREFIX = 253 - len("requests.")
_DEFAULTS: Mapping[str, int] = {CPU: DEFAULT_MILLI_CPU, MEMORY: DEFAULT_MEMORY * 1000}
_Amounts = Mapping[str, int]
_Source = Callable[[Container, ContainerStatus | None, bool], _Amounts]


def to_units(quantities: Mapping[str, int]) -> Requests:
    """Nano quantities to scheduler units: cpu in milli, everything else whole, rounded up."""
    return {name: units(name, nano) for name, nano in quantities.items()}


def extended(name: str) -> bool:
    """Whether the resource is an extended one, such as ``nvidia.com/gpu``."""
    return (
        "kubernetes.io/" not in name
        and not name.startswith("requests.")
        and _QUALIFIED.fullmatch(name) is not None
        and len(name.partition("/")[0]) <= _LONGEST_PREFIX
    )


def countable(name: str) -> bool:
    """Whether kube-scheduler counts the resource; it drops names it cannot place."""
    return (
        name in (CPU, MEMORY, EPHEMERAL)
        or "kubernetes.io/" in name
        or name.startswith(("hugepages-", "attachable-volumes-"))
        or extended(name)
    )


def pod_level(name: str) -> bool:
    """Whether ``spec.resources`` of a pod may state the resource."""
    return name in (CPU, MEMORY) or name.startswith("hugepages-")


def pod_requests(pod: Pod) -> Requests:
    """The pod's requests: containers, init containers, sidecars, overhead, pod level, resize."""
    return per_spec(_plain, pod, _plainly)


def nonzero_requests(pod: Pod) -> Requests:
    """Cpu and memory as they count on the pod's node, with defaults for containers that do not mention them.

    Where the pod level states requests, the defaults stand in only for what neither level mentions.
    """
    return per_spec(_counted, pod, _nonzero)


def scored_requests(pod: Pod) -> Requests:
    """What NodeResourcesFit's score takes a pending pod to request.

    Every container that does not mention cpu or memory counts with a default, and
    pod-level requests do not count: kube-scheduler's score misses them.
    """
    return per_spec(_scored, pod, _by_containers)


_Cache = WeakKeyDictionary[PodSpec, Requests]
_plain: _Cache = WeakKeyDictionary()
_counted: _Cache = WeakKeyDictionary()
_scored: _Cache = WeakKeyDictionary()


def per_spec(cache: WeakKeyDictionary[PodSpec, T], pod: Pod, make: Callable[[Pod], T]) -> T:
    """What `make` makes of the pod, remembered by its spec unless its status has a say (`resized`)."""
    if resized(pod):
        return make(pod)
    found = cache.get(pod.spec)
    if found is None:
        found = cache[pod.spec] = make(pod)
    return found


def _plainly(pod: Pod) -> Requests:
    return _requests(pod, {})


def _by_containers(pod: Pod) -> Requests:
    return _requests(pod, _DEFAULTS, pod_level_counts=False)


def resized(pod: Pod) -> bool:
    """Whether the status has a say in what the pod requests, as it does around a resize in place."""
    status = pod.status
    return bool(
        status.container_statuses
        or status.init_container_statuses
        or status.resources is not None
        or _infeasible(pod)
    )


def _nonzero(pod: Pod) -> Requests:
    requests = pod_requests(pod)
    defaults = _DEFAULTS
    if states_pod_level(pod.spec):
        defaults = {name: amount for name, amount in _DEFAULTS.items() if name not in requests}
    full = _requests(pod, defaults)
    return {CPU: full.get(CPU, 0), MEMORY: full.get(MEMORY, 0)}


def states_pod_level(spec: PodSpec) -> bool:
    """Whether ``spec.resources`` states requests."""
    return spec.resources is not None and bool(spec.resources.requests)


def _requests(pod: Pod, defaults: _Amounts, *, pod_level_counts: bool = True) -> Requests:
    total = _containers(pod, defaults)
    if pod_level_counts and states_pod_level(pod.spec):
        levels = _pod_level(pod, defaults)
        total.update((name, amount) for name, amount in levels.items() if pod_level(name))
    _add(total, _milli(pod.spec.overhead))
    return {
        name: amount if name == CPU else -(-amount // 1000)
        for name, amount in total.items()
        if countable(name)
    }


def _pod_level(pod: Pod, defaults: _Amounts) -> _Amounts:
    """What the pod level amounts to, and thus its containers together, in milli units.

    Once the status reports resources of the whole pod, the largest of spec, actual and allocated.
    """
    status = pod.status
    assert pod.spec.resources is not None
    stated = {**_sum(pod, _stated, defaults), **_milli(pod.spec.resources.requests)}
    if status.resources is None:
        return stated
    reported = (_milli(status.resources.requests), _milli(status.allocated_resources))
    return _largest(reported if _infeasible(pod) else (stated, *reported))


def _containers(pod: Pod, defaults: _Amounts) -> Requests:
    """Sum over containers in milli units; of a resized pod, per resource the largest of three sums."""
    status = pod.status
    stated = _sum(pod, _stated, defaults)
    if not resized(pod):
        return stated
    reported = status.resources is not None and "requests" in status.resources.model_fields_set
    if status.resources is not None and reported and "allocated_resources" in status.model_fields_set:
        later = [_milli(status.allocated_resources), _milli(status.resources.requests)]
    else:
        later = [_sum(pod, _allocated, defaults), _sum(pod, _actual, defaults)]
    return _largest(later if _infeasible(pod) else [stated, *later])


def _stated(container: Container, _status: ContainerStatus | None, _infeasible: bool) -> _Amounts:
    return container.resources.requests


def _allocated(container: Container, status: ContainerStatus | None, infeasible: bool) -> _Amounts:
    if status is not None and "allocated_resources" in status.model_fields_set:
        return status.allocated_resources
    return {} if infeasible else container.resources.requests


def _actual(container: Container, status: ContainerStatus | None, infeasible: bool) -> _Amounts:
    resources = None if status is None else status.resources
    if resources is not None and "requests" in resources.model_fields_set:
        return resources.requests
    return _allocated(container, status, infeasible)


def _sum(pod: Pod, source: _Source, defaults: _Amounts) -> Requests:
    """Containers and sidecars together, or the init container that needs more."""
    statuses = {s.name: s for s in (*pod.status.init_container_statuses, *pod.status.container_statuses)}
    infeasible = _infeasible(pod)

    def amounts(container: Container) -> _Amounts:
        return {**defaults, **_milli(source(container, statuses.get(container.name), infeasible))}

    total: Requests = {}
    for container in pod.spec.containers:
        _add(total, amounts(container))
    sidecars: Requests = {}
    peak: Requests = {}
    for container in pod.spec.init_containers:
        needs = dict(amounts(container))
        if container.restart_policy == "Always":
            _add(total, needs)
            _add(sidecars, needs)
            needs = sidecars
        else:
            _add(needs, sidecars)
        peak = _largest((peak, needs))
    return _largest((total, peak))


def _infeasible(pod: Pod) -> bool:
    pending = next((c for c in pod.status.conditions if c.type == "PodResizePending"), None)
    return pending is not None and pending.reason == "Infeasible"


def _milli(quantities: _Amounts) -> _Amounts:
    return {name: milli(nano) for name, nano in quantities.items()}


def _add(total: Requests, amounts: _Amounts) -> None:
    for name, amount in amounts.items():
        total[name] = total.get(name, 0) + amount


def _largest(sources: Iterable[_Amounts]) -> Requests:
    result: Requests = {}
    for source in sources:
        for name, amount in source.items():
            result[name] = max(result.get(name, amount), amount)
    return result
