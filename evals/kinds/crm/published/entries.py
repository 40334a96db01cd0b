"""The records of the published task set, in any layout: what each asks, what it shows, what answers it.

There are two. The older one has a file for each kind of question, with the wording, a list of one answer
and `metadata` with today, the ids that are shown, or subject and description of a case. The newer one is a
single list of tasks, whose query ends in ids and instructions and whose `metadata.required` has today and
the ids in its text.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from worksmith.tools.errors import InputError
from worksmith.tools.importing.cells import Number, plain
from worksmith.tools.importing.json_records import read_records
from worksmith.tools.importing.raw import RawRecord
from worksmith.tools.importing.report import FileNote, ImportReport
from worksmith.tools.kinds.crm.ids import canonical
from worksmith.tools.kinds.crm.schema import OBJECTS

FAMILY_NAMES = {
    "transfer_time": "transfer_count",
    "seasonality_identification": "monthly_trend_analysis",
    "policy_violation": "policy_violation_identification",
    "ned": "named_entity_disambiguation",
}
"""Other names that published files have for families."""

_FAMILY_FIELDS = ("metadata.task", "task", "type", "task_type", "metadata.type")
_LABELS = {"Product Id": "Product2", "Contact Id": "Contact", "Case Id": "Case"}
_ID_FIELDS = {
    "Product Id": ("metadata.product_id", "product_id"),
    "Contact Id": ("metadata.customer_id", "metadata.contact_id", "customer_id", "contact_id"),
    "Case Id": ("metadata.case_id", "case_id"),
}
_ID = re.compile(r"\b[0-9A-Za-z]{15}(?:[0-9A-Za-z]{3})?\b")
_DAY = re.compile(r"\b(\d{4}-\d\d-\d\d)\b")
_SUBJECT = re.compile(r"(?:case )?subject\s*[:=]", re.IGNORECASE)
_DESCRIPTION = re.compile(r"(?:case )?(?:description|body)\s*[:=]", re.IGNORECASE)

_MOST_OF_AN_INDEX = 40

ABSENT = object()
"""The answer of a record that has none; not the same as one that says there is nothing."""


@dataclass(frozen=True)
class Entry:
    """One published question.

    Attributes:
        file: where it stands, relative to the imported folder.
        position: its place in the file, from 1.
        index: the number that the record has of itself, if any.
        declared: the family that the record says it is of; empty if it says none.
        query: its text as published.
        answer: as published, or `ABSENT`.
        today: when it is asked, if the record says so.
        shown: ids by label (`Case Id`), in their form of 18 characters; of a case to be routed its texts.
        bad_ids: ids that are none.
    """

    file: str
    position: int
    index: str
    declared: str
    query: str
    answer: Any
    today: date | None
    shown: Mapping[str, str]
    bad_ids: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        return f"{self.file}:{self.position}"


def looks_like_a_question(value: Mapping[str, Any]) -> bool:
    """Whether an object has what every published question has, if only by name."""
    return "query" in value and ("answer" in value or "metadata" in value)


def entry_of(record: RawRecord) -> Entry:
    """The question in a record; what is missing or of another type is left empty."""
    query = _text(record, "query")
    required = _text(record, "metadata.required", "required")
    shown, bad = _shown_ids(record, query, required)
    subject, description = _text(record, "metadata.case_subject"), _text(record, "metadata.case_description")
    if not (subject or description):
        query, subject, description = _apart(query)
    if subject or description:
        shown |= {"Case Subject": subject, "Case Description": description}
    declared = next(filter(None, (_text(record, name) for name in _FAMILY_FIELDS)), "").strip()
    return Entry(
        file=record.file,
        position=record.position,
        index=_index(record),
        declared=FAMILY_NAMES.get(declared, declared),
        query=query,
        answer=record.value.get("answer", ABSENT),
        today=_day(_text(record, "metadata.today", "today")) or _day(required),
        shown=shown,
        bad_ids=bad,
    )


def _apart(query: str) -> tuple[str, str, str]:
    """A question without the texts of a case that follow it, its subject and its description, if any do."""
    first = _SUBJECT.search(query)
    second = _DESCRIPTION.search(query, first.end()) if first else None
    if first and second:
        subject, description = query[first.end() : second.start()].strip(), query[second.end() :].strip()
        if subject and description:
            return query[: first.start()].strip(), subject, description
    return query, "", ""


def _shown_ids(record: RawRecord, query: str, required: str) -> tuple[dict[str, str], tuple[str, ...]]:
    """The ids that come with a question: from fields of their own, else from its text."""
    shown: dict[str, str] = {}
    bad: list[str] = []
    spoken = [each for text in (required, query) for each in _ids(_ID.findall(text))]
    for label, name in _LABELS.items():
        prefix = OBJECTS[name].prefix
        given = _text(record, *_ID_FIELDS[label])
        if given and label == "Product Id" and _text(record, "metadata.case_subject"):
            continue  # not shown: it is what the answer of a routing question was made from
        own = canonical(given) if given else next((each for each in spoken if each.startswith(prefix)), None)
        if own is not None and own.startswith(prefix):
            shown[label] = own
        elif given:
            bad.append(f"{label} {given[:40]!r}")
    return shown, tuple(bad)


def _ids(texts: Iterable[str]) -> list[str]:
    return [own for text in texts if any(map(str.isdigit, text)) and (own := canonical(text)) is not None]


def _text(record: RawRecord, *names: str) -> str:
    """The first of these fields that is a text; a dot leads into an object."""
    for name in names:
        value: Any = record.value
        for part in name.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        if isinstance(value, str) and not isinstance(value, Number):
            return plain(str(value)) or ""
    return ""


def _index(record: RawRecord) -> str:
    value = record.value.get("idx", record.value.get("id"))
    return (plain(str(value)) or "")[:_MOST_OF_AN_INDEX] if isinstance(value, str) else ""


def _day(text: str) -> date | None:
    for found in _DAY.findall(text):
        try:
            return date.fromisoformat(found)
        except ValueError:
            continue
    return None


RAW_FILES = {
    "case_routing_queries.jsonl": "case_routing",
    "handle_time_queries.jsonl": "handle_time",
    "transfer_time_queries.jsonl": "transfer_count",
    "named_entity_disambiguation_queries.jsonl": "named_entity_disambiguation",
    "policy_violation_identification_queries.jsonl": "policy_violation_identification",
    "knowledge_qa_queries.jsonl": "knowledge_qa",
    "top_issue_identification_queries.jsonl": "top_issue_identification",
    "seasonality_identification_queries.jsonl": "monthly_trend_analysis",
    "best_region_identification_queries.jsonl": "best_region_identification",
}
"""The files of the older layout, with the family of the questions in each."""

_DEEPEST = 4
_MOST_FILES = 200
_MOST_BYTES = 64 * 1024 * 1024


def read_entries(source: Path, report: ImportReport) -> list[Entry]:
    """All questions in the JSON files of a folder and its folders, in the order of the files' names.

    Raises:
        InputError: there are none.
    """
    entries: list[Entry] = []
    for number, path in enumerate(_files(source)):
        name = path.relative_to(source).as_posix()
        if number >= _MOST_FILES:
            report.warn("too_many_files", name, "", f"only the first {_MOST_FILES} JSON files are read")
            break
        entries += _read(path, name, report)
    if not entries:
        raise InputError(
            "no published questions here",
            where=str(source),
            hint=f"wanted are files such as {next(iter(RAW_FILES))}, or a list of tasks as one JSON file",
        )
    return entries


def _files(source: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(source):
        folders[:] = sorted(each for each in folders if not each.startswith("."))
        if len(Path(folder).relative_to(source).parts) >= _DEEPEST:
            folders.clear()
        for name in sorted(names):
            path = Path(folder, name)
            if path.suffix.lower() in (".json", ".jsonl") and path.is_file():
                yield path


def _read(path: Path, name: str, report: ImportReport) -> list[Entry]:
    """The questions of a file; none, and no word about it, if it holds records of another kind."""
    try:
        size = path.stat().st_size
    except OSError as error:
        report.error("unreadable_file", name, "", f"cannot be read: {error.strerror}")
        report.files.append(FileNote(name, "queries", "unreadable"))
        return []
    if size > _MOST_BYTES:
        report.error("too_large", name, "", f"{size} bytes; more than {_MOST_BYTES} are not read")
        report.files.append(FileNote(name, "queries", "unreadable"))
        return []
    own = ImportReport(report.system)
    records, status = read_records(path, name, own, is_record=looks_like_a_question)
    found = [record for record in records if looks_like_a_question(record.value)]
    if records and not found and path.name not in RAW_FILES:
        report.files.append(FileNote(name, "other", "ignored", len(records)))
        return []
    report.findings += own.findings
    for record in records:
        if not looks_like_a_question(record.value):
            report.flag("no_question", f"{name}:{record.position}", "the record has no query")
    report.files.append(FileNote(name, "queries", status, len(found)))
    return [entry_of(record) for record in found]
