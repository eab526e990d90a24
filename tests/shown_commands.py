"""Runs what the documentation shows: the commands of ```console blocks, the programs of ```python blocks.

A line after `$ ` is a command; what follows, up to the next one, is its output. `…` stands for any text
within a line, a line that is only `…` for any lines. A command without output just has to succeed.

``python tests/shown_commands.py --write`` puts the real output into the documents, with `…` for what varies
from run to run, and cuts it where the old output ended in a line that is only `…`.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kubestow import scenarios

ROOT = Path(__file__).parent.parent
ANY = "…"
BLOCK = re.compile(r"^```(console|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
VARIES = re.compile(r" *\d+(?:\.\d+)?(?= ?m?s\b)")
KUBECTL = """#!/bin/sh
exec cat "{cluster}"
"""


@dataclass(frozen=True)
class Shown:
    """A command or program in a document, with the output shown for it."""

    document: Path
    kind: str
    text: str
    output: str = ""

    def __str__(self) -> str:
        return f"{self.document.relative_to(ROOT)}: {self.text.partition(chr(10))[0]}"


def documents() -> list[Path]:
    """Every document a reader may meet."""
    return [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]


def shown() -> list[Shown]:
    """Everything that the documents show."""
    return [each for document in documents() for each in shown_in(document, document.read_text())]


def shown_in(document: Path, text: str) -> Iterator[Shown]:
    """What one document shows, in order."""
    for kind, body in BLOCK.findall(text):
        if kind == "python":
            yield Shown(document, kind, body)
            continue
        for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            yield Shown(document, kind, command, output)


def run(each: Shown) -> str:
    """Run it in an empty folder where `kubectl` prints the shop; its standard output, failure is an error."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "cluster.yaml").write_text(scenarios.text("shop"))
        kubectl = place / "bin" / "kubectl"
        kubectl.parent.mkdir()
        kubectl.write_text(KUBECTL.format(cluster=place / "cluster.yaml"))
        kubectl.chmod(0o755)
        program = ["sh", "-c", each.text] if each.kind == "console" else [sys.executable, "-c", each.text]
        done = subprocess.run(
            program, cwd=place, env=_environment(kubectl.parent), capture_output=True, text=True, check=False
        )
    if done.returncode:
        raise AssertionError(f"{each} ended with {done.returncode}: {done.stderr}{done.stdout}")
    return done.stdout


def _environment(bin: Path) -> dict[str, str]:
    path = os.pathsep.join((str(bin), str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    return {**os.environ, "PATH": path, "COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb", "PYTHONUTF8": "1"}


def agrees(wanted: str, output: str) -> bool:
    """Whether `output` is what is shown, `…` standing for anything."""
    pattern = ""
    for line in _lines(wanted):
        pattern += (
            r"(?:.*\n)*" if line == ANY else re.escape(line).replace(re.escape(ANY), r"[^\n]*") + r" *\n"
        )
    return re.fullmatch(pattern, "\n".join(_lines(output)) + "\n") is not None


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.rstrip("\n").split("\n")]


def masked(output: str) -> str:
    """`output` with `…` for what varies from run to run."""
    return "\n".join(_lines(VARIES.sub(f" {ANY}", output))) + "\n"


def rewritten(document: Path, text: str) -> str:
    """The text of `document` with the real output of every command whose output it shows."""
    for each in shown_in(document, text):
        if not each.output.strip():
            continue
        output = masked(run(each))
        if _lines(each.output)[-1] == ANY:
            kept = output.split("\n")[: len(_lines(each.output)) - 1]
            output = "\n".join((*kept, ANY)) + "\n"
        text = text.replace(f"$ {each.text}\n{each.output}", f"$ {each.text}\n{output}")
    return text


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        raise SystemExit(__doc__)
    for path in documents():
        before = path.read_text()
        after = rewritten(path, before)
        if after != before:
            path.write_text(after)
            print(f"rewrote {path.relative_to(ROOT)}")
