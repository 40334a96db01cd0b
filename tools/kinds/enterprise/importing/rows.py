"""Making rows of records: one column after the other, then columns that depend on several."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from worksmith.tools.importing.raw import RawRecord, folded
from worksmith.tools.importing.report import ImportReport
from worksmith.tools.kinds.enterprise.importing.fields import FIELDS, PEOPLE
from worksmith.tools.kinds.enterprise.schema import DEPARTMENTS, KEYS
from worksmith.tools.seeding import digest

Row = dict[str, str | None]

_MADE_IDS = {
    "posts": ("PST", ("title", "emp_id")),
    "sentiments": ("SEN", ("product_id", "customer_id", "review_id", "review_content")),
    "sales": ("SAL", ("product_id", "customer_id", "date_of_purchase")),
    "issues": ("ISS", ("repo_name", "path", "title")),
}
"""Sources whose records need no id: it is made from these columns and the place among equal ones."""

_POST_TYPES = {"1": "question", "2": "answer"}
_DEBRIS = re.compile(r"```|\*\*Email|^\s*\}|\n,\s*\Z", re.MULTILINE)

_CATEGORIES = {folded(name): code for code, name in DEPARTMENTS.items() if name != "Executive"} | {
    "it": "IN",
    "humanresources": "HR",
    "humanresource": "HR",
    "businessprocessoutsourcing": "BP",
}
_OTHER_CODES = {"MG": "MA", "BD": "BU", "IT": "IN"}
"""Codes that the published figure has for departments which the data call otherwise."""


@dataclass
class Reading:
    """The read part so far.

    Attributes:
        tables: rows by source.
        extras: by reference, the fields that no column holds, under their paths.
        places: the file of each record that was kept, by reference.
    """

    report: ImportReport
    tables: dict[str, list[Row]] = field(default_factory=dict)
    extras: dict[str, dict[str, Any]] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)
    _rows: dict[str, Row] = field(default_factory=dict)
    _made: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, source: str, records: Iterable[RawRecord]) -> None:
        """Make rows of `records`, in order."""
        finish = _FINISH.get(source)
        self.tables.setdefault(source, [])
        for record in records:
            row, doubts = self._columns(source, record)
            if finish:
                finish(self, record, row)
            self._keep(source, record, row, doubts)
            if source == "repositories" and row.get("file_id"):
                self._issues(record, row)

    def _columns(self, source: str, record: RawRecord) -> tuple[Row, list[str]]:
        """The row of a record, and what in it could not be read."""
        row: Row = {}
        doubts = []
        for entry in FIELDS[source]:
            taken = record.take(entry.names)
            value = None
            if taken is not None:
                try:
                    value = entry.read(taken[1])
                except (ValueError, OverflowError) as error:
                    doubts.append(f"{taken[0]}: {error}")
            row[entry.column] = value
        return row, doubts

    def _keep(self, source: str, record: RawRecord, row: Row, doubts: list[str]) -> None:
        key = row.get(KEYS[source]) or self._made_id(source, row)
        if key is None:
            reason = f"it has no {KEYS[source]} and is left out"
            self.report.error("no_id", record.file, record.place, reason)
            return
        key = self._distinct(source, record, row, key)
        if key is None:
            return
        row[KEYS[source]] = key
        reference = f"{source}/{key}"
        self.tables[source].append(row)
        self._rows[reference] = row
        self.places[reference] = record.file
        for doubt in doubts:
            self.report.warn("unreadable_value", record.file, reference, doubt)
        if any("\ufffd" in cell for cell in row.values() if cell) and self._mangled(record.file):
            self.report.flag("bad_encoding", reference, "part of its text could not be read")
        if rest := record.rest():
            self.extras[reference] = rest

    def _mangled(self, file: str) -> bool:
        return any(f.kind == "bad_encoding" and f.file == file for f in self.report.findings)

    def _made_id(self, source: str, row: Row) -> str | None:
        if source not in _MADE_IDS:
            return None
        prefix, columns = _MADE_IDS[source]
        parts = [row.get(column) for column in columns]
        if not any(parts):
            return None
        self._made[source, digest(parts)] += 1
        return f"{prefix}-{digest([*parts, self._made[source, digest(parts)]], 10)}"

    def _distinct(self, source: str, record: RawRecord, row: Row, key: str) -> str | None:
        """The key of the record; None for a repeated record."""
        first = self._rows.get(f"{source}/{key}")
        if first is None:
            return key
        if {**row, KEYS[source]: key} == first:
            self.report.note("repeated_record", record.file, f"{source}/{key}", "the same record once more")
            return None
        if self.places[f"{source}/{key}"] != record.file:
            reason = f"{self.places[f'{source}/{key}']} has it too, with other values; those are kept"
            self.report.warn("repeated_record", record.file, f"{source}/{key}", reason)
            return None
        number = 2
        while f"{source}/{key}~{number}" in self._rows:
            number += 1
        reason = f"the id occurs again, with other values; kept as {key}~{number}"
        self.report.error("duplicate_id", record.file, f"{source}/{key}", reason)
        self.report.flag(
            "duplicate_id", f"{source}/{key}~{number}", "its id belongs to an earlier record too"
        )
        return f"{key}~{number}"

    def _issues(self, record: RawRecord, file: Row) -> None:
        """The issues of a file: one object or a list of them."""
        taken = record.take(("issues", "issue"))
        found = taken[1] if taken else None
        self.tables.setdefault("issues", [])
        for value in found if isinstance(found, list) else [found]:
            if isinstance(value, dict):
                issue = RawRecord(record.file, record.position, value)
                row, doubts = self._columns("issues", issue)
                row["repo_name"] = file["repo_name"]
                row |= {column: row[column] or file[column] for column in ("path", "emp_id")}
                self._keep("issues", issue, row, doubts)
            elif value not in (None, ""):
                reason = "its issue is not an object"
                self.report.warn("unreadable_value", record.file, f"repositories/{file['file_id']}", reason)


def _employee(reading: Reading, record: RawRecord, row: Row) -> None:
    raw = record.value.get("Level") or record.value.get("level")
    letters = re.match(r"[A-Za-z]*", raw) if isinstance(raw, str) else None
    prefix = letters[0].upper() if letters else ""
    prefix = _OTHER_CODES.get(prefix, prefix)
    category = row["category"]
    code = _CATEGORIES.get(folded(category)) if category else None
    if prefix and code and prefix != code:
        reason = f"level {raw} does not belong to {category}; the department is taken from the category"
        reading.report.warn("level_and_category", record.file, f"employees/{row['emp_id']}", reason)
    row["department"] = code or prefix or None
    if code:
        row["category"] = DEPARTMENTS[code]
    if taken := record.take(("reportees",)):
        row["reportees"] = (
            ",".join(i for i in taken[1] if isinstance(i, str)) if isinstance(taken[1], list) else None
        )


def _mail(reading: Reading, record: RawRecord, row: Row) -> None:
    reference = f"mail/{row['email_id']}"
    for column in ("signature", "confidentiality_notice"):
        text = row[column]
        found = _DEBRIS.search(text) if text else None
        if text and found:
            row[column] = text[: found.start()].rstrip(" \n,") or None
            kind = "prompt_debris" if "```" in text or "**" in text else "json_debris"
            reading.report.warn(kind, record.file, reference, f"debris cut off its {column}")
    for column in ("importance", "category"):
        taken = record.value.get(column)
        if isinstance(taken, str) and row[column] and taken != row[column]:
            reading.report.warn("stray_characters", record.file, reference, f"{column} {taken!r} trimmed")


def _repository(reading: Reading, record: RawRecord, row: Row) -> None:
    if row["repo_name"] and row["path"]:
        row["file_id"] = f"{row['repo_name']}:{row['path']}"
    elif row["repo_name"]:
        row["file_id"] = row["repo_name"]


def _ticket(reading: Reading, record: RawRecord, row: Row) -> None:
    row["status"] = row["status"] or ("resolved" if row["resolution"] else "open")


def _overflow(reading: Reading, record: RawRecord, row: Row) -> None:
    kind = (row["post_type"] or "").removesuffix(".0")
    row["post_type"] = _POST_TYPES.get(kind, kind) or ("answer" if row["parent_id"] else None)


_FINISH: dict[str, Callable[[Reading, RawRecord, Row], None]] = {
    "employees": _employee,
    "mail": _mail,
    "repositories": _repository,
    "tickets": _ticket,
    "overflow": _overflow,
}

assert set(PEOPLE) <= set(FIELDS)
