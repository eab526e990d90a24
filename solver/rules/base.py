"""What an encoder is: one rule as constraints, as a term, and as limits of the search.

An encoder never imports ``model.rules``: it states the same rule independently,
and tests hold the two against each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ..bounds.relaxation import Relaxation
    from ..cpsat.scope import Scope
    from ..problem import Problem
    from ..relations.coupling import Coupling
    from ..terms import Term

Mask = NDArray[np.bool_]


class Encoder:
    """One rule on the solver's side. Subclasses override what the rule has."""

    name: ClassVar[str]
    """kube-scheduler's name, as in ``model/rules``."""

    def applies_to(self, problem: Problem) -> bool:
        """Whether the instance has the feature at all; if not, nothing else is asked."""
        return True

    def restrict(self, problem: Problem, eligible: Mask) -> None:
        """Clear entries of `eligible`, shape (classes, nodes), that pinned pods or static facts rule out."""

    def couple(self, problem: Problem, coupling: Coupling) -> None:
        """Say what a move of single pods between two nodes must respect."""

    def constrain(self, scope: Scope) -> None:
        """Add the rule's hard constraints for the free counts of `scope`."""

    def relax(self, relaxation: Relaxation) -> None:
        """Add valid rows over group counts to the linear relaxation."""

    def term(self, problem: Problem) -> Term | None:
        """Build the rule's objective term; None when it applies to nothing."""
        return None
