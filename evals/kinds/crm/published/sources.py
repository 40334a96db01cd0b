"""Finding the published questions in a folder, whatever part of the task set there is and in what layout."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from evals.kinds.crm.published.entries import Entry, entry_of, looks_like_a_question
from tools.errors import InputError
from tools.kinds.enterprise.importing.json_records import read_records
from tools.kinds.enterprise.importing.report import FileNote, ImportReport

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
    own = ImportReport()
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
