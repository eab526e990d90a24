"""Pod logs inside ``kubectl cluster-info dump`` on standard output."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

_START = "==== START logs for container "
_MARK = re.compile(r"^==== (START|END) logs for container (\S+) of pod (\S+) ====[ \t\r]*$", re.MULTILINE)


class OpenLog(ValueError):
    """A log without its end; the reader turns it into BadInput."""


def without_logs(text: str) -> tuple[str, tuple[str, ...]]:
    """`text` without its log sections, and the pods whose logs are doubtful.

    No line of JSON or YAML can start like the marks around a log, but a log may
    hold anything, these marks included. A section therefore ends at the *last*
    mark with its own container and pod, and is doubtful if there are marks inside.

    Returns
    -------
    text : str
    doubtful : tuple of str
        ``namespace/name``; objects around these logs may be lost.

    Raises
    ------
    OpenLog
        When a log has no end.
    """
    if _START not in text:
        return text, ()
    marks = list(_MARK.finditer(text))
    kept: list[str] = []
    doubtful: list[str] = []
    position = 0
    for start, end, clean in _sections(marks):
        kept.append(text[position : start.start()])
        position = end.end()
        if not clean:
            doubtful.append(start[3])
    return "".join((*kept, text[position:])), tuple(doubtful)


def _sections(marks: Sequence[re.Match[str]]) -> list[tuple[re.Match[str], re.Match[str], bool]]:
    last = {mark.groups()[1:]: index for index, mark in enumerate(marks) if mark[1] == "END"}
    times = Counter(mark.groups() for mark in marks)
    sections: list[tuple[re.Match[str], re.Match[str], bool]] = []
    index = 0
    while index < len(marks):
        start = marks[index]
        end = last.get(start.groups()[1:], -1)
        if start[1] == "END" or end <= index:
            raise OpenLog(
                f"the log of container {start[2][:64]!r} of pod {start[3][:128]!r} has no start or no end"
            )
        sections.append((start, marks[end], end == index + 1 and times[start.groups()] == 1))
        index = end + 1
    return sections
