"""What is wrong with the input: raised at once, or, when asked to keep going, dropped and said."""

from __future__ import annotations

from collections.abc import Iterable

from ...model.errors import BadInput
from ...model.reasons import Warning
from ..invalid import printable


class Problems:
    """Where every part of the reader reports.

    Parameters
    ----------
    keep_going : bool
        Whether what is bad is dropped with a warning instead of ending the read.
    """

    def __init__(self, *, keep_going: bool = False) -> None:
        self.keep_going = keep_going
        self.warnings: list[Warning] = []

    def report(
        self, message: str, *, file: str, document: int | None = None, object: str = "", field: str = ""
    ) -> None:
        """Raise BadInput, or note that something was dropped."""
        error = BadInput(
            printable(message), file=file, document=document, object=printable(object), field=printable(field)
        )
        if not self.keep_going:
            raise error
        self.warn("dropped", object or file, field, f"dropped: {error}")

    def warn(self, code: str, object: str, field: str, message: str) -> None:
        """Note something that the user must know; escaped, since it can quote the input."""
        self.warnings.append(Warning(code, printable(object), printable(field), printable(message)))

    def add(self, warnings: Iterable[Warning]) -> None:
        """Note what others found."""
        for warning in warnings:
            self.warn(warning.code, warning.object, warning.field, warning.message)
