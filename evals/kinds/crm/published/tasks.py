"""Published questions as tasks: slots read, answers checked, without plans."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any

from worksmith.evals.kinds.crm.answers import named
from worksmith.evals.kinds.crm.families.registry import FAMILIES
from worksmith.evals.kinds.crm.published.entries import ABSENT, Entry
from worksmith.evals.kinds.crm.questions.family import Family
from worksmith.evals.kinds.crm.reading.recognise import Reading, recognise
from worksmith.evals.kinds.crm.reading.texts import question_of, tidy
from worksmith.evals.kinds.crm.task_types import KNOWLEDGE_QA, TASK_TYPES
from worksmith.evals.tasks.task import Answer, Entity, Task
from worksmith.tools.importing.cells import Number, plain
from worksmith.tools.importing.report import ImportReport
from worksmith.tools.kinds.crm.access.policy import persona_of
from worksmith.tools.kinds.crm.moments import MONTHS

_NOTHING = frozenset({"", "none", "null", "n/a"})
_LONGEST_ANSWER = 5000


class AnswerError(ValueError):
    """A published answer is not what its kind of question asks for."""


def read_answer(published: Any, family: str) -> Answer:
    texts = _texts(published)
    if family == KNOWLEDGE_QA:
        if len(texts) != 1:
            raise AnswerError("there is no sentence to compare with")
        return Answer(kind="entities", required=(Entity(type="text", value=texts[0]),), reference=texts[0])
    if not texts:
        return Answer(kind="none")
    return Answer(kind="entities", required=tuple(_entity(text, family) for text in texts))


def _texts(published: Any) -> list[str]:
    """The values of an answer; empty if it says that there is nothing."""
    if published is ABSENT:
        raise AnswerError("there is no answer to compare with")
    values = published if isinstance(published, list) else [published]
    texts = []
    for value in values:
        if value is not None and (not isinstance(value, str) or isinstance(value, Number)):
            raise AnswerError("the answer is no text")
        text = (plain(value) or "").strip()
        if len(text) > _LONGEST_ANSWER:
            raise AnswerError(f"the answer has {len(text)} characters")
        if text.lower() not in _NOTHING:
            texts.append(text)
    if texts and len(texts) < len(values):
        raise AnswerError("the answer has values and says that there is none")
    return list(dict.fromkeys(texts))


def _entity(text: str, family: str) -> Entity:
    kind = TASK_TYPES[family].asks
    values = named(text, kind)
    if len(values) != 1:
        raise AnswerError(f"the answer {text[:40]!r} is no {kind.replace('_', ' ')}")
    # A month's own spelling is the published one, which the published metric compares with.
    return Entity(type=kind, value=text if kind == "month" else next(iter(values)))


def doubts(reading: Reading, family: str, answer: Answer, today: date | None) -> Iterator[tuple[str, str]]:
    """What is odd about a question with its answer: a kind of doubt, and a sentence."""
    period = reading.period
    if period is None or period.start is None or period.end is None:
        return
    if today is not None and not period.relative:
        if period.start >= today:
            yield "future_period", "the period lies wholly after today"
        elif period.end > today:
            yield "future_period", "the period goes on after today"
    if family == "monthly_trend_analysis" and answer.required:
        months = set(_months(period.start, period.end))
        for entity in answer.required:
            if entity.value not in months:
                yield "month_outside", f"the answer {entity.value} lies outside the period"


def _months(start: date, end: date) -> Iterator[str]:
    first, last = start.year * 12 + start.month, end.year * 12 + end.month
    # A period that ends with the first of a month ends with the beginning of that day.
    for month in range(first, min(last if end.day > 1 else last - 1, first + 11) + 1):
        yield MONTHS[(month - 1) % 12]


ORIGIN = "crmarena"

_MOST_LETTERS = 20_000
_SHOWN = {
    "case_routing": ("Case Subject", "Case Description"),
    "named_entity_disambiguation": ("Contact Id",),
    "policy_violation_identification": ("Case Id",),
    "top_issue_identification": ("Product Id",),
    "monthly_trend_analysis": ("Product Id",),
}
"""What has to be shown with a question of a family, by label."""


@dataclass(frozen=True)
class Recognised:
    """A question with the slots of its wording."""

    entry: Entry
    reading: Reading

    @property
    def family(self) -> str:
        return self.entry.declared


def recognise_all(entries: Iterable[Entry], report: ImportReport) -> list[Recognised]:
    """Read all wordings. Questions of no family, or of one that is not ours, go to quarantine."""
    found = []
    for entry in entries:
        family = entry.declared
        if family in TASK_TYPES:
            reading = recognise(entry.query, family, entry.today)
            found.append(Recognised(entry, reading))
            if not reading.complete:
                reason = f"the wording does not say {' and '.join(reading.missing)}"
                report.warn("slot_missing", entry.file, f"record {entry.position}", reason)
        elif not family:
            report.flag("no_family", entry.place, "the record does not tell the family")
        else:
            report.flag("other_family", entry.place, f"{family[:40]!r} is none of the nine families")
    return found


def make_tasks(questions: Iterable[Recognised], report: ImportReport) -> list[Task]:
    """The questions that can be asked as tasks; the others go to quarantine with a reason."""
    kinds = {family.name: family for family in FAMILIES}
    seen: dict[tuple[str, ...], Answer] = {}
    numbers: Counter[str] = Counter()
    tasks = []
    for question in questions:
        entry, family = question.entry, question.family
        numbers[family] += 1
        fault = _fault(question)
        if fault is not None:
            report.flag(*fault)
            continue
        try:
            answer = read_answer(entry.answer, family)
        except AnswerError as error:
            report.flag("bad_answer", entry.place, str(error))
            continue
        key = _key(question)
        if key in seen:
            kind, reason = (
                ("repeated", "asked before")
                if seen[key] == answer
                else ("contradicted", "asked before with another answer")
            )
            report.flag(kind, entry.place, reason)
            continue
        seen[key] = answer
        for kind, reason in doubts(question.reading, family, answer, entry.today):
            report.note(kind, entry.file, f"record {entry.position}", reason)
        tasks.append(_task(question, answer, kinds[family], numbers[family]))
    return tasks


def _fault(question: Recognised) -> tuple[str, str, str] | None:
    """Why a question cannot be asked, if so: a kind, the place and a reason."""
    entry = question.entry
    missing = [label for label in _SHOWN.get(question.family, ()) if not entry.shown.get(label)]
    period = question.reading.period
    if not entry.query:
        return "no_question", entry.place, "there is no wording"
    if len(entry.query) > _MOST_LETTERS or any(len(text) > _MOST_LETTERS for text in entry.shown.values()):
        return "too_long", entry.place, f"a text has more than {_MOST_LETTERS} characters"
    if entry.bad_ids:
        return "bad_id", entry.place, f"no id: {', '.join(entry.bad_ids)}"
    if missing:
        return "not_shown", entry.place, f"there is no {' and no '.join(missing)}"
    if period is not None and period.relative and entry.today is None:
        return "no_today", entry.place, "the period is counted from a day that the record does not say"
    return None


def _key(question: Recognised) -> tuple[str, ...]:
    entry = question.entry
    shown = (entry.shown.get(label, "") for label in _SHOWN.get(question.family, ()))
    # A case to be routed is all there is to the question; the sentence around it does not matter.
    text = "" if question.family == "case_routing" else question_of(entry.query).rstrip(" .?!")
    return question.family, text, str(entry.today), *shown


def _task(question: Recognised, answer: Answer, family: Family, number: int) -> Task:
    entry, reading = question.entry, question.reading
    shown = {label: entry.shown[label] for label in _SHOWN.get(question.family, ())}
    lines = [f"{label}: {value}" for label, value in shown.items()]
    slots = dict(reading.slots) if question.reading.complete else {}
    return Task(
        id=f"{ORIGIN}-{family.code}-{number:03}",
        query="\n".join([_wording(entry), *lines, family.answer_format("faithful")]),
        context=family.context("faithful"),
        domains=("functions",),
        type="search",
        persona=persona_of(family.persona),
        now=datetime.combine(entry.today, time()) if entry.today else None,
        intent=question.family,
        slots=slots | _ids(shown),
        answer=answer,
        origin=_origin(entry, recognised=question.reading.complete),
    )


def _wording(entry: Entry) -> str:
    """The question as published, without what may follow it on ids and on the form of the answer."""
    question = question_of(entry.query)
    return entry.query.strip() if question == tidy(entry.query) else question


def _ids(shown: Mapping[str, str]) -> dict[str, str]:
    return {
        label.removesuffix(" Id").lower(): value for label, value in shown.items() if label.endswith(" Id")
    }


def _origin(entry: Entry, *, recognised: bool) -> dict[str, str | int | bool]:
    origin: dict[str, str | int | bool] = {
        "system": ORIGIN,
        "file": entry.file,
        "record": entry.position,
        "recognised": recognised,
    }
    return origin | ({"index": entry.index} if entry.index else {})
