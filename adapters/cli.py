"""The command line: one verb, one answer."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .. import __version__
from ..model.errors import BadInput, KubestowError

if TYPE_CHECKING:
    from rich.console import Console

    from ..solver.result import Limits
    from .inputs import Loaded
    from .output.documents import Document

app = typer.Typer(
    name="kubestow",
    help="Provably good placements of Kubernetes pods, compared with kube-scheduler's greedy cycle.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


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


class Preemption(StrEnum):
    """What the greedy replica does about preemption."""

    LOOK = "look"
    CARRY_OUT = "carry-out"
    OFF = "off"


class Expansion(StrEnum):
    """Which workloads are expanded to the pods they lack."""

    MANIFESTS = "manifests"
    ALL = "all"
    NONE = "none"


class FailOn(StrEnum):
    """What makes the exit status 3."""

    UNPLACED = "unplaced"
    VIOLATIONS = "violations"
    GAP = "gap"


Files = Annotated[
    list[str] | None,
    typer.Option(
        "-f", "--file", help="A file, a folder, an archive, or - for standard input; may be repeated."
    ),
]
Scenario = Annotated[str | None, typer.Option(help="A bundled cluster: NAME[,key=value,...].")]
Config = Annotated[str | None, typer.Option(help="A file with a KubeSchedulerConfiguration.")]
Scheduler = Annotated[
    str | None, typer.Option("--scheduler-name", help="Take pods of unknown schedulers as this profile's.")
]
KeepGoing = Annotated[bool, typer.Option("--keep-going", help="Drop bad objects with a warning each.")]
Workloads = Annotated[
    Expansion, typer.Option(help="Whose missing pods to add: manifests', all workloads', or none.")
]
CronJobs = Annotated[bool, typer.Option("--cronjobs", help="Add the pods of one run of each CronJob.")]
Output = Annotated[Format, typer.Option("-o", "--output", help="How to print the answer.")]
Asked = Annotated[
    Question,
    typer.Option(help="Which running pods may lose their place: none; lower priorities; all that can move."),
]
Goal = Annotated[Preset, typer.Option(help="What good means.")]
Stages = Annotated[
    StageList,
    typer.Option(
        help="published: per priority most pods, then fewest moves (arXiv 2511.08373); running pods may move."
    ),
]
ProfileName = Annotated[
    str | None, typer.Option("--profile", help="Profile whose weights count; default the first.")
]
TimeLimit = Annotated[float, typer.Option(min=0.1, help="Wall seconds for the solver.")]
Gap = Annotated[float, typer.Option(min=0.0, help="Stop at this relative gap, such as 0.01.")]
Seed = Annotated[int, typer.Option(min=0, max=2**31 - 1, help="Of everything random.")]
Workers = Annotated[int, typer.Option(min=0, help="Processor threads for CP-SAT; 0 for one per core.")]
Deterministic = Annotated[
    float | None,
    typer.Option("--deterministic-limit", min=0.01, help="Count work instead of time: repeatable."),
]
Fail = Annotated[list[FailOn] | None, typer.Option("--fail-on", help="Exit with 3 when this is so.")]


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"kubestow {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    del version


@app.command()
def compare(
    file: Files = None,
    scenario: Scenario = None,
    question: Asked = Question.PENDING,
    preset: Goal = Preset.SPREAD,
    stages: Stages = StageList.DEFAULT,
    profile: ProfileName = None,
    config: Config = None,
    scheduler_name: Scheduler = None,
    time_limit: TimeLimit = 60.0,
    gap: Gap = 0.0,
    seed: Seed = 0,
    workers: Workers = 0,
    deterministic_limit: Deterministic = None,
    keep_going: KeepGoing = False,
    workloads: Workloads = Expansion.MANIFESTS,
    cronjobs: CronJobs = False,
    fail_on: Fail = None,
    output: Output = Format.TABLE,
) -> None:
    """Current, greedy and optimal placement side by side, with bound and gap."""
    from ..solver.compare import compare as run
    from .output import build, tables

    loaded = _load(file, scenario, config, scheduler_name, keep_going, workloads, cronjobs)
    limits = _limits(time_limit, gap, seed, workers, deterministic_limit)
    with _working(f"comparing, at most {time_limit:g} s"):
        found = run(
            loaded.cluster,
            loaded.configuration,
            question=question.value,
            preset=preset.value,
            stages=stages.value,
            profile=profile,
            limits=limits,
        )
    _print(
        output,
        loaded,
        lambda: build.comparison(loaded, found, limits),
        lambda console: tables.show_comparison(console, loaded, found),
    )
    _fail(fail_on, found.optimal.placement, len(found.result.violations), found.result.gap, gap)


@app.command()
def solve(
    file: Files = None,
    scenario: Scenario = None,
    question: Asked = Question.PENDING,
    preset: Goal = Preset.SPREAD,
    stages: Stages = StageList.DEFAULT,
    profile: ProfileName = None,
    config: Config = None,
    scheduler_name: Scheduler = None,
    time_limit: TimeLimit = 60.0,
    gap: Gap = 0.0,
    seed: Seed = 0,
    workers: Workers = 0,
    deterministic_limit: Deterministic = None,
    keep_going: KeepGoing = False,
    workloads: Workloads = Expansion.MANIFESTS,
    cronjobs: CronJobs = False,
    fail_on: Fail = None,
    output: Output = Format.TABLE,
) -> None:
    """The optimal batch placement, with an order in which kube-scheduler admits it."""
    from ..solver.solve import solve as run
    from .output import build, tables

    loaded = _load(file, scenario, config, scheduler_name, keep_going, workloads, cronjobs)
    limits = _limits(time_limit, gap, seed, workers, deterministic_limit)
    with _working(f"solving, at most {time_limit:g} s"):
        found = run(
            loaded.cluster,
            loaded.configuration,
            question=question.value,
            preset=preset.value,
            stages=stages.value,
            profile=profile,
            limits=limits,
        )
    _print(
        output,
        loaded,
        lambda: build.placement(loaded, found, limits),
        lambda console: tables.show_result(console, loaded, found),
    )
    _fail(fail_on, found.placement, len(found.violations), found.gap, gap)


@app.command()
def schedule(
    file: Files = None,
    scenario: Scenario = None,
    config: Config = None,
    scheduler_name: Scheduler = None,
    seed: Annotated[
        int | None, typer.Option(help="Break ties at random; by default the first name wins.")
    ] = None,
    preemption: Annotated[Preemption, typer.Option(help="Whether victims are evicted.")] = Preemption.LOOK,
    keep_going: KeepGoing = False,
    workloads: Workloads = Expansion.MANIFESTS,
    cronjobs: CronJobs = False,
    fail_on: Fail = None,
    output: Output = Format.TABLE,
) -> None:
    """What kube-scheduler would do, pod by pod."""
    from ..solver.greedy import schedule as run
    from .output import build, tables

    loaded = _load(file, scenario, config, scheduler_name, keep_going, workloads, cronjobs)
    began = time.monotonic()
    found = run(loaded.cluster, loaded.configuration, seed=seed, preemption=preemption.value)
    seconds = time.monotonic() - began
    _print(
        output,
        loaded,
        lambda: build.schedule(loaded, found, seed, seconds),
        lambda console: tables.show_schedule(console, found),
    )
    _fail(fail_on, found.placement, 0, None, 0.0)


@app.command()
def explain(
    pod: Annotated[list[str] | None, typer.Argument(help="namespace/name; default all pending pods.")] = None,
    file: Files = None,
    scenario: Scenario = None,
    config: Config = None,
    scheduler_name: Scheduler = None,
    keep_going: KeepGoing = False,
    workloads: Workloads = Expansion.MANIFESTS,
    cronjobs: CronJobs = False,
    output: Output = Format.TABLE,
) -> None:
    """Per pod: every node with plugin and reason, scores by plugin, and the FitError sentence."""
    from ..solver.greedy import explain as run
    from .output import build, tables

    loaded = _load(file, scenario, config, scheduler_name, keep_going, workloads, cronjobs)
    wanted = _pods(loaded, pod)
    began = time.monotonic()
    records = run(loaded.cluster, loaded.configuration, wanted)
    seconds = time.monotonic() - began
    _print(
        output,
        loaded,
        lambda: build.explanation(loaded, records, seconds),
        lambda console: tables.show_explanation(console, records),
    )


@app.command()
def verify(
    placement: Annotated[
        str, typer.Option(help="A Placement document, or CSV lines pod,node; - for standard input.")
    ],
    file: Files = None,
    scenario: Scenario = None,
    preset: Goal = Preset.SPREAD,
    profile: ProfileName = None,
    config: Config = None,
    scheduler_name: Scheduler = None,
    keep_going: KeepGoing = False,
    workloads: Workloads = Expansion.MANIFESTS,
    cronjobs: CronJobs = False,
    fail_on: Fail = None,
    output: Output = Format.TABLE,
) -> None:
    """Check a placement of any origin against the cluster, independently of the solver."""
    from ..model.evaluate import evaluate
    from ..model.final import FinalState
    from ..model.verify import verify as run
    from .output import build, tables
    from .placement_file import read_placement

    loaded = _load(file, scenario, config, scheduler_name, keep_going, workloads, cronjobs)
    wanted = read_placement(placement)
    began = time.monotonic()
    final = FinalState(loaded.cluster, wanted, configuration=loaded.configuration)
    found = run(final)
    score = evaluate(final, preset=preset.value, profile=profile)
    seconds = time.monotonic() - began
    _print(
        output,
        loaded,
        lambda: build.verification(loaded, found, score, seconds),
        lambda console: tables.show_verification(console, found),
    )
    _fail(fail_on, wanted, len(found.broken), None, 0.0)


@app.command()
def bench(
    name: Annotated[str, typer.Argument(help="Such as priority-matters; an unknown name lists all.")],
    seeds: Annotated[str, typer.Option(help="Such as 3, 0..9 or 0..3,7.")] = "0..2",
    only: Annotated[
        list[str] | None, typer.Option(help="Only cases with KEY=VALUE, or KEY=VALUE|VALUE; may be repeated.")
    ] = None,
    time_limit: Annotated[
        float | None, typer.Option(min=0.1, help="Wall seconds per run; default what the case is known for.")
    ] = None,
    workers: Workers = 0,
    output_file: Annotated[
        str | None,
        typer.Option(help="JSON lines: runs that are in it are not made again, new ones are added."),
    ] = None,
    output: Output = Format.TABLE,
) -> None:
    """A benchmark with its baselines: one row per run, and a Markdown report."""
    from pathlib import Path

    from .bench import registry, runner
    from .bench.report import report

    chosen = registry.benchmark(name)
    wanted = runner.runs(chosen, only or [], runner.seeds_of(seeds), time_limit, workers)
    path = Path(output_file) if output_file else None
    began = time.monotonic()
    with _working(f"{len(wanted)} runs") as status:
        rows = runner.carry_out(chosen, wanted, path, status.update)
    if output is Format.TABLE:
        typer.echo(report(chosen, rows), nl=False)
        return
    from .output.build import benchmark

    _write(output, benchmark(name, rows, time.monotonic() - began))


@app.command()
def scenarios() -> None:
    """The bundled clusters and generators."""
    from rich.console import Console

    from .. import scenarios as bundled
    from .output.tables import show_scenarios

    show_scenarios(Console(), [(name, bundled.describe(name)) for name in bundled.names()])


@app.command()
def schema(kind: Annotated[str, typer.Argument(help="Such as Placement or Comparison.")]) -> None:
    """The JSON Schema of an output kind."""
    import json

    from .output.documents import KINDS

    if kind not in KINDS:
        raise BadInput(f"there is no kind {kind!r}; there are {', '.join(KINDS)}")
    typer.echo(json.dumps(KINDS[kind].model_json_schema(by_alias=True), indent=2))


def _load(
    files: list[str] | None,
    scenario: str | None,
    config: str | None,
    scheduler: str | None,
    keep_going: bool,
    workloads: Expansion,
    cronjobs: bool,
) -> Loaded:
    from .inputs import load

    return load(
        files or [],
        scenario,
        configuration=config,
        scheduler_name=scheduler,
        keep_going=keep_going,
        workloads=workloads.value,
        cronjobs=cronjobs,
    )


def _limits(time_limit: float, gap: float, seed: int, workers: int, deterministic: float | None) -> Limits:
    from ..solver.result import Limits

    return Limits(time=time_limit, gap=gap, seed=seed, workers=workers, deterministic=deterministic)


def _pods(loaded: Loaded, wanted: list[str] | None) -> list[str] | None:
    if not wanted:
        return None
    keys = [key if "/" in key else f"default/{key}" for key in wanted]
    for key in keys:
        known = loaded.cluster.pod_by_key.get(key)
        if known is None:
            raise BadInput(f"the input has no pod {key!r}; name it as namespace/name")
        if known.node_name:
            raise BadInput(f"pod {key} is on node {known.node_name} already; explain looks at pending pods")
    return keys


def _print(
    output: Format, loaded: Loaded, document: Callable[[], Document], table: Callable[[Console], None]
) -> None:
    from rich.console import Console

    from .output.tables import show_warnings

    if output is Format.TABLE:
        show_warnings(Console(stderr=True, highlight=False), loaded)
        table(Console(highlight=False))
        return
    _write(output, document())


def _write(output: Format, document: Document) -> None:
    data = document.model_dump(mode="json", by_alias=True)
    sys.stdout.write(_json(data) if output is Format.JSON else _yaml(data))


def _json(data: dict[str, Any]) -> str:
    import orjson

    return orjson.dumps(data, option=orjson.OPT_INDENT_2).decode() + "\n"


def _yaml(data: dict[str, Any]) -> str:
    import yaml

    return yaml.safe_dump(data, sort_keys=False, allow_unicode=True)


def _working(what: str) -> Any:
    from rich.console import Console

    return Console(stderr=True).status(what)


def _fail(
    wanted: list[FailOn] | None, placement: Any, violations: int, gap: float | None, allowed: float
) -> None:
    hit = {
        FailOn.UNPLACED: any(node is None for node in placement.values()),
        FailOn.VIOLATIONS: violations > 0,
        FailOn.GAP: gap is None or gap > allowed,
    }
    found = [reason.value for reason in wanted or [] if hit[reason]]
    if found:
        typer.echo(f"kubestow: --fail-on {', '.join(found)} was hit", err=True)
        raise typer.Exit(3)


def main() -> None:
    """Run the command line; no traceback ever reaches the user."""
    try:
        app()
    except BadInput as error:
        _complain(str(error), 2)
    except KubestowError as error:
        _complain(str(error), 1)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except (KeyboardInterrupt, MemoryError, RecursionError) as error:
        _complain(type(error).__name__, 1)
    except Exception as error:
        _complain(f"internal error: {type(error).__name__}: {error}; please report it with the input", 1)


def _complain(message: str, status: int) -> None:
    from .output.text import safe

    sys.stderr.write(f"kubestow: {safe(message)}\n")
    sys.exit(status)
