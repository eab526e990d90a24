"""`read`: every kind of input to one cluster."""

from __future__ import annotations

import gc
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from ...model.cluster import Cluster
from ...model.completeness import incomplete
from ...model.errors import BadInput
from ...model.profile import SchedulerConfiguration
from ...model.unmodelled import unmodelled
from ...model.validity import invalid_selectors
from ...model.words import counted
from ..configuration import KIND as CONFIGURATION
from ..configuration import parse_configuration
from ..expand import Which, expand
from ..invalid import printable
from .collect import Collector
from .documents import RawObject, raw_objects
from .kinds import NOT_MODELLED, foreign, groups_of, taken
from .limits import Limits
from .problems import Problems
from .sources import Source, sources
from .unknown import say_empty

Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file that was read.

    Parameters
    ----------
    path : str
        Safe to print; ``<stdin>`` for standard input.
    digest : str
        SHA-256 of the file as it is on disk, in hexadecimal.
    objects : mapping of str to int
        How many objects of which kind it held, those that are not used included.
    """

    path: str
    digest: str
    objects: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Input:
    """What was read.

    Parameters
    ----------
    cluster : Cluster
        Not yet admitted (`kubestow.model.admission.admit`).
    configuration : SchedulerConfiguration or None
        If the input held a KubeSchedulerConfiguration.
    files : tuple of InputFile
        In the order they were read.
    """

    cluster: Cluster
    configuration: SchedulerConfiguration | None = None
    files: tuple[InputFile, ...] = ()

    @property
    def objects(self) -> Mapping[str, int]:
        """How many objects of which kind all files held together."""
        return dict(sum((Counter(file.objects) for file in self.files), Counter[str]()))


def read(
    paths: Paths,
    *,
    keep_going: bool = False,
    workloads: Which = "manifests",
    cronjobs: bool = False,
    limits: Limits | None = None,
) -> Input:
    """Read a cluster from files, directories, archives or standard input (``-``).

    Takes multi-document YAML, JSON documents one after another, ``kind: List``
    and typed lists, ``.gz``, ``.tar.gz``, ``kubectl get -o yaml|json``,
    ``kubectl cluster-info dump``, ``kwokctl snapshot export``, must-gather trees.

    Parameters
    ----------
    paths : str or path, or a sequence of them
    keep_going : bool
        Drop what is bad, with a warning each, instead of raising.
    workloads : str
        Which workloads are expanded to the pods that they lack: ``manifests`` (those that no API server has
        stored), ``all`` or ``none``.
    cronjobs : bool
        Whether each of those CronJobs runs once more.
    limits : Limits, optional
        What to refuse to go beyond.

    Raises
    ------
    BadInput
        Naming file, document, object and field, as far as they are known.
    """
    given = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    reader = _Reader(Problems(keep_going=keep_going), limits or Limits(), workloads, cronjobs)
    with _no_collection():
        return reader.read([os.fspath(path) for path in given])


@contextmanager
def _no_collection() -> Iterator[None]:
    """Millions of objects are made and none is garbage: do not look for any meanwhile.

    Freezing and unfreezing calls them old, so that the next look does not visit all of them.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.unfreeze()
        if enabled:
            gc.enable()


@dataclass(slots=True)
class _Reader:
    problems: Problems
    limits: Limits
    workloads: Which
    cronjobs: bool
    configuration: SchedulerConfiguration | None = None
    digests: dict[str, str] = field(default_factory=dict)
    counts: dict[str, Counter[str]] = field(default_factory=dict)
    foreign: Counter[tuple[str, str]] = field(default_factory=Counter)

    def read(self, paths: list[str]) -> Input:
        collector = Collector(self.problems)
        for source in sources(paths, self.limits, self.problems):
            self._source(source, collector)
        cluster = collector.cluster()
        if not cluster.kinds and self.configuration is None:
            files = ", ".join(map(printable, paths))
            raise BadInput("nothing in it matters to scheduling, such as a Node or a Pod", file=files)
        self.problems.add(incomplete(cluster))
        cluster = self._expanded(cluster, collector)
        say_empty(cluster, self.problems)
        self._say_foreign()
        self._say_not_modelled(cluster)
        return self._input(cluster)

    def _input(self, cluster: Cluster) -> Input:
        files = tuple(
            InputFile(path, digest, dict(self.counts[path])) for path, digest in self.digests.items()
        )
        warnings = tuple(self.problems.warnings)
        return Input(cluster.with_changes(warnings=warnings), self.configuration, files)

    def _source(self, source: Source, collector: Collector) -> None:
        self.digests[source.file] = source.digest
        counts = self.counts.setdefault(source.file, Counter())
        for raw in raw_objects(source, self.limits, self.problems):
            counts[raw.kind] += raw.fields is not None
            if taken(raw.kind, raw.api_version):
                collector.add(raw)
            elif foreign(raw.kind, raw.api_version):
                self.foreign[raw.kind, raw.api_version] += raw.fields is not None
            elif raw.kind == CONFIGURATION and raw.fields is not None:
                self._configure(raw)

    def _configure(self, raw: RawObject) -> None:
        assert raw.fields is not None
        if self.configuration is not None:
            self.problems.report(
                "there is a second one; keep one", file=raw.file, document=raw.document, object=CONFIGURATION
            )
            return
        try:
            self.configuration = parse_configuration(raw.fields, file=raw.file, document=raw.document)
        except BadInput as error:
            self.problems.report(
                error.message, file=raw.file, document=raw.document, object=error.object, field=error.field
            )

    def _expanded(self, cluster: Cluster, collector: Collector) -> Cluster:
        while True:
            try:
                expanded = expand(cluster, which=self.workloads, cronjobs=self.cronjobs)
            except BadInput as error:
                file, document = collector.place(error.object)
                self.problems.report(
                    error.message, file=file, document=document, object=error.object, field=error.field
                )
                rest = tuple(workload for workload in cluster.workloads if workload.key != error.object)
                cluster = cluster.with_changes(workloads=rest)
            else:
                self.problems.add(expanded.warnings)
                return expanded

    def _say_foreign(self) -> None:
        for (kind, version), number in self.foreign.items():
            if number:
                objects, groups = counted(number, "object"), groups_of(kind)
                message = f"{objects} of {version} not read; the {kind} that counts is of {groups}"
                self.problems.warn("foreign-group", kind, "apiVersion", message)

    def _say_not_modelled(self, cluster: Cluster) -> None:
        counts = sum(self.counts.values(), Counter[str]())
        for kind, consequence in NOT_MODELLED.items():
            if counts[kind]:
                message = f"{counted(counts[kind], 'object')} not used: {consequence}"
                self.problems.warn("not-modelled", kind, "", message)
        self.problems.add(unmodelled(cluster))
        self.problems.add(invalid_selectors(cluster))
