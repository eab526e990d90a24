"""Where input comes from: files, directories, archives, standard input; to named texts."""

from __future__ import annotations

import codecs
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
from typing import IO, cast

from ..invalid import printable, shown
from .limits import Limits, TooMuch
from .problems import Problems

STDIN = "-"
_MANIFEST = (".yaml", ".yml", ".json")
_ARCHIVE = (".tar", ".tar.gz", ".tgz")
_CHUNK = 1 << 20
_ENCODINGS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@dataclass(frozen=True, slots=True)
class Source:
    """A text and where it came from.

    Parameters
    ----------
    name : str
        For messages: the path, ``archive.tgz:member``, or ``<stdin>``; safe to print.
    file : str
        The file on disk.
    digest : str
        SHA-256 of that file, as it is on disk.
    text : str
        Decompressed and decoded.
    named : bool
        The user gave this very file, so it must hold objects; files found in a directory may hold anything.
    """

    name: str
    file: str
    digest: str
    text: str
    named: bool


class _Unusable(ValueError):
    """A file that cannot be used at all."""


class _Budget:
    """Counts what is read against the limits."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._bytes = 0
        self._files = 0

    def file(self) -> None:
        self._files += 1
        if self._files > self._limits.files:
            raise TooMuch(f"more than {self._limits.files} files; read fewer at once")

    def drain(self, stream: IO[bytes], expected: int = 0) -> bytes:
        """Everything in a stream, in one piece where its size is as expected."""
        chunks: list[bytes] = []
        size = max(_CHUNK, min(expected, self._limits.total_bytes) + 1)
        while chunk := stream.read(size):
            self._bytes += len(chunk)
            if self._bytes > self._limits.total_bytes:
                raise TooMuch(f"more than {self._limits.total_bytes} bytes in all; read less at once")
            chunks.append(chunk)
            size = _CHUNK
        return chunks[0] if len(chunks) == 1 else b"".join(chunks)


def sources(paths: Sequence[str], limits: Limits, problems: Problems) -> Iterator[Source]:
    """Everything that `paths` name, in order; directories sorted by path.

    What is missing, unreadable, damaged, empty of manifests or past the limits is reported to `problems`.
    """
    budget = _Budget(limits)
    for path in paths:
        if os.path.isdir(path):
            yield from _directory(Path(path), budget, problems)
        else:
            yield from _reported(path, budget, problems, named=True)


def _directory(root: Path, budget: _Budget, problems: Problems) -> Iterator[Source]:
    found = [path for path in root.rglob("*") if _wanted(path.relative_to(root)) and path.is_file()]
    if not found:
        problems.report(
            "the directory holds no .yaml, .yml or .json file; name one that does", file=printable(str(root))
        )
    for path in sorted(found):
        yield from _reported(str(path), budget, problems, named=False)


def _wanted(path: Path) -> bool:
    return _manifest(path.name) and not any(part.startswith(".") for part in path.parts)


def _manifest(name: str) -> bool:
    return name.lower().removesuffix(".gz").endswith(_MANIFEST)


def _reported(path: str, budget: _Budget, problems: Problems, *, named: bool) -> Iterator[Source]:
    try:
        yield from _file(path, budget, named=named)
    except OSError as error:
        problems.report(f"cannot be read: {error.strerror or error}", file=printable(path))
    except (_Unusable, TooMuch) as error:
        problems.report(str(error), file=printable(path))


def _file(path: str, budget: _Budget, *, named: bool) -> Iterator[Source]:
    budget.file()
    if path == STDIN:
        name, data = "<stdin>", budget.drain(sys.stdin.buffer)
    else:
        if "\0" in path:
            raise _Unusable("no file can have this name")
        name = printable(path)
        with open(path, "rb") as stream:
            data = budget.drain(stream, os.fstat(stream.fileno()).st_size)
    digest = hashlib.sha256(data).hexdigest()
    data = _unzipped(data, budget)
    if name.lower().endswith(_ARCHIVE) or data[257:262] == b"ustar":
        for member, text in _members(data, budget):
            yield Source(f"{name}:{printable(member)}", name, digest, text, named=False)
    else:
        source = Source(name, name, digest, _decoded(data), named=named)
        del data  # it may be as large as the text
        yield source


def _unzipped(data: bytes, budget: _Budget) -> bytes:
    if data[:2] != b"\x1f\x8b":
        return data
    try:
        return budget.drain(cast("IO[bytes]", gzip.GzipFile(fileobj=io.BytesIO(data))))
    except (OSError, EOFError, zlib.error) as error:
        raise _Unusable(f"the gzip data is damaged: {error}") from None


def _members(data: bytes, budget: _Budget) -> Iterator[tuple[str, str]]:
    # Members are read in memory and never extracted, so their paths cannot lead anywhere.
    try:
        archive = tarfile.open(fileobj=io.BytesIO(data), mode="r:")  # noqa: SIM115 - read below, member by member
        members = [member for member in archive if member.isfile() and _manifest(member.name)]
    except (tarfile.TarError, OSError, EOFError, ValueError) as error:
        raise _Unusable(f"the tar archive is damaged: {error}") from None
    if not members:
        raise _Unusable("the archive holds no .yaml, .yml or .json file")
    for member in sorted(members, key=lambda member: member.name):
        budget.file()
        yield member.name, _decoded(_unzipped(_content(archive, member, budget), budget))


def _content(archive: tarfile.TarFile, member: tarfile.TarInfo, budget: _Budget) -> bytes:
    try:
        stream = archive.extractfile(member)
        return budget.drain(stream) if stream else b""
    except (tarfile.TarError, OSError, EOFError, ValueError) as error:
        if isinstance(error, TooMuch):
            raise
        raise _Unusable(f"the tar archive is damaged: {error}") from None


def _decoded(data: bytes) -> str:
    encoding = next((name for mark, name in _ENCODINGS if data.startswith(mark)), "utf-8")
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        byte = shown(data[error.start : error.start + 1].hex())
        raise _Unusable(
            f"not {encoding} text: byte {byte} at offset {error.start}; convert it to UTF-8"
        ) from None
