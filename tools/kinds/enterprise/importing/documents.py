"""Policies and order documents: PDF files whose text becomes rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from retrievers.errors import PdfError
from retrievers.strict_json import read_regular
from tools.kinds.enterprise.importing.layout import ORDER_FILE, Located
from tools.kinds.enterprise.importing.order_text import order_pages
from tools.kinds.enterprise.importing.raw import folded
from tools.kinds.enterprise.importing.report import ImportReport
from tools.kinds.enterprise.importing.rows import Row

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


def read_documents(found: Located, report: ImportReport, known: Collection[str] = ()) -> Documents:
    """Read every policy by page and every order as a whole; a file that cannot be read is left out.

    Args:
        known: paths in the world of documents whose text is known already; they are only laid beside it.
    """
    documents = Documents()
    for names, folder, read in (
        (found.policies, POLICY_FOLDER, _policy),
        (found.orders, ORDER_FOLDER, _order),
    ):
        for name in names:
            path = f"{folder}/{PurePosixPath(name).name}"
            if path in known:
                documents.files[path] = found.path(name)
            else:
                read(found, name, path, documents, report)
    return documents


def _policy(found: Located, name: str, path: str, documents: Documents, report: ImportReport) -> None:
    from retrievers.texts.pdf import pages

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
    """The non-empty pages of a PDF; None, and a finding, if there are none."""
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
