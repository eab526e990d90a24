"""Where input comes from: files, directories, archives, standard input; to named byte strings."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import sys
import tarfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...model.errors import BadInput
from .limits import Limits

_MANIFEST = (".yaml", ".yml", ".json")
_ARCHIVE = (".tar", ".tar.gz", ".tgz")
_CHUNK = 1 << 20
STDIN = "-"


@dataclass(frozen=True, slots=True)
class Source:
    """Some bytes and where they came from.

    Parameters
    ----------
    name : str
        For messages: the path, ``archive.tgz:member``, or ``<stdin>``.
    file : str
        The file on disk.
    digest : str
        SHA-256 of that file, as it is on disk.
    data : bytes
        Decompressed.
    named : bool
        The user gave this very file, so it must hold objects; files found in a directory may hold anything.
    """

    name: str
    file: str
    digest: str
    data: bytes
    named: bool


class _Budget:
    """Counts what is read against the limits."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._bytes = 0
        self._files = 0

    def file(self, name: str) -> None:
        self._files += 1
        if self._files > self._limits.files:
            raise BadInput(f"more than {self._limits.files} files; read fewer at once", file=name)

    def drain(self, stream: io.BufferedIOBase | gzip.GzipFile, name: str) -> bytes:
        chunks: list[bytes] = []
        while chunk := stream.read(_CHUNK):
            self._bytes += len(chunk)
            if self._bytes > self._limits.total_bytes:
                raise BadInput(f"more than {self._limits.total_bytes} bytes in all; read less at once", file=name)
            chunks.append(chunk)
        return b"".join(chunks)


def sources(paths: Sequence[str], limits: Limits) -> Iterator[Source]:
    """Everything that `paths` name, in order; directories sorted by path.

    Raises
    ------
    BadInput
        For what is missing, unreadable, damaged, empty of manifests or past the limits.
    """
    budget = _Budget(limits)
    for path in paths:
        if path == STDIN:
            yield from _open("<stdin>", sys.stdin.buffer.read, budget, named=True)
        elif os.path.isdir(path):
            yield from _directory(Path(path), budget)
        else:
            yield from _file(path, budget, named=True)


def _directory(root: Path, budget: _Budget) -> Iterator[Source]:
    found = 0
    for path in sorted(path for path in root.rglob("*") if _manifest(path.name) and path.is_file()):
        found += 1
        yield from _file(str(path), budget, named=False)
    if not found:
        raise BadInput("the directory holds no .yaml, .yml or .json file; name one that does", file=str(root))


def _manifest(name: str) -> bool:
    return name.lower().removesuffix(".gz").endswith(_MANIFEST)


def _file(path: str, budget: _Budget, *, named: bool) -> Iterator[Source]:
    try:
        data = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise BadInput(f"cannot be read: {reason}", file=path) from None
    yield from _unpack(path, data, budget, named=named)


def _open(name, read, budget, *, named):
    yield from _unpack(name, read(), budget, named=named)


def _unpack(name: str, data: bytes, budget: _Budget, *, named: bool) -> Iterator[Source]:
    budget.file(name)
    digest = hashlib.sha256(data).hexdigest()
    text = _gunzip(name, data, budget)
    if name.lower().endswith(_ARCHIVE) or text[257:262] == b"ustar":
        for member, content in _members(name, text, budget):
            yield Source(f"{name}:{member}", name, digest, content, named=False)
    else:
        yield Source(name, name, digest, text, named=named)


def _gunzip(name: str, data: bytes, budget: _Budget) -> bytes:
    if data[:2] != b"\x1f\x8b":
        return budget.drain(io.BytesIO(data), name)
    try:
        return budget.drain(gzip.GzipFile(fileobj=io.BytesIO(data)), name)
    except (OSError, EOFError, zlib.error) as error:
        raise BadInput(f"damaged gzip data: {error}", file=name) from None


def _members(name: str, data: bytes, budget: _Budget) -> Iterator[tuple[str, bytes]]:
    found = 0
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
            members = [member for member in archive if member.isfile() and _manifest(member.name)]
            for member in sorted(members, key=lambda member: member.name):
                stream = archive.extractfile(member)
                assert stream is not None
                budget.file(name)
                found += 1
                yield member.name, _gunzip(member.name, stream.read(), budget)
    except (tarfile.TarError, OSError, EOFError, ValueError) as error:
        raise BadInput(f"damaged tar archive: {error}", file=name) from None
    if not found:
        raise BadInput("the archive holds no .yaml, .yml or .json file", file=name)
