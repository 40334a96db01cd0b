"""The published questions about a CRM org as a suite. The org itself is not among the published files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from evals.kinds.crm.published.entries import RAW_FILES, read_entries
from evals.kinds.crm.published.statistics import Worded, distributions
from evals.kinds.crm.published.tasks import ORIGIN, Recognised, make_tasks, recognise_all
from evals.kinds.crm.published.texts import question_of
from evals.kinds.crm.task_types import TASK_TYPES
from evals.tasks.building import Made, Progress
from tools.files.atomic import write_atomically
from tools.kinds.crm.access.policy import POLICY_FILE, packaged_policy, persona_of
from tools.kinds.crm.schema import TABLES
from tools.kinds.crm.settings import OrgSettings, write_settings
from tools.kinds.crm.sosl.tables import SEARCH_TABLES
from tools.kinds.enterprise.importing.report import REPORT_FILE, FileNote, ImportReport
from tools.world import write_world

LICENCE = "CC BY-NC 4.0 (published questions and answers: for local, non-commercial use only)"
_ELSEWHERE = "a live Salesforce org"
_NOW = datetime(2025, 1, 1)
"""The clock of questions that do not say when they are asked; after all that the published org holds."""


def import_crmarena(source: Path, place: Path, progress: Progress) -> Made:
    """Read CRMArena's questions: whatever there is of them, in either layout.

    There are no records: they are in the org that the questions are about, so the suite runs with one only.
    What was missing, damaged, not recognised or put in quarantine stands in `import_report.json`.

    Raises:
        InputError: there is no question to read.
    """
    report = ImportReport(ORIGIN)
    progress("reading questions")
    entries = read_entries(source, report)
    questions = recognise_all(entries, report)
    tasks = make_tasks(questions, report)
    _fill(report, questions, len(entries))
    report.facts["tasks"] = {"published": len(entries), "usable": len(tasks)}
    # The answers are what the published functions give.
    write_settings(place, OrgSettings(mode="faithful"))
    write_atomically(place / POLICY_FILE, packaged_policy().encode())
    world = write_world(
        place,
        [*TABLES, *SEARCH_TABLES],
        {},
        kind="crm",
        origin=ORIGIN,
        now=_NOW,
        persona=persona_of("service_manager"),
        licence=LICENCE,
        elsewhere=_ELSEWHERE,
    )
    write_atomically(place / REPORT_FILE, report.to_json())
    for line in (*report.lines(), *_coverage_lines(questions)):
        progress(line)
    return Made(world, tasks)


def _fill(report: ImportReport, questions: Sequence[Recognised], entries: int) -> None:
    """The report's counts and facts: what was read, what was understood, how it is spread."""
    count = Counter(question.family for question in questions)
    report.counts = {family: count[family] for family in TASK_TYPES}
    for file, family in RAW_FILES.items():
        if not count[family]:
            report.files.append(FileNote(file, "queries", "missing"))
    report.facts["recognised"] = {
        "questions": entries,
        "right": sum(question.reading.complete for question in questions),
        "by_family": coverage(questions),
    }
    report.facts["spread"] = distributions(
        Worded(each.family, question_of(each.entry.query), each.reading, _is_empty(each.entry.answer))
        for each in questions
    )


def coverage(questions: Iterable[Recognised]) -> dict[str, dict[str, int]]:
    """By family how many questions there are, and how many of their wordings tell family and slots."""
    found: dict[str, dict[str, int]] = {}
    for question in questions:
        counts = found.setdefault(question.family, {"questions": 0, "right": 0})
        counts["questions"] += 1
        counts["right"] += question.reading.complete
    return {family: found[family] for family in TASK_TYPES if family in found}


def _coverage_lines(questions: Sequence[Recognised]) -> Iterable[str]:
    right = sum(question.reading.complete for question in questions)
    share = f" ({100 * right / len(questions):.1f} %)" if questions else ""
    yield f"wordings: {right} of {len(questions)} recognised with all that they say{share}"
    lacking = {
        family: f"{counts['right']} of {counts['questions']}"
        for family, counts in coverage(questions).items()
        if counts["right"] < counts["questions"]
    }
    if lacking:
        yield "not all of: " + ", ".join(f"{family} ({counts})" for family, counts in lacking.items())


def _is_empty(answer: Any) -> bool:
    values = answer if isinstance(answer, list) else [answer]
    return all(value is None for value in values)
