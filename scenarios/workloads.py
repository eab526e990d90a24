"""Pod classes for generated clusters: sizes, requests and the rules each class carries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from ..model.api import PodSpec
from .machines import DEDICATED, HOSTNAME, INSTANCE_TYPE, SPOT, TYPES, ZONE, ZONES

SELF_GATHERING_SHARE = 0.05
_CPU = (50, 100, 100, 200, 250, 500, 500, 1000, 2000)
_MIB_PER_CORE = (1024, 2048, 2048, 4096, 4096, 8192)
_CPU_STEP, _MEMORY_STEP = 5, 4


@dataclass(frozen=True, slots=True)
class Mix:
    """Which share of the classes carries which rule.

    Parameters
    ----------
    restricted : float
        Required node affinity to a label that 70 % of the nodes have.
    tolerating : float
        Toleration of the taint that 10 % of the nodes have.
    preferring : float
        Two weighted node preferences.
    zone_spread, host_apart, zone_together : float
        Hard zone spread; required anti-affinity on the host; required affinity in the zone. Disjoint.
    soft : float
        Preferred affinity, preferred anti-affinity or soft spread, each on a third of these classes.
    priorities : int
        Number of priority tiers, dealt in turn.
    """

    restricted: float = 0.2
    tolerating: float = 0.3
    preferring: float = 0.2
    zone_spread: float = 0.0
    host_apart: float = 0.0
    zone_together: float = 0.0
    soft: float = 0.0
    priorities: int = 1


@dataclass(slots=True)
class PodClass:
    """One class while it is being made: how many pods, what they request, which rules they carry."""

    name: str
    count: int
    cpu: int
    memory: int
    spec: dict[str, Any] = field(default_factory=dict[str, Any])

    @property
    def labels(self) -> dict[str, str]:
        """Labels of each pod of the class."""
        return {"app": self.name}

    @property
    def image(self) -> str:
        """The one image of the class."""
        return f"registry.example/{self.name}:1.0"

    def add_affinity(self, kind: str, strength: str, term: Mapping[str, Any]) -> None:
        """Add one term, such as ``podAntiAffinity`` ``required``."""
        path = f"{strength}DuringSchedulingIgnoredDuringExecution"
        self.spec.setdefault("affinity", {}).setdefault(kind, {}).setdefault(path, []).append(term)

    def build(self) -> PodSpec:
        """The spec that all pods of the class share."""
        requests = {"cpu": f"{self.cpu}m", "memory": f"{self.memory}Mi"}
        container = {"name": "main", "image": self.image, "resources": {"requests": requests}}
        return PodSpec.model_validate({"containers": [container], **self.spec})


def pod_classes(random: Random, pods: int, classes: int, nodes: int, mix: Mix) -> list[PodClass]:
    """`classes` classes with `pods` pods in all, a few large ones and many small; requests still unscaled."""
    width = len(str(classes - 1))
    made: list[PodClass] = []
    for position, count in enumerate(_counts(random, pods, classes)):
        cpu = random.choice(_CPU) * random.uniform(0.8, 1.25)
        memory = cpu / 1000 * random.choice(_MIB_PER_CORE)
        made.append(PodClass(f"app-{position:0{width}}", count, round(cpu), round(memory)))
    _add_static_rules(random, made, mix)
    _add_relational_rules(random, made, nodes, mix)
    _add_soft_rules(random, made, mix)
    for position, pod_class in enumerate(made):
        if mix.priorities > 1:
            tier = position % mix.priorities
            pod_class.spec |= {"priority": tier * 1000, "priorityClassName": f"tier-{tier}"}
    return made


def scale(classes: Sequence[PodClass], cpu: float, memory: float) -> None:
    """Scale the requests of all classes to totals of `cpu` milli and `memory` MiB.

    No request grows past half of the smallest machine, so that every pod fits somewhere; few large pods
    therefore stay below the totals.
    """
    smallest = TYPES[0]
    _scale(classes, "cpu", cpu, smallest.cpu // 2, _CPU_STEP)
    _scale(classes, "memory", memory, smallest.memory // 2, _MEMORY_STEP)


def _scale(classes: Sequence[PodClass], field_name: str, total: float, cap: int, step: int) -> None:
    for _ in range(8):
        now = sum(getattr(each, field_name) * each.count for each in classes)
        for each in classes:
            setattr(each, field_name, min(cap, getattr(each, field_name) * total / now))
    for each in classes:
        setattr(each, field_name, max(step, round(getattr(each, field_name) / step) * step))


def _counts(random: Random, pods: int, classes: int) -> list[int]:
    weights = [1 / (rank + 1) ** 0.7 for rank in range(classes)]
    spare = pods - classes
    counts = [1 + int(spare * weight / sum(weights)) for weight in weights]
    counts[0] += pods - sum(counts)
    random.shuffle(counts)
    return counts


def _some(random: Random, classes: Sequence[PodClass], share: float) -> list[PodClass]:
    return random.sample(list(classes), round(share * len(classes)))


def _add_static_rules(random: Random, classes: Sequence[PodClass], mix: Mix) -> None:
    ssd = {"matchExpressions": [{"key": "disk", "operator": "In", "values": ["ssd"]}]}
    for each in _some(random, classes, mix.restricted):
        each.spec["affinity"] = {
            "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [ssd]}}
        }
    for each in _some(random, classes, mix.tolerating):
        each.spec["tolerations"] = [{"key": DEDICATED.key, "value": DEDICATED.value, "effect": "NoSchedule"}]
    for each in _some(random, classes, mix.tolerating):
        each.spec.setdefault("tolerations", []).append({"key": SPOT.key, "operator": "Exists"})
    for each in _some(random, classes, mix.preferring):
        for weight, key, value in (
            (80, INSTANCE_TYPE, random.choice(TYPES).name),
            (20, ZONE, random.choice(ZONES)),
        ):
            term = {"matchExpressions": [{"key": key, "operator": "In", "values": [value]}]}
            each.add_affinity("nodeAffinity", "preferred", {"weight": weight, "preference": term})


def _add_relational_rules(random: Random, classes: Sequence[PodClass], nodes: int, mix: Mix) -> None:
    by_size = sorted(classes, key=lambda each: each.count)
    small = by_size[: max(1, len(by_size) * 2 // 3)]
    random.shuffle(small)
    apart_count, together_count = (
        round(share * len(classes)) for share in (mix.host_apart, mix.zone_together)
    )
    apart, together = small[:apart_count], small[apart_count : apart_count + together_count]
    free = [each for each in classes if each not in apart and each not in together]
    spread = random.sample(free, min(len(free), round(mix.zone_spread * len(classes))))
    for each in spread:
        each.spec["topologySpreadConstraints"] = [
            _spread(each, ZONE, random.choice((1, 1, 2)), "DoNotSchedule")
        ]
    for each in apart:
        _limit(each, nodes // 2, by_size[-1])
        each.add_affinity("podAntiAffinity", "required", _term(each, HOSTNAME))
    pods = sum(each.count for each in classes)
    for position, each in enumerate(together):
        _limit(each, max(1, int(SELF_GATHERING_SHARE * pods)), by_size[-1])
        each.add_affinity(
            "podAffinity", "required", _term(spread[0] if position % 2 and spread else each, ZONE)
        )


def _add_soft_rules(random: Random, classes: Sequence[PodClass], mix: Mix) -> None:
    for position, each in enumerate(_some(random, classes, mix.soft)):
        weight = random.choice((10, 50, 100))
        match position % 3:
            case 0:
                each.add_affinity("podAffinity", "preferred", _weighted(weight, random.choice(classes), ZONE))
            case 1:
                each.add_affinity("podAntiAffinity", "preferred", _weighted(weight, each, HOSTNAME))
            case _:
                constraints = [_spread(each, key, 1, "ScheduleAnyway") for key in (ZONE, HOSTNAME)]
                each.spec.setdefault("topologySpreadConstraints", []).extend(constraints)


def _limit(pod_class: PodClass, most: int, other: PodClass) -> None:
    excess = max(0, pod_class.count - most)
    pod_class.count -= excess
    other.count += excess


def _term(target: PodClass, key: str) -> dict[str, Any]:
    return {"topologyKey": key, "labelSelector": {"matchLabels": target.labels}}


def _weighted(weight: int, target: PodClass, key: str) -> dict[str, Any]:
    return {"weight": weight, "podAffinityTerm": _term(target, key)}


def _spread(pod_class: PodClass, key: str, skew: int, mode: str) -> dict[str, Any]:
    selector = {"matchLabels": pod_class.labels}
    return {"maxSkew": skew, "topologyKey": key, "whenUnsatisfiable": mode, "labelSelector": selector}
