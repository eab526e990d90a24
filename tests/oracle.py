"""The real scheduling framework as a function; absent on most machines."""

from __future__ import annotations

import json
import lzma
import os
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

from golden_cases import SHARED

CACHE = Path.home() / ".cache" / "kubestow"
ABSENT = f"the oracle is not at {SHARED.parent / 'oracle' / 'oracle.xz'}"


@cache
def path() -> Path | None:
    """The program, unpacked once into a cache folder; None where it is absent."""
    packed = SHARED.parent / "oracle" / "oracle.xz"
    program = CACHE / "oracle"
    if not packed.exists():
        return None
    if not program.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        partial = CACHE / f"oracle.{os.getpid()}"
        partial.write_bytes(lzma.decompress(packed.read_bytes()))
        partial.chmod(0o755)
        partial.replace(program)
    return program


def run(case: Path) -> dict[str, Any]:
    """Every verdict, score and preemption of a case, as the golden files hold them."""
    done = subprocess.run(
        [str(path()), "run", "-out", "-", str(case)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def write(case: Path, documents: list[dict[str, Any]]) -> Path:
    """The documents as a case file."""
    case.write_text("".join(f"---\n{json.dumps(document)}\n" for document in documents))
    return case


def replay(case: Path, claim: Path) -> dict[str, Any] | None:
    """What the real filters make of a claimed order and placement; None where the oracle itself panics.

    It does so where a plugin fails on a pod (as opposed to rejecting it), which the real cycle survives.
    """
    done = subprocess.run(
        [str(path()), "replay", str(case), str(claim)], capture_output=True, text=True, check=False
    )
    if "panic: " in done.stderr:
        return None
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
