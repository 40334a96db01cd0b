"""Faults of an index or a document, in words for the person who can repair them."""

from __future__ import annotations


class PlacedError(Exception):
    """An error with the fault, its place, and the remedy."""

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
