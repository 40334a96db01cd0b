"""Policies and order documents: PDF files whose text becomes rows."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from worksmith.retrievers.errors import PdfError
from worksmith.retrievers.strict_json import read_regular
from worksmith.tools.importing.raw import folded
from worksmith.tools.importing.report import ImportReport
from worksmith.tools.kinds.enterprise.importing.layout import ORDER_FILE, Located
from worksmith.tools.kinds.enterprise.importing.rows import Row

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
        PdfError: the content is not a readable PDF.
    """
    pages = _quick(content)
    if pages is None:
        from worksmith.retrievers.texts.pdf import pages as read_pages

        pages = read_pages(content)
    return [_LOST_RUPEE.sub("₹", page) for page in pages]


def _quick(content: bytes) -> list[str] | None:
    """The pages' text, or None unless all of them are plain lines in standard fonts."""
    import pypdf

    try:
        texts = [_page_text(page) for page in pypdf.PdfReader(io.BytesIO(content)).pages]
    except Exception:  # damaged files make the parser fail in any way; the general reader reports it
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


POLICY_FOLDER = "documents/policies"
ORDER_FOLDER = "documents/orders"

_CUSTOMER = re.compile(r"^Customer ID:\s*(\S+)\s*$", re.MULTILINE)
_PLACEHOLDER = re.compile(r"\[Insert [^\]]+\]", re.IGNORECASE)
_COMPANY = re.compile(r"^\w+(?:\.\w+)? (?=\w)")


@dataclass
class Documents:
    """The rows of documents, and the files to lay beside the world.

    Attributes:
        files: where each file goes in the suite, with where it is.
        places: the file of each record, by reference.
    """

    policies: list[Row] = field(default_factory=list)
    orders: list[Row] = field(default_factory=list)
    files: dict[str, Path] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)


def read_documents(found: Located, report: ImportReport) -> Documents:
    """Read every policy by page and every order as a whole; a file that cannot be read is left out."""
    documents = Documents()
    for names, folder, read in (
        (found.policies, POLICY_FOLDER, _policy),
        (found.orders, ORDER_FOLDER, _order),
    ):
        for name in names:
            read(found, name, f"{folder}/{PurePosixPath(name).name}", documents, report)
    return documents


def _policy(found: Located, name: str, path: str, documents: Documents, report: ImportReport) -> None:
    from worksmith.retrievers.texts.pdf import pages

    texts = _texts(found, name, pages, "policies", report)
    if texts is None:
        return
    stem = PurePosixPath(name).stem
    title = _title(stem)
    policy_id = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") or stem
    while any(row["policy_id"] == policy_id for row in documents.policies):
        policy_id += "-2"
    documents.files[path] = found.path(name)
    for number, text in enumerate(texts, start=1):
        page_id = f"{policy_id}-p{number:02}"
        documents.places[f"policies/{page_id}"] = name
        documents.policies.append(
            {
                "page_id": page_id,
                "policy_id": policy_id,
                "title": title,
                "page": str(number),
                "path": path,
                "text": text,
            }
        )
        if holders := _PLACEHOLDER.findall(text):
            report.note(
                "placeholder", name, f"policies/{page_id}", f"the text has {', '.join(sorted(set(holders)))}"
            )


def _title(stem: str) -> str:
    """The file's name without the company's."""
    return _COMPANY.sub("", stem, count=1) if folded(stem).startswith("inazuma") else stem


def _order(found: Located, name: str, path: str, documents: Documents, report: ImportReport) -> None:
    texts = _texts(found, name, order_pages, "orders", report)
    if texts is None:
        return
    stem = PurePosixPath(name).stem
    called = ORDER_FILE.fullmatch(stem)
    text = "\n".join(texts)
    inside = _CUSTOMER.search(text)
    reference = f"orders/{stem}"
    if reference in documents.places:
        report.warn("repeated_record", name, reference, f"{documents.places[reference]} has the same name")
        return
    if called and inside and called[2] != inside[1]:
        reason = f"the text names customer {inside[1]}, the file's name {called[2]}; the text counts"
        report.warn("order_customer", name, reference, reason)
    if not called:
        report.warn("order_kind", name, reference, "its name does not say what kind of order it is")
    documents.files[path] = found.path(name)
    documents.places[reference] = name
    documents.orders.append(
        {
            "order_id": stem,
            "kind": called[1].lower() if called else None,
            "customer_id": inside[1] if inside else called[2] if called else None,
            "path": path,
            "text": text,
        }
    )


def _texts(
    found: Located, name: str, read: Callable[[bytes], list[str]], source: str, report: ImportReport
) -> list[str] | None:
    """The non-empty pages of a PDF; None, and a finding, without any."""
    reason = ""
    texts: list[str] = []
    try:
        texts = read(read_regular(found.path(name)))
    except OSError as error:
        reason = f"cannot be read: {error.strerror}"
    except PdfError as error:
        reason = error.message
    if not reason and not any(text.strip() for text in texts):
        reason = "there is no text in it"
    if reason:
        report.error("unreadable_pdf", name, f"{source}/{PurePosixPath(name).stem}", f"the document {reason}")
        return None
    return [text.replace("\x00", "\ufffd") for text in texts]
