"""kubestow: provably good placements of Kubernetes pods, compared with kube-scheduler's.

>>> import kubestow
>>> found = kubestow.compare(kubestow.read(scenario="fragmentation"))
>>> found.verdict, found.first_difference
('better', 'placed 0')
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .adapters.api import compare, explain, read, schedule, solve, verify
    from .model.errors import BadInput, KubestowError
    from .solver.result import Limits

__version__ = "0.1.0"
__all__ = [
    "BadInput", "KubestowError", "Limits", "compare", "explain", "read", "schedule", "solve", "verify",
]  # fmt: skip

_ELSEWHERE = {"BadInput": ".model.errors", "KubestowError": ".model.errors", "Limits": ".solver.result"}


if not TYPE_CHECKING:  # else a type checker would take any name for one that exists

    def __getattr__(name: str) -> Any:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(_ELSEWHERE.get(name, ".adapters.api"), __name__), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
