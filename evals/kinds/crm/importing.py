"""The published questions about a CRM org as a suite. The org itself is not among the published files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from worksmith.evals.kinds.crm.published.computed import with_plans
from worksmith.evals.kinds.crm.published.entries import RAW_FILES, read_entries
from worksmith.evals.kinds.crm.published.tasks import ORIGIN, Recognised, make_tasks, recognise_all
from worksmith.evals.kinds.crm.reading.recognise import Reading
from worksmith.evals.kinds.crm.reading.texts import question_of
from worksmith.evals.kinds.crm.task_types import TASK_TYPES
from worksmith.evals.tasks.building import Made, Progress
from worksmith.tools.files.atomic import write_atomically
from worksmith.tools.importing.report import REPORT_FILE, FileNote, ImportReport
from worksmith.tools.kinds.crm.access.policy import persona_of
from worksmith.tools.kinds.crm.access.roles import POLICY_FILE, packaged_policy
from worksmith.tools.kinds.crm.org_file import OrgFile, read_org
from worksmith.tools.kinds.crm.schema import TABLES
from worksmith.tools.kinds.crm.settings import OrgSettings, write_settings
from worksmith.tools.kinds.crm.sosl.tables import SEARCH_TABLES, search_rows
from worksmith.tools.world import write_world

Distribution = dict[str, dict[str, int]]
"""By what is counted (`period`, `n`, `extreme`, ...) how often each value occurs."""


class Worded(NamedTuple):
    """A wording as far as statistics need it. `empty`: whether its answer is that there is nothing."""

    family: str
    text: str
    reading: Reading
    empty: bool


def distributions(questions: Iterable[Worded]) -> dict[str, Distribution]:
    """By family what its questions ask for.

    `period` has kinds of period (`past weeks`, `named quarter`), `count` how many units back, `year` that of
    named periods, `words` the length of wordings in steps of five, `begins` their first words.
    """
    found: dict[str, dict[str, Counter[str]]] = {}
    for question in questions:
        counted = found.setdefault(question.family, {})
        for name, value in _features(question):
            counted.setdefault(name, Counter())[value] += 1
    return {
        family: {
            name: dict(sorted(values.items(), key=lambda item: (-item[1], item[0])))
            for name, values in counted.items()
        }
        for family, counted in sorted(found.items())
    }


def _features(question: Worded) -> Iterable[tuple[str, str]]:
    slots, period = question.reading.slots, question.reading.period
    if period is not None:
        kind = f"past {period.unit}s" if period.relative else f"named {period.unit}"
        yield "period", kind
        if period.count is not None:
            yield "count", f"{period.count} {period.unit}s"
        elif period.start is not None:
            yield "year", str(period.start.year)
    for name in ("n", "extreme", "asks"):
        if name in slots:
            yield name, slots[name]
    if question.family in ("handle_time", "transfer_count"):
        yield "average", slots.get("average", "no")
    words = question.text.split()
    yield "words", f"{len(words) // 5 * 5}-{len(words) // 5 * 5 + 4}"
    yield "begins", words[0].lower().strip(",") if words else ""
    yield "empty", "yes" if question.empty else "no"


LICENCE = "CC BY-NC 4.0 (published questions and answers: for local, non-commercial use only)"
_ELSEWHERE = "a live Salesforce org"
_NOW = datetime(2025, 1, 1)
"""The clock of questions that do not say when they are asked; after all that the published org holds."""


def import_crmarena(source: Path, place: Path, progress: Progress, *, records: Path | None = None) -> Made:
    """Read CRMArena's questions: whatever there is of them, in either layout.

    What was missing, damaged, not recognised or put in quarantine stands in `import_report.json`.

    Args:
        records: SQLite file with the records of the org, see `worksmith.tools.kinds.crm.org_file`. Without it
            the suite runs with a live org only.

    Raises:
        InputError: there is no question to read, or the file has no records.
    """
    report = ImportReport(ORIGIN)
    progress("reading questions")
    entries = read_entries(source, report)
    questions = recognise_all(entries, report)
    tasks = make_tasks(questions, report)
    _fill(report, questions, len(entries))
    report.facts["tasks"] = {"published": len(entries), "usable": len(tasks)}
    org = None if records is None else read_org(records)
    # The answers are what the published functions give.
    write_settings(place, OrgSettings(mode="faithful"))
    write_atomically(place / POLICY_FILE, packaged_policy().encode())
    world = write_world(
        place,
        [*TABLES, *SEARCH_TABLES],
        {} if org is None else {**org.rows, **search_rows(org.rows)},
        kind="crm",
        origin=ORIGIN,
        now=_NOW,
        persona=persona_of("service_manager"),
        licence=LICENCE,
        elsewhere=_ELSEWHERE if org is None else "",
    )
    if org is not None:
        _tell_fit(report, org, progress)
        progress("computing the answers of recognised questions")
        tasks = with_plans(tasks, world, report)
    write_atomically(place / REPORT_FILE, report.to_json())
    for line in (*report.lines(), *_coverage_lines(questions)):
        progress(line)
    return Made(world, tasks)


def _tell_fit(report: ImportReport, org: OrgFile, progress: Progress) -> None:
    """Note what of the file of records does not fit the objects of an org."""
    report.facts["records"] = {
        "rows": {name: len(rows) for name, rows in org.rows.items()},
        "missing": org.missing,
        "unknown": org.unknown,
        "odd_values": org.odd,
        "dropped_rows": org.dropped,
    }
    progress("records: " + ", ".join(f"{len(rows)} {name}" for name, rows in org.rows.items() if rows))
    for what, names in (
        ("no table or column for", org.missing),
        ("no object or field", org.unknown),
        ("values of another type", [f"{name} ({count})" for name, count in org.odd.items()]),
        ("rows without an id of their own", [f"{name} ({count})" for name, count in org.dropped.items()]),
    ):
        if names:
            progress(f"{what}: {', '.join(names)}")


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
