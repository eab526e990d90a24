"""The verb ``schedule``."""

from __future__ import annotations

import time
from enum import StrEnum
from typing import Annotated

from typer import Option

from . import answer
from .options import FAIL, Format, Output, Source


class FailOn(StrEnum):
    """What makes the exit status 3: there is no bound, and kube-scheduler breaks no rule that it knows."""

    UNPLACED = "unplaced"


class Preemption(StrEnum):
    """What the greedy replica does about preemption."""

    LOOK = "look"
    CARRY_OUT = "carry-out"
    OFF = "off"


def schedule(
    source: Source,
    fail_on: Annotated[list[FailOn] | None, FAIL] = None,
    output: Output = Format.TABLE,
    seed: Annotated[int | None, Option(help="Break ties at random; by default the first name wins.")] = None,
    preemption: Annotated[Preemption, Option(help="Whether victims are evicted.")] = Preemption.LOOK,
) -> None:
    """What kube-scheduler would do, pod by pod."""
    from ...solver.greedy import schedule as run
    from ..output import build, tables

    loaded = source.load()
    began = time.monotonic()
    found = run(loaded.cluster, loaded.configuration, seed=seed, preemption=preemption.value)
    seconds = time.monotonic() - began
    answer.show(
        output,
        loaded,
        lambda: build.schedule(loaded, found, seed, seconds),
        lambda console: tables.show_schedule(console, found),
    )
    answer.fail(fail_on, unplaced=None in found.placement.values())
