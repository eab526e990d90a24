"""The exceptions of kubestow. Infeasible is a result, not an exception."""

from __future__ import annotations


class KubestowError(Exception):
    """Root of all errors; the command line catches it so that no traceback reaches a user."""


class BadInput(KubestowError):
    """The input cannot be used; the command line prints it and exits 2.

    Parameters
    ----------
    message : str
        What is wrong, both values, and the way out.
    file, document, object, field : str, optional
        Where it is; each is printed when known.
    """

    def __init__(
        self, message: str, *, file: str = "", document: int | None = None, object: str = "", field: str = ""
    ) -> None:
        super().__init__(message)
        self.message = message
        self.file = file
        self.document = document
        self.object = object
        self.field = field

    def __str__(self) -> str:
        document = "" if self.document is None else f"document {self.document}"
        where = ", ".join(part for part in (self.file, document, self.object, self.field) if part)
        return f"{where}: {self.message}" if where else self.message


class Disagreement(KubestowError):
    """The solver's claim and the independent check differ: a bug in kubestow; exits 1, the case is saved."""
