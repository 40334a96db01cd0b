"""The text of order documents, fast.

The original's orders are tables of thousands of small cells in standard fonts. Their text stands in the
page's own stream in reading order, so it is read from there: ten times faster than laying each page out. A
page that is built in any other way is left to the general reader.
"""

from __future__ import annotations

import io
import re
from typing import Any

_PLAIN_FONTS = ("/Helvetica", "/Helvetica-Bold", "/Times-Roman", "/Times-Bold", "/Courier")
_SYMBOL_FONT = "/ZapfDingbats"
_TOKEN = re.compile(
    rb"(?P<text>\((?:[^()\\]|\\.)*\))\s*Tj"
    rb"|(?P<line>T\*|\bET\b)"
    rb"|(?P<font>/[A-Za-z0-9+]+)\s+[\d.]+\s+Tf"
    rb"|(?P<other>\bTJ\b|\bDo\b|\bBI\b|>\s*Tj)",
    re.DOTALL,
)
_ESCAPE = re.compile(rb"\\([0-7]{1,3}|.)", re.DOTALL)
_NAMED = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f"}
_LOST_RUPEE = re.compile(r"^[■I](?=\s*[\d,]+(?:\.\d+)?$)", re.MULTILINE)


def order_pages(content: bytes) -> list[str]:
    """The text of each page of an order document; the rupee sign, which such files lose, is put back.

    Raises:
        PdfError: the content is no readable PDF.
    """
    pages = _quick(content)
    if pages is None:
        from retrievers.texts.pdf import pages as read_pages

        pages = read_pages(content)
    return [_LOST_RUPEE.sub("₹", page) for page in pages]


def _quick(content: bytes) -> list[str] | None:
    """The pages' text, or None unless all of them are plain lines in standard fonts."""
    import pypdf

    try:
        texts = [_page_text(page) for page in pypdf.PdfReader(io.BytesIO(content)).pages]
    except Exception:  # damaged files make the parser fail in any way; the general reader says how
        return None
    read = [text for text in texts if text]
    return read if read and len(read) == len(texts) else None


def _page_text(page: Any) -> str | None:
    fonts = {name: font.get_object() for name, font in page["/Resources"]["/Font"].items()}
    symbols = {name.encode() for name, font in fonts.items() if font.get("/BaseFont") == _SYMBOL_FONT}
    plain = {name.encode() for name, font in fonts.items() if font.get("/BaseFont") in _PLAIN_FONTS}
    if len(symbols) + len(plain) != len(fonts) or any("/ToUnicode" in font for font in fonts.values()):
        return None
    lines = [""]
    font = b""
    for token in _TOKEN.finditer(page.get_contents().get_data()):
        if token["other"]:
            return None
        if token["font"]:
            font = token["font"]
        elif token["line"]:
            lines.append("")
        elif font in symbols:
            lines[-1] += "■"
        else:
            lines[-1] += _decoded(token["text"][1:-1])
    return "\n".join(line.strip() for line in lines if line.strip())


def _decoded(text: bytes) -> str:
    return _ESCAPE.sub(_unescaped, text).decode("cp1252", errors="replace")


def _unescaped(found: re.Match[bytes]) -> bytes:
    code = found[1]
    return bytes([int(code, 8) & 255]) if code.isdigit() else _NAMED.get(code, code)
