"""What a measurement depends on besides the program: the machine, and versions."""

from __future__ import annotations

import os
import platform
import resource
import sys
from functools import cache
from importlib.metadata import version
from pathlib import Path

_LIBRARIES = ("numpy", "ortools", "highspy")


@cache
def environment() -> dict[str, str]:
    """One line each about the machine and the versions."""
    versions = [f"kubestow {version('kubestow')}", f"Python {platform.python_version()}"]
    versions.extend(f"{name} {version(name)}" for name in _LIBRARIES)
    machine = f"{_processor()}, {os.cpu_count()} cores, {_memory()}"
    return {"machine": machine, "versions": ", ".join(versions)}


def _processor() -> str:
    """The processor's name as the system gives it."""
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _memory() -> str:
    size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return f"{size / 2**30:.0f} GiB"


def processor_seconds() -> float:
    """Spent by this process and by those it has waited for."""
    return sum(os.times()[:4])


def load_average() -> float:
    """Processes that wanted a core during the last minute; what others take is missing from a run."""
    return round(os.getloadavg()[0], 1)


def peak_memory() -> float:
    """Most memory that this process has held, in GiB."""
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(used / 2 ** (30 if sys.platform == "darwin" else 20), 2)
