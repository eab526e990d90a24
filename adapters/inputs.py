"""What every verb starts from: files or a scenario, read, admitted, with warnings and digests."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.resources import as_file
from pathlib import Path

from .. import scenarios
from ..model.admission import admit
from ..model.api import PodSpec
from ..model.cluster import Cluster
from ..model.errors import BadInput
from ..model.profile import SchedulerConfiguration
from ..model.reasons import Warning
from ..model.sizes import check_sizes
from .expand import Which
from .read import Input, InputFile, read


@dataclass(frozen=True)
class Loaded:
    """A cluster ready for the solver.

    Parameters
    ----------
    cluster : Cluster
        After admission.
    configuration : SchedulerConfiguration
    files : tuple of InputFile
    """

    cluster: Cluster
    configuration: SchedulerConfiguration
    files: tuple[InputFile, ...]

    @property
    def warnings(self) -> tuple[Warning, ...]:
        """What the user must know about the input."""
        return (*self.cluster.warnings, *self.configuration.warnings)


def load(
    files: Sequence[str],
    scenario: str | None = None,
    *,
    configuration: str | None = None,
    scheduler_name: str | None = None,
    keep_going: bool = False,
    workloads: Which = "manifests",
    cronjobs: bool = False,
) -> Loaded:
    """Read and admit the input of a verb.

    Parameters
    ----------
    files : sequence of str
        As given with ``-f``.
    scenario : str, optional
        As given with ``--scenario``; either this or files.
    configuration : str, optional
        File with a KubeSchedulerConfiguration; by default the one among the input, else the defaults.
    scheduler_name : str, optional
        Profile under which pods of unknown schedulers are taken too.
    keep_going : bool
        Drop bad objects with a warning each.
    workloads, cronjobs
        Whose missing pods are added, see `read`.

    Raises
    ------
    BadInput
    """
    if files and scenario:
        raise BadInput("-f and --scenario are both there; give one, not both")
    if not files and not scenario:
        raise BadInput(
            "say what to read: either -f FILE (a file, a folder, or - for standard input) or --scenario NAME"
        )
    take = partial(read, keep_going=keep_going, workloads=workloads, cronjobs=cronjobs)
    found = _scenario(scenario, take) if scenario else take(files)
    chosen = found.configuration
    if configuration is not None:
        chosen = read([configuration]).configuration
        if chosen is None:
            raise BadInput("holds no KubeSchedulerConfiguration", file=configuration)
    cluster = _mapped(found.cluster, chosen or SchedulerConfiguration(), scheduler_name)
    admitted = admit(cluster)
    check_sizes(admitted)
    return Loaded(admitted, chosen or SchedulerConfiguration(), found.files)


def _scenario(reference: str, take: Callable[[Path], Input]) -> Input:
    made = scenarios.load(reference)
    if isinstance(made, str):
        with as_file(scenarios.path(reference)) as path:
            found = take(path)
        files = tuple(InputFile(f"scenario:{reference}", file.digest, file.objects) for file in found.files)
        return Input(found.cluster, found.configuration, files)
    digest = hashlib.sha256(reference.encode()).hexdigest()
    counts = {"Node": len(made.nodes), "Pod": len(made.pods)}
    return Input(made, None, (InputFile(f"scenario:{reference}", digest, counts),))


def _mapped(cluster: Cluster, configuration: SchedulerConfiguration, name: str | None) -> Cluster:
    """Pods of schedulers without a profile, handed to the profile `name`."""
    if name is None:
        return cluster
    if configuration.profile(name) is None:
        known = ", ".join(profile.scheduler_name for profile in configuration.profiles)
        raise BadInput(f"--scheduler-name {name!r} has no profile; there are {known}")
    specs: dict[int, PodSpec] = {}

    def spec_of(spec: PodSpec) -> PodSpec:
        if id(spec) not in specs:
            specs[id(spec)] = spec.model_copy(update={"scheduler_name": name})
        return specs[id(spec)]

    pods = tuple(
        pod
        if configuration.profile(pod.spec.scheduler_name)
        else pod.model_copy(update={"spec": spec_of(pod.spec)})
        for pod in cluster.pods
    )
    return cluster.with_changes(pods=pods)
