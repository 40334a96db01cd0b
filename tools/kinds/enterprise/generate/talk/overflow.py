"""The questions and answers of the internal forum."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from tools.kinds.enterprise.generate.draft import Draft
from tools.kinds.enterprise.generate.entities import Employee, Project
from tools.kinds.enterprise.generate.grammar import grammar
from tools.kinds.enterprise.generate.latent import reference
from tools.kinds.enterprise.generate.projects import workday
from tools.kinds.enterprise.generate.wording import pick, texts

_ANSWERS = (0, 1, 1, 2, 2, 2, 3, 4)
_ACCEPTED = 0.75
_BY_EXPERTS = 0.7
_EXPERTS = ("EN", "IN")


@dataclass(frozen=True)
class _Question:
    """A question before it is worded; answers come with their writer and day."""

    skill: str
    code: str
    project: Project
    author: Employee
    asked: date
    answers: tuple[tuple[Employee, date], ...]


def add_overflow(draft: Draft) -> None:
    """Questions with their answers, as many rows as there are to be. Each has an error code of its own."""
    left = draft.counts.overflow
    number = 0
    next_id = 1
    staff = list(draft.people)
    while left:
        number += 1
        question = _question(draft, number, left - 1, staff)
        next_id = _add(draft, draft.rng("overflow", number, "text"), question, next_id)
        left -= 1 + len(question.answers)


def _question(draft: Draft, number: int, room: int, staff: Sequence[Employee]) -> _Question:
    numbers = draft.rng("overflow", number)
    skills = texts("overflow")["skills"]
    skill = numbers.choice(list(skills))
    code = f"{skills[skill]['prefix']}-{1000 + number * 7 % 9000 if number < 9000 else 9000 + number}"
    author, project = _author(draft, numbers)
    window = project.window(author)
    assert window is not None
    asked = workday(numbers, *window)
    answers = []
    for _ in range(min(numbers.choice(_ANSWERS), room)):
        day = min(draft.today, asked + timedelta(days=numbers.randint(0, 20)))
        answers.append((_answerer(staff, numbers, day), day))
    return _Question(skill, code, project, author, asked, tuple(sorted(answers, key=lambda one: one[1])))


def _author(draft: Draft, numbers: random.Random) -> tuple[Employee, Project]:
    """A member of a project, employed during some of it."""
    while True:
        project = numbers.choice([one for one in draft.projects if one.members])
        author = draft.people[numbers.choice(project.members)]
        expert = author.department in _EXPERTS
        if project.window(author) and (expert or numbers.random() > _BY_EXPERTS):
            return author, project


def _answerer(staff: Sequence[Employee], numbers: random.Random, day: date) -> Employee:
    """An active employee, mostly of the technical departments."""
    while True:
        one = numbers.choice(staff)
        if one.active_on(day) and (one.department in _EXPERTS or numbers.random() > _BY_EXPERTS):
            return one


def _add(draft: Draft, numbers: random.Random, question: _Question, next_id: int) -> int:
    """Add a question and its answers; returns the next free number."""
    data = texts("overflow")
    skill: Mapping[str, Any] = data["skills"][question.skill]
    title, happens = numbers.choice(skill["symptoms"])
    topic = question.project.topic(numbers)
    facts = {
        "project": question.project.name,
        "topic": topic,
        "skill": question.skill,
        "problem": title,
        "error_code": question.code,
    }
    fixes = [
        fix.replace("{n}", str(numbers.randint(2, 30)))
        for fix in numbers.sample(skill["fixes"], len(question.answers))
    ]
    accepted = numbers.randrange(len(fixes)) if fixes and numbers.random() < _ACCEPTED else None
    question_id = f"Q-{next_id:05d}"
    answer_ids = [f"A-{next_id + n + 1:05d}" for n in range(len(fixes))]
    body = _body(numbers, happens, facts)
    last = question.answers[-1][1] if question.answers else question.asked
    ref = draft.add(
        "overflow",
        post_id=question_id,
        post_type="question",
        accepted_answer_id=None if accepted is None else answer_ids[accepted],
        emp_id=question.author.emp_id,
        title=pick(numbers, data["title"]["lines"], {"title": title, "error_code": question.code}),
        body=body,
        tags=", ".join([question.skill.lower(), *numbers.sample(_tags(question), 2)]),
        score=int(numbers.paretovariate(1.1)) - 1,
        view_count=int(20 * numbers.paretovariate(0.9)),
        creation_date=_moment(numbers, question.asked),
        last_activity_date=last,
    )
    accepted_ref = (reference("overflow", answer_ids[accepted]),) if accepted is not None else ()
    draft.latent(ref, "question", facts, accepted_ref)
    for n, (key, fix) in enumerate(zip(answer_ids, fixes, strict=True)):
        _answer(draft, numbers, question_id, key, fix, question.answers[n], n == accepted)
    return next_id + 1 + len(fixes)


def _answer(
    draft: Draft,
    numbers: random.Random,
    parent: str,
    key: str,
    fix: str,
    given: tuple[Employee, date],
    accepted: bool,
) -> None:
    data = texts("overflow")["answer"]
    writer, day = given
    facts = {"fix": fix}
    stated = grammar("overflow").say(numbers, "fix", facts)
    ref = draft.add(
        "overflow",
        post_id=key,
        post_type="answer",
        parent_id=parent,
        emp_id=writer.emp_id,
        body=f"{numbers.choice(data['first'])} {stated} {numbers.choice(data['last'])}",
        score=int(numbers.paretovariate(1.1)) - 1 + 3 * accepted,
        creation_date=_moment(numbers, day),
        last_activity_date=day,
    )
    facts["accepted"] = "yes" if accepted else "no"
    draft.latent(ref, "answer", facts, (reference("overflow", parent),))


def _body(numbers: random.Random, happens: str, facts: Mapping[str, str]) -> str:
    data = texts("overflow")["context"]
    context = pick(numbers, data["lines"], facts)
    stated = grammar("overflow").say(numbers, "error_code", facts)
    tried = numbers.sample(data["tried"], numbers.choice((1, 2, 2, 3)))
    return f"{context} {happens} {stated}\n\n{' '.join(tried)} {numbers.choice(data['ask'])}"


def _tags(question: _Question) -> list[str]:
    """Words of the project's domain and the most common tags."""
    return [question.project.domain.replace(" ", "-"), "how-to", "troubleshooting", "production"]


def _moment(numbers: random.Random, day: date) -> datetime:
    return datetime.combine(day, time(8)) + timedelta(seconds=numbers.randint(0, 9 * 3600))
