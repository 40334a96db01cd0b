"""Printable characters, and those that act on a terminal or a page."""

from __future__ import annotations

_HARMFUL = {code: "\ufffd" for code in (*range(0x20), 0x7F, *range(0x80, 0xA0)) if chr(code) not in "\n\t"}
"""Control characters: on a terminal they move, hide or overwrite, and no page may have them."""


def harmless(text: str) -> str:
    """A text without control characters, line ends and tabs excepted, and without halves of characters."""
    shown = text.replace("\r\n", "\n").translate(_HARMFUL)
    return shown.encode("utf-8", "replace").decode()
