"""The verbs as functions, under the same names as on the command line.

Heavy imports happen when a function is called, so that ``import kubestow`` is quick.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Literal

from ..model.admission import admit
from ..model.cluster import Cluster
from ..model.profile import SchedulerConfiguration
from ..model.sizes import check_sizes
from .inputs import Loaded, load

if TYPE_CHECKING:
    from ..model.verify import Verification
    from ..solver.compare import Comparison
    from ..solver.greedy import Record, Schedule
    from ..solver.result import Limits, Result

Source = Loaded | Cluster
"""What the verbs take: what `read` returns, or a cluster that was built in some other way."""


def read(
    *paths: str | os.PathLike[str],
    scenario: str | None = None,
    config: str | None = None,
    scheduler_name: str | None = None,
    keep_going: bool = False,
) -> Loaded:
    """Read a cluster.

    Parameters
    ----------
    *paths : str or path
        Files, folders or archives; ``-`` is standard input.
    scenario : str, optional
        Instead of paths: a bundled cluster, ``NAME[,key=value,…]``.
    config : str, optional
        File with a KubeSchedulerConfiguration; by default the one among the input, else the defaults.
    scheduler_name : str, optional
        Profile under which pods of unknown schedulers are taken too.
    keep_going : bool
        Drop bad objects with a warning each, instead of raising.

    Raises
    ------
    BadInput
        Naming file, document, object and field.
    """
    files = [os.fspath(path) for path in paths]
    return load(files, scenario, configuration=config, scheduler_name=scheduler_name, keep_going=keep_going)


def compare(
    source: Source,
    *,
    question: str = "pending",
    preset: str = "spread",
    stages: str = "default",
    profile: str | None = None,
    limits: Limits | None = None,
) -> Comparison:
    """Current, greedy and optimal placement side by side; arguments as for `solve`."""
    from ..solver.compare import compare as run

    given = _loaded(source)
    return run(
        given.cluster,
        given.configuration,
        question=question,
        preset=preset,
        stages=stages,
        profile=profile,
        limits=limits,
    )


def solve(
    source: Source,
    *,
    question: str = "pending",
    preset: str = "spread",
    stages: str = "default",
    profile: str | None = None,
    limits: Limits | None = None,
) -> Result:
    """The best batch placement, verified, with an order in which kube-scheduler admits it.

    Parameters
    ----------
    source : Loaded or Cluster
    question : str
        ``pending``: running pods stay. ``scratch``: all that can move is placed anew.
    preset : str
        ``spread`` or ``pack``.
    stages : str
        ``default``, or ``published``: per priority, most pods placed and then fewest running ones moved or
        evicted; all that may move may do so.
    profile : str, optional
        Profile whose weights count; default the first.
    limits : Limits, optional
        Time, gap, seed and workers.

    Raises
    ------
    BadInput
        For an unknown question, preset, stage list or profile.
    """
    from ..solver.solve import solve as run

    given = _loaded(source)
    return run(
        given.cluster,
        given.configuration,
        question=question,
        preset=preset,
        stages=stages,
        profile=profile,
        limits=limits,
    )


def schedule(
    source: Source, *, seed: int | None = None, preemption: Literal["look", "carry-out", "off"] = "look"
) -> Schedule:
    """What kube-scheduler would do, pod by pod; ties by name, or at random with a seed."""
    from ..solver.greedy import schedule as run

    given = _loaded(source)
    return run(given.cluster, given.configuration, seed=seed, preemption=preemption)


def explain(source: Source, pods: Collection[str] | None = None) -> list[Record]:
    """Every node's verdict and scores for pending pods (``namespace/name``; all by default), one by one."""
    from ..solver.greedy import explain as run

    given = _loaded(source)
    return run(given.cluster, given.configuration, pods)


def verify(source: Source, placement: Mapping[str, str | None]) -> Verification:
    """Check a placement of any origin (``namespace/name`` to node or None), independently of the solver."""
    from ..model.final import FinalState
    from ..model.verify import verify as run

    given = _loaded(source)
    return run(FinalState(given.cluster, placement, configuration=given.configuration))


def _loaded(source: Source) -> Loaded:
    if isinstance(source, Loaded):
        return source
    admitted = admit(source)
    check_sizes(admitted)
    return Loaded(admitted, SchedulerConfiguration(), ())
