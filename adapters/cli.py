"""The command line: one verb, one answer."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from .. import __version__
from ..model.errors import BadInput, KubestowError
from .commands.bench import bench
from .commands.compare import compare
from .commands.explain import explain
from .commands.grouped import grouped
from .commands.scenarios import scenarios
from .commands.schedule import schedule
from .commands.schema import schema
from .commands.solve import solve
from .commands.verify import verify


class _Group(TyperGroup):
    """The verbs; what is wrong with an option is said in our words, where typer takes pydantic's."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            error.message = _plain(error)
            raise


def _plain(error: typer.BadParameter) -> str:
    from pydantic import ValidationError

    from .invalid import first_problem

    cause = error.__cause__
    return first_problem(cause)[1] if isinstance(cause, ValidationError) else error.message


app = typer.Typer(
    name="kubestow",
    cls=_Group,
    help="Provably good placements of Kubernetes pods, compared with kube-scheduler's greedy cycle.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
VERBS = (compare, solve, schedule, explain, verify, bench, scenarios, schema)
for verb in VERBS:
    app.command()(grouped(verb))


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


def main() -> None:
    """Run the command line; no traceback ever reaches the user."""
    try:
        app()
    except BadInput as error:
        _complain(str(error), 2)
    except KubestowError as error:
        _complain(str(error), 1)
    except (KeyboardInterrupt, MemoryError, RecursionError) as error:
        _complain(type(error).__name__, 1)
    except Exception as error:
        _complain(f"internal error: {type(error).__name__}: {error}; please report it with the input", 1)


def _complain(message: str, status: int) -> None:
    from .output.text import safe

    sys.stderr.write(f"kubestow: {safe(message)}\n")
    sys.exit(status)
