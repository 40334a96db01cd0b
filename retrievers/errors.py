"""What can go wrong with an index or a document, told to the person who can mend it."""

from __future__ import annotations


class PlacedError(Exception):
    """An error that says what is wrong, where it was found, and what to do about it."""

    def __init__(self, message: str, *, where: str | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.where = where
        self.hint = hint

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        advice = f" ({self.hint})" if self.hint else ""
        return f"{place}{self.message}{advice}"


class RetrievalError(PlacedError):
    """An index, a model or a document is missing, damaged or does not fit; nothing was searched."""


class PdfError(RetrievalError):
    """A PDF cannot be read."""
