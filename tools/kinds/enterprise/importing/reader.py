"""Reading a whole world from the original's folders."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from worksmith.tools.errors import InputError
from worksmith.tools.importing.json_records import read_records
from worksmith.tools.importing.report import FileNote, ImportReport
from worksmith.tools.kinds.enterprise.importing.checks import Checks
from worksmith.tools.kinds.enterprise.importing.documents import read_documents
from worksmith.tools.kinds.enterprise.importing.fields import CURRENCIES
from worksmith.tools.kinds.enterprise.importing.layout import Located, locate
from worksmith.tools.kinds.enterprise.importing.rows import Reading, Row
from worksmith.tools.kinds.enterprise.schema import TABLES
from worksmith.tools.sqlite.schema import Table

NOW = datetime(2022, 12, 31, 18)
"""The clock of every episode: the original's dates end with 2022, but for a few added later."""

ORIGIN = "enterprisebench"

ORIGINALS_FILE = "originals.jsonl"
"""Beside a world: values of the files without a column."""


@dataclass(frozen=True)
class Imported:
    """An enterprise as it was read.

    Attributes:
        rows: by table name, each a mapping of columns to cells.
        extras: by reference, the fields that no column holds.
        files: documents to lay beside the world: where, and where they are.
    """

    found: Located
    rows: dict[str, list[Row]]
    extras: dict[str, dict[str, Any]]
    files: dict[str, Path]
    report: ImportReport

    def cells(self) -> dict[str, list[tuple[str | None, ...]]]:
        """The rows as a world is written from them."""
        return {table.name: [_cells(table, row) for row in self.rows.get(table.name, ())] for table in TABLES}


def read_enterprise(source: Path | str, *, progress: Callable[[str], None] = lambda _: None) -> Imported:
    """Read everything that can be read below `source`.

    Args:
        source: a folder with any of the original's files, in any of their versions.

    Raises:
        InputError: if the folder is unknown, or nothing in it can be read.
    """
    root = Path(source)
    if not root.is_dir():
        raise InputError("no such folder", where=str(source))
    found = locate(root)
    if found.empty:
        raise InputError(
            "none of the original's files is here",
            where=str(source),
            hint="any subset will do, for example Human_Resource_Management/Employees/employees.json",
        )
    report = ImportReport(ORIGIN)
    reading = Reading(report)
    for source_name, names in found.sources.items():
        progress(f"reading {source_name}")
        for name in names:
            records, status = read_records(found.path(name), name, report)
            report.files.append(FileNote(name, source_name, status, len(records)))
            reading.add(source_name, records)
    progress("reading documents")
    documents = read_documents(found, report)
    reading.tables |= {"policies": documents.policies, "orders": documents.orders}
    reading.places |= documents.places
    _note_files(found, report, reading)
    Checks(reading, NOW).run()
    report.counts = {table.name: len(reading.tables.get(table.name, ())) for table in TABLES}
    if not any(report.counts.values()):
        first = next((f"{f.file}: {f.reason}" for f in report.findings), "no file has records")
        raise InputError("nothing here can be read", where=str(source), hint=first)
    report.facts = _facts()
    return Imported(found, reading.tables, reading.extras, documents.files, report)


def _note_files(found: Located, report: ImportReport, reading: Reading) -> None:
    for source, names in (("policies", found.policies), ("orders", found.orders)):
        read = [
            reading.places[reference] for reference in reading.places if reference.startswith(f"{source}/")
        ]
        for name in names:
            count = read.count(name)
            report.files.append(FileNote(name, source, "read" if count else "unreadable", count))
    for name in found.missing:
        report.files.append(FileNote(name, "", "missing"))
    for name in found.ignored:
        report.files.append(FileNote(name, "", "ignored"))


def _facts() -> dict[str, Any]:
    return {
        "now": NOW.isoformat(),
        "currencies": CURRENCIES,
        "derived": {
            "employees.department": "from the category, else from the letters of the level",
            "employees.is_valid": "the file's flag, and not after the leaving date",
            "issues.emp_id": "the file's owner, where the issue names nobody",
            "tickets.status": "resolved where there is a resolution, else open",
        },
        "not_in_the_files": [
            "employees.title",
            "tickets.category",
            "tickets.closed_date",
            "products.stock",
            "customers.region",
            "sales.emp_id",
            "sales.quantity",
            "orders.date",
            "orders.total",
            "posts.date",
            "clients.renewal_date",
        ],
    }


def _cells(table: Table, row: Row) -> tuple[str | None, ...]:
    return tuple(row.get(column) for column in table.columns)
