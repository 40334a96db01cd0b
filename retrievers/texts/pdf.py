"""The text of PDF documents, page by page."""

from __future__ import annotations

import io
import logging
from pathlib import Path
from typing import Any

from worksmith.retrievers.errors import PdfError
from worksmith.retrievers.strict_json import read_regular


def pages(source: Path | str | bytes) -> list[str]:
    """The text of each page, in order. A page that cannot be read is empty; the others keep their place.

    Args:
        source: a file, or its content.

    Raises:
        PdfError: the file is missing, not a PDF, wholly damaged or needs a password.
    """
    name = "PDF" if isinstance(source, bytes) else str(source)
    reader = _open(_content(source, name), name)
    return [_text(reader, number) for number in range(_count(reader, name))]


def _content(source: Path | str | bytes, name: str) -> bytes:
    if isinstance(source, bytes):
        return source
    try:
        return read_regular(Path(source))
    except OSError as error:
        raise PdfError(f"cannot be read: {error.strerror}", where=name) from error


def _open(content: bytes, name: str) -> Any:
    import pypdf

    # It reports every repair that it makes; what cannot be repaired is reported here.
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        reader = pypdf.PdfReader(io.BytesIO(content))
        if reader.is_encrypted and not reader.decrypt(""):
            raise PdfError("is locked with a password", where=name)
    except PdfError:
        raise
    except Exception as error:  # damaged files make the parser fail in any way
        raise PdfError(f"is not a readable PDF: {error}", where=name) from error
    return reader


def _count(reader: Any, name: str) -> int:
    try:
        return len(reader.pages)
    except Exception as error:
        raise PdfError(f"has no readable pages: {error}", where=name) from error


def _text(reader: Any, number: int) -> str:
    try:
        text = reader.pages[number].extract_text()
    except Exception:  # one bad page must not cost the others
        return ""
    return str(text).strip()
