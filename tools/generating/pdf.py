"""PDF files of plain text: the same bytes for the same text."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

_WIDTH = 88
"""Characters of a line; at this size and font even wide letters stay on the page."""

_LEFT, _TOP, _BOTTOM = 22.0, 24.0, 272.0
"""The text's place on an A4 page: millimetres from the left and the upper edge."""

_STYLES = {
    "title": ("B", 17.0, 12.0),
    "heading": ("B", 12.5, 8.0),
    "strong": ("B", 10.5, 5.6),
    "plain": ("", 10.5, 5.2),
}
"""Font style, size in points, and height of a line in millimetres."""


@dataclass(frozen=True)
class Paragraph:
    """A paragraph in one style.

    Attributes:
        style: `title`, `heading`, `strong` or `plain`.
        space: the space above it, in lines.
    """

    text: str
    style: str = "plain"
    space: float = 0.4


def render_pdf(title: str, author: str, day: date, paragraphs: Iterable[Paragraph]) -> bytes:
    """Render paragraphs as A4 pages with page numbers.

    A paragraph of the style `title`, `heading` or `strong` never stands last on a page.

    Args:
        title, author: for the file's properties; the title also stands at the foot of each page.
        day: the file's date of creation.
        paragraphs: their texts may have the characters of Latin-1 only.

    Returns:
        The bytes of the PDF file.
    """
    from fpdf import FPDF

    pdf = FPDF(format="A4")
    pdf.set_creation_date(datetime(day.year, day.month, day.day, tzinfo=UTC))
    pdf.set_title(title)
    pdf.set_author(author)
    pdf.set_auto_page_break(False)
    pages = _pages(list(paragraphs))
    for number, lines in enumerate(pages, 1):
        pdf.add_page()
        for y, style, line in lines:
            _write(pdf, style, _LEFT, y, line)
        _write(pdf, "plain", _LEFT, _BOTTOM + 12, f"{title} - page {number} of {len(pages)}")
    return bytes(pdf.output())


_Line = tuple[float, str, str]
"""The millimetres from the upper edge, the style, and the text."""


def _pages(paragraphs: Sequence[Paragraph]) -> list[list[_Line]]:
    """The lines of each page."""
    pages: list[list[_Line]] = [[]]
    y = _TOP
    for paragraph in paragraphs:
        height = _STYLES[paragraph.style][2]
        lines = textwrap.wrap(paragraph.text, _WIDTH if paragraph.style != "title" else _WIDTH // 2)
        y += paragraph.space * height
        kept_together = 1 if paragraph.style == "plain" else 4
        if y + height * (len(lines) + kept_together) > _BOTTOM:
            pages.append([])
            y = _TOP
        for line in lines:
            pages[-1].append((y, paragraph.style, line))
            y += height
    return pages


def _write(pdf: Any, style: str, x: float, y: float, line: str) -> None:
    weight, size, _ = _STYLES[style]
    pdf.set_font("Helvetica", weight, size)
    pdf.text(x, y, line)
