"""How much the reader takes: input is hostile."""

from __future__ import annotations

from dataclasses import dataclass


class TooMuch(ValueError):
    """The input is past a limit; the reader turns it into BadInput."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What the reader refuses to go beyond.

    Parameters
    ----------
    total_bytes : int
        Of all files together, decompressed.
    files : int
        In directories and archives together.
    depth : int
        Nesting of a document.
    alias_nodes : int
        Values that the YAML aliases of one document stand for.
    """

    total_bytes: int = 4 * 2**30
    files: int = 200_000
    depth: int = 500
    alias_nodes: int = 1_000_000
