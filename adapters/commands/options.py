"""Options that several verbs share, in groups; each group knows what it is for."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

from typer import Option

if TYPE_CHECKING:
    from ...solver.result import Limits
    from ..inputs import Loaded


class Format(StrEnum):
    """Output formats."""

    TABLE = "table"
    JSON = "json"
    YAML = "yaml"


class Question(StrEnum):
    """What may be placed."""

    PENDING = "pending"
    PREEMPT = "preempt"
    SCRATCH = "scratch"


class Preset(StrEnum):
    """What good means."""

    SPREAD = "spread"
    PACK = "pack"


class StageList(StrEnum):
    """In which order what is optimised."""

    DEFAULT = "default"
    PUBLISHED = "published"


class Expansion(StrEnum):
    """Which workloads are expanded to the pods they lack."""

    MANIFESTS = "manifests"
    ALL = "all"
    NONE = "none"


class FailOn(StrEnum):
    """What makes the exit status 3 after a solve."""

    UNPLACED = "unplaced"
    VIOLATIONS = "violations"
    GAP = "gap"


@dataclass(frozen=True)
class Source:
    """Where the cluster comes from."""

    file: Annotated[
        list[str] | None,
        Option(
            "-f", "--file", help="A file, a folder, an archive, or - for standard input; may be repeated."
        ),
    ] = None
    scenario: Annotated[str | None, Option(help="A bundled cluster: NAME[,key=value,...].")] = None
    config: Annotated[str | None, Option(help="A file with a KubeSchedulerConfiguration.")] = None
    scheduler_name: Annotated[
        str | None, Option(help="Take pods of unknown schedulers as this profile's.")
    ] = None
    keep_going: Annotated[bool, Option("--keep-going", help="Drop bad objects with a warning each.")] = False
    workloads: Annotated[
        Expansion, Option(help="Whose missing pods to add: manifests', all workloads', or none.")
    ] = Expansion.MANIFESTS
    cronjobs: Annotated[bool, Option("--cronjobs", help="Add the pods of one run of each CronJob.")] = False

    def load(self) -> Loaded:
        """Read it."""
        from ..inputs import load

        return load(
            self.file or [],
            self.scenario,
            configuration=self.config,
            scheduler_name=self.scheduler_name,
            keep_going=self.keep_going,
            workloads=self.workloads.value,
            cronjobs=self.cronjobs,
        )


@dataclass(frozen=True)
class Asked:
    """What is asked of the solver."""

    question: Annotated[
        Question,
        Option(help="Which running pods may lose their place: none; lower priorities; all that can move."),
    ] = Question.PENDING
    stages: Annotated[
        StageList,
        Option(
            help="published: per priority most pods, then fewest moves (arXiv 2511.08373);"
            " running pods may move."
        ),
    ] = StageList.DEFAULT


@dataclass(frozen=True)
class Goal:
    """What good means."""

    preset: Annotated[Preset, Option(help="What good means.")] = Preset.SPREAD
    profile: Annotated[str | None, Option(help="Profile whose weights count; default the first.")] = None


class Engine(StrEnum):
    """Where the work is done."""

    LOCAL = "local"


Workers = Annotated[int, Option(min=0, help="Processes that share the work; 0 for one per core.")]


@dataclass(frozen=True)
class Bounds:
    """What bounds the work."""

    time_limit: Annotated[float, Option(min=0.1, help="Wall seconds for the solver.")] = 60.0
    gap: Annotated[float, Option(min=0.0, help="Stop at this relative gap, such as 0.01.")] = 0.0
    seed: Annotated[int, Option(min=0, max=2**31 - 1, help="Of everything random.")] = 0
    engine: Annotated[Engine, Option(help="Where the work is done: on this machine.")] = Engine.LOCAL
    workers: Workers = 0
    deterministic_limit: Annotated[
        float | None, Option(min=0.01, help="Count work instead of time: repeatable.")
    ] = None

    @property
    def limits(self) -> Limits:
        """The same, as the solver takes it."""
        from ...solver.result import Limits

        return Limits(
            time=self.time_limit,
            gap=self.gap,
            seed=self.seed,
            workers=self.workers,
            deterministic=self.deterministic_limit,
        )


Output = Annotated[Format, Option("-o", "--output", help="How to print the answer.")]
FAIL = Option(
    help="Exit with 3 when this is so of the answer (in a comparison: of optimal); may be repeated."
)
"""``--fail-on``; verbs differ in the reasons that they can tell."""


@dataclass(frozen=True)
class Answer:
    """What becomes of the solver's answer."""

    fail_on: Annotated[list[FailOn] | None, FAIL] = None
    output: Output = Format.TABLE
