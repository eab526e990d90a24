"""Solve one packing: most pods of the tier, then most of them where they are, each with its proof."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .columns import Columns
from .direct import Direct, size
from .effort import Effort
from .few import fewest_moves, most_placed
from .integer import Answer, reach
from .patterns import Patterns, patterns_of
from .problem import Packing

Ints = NDArray[np.int64]
_CELLS = 6_000_000
_COLUMNS = 20_000
_GOALS = 3
_BUILDING = 1e-4
"""Seconds of a model's share of the time that each of its counts asks for."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The best packing found, and what no packing passes.

    Parameters
    ----------
    content : array of int, shape (classes, nodes)
    most_placed : int
    most_kept : int or None
        With as many pods placed as in `content`; None when nothing is known.
    """

    content: Ints
    most_placed: int
    most_kept: int | None


def improve(packing: Packing, content: Ints, effort: Effort) -> Verdict:
    """Improve a packing as far as `effort` goes; `content` meets the demands."""
    placed, most = packing.placed(content), most_placed(packing)
    most_kept = _most_kept(packing, placed)
    if placed == most and packing.kept(content) == most_kept:
        return Verdict(content, placed, most_kept)
    limit = min(effort.patterns, _CELLS // max(len(packing.nodes), 1))
    patterns = patterns_of(packing, limit) if limit else None
    if patterns is not None:
        return _Improvement(packing, patterns, content, effort, most).run()
    if not effort.direct or size(packing) * _BUILDING > effort.direct * effort.left():
        return Verdict(content, most, most_kept)
    content, bound, kept = Direct(packing, content).solve(effort.solver(effort.direct))
    most_kept = _most_kept(packing, packing.placed(content))
    return Verdict(content, min(most, bound), most_kept if kept is None else min(kept, most_kept))


def _most_kept(packing: Packing, placed: int) -> int:
    """A bound that takes no search."""
    return int(packing.own[packing.mine].sum()) - fewest_moves(packing, placed)


class _Improvement:
    """The search for one packing."""

    def __init__(
        self, packing: Packing, patterns: Patterns, content: Ints, effort: Effort, most: int
    ) -> None:
        self._packing, self._patterns, self._effort = packing, patterns, effort
        self._content, self._most = content, most
        self._counting: Columns | None = None

    def run(self) -> Verdict:
        self._bound_placed()
        placed = self._packing.placed(self._content)
        most_kept: int | None = None
        for target in range(self._most, placed - 1, -1):
            most_kept = self._keep(target)
            if self._packing.placed(self._content) >= target or self._effort.left() < 0:
                break
            self._place(target)
            if self._packing.placed(self._content) >= target:
                break
        return Verdict(self._content, self._most, most_kept)

    def _bound_placed(self) -> None:
        placed = self._packing.placed(self._content)
        if placed < self._most:
            self._counting = Columns(self._packing, self._patterns, keep=False, placed=placed)
            self._counting.generate(self._effort.deadline, placed)
            self._most = min(self._most, max(self._counting.bound, placed))

    def _keep(self, target: int) -> int | None:
        """Look for the packing with `target` pods that moves the fewest; returns the bound on those kept."""
        packing = self._packing
        same = packing.placed(self._content) == target
        least = packing.kept(self._content) if same else -1
        bound = _most_kept(packing, target)
        if bound <= least:
            return bound
        columns = Columns(packing, self._patterns, keep=True, placed=target)
        in_time = columns.generate(self._effort.deadline, least)
        bound = max(least, min(bound, columns.bound))
        if not in_time:
            return bound
        for goal in range(bound, max(least, bound - _GOALS), -1):
            answer = self._reach(columns, goal)
            if answer.content is not None:
                self._content = answer.content
                return bound
            if not answer.impossible:
                return bound
            bound = goal - 1
        return max(bound, least)

    def _place(self, target: int) -> None:
        """Find any packing with `target` pods, or prove that there is none."""
        if self._counting is None:
            return
        answer = self._reach(self._counting, target)
        if answer.content is not None:
            self._content = answer.content
        elif answer.impossible:
            self._most = target - 1

    def _reach(self, columns: Columns, goal: int) -> Answer:
        if self._effort.left() < 0:
            return Answer()
        return reach(columns, goal, self._effort, _COLUMNS)
