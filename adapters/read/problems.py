"""What is wrong with the input: raised at once, or, when asked to keep going, dropped and said."""

from __future__ import annotations

from ...model.errors import BadInput
from ...model.reasons import Warning


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
        error = BadInput(message, file=file, document=document, object=object, field=field)
        if not self.keep_going:
            raise error
        self.warn("dropped", object or file, field, f"dropped: {error}")

    def warn(self, code: str, object: str, field: str, message: str) -> None:
        """Note something that the user must know."""
        self.warnings.append(Warning(code, object, field, message))
