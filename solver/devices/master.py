"""The linear program over node patterns: how often to use each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .instance import DeviceInstance, Ints
from .pricing import Pattern
from .program import ColumnProgram

Floats = NDArray[np.float64]


class Master:
    """Patterns, within the pods and nodes that are left.

    Parameters
    ----------
    instance : DeviceInstance
    worth : sequence of float
        Worth of a pod of each class.

    Attributes
    ----------
    patterns : list of Pattern
    """

    def __init__(self, instance: DeviceInstance, worth: Sequence[float]) -> None:
        self._instance = instance
        self._worth = [float(each) for each in worth]
        self._program = ColumnProgram([*instance.count.tolist(), *instance.size.tolist()])
        self._columns: list[int] = []
        self._known: set[Pattern] = set()
        self._box: list[tuple[int, int]] = []
        self.patterns: list[Pattern] = []

    @property
    def value(self) -> float:
        """Worth of the last solution."""
        return self._program.value

    @property
    def pod_price(self) -> Floats:
        """Shape (classes,): what a further pod would be worth."""
        return self._program.dual[: self._instance.classes]

    @property
    def node_price(self) -> Floats:
        """Shape (groups,): what a further node would be worth."""
        return self._program.dual[self._instance.classes :]

    @property
    def times(self) -> Floats:
        """Shape (patterns,): how often the last solution uses each pattern; those added since, not at all."""
        later = self._program.columns - len(self._program.primal)
        return np.append(self._program.primal, np.zeros(later))[self._columns]

    def offer(self, pattern: Pattern) -> bool:
        """Add a pattern; False when it is there already."""
        if pattern in self._known:
            return False
        self._known.add(pattern)
        rows = [c for c, _ in pattern.pods] + [self._instance.classes + pattern.group]
        amounts = [float(number) for _, number in pattern.pods] + [1.0]
        self._columns.append(self._program.add(pattern.amount(self._worth), rows, amounts))
        self.patterns.append(pattern)
        return True

    def solve(self, seconds: float) -> bool:
        """Solve; False when there is no solution in time, and the last one stays."""
        return seconds > 0 and self._program.solve(seconds)

    def box(self, centre: Floats, width: float) -> None:
        """Hold every price within `width` of `centre`, shape (classes + groups,), by trading pods and nodes.

        Prices of a program with few patterns jump about; held near good ones, they
        lead to useful patterns at once (du Merle, Villeneuve, Desrosiers and Hansen, 1999).
        """
        for row, price in enumerate(centre.tolist()):
            sold = self._program.add(max(price - width, 0.0), [row], [1.0])
            bought = self._program.add(-(price + width), [row], [-1.0])
            self._box.append((sold, bought))

    def unbox(self) -> None:
        """Stop trading."""
        for pair in self._box:
            for column in pair:
                self._program.cap(column, 0.0)
        self._box.clear()

    @property
    def boxed(self) -> bool:
        """Whether prices are held."""
        return bool(self._box)

    def restrict(self, left: Ints, free: Ints) -> None:
        """Leave some pods, shape (classes,), some nodes, shape (groups,), and the patterns they can serve."""
        for row, most in enumerate([*left.tolist(), *free.tolist()]):
            self._program.limit(row, float(most))
        for column, pattern in zip(self._columns, self.patterns, strict=True):
            serves = free[pattern.group] > 0 and all(left[c] >= number for c, number in pattern.pods)
            self._program.cap(column, np.inf if serves else 0.0)
