"""A folder of PDF, Markdown and text files as a table with the columns id, title and text."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path

from worksmith.retrievers.errors import PdfError
from worksmith.retrievers.texts.pdf import pages
from worksmith.tools.errors import InputError, Notice
from worksmith.tools.kinds.own_data.sources.reading import Reading, Row, check_utf8, read_bytes
from worksmith.tools.seeding import digest, digest_bytes

_PDF, _MARKDOWN, _TEXT = (".pdf",), (".md", ".markdown"), (".txt",)
_SUFFIXES = (*_PDF, *_MARKDOWN, *_TEXT)
_HEADING = re.compile(r"^ {0,3}#{1,6} +(.+?) *#*$", re.MULTILINE)
_NAMED = 5


class DocumentFolder(Reading):
    """A folder of documents and its subfolders; the id is the path of a file in it.

    Raises:
        InputError: it has no documents, one cannot be read, or it has a link.
    """

    unit = "file"
    key = "id"

    def __init__(self, path: Path) -> None:
        self.where = str(path)
        files = sorted(_files(path), key=lambda file: file.relative_to(path).as_posix())
        documents = [file for file in files if file.suffix.lower() in _SUFFIXES]
        if not documents:
            hint = f"there has to be a file of {', '.join(_SUFFIXES)}"
            raise InputError("no documents in this folder", where=self.where, hint=hint)
        self._contents = {file.relative_to(path).as_posix(): read_bytes(file) for file in documents}
        self.digest = digest([[name, digest_bytes(data, 64)] for name, data in self._contents.items()], 64)
        if left := [file.name for file in files if file.suffix.lower() not in _SUFFIXES]:
            more = f" and {len(left) - _NAMED} more" if len(left) > _NAMED else ""
            told = f"{', '.join(left[:_NAMED])}{more}"
            message = f"{path}: only PDF, Markdown and text files are read, which leaves out {told}"
            warnings.warn(Notice(message), stacklevel=2)

    def names(self) -> Sequence[object]:
        return ("id", "title", "text")

    def rows(self) -> Iterator[Row]:
        for number, (name, data) in enumerate(self._contents.items(), start=1):
            text = self._text(name, data)
            heading = _HEADING.search(text) if name.lower().endswith(_MARKDOWN) else None
            title = heading[1] if heading else re.sub(r"[-_\s]+", " ", Path(name).stem).strip()
            yield number, (name, title or name, text or None)

    def _text(self, name: str, data: bytes) -> str:
        where = f"{self.where}/{name}"
        if name.lower().endswith(_PDF):
            try:
                text = "\n\n".join(page for page in pages(data) if page)
            except PdfError as error:
                raise InputError(f"the PDF {error.message}", where=where) from error
            if not text:
                warnings.warn(Notice(f"{where}: the PDF has no text; it may be a scan"), stacklevel=2)
            return text.replace("\0", "").encode(errors="replace").decode()
        check_utf8(data, where)
        return data.decode("utf-8-sig")


def _files(folder: Path) -> Iterator[Path]:
    """The files in a folder; hidden ones are left out, links are refused, for they could lead anywhere."""

    def fail(error: OSError) -> None:
        raise InputError(f"cannot read the folder: {error.strerror}", where=error.filename)

    for here, folders, files in os.walk(folder, onerror=fail):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in (*folders, *files):
            if (Path(here) / name).is_symlink():
                raise InputError(
                    "this is a link", where=str(Path(here) / name), hint="put the file itself there"
                )
        yield from (Path(here) / name for name in files if not name.startswith("."))
