"""Showing on a terminal what somebody else has written."""

from __future__ import annotations

from evals.characters import harmless


def escape(text: str) -> str:
    """A text for rich: nothing in it is markup, and nothing in it commands the terminal."""
    from rich.markup import escape as without_markup

    return without_markup(harmless(text))
