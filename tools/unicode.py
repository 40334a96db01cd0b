"""Texts that can be written: no file, log, database or request holds half of a surrogate pair."""

from __future__ import annotations


def writable(text: str) -> str:
    """`text` with a question mark for each half of a surrogate pair."""
    return text.encode(errors="replace").decode()
