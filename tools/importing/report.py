"""What an import found: the files it read, what was wrong in them, and which records are in quarantine."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

REPORT_FILE = "import_report.json"
FORMAT = "worksmith-import/1"

Severity = Literal["error", "warning", "note"]
"""`error`: something was lost. `warning`: kept, but changed or doubtful. `note`: worth knowing."""

FileStatus = Literal["read", "damaged", "empty", "missing", "unreadable", "ignored"]


@dataclass(frozen=True)
class Finding:
    """Something that is not as it should be.

    Attributes:
        kind: a word to count and filter by.
        file: relative to the folder that was imported.
        record: `source/key` or, where there is no key, `record 12`; empty if the whole file is meant.
        reason: one sentence.
    """

    severity: Severity
    kind: str
    file: str
    record: str
    reason: str


@dataclass(frozen=True)
class Flag:
    """A record in quarantine, and the reason: no task is made from it."""

    record: str
    kind: str
    reason: str


@dataclass(frozen=True)
class FileNote:
    file: str
    source: str
    status: FileStatus
    records: int = 0


@dataclass
class ImportReport:
    """Everything an import has to say; collected while it runs.

    Attributes:
        system: whose files are read.
    """

    system: str
    files: list[FileNote] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    quarantine: list[Flag] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)

    def error(self, kind: str, file: str, record: str, reason: str) -> None:
        """Note a loss."""
        self.findings.append(Finding("error", kind, file, record, reason))

    def warn(self, kind: str, file: str, record: str, reason: str) -> None:
        """Note a changed or doubtful value."""
        self.findings.append(Finding("warning", kind, file, record, reason))

    def note(self, kind: str, file: str, record: str, reason: str) -> None:
        self.findings.append(Finding("note", kind, file, record, reason))

    def flag(self, kind: str, record: str, reason: str) -> None:
        """Put a record in quarantine."""
        self.quarantine.append(Flag(record, kind, reason))

    def by_kind(self) -> dict[str, int]:
        return dict(sorted(Counter(finding.kind for finding in self.findings).items()))

    def flagged_by_kind(self) -> dict[str, int]:
        return dict(sorted(Counter(flag.kind for flag in self.quarantine).items()))

    def to_json(self) -> bytes:
        """The report as a file's content; the same import gives the same bytes."""
        document = {
            "format": FORMAT,
            "system": self.system,
            "summary": {
                "findings": self.by_kind(),
                "quarantine": self.flagged_by_kind(),
                "severities": dict(sorted(Counter(f.severity for f in self.findings).items())),
            },
            "counts": self.counts,
            "facts": self.facts,
            "files": [asdict(note) for note in self.files],
            "findings": [asdict(finding) for finding in self.findings],
            "quarantine": [asdict(flag) for flag in self.quarantine],
        }
        return json.dumps(document, indent=1).encode() + b"\n"

    def lines(self) -> Iterator[str]:
        """The report for a person, in a few lines."""
        statuses = Counter(note.status for note in self.files)
        yield "files: " + ", ".join(f"{count} {status}" for status, count in statuses.items())
        yield "records: " + ", ".join(f"{count} {source}" for source, count in self.counts.items() if count)
        missing = [note.file for note in self.files if note.status == "missing"]
        if missing:
            yield "missing: " + ", ".join(missing)
        for note in self.files:
            if note.status in ("damaged", "empty", "unreadable"):
                yield f"{note.status}: {note.file} ({note.records} records read)"
        if self.findings:
            yield "found: " + ", ".join(f"{count} {kind}" for kind, count in self.by_kind().items())
        if self.quarantine:
            flagged = self.flagged_by_kind().items()
            yield "in quarantine: " + ", ".join(f"{count} {kind}" for kind, count in flagged)
