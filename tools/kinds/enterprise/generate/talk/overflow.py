"""The questions and answers of the internal forum."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from worksmith.tools.kinds.enterprise.generate.draft import Draft
from worksmith.tools.kinds.enterprise.generate.entities import Employee, Project
from worksmith.tools.kinds.enterprise.generate.grammar import grammar
from worksmith.tools.kinds.enterprise.generate.latent import reference
from worksmith.tools.kinds.enterprise.generate.projects import workday
from worksmith.tools.kinds.enterprise.generate.talk.forum import (
    Problem,
    filled,
    forum_problems,
    is_technical,
    of_skill,
)
from worksmith.tools.kinds.enterprise.generate.wording import pick, texts

_ANSWERS = (0, 1, 1, 2, 2, 2, 3, 4)
_HELPED, _ACCEPTED = 0.88, 0.8
"""In how many threads with answers one helps, and how many of these are accepted."""

_VIEWS_PER_VOTE = 5
_BY_EXPERTS = 0.7
_EXPERTS = ("EN", "IN")
_OPENS, _CLOSES = 0.5, 0.4
_ELSEWHERE = 0.15
"""How many of the answers that do not help are about another problem."""


@dataclass(frozen=True)
class _Question:
    """A question before it is worded; answers come with their writer and day."""

    problem: Problem
    code: str
    project: Project
    author: Employee
    asked: date
    answers: tuple[tuple[Employee, date], ...]


@dataclass(frozen=True)
class _Advice:
    """One answer: what it proposes, and the whole text. Only that of the question's own problem helps."""

    fix: str
    body: str
    helps: bool


def add_overflow(draft: Draft) -> None:
    """Questions with their answers, as many rows as there are to be. Each has its own error code."""
    left = draft.counts.overflow
    number = 0
    next_id = 1
    staff = list(draft.people)
    turns = _turns(draft)
    while left:
        problem = next(turns)
        number += 1
        question = _question(draft, number, problem, left - 1, staff)
        next_id = _add(draft, draft.rng("overflow", number, "text"), question, next_id)
        left -= 1 + len(question.answers)


def _turns(draft: Draft) -> Iterator[Problem]:
    """The problems of the questions: each comes back only after all others."""
    known = forum_problems()
    for turn in itertools.count():
        yield from draft.rng("overflow", "problems", turn).sample(known, len(known))


def _question(draft: Draft, number: int, problem: Problem, room: int, staff: Sequence[Employee]) -> _Question:
    numbers = draft.rng("overflow", number)
    code = f"{problem.prefix}-{1000 + number * 7 % 9000 if number < 9000 else 9000 + number}"
    author, project = _author(draft, numbers, problem)
    window = project.window(author)
    assert window is not None
    asked = workday(numbers, *window)
    answers = []
    for _ in range(min(numbers.choice(_ANSWERS), room)):
        day = min(draft.today, asked + timedelta(days=numbers.randint(0, 20)))
        answers.append((_answerer(staff, numbers, day), day))
    return _Question(problem, code, project, author, asked, tuple(sorted(answers, key=lambda one: one[1])))


def _author(draft: Draft, numbers: random.Random, problem: Problem) -> tuple[Employee, Project]:
    """A member of a project in which one may have the problem, employed during some of it."""
    while True:
        project = numbers.choice([one for one in draft.projects if one.members])
        if is_technical(problem) and project.department not in _EXPERTS:
            continue
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
    data, problem = texts("overflow/words"), question.problem
    slots = problem.slots(numbers)
    title = filled(numbers.choice(problem.titles), slots)
    facts = {
        "project": question.project.name,
        "topic": question.project.topic(numbers),
        "skill": problem.skill,
        "problem": title,
        "error_code": question.code,
    }
    found = _advice(numbers, problem, slots, title, len(question.answers))
    helpful = next((n for n, one in enumerate(found) if one.helps), None)
    accepted = helpful if numbers.random() < _ACCEPTED else None
    question_id = f"Q-{next_id:05d}"
    answer_ids = [f"A-{next_id + n + 1:05d}" for n in range(len(found))]
    last = question.answers[-1][1] if question.answers else question.asked
    score = int(numbers.paretovariate(1.1)) - 1
    ref = draft.add(
        "overflow",
        post_id=question_id,
        post_type="question",
        accepted_answer_id=None if accepted is None else answer_ids[accepted],
        emp_id=question.author.emp_id,
        title=pick(numbers, data["title"]["lines"], {"title": title, "error_code": question.code}),
        body=_body(numbers, problem, slots, facts),
        tags=", ".join([problem.skill.lower(), *numbers.sample(_tags(question), 2)]),
        score=score,
        view_count=int(20 * numbers.paretovariate(0.9)) + _VIEWS_PER_VOTE * score,
        creation_date=_moment(numbers, question.asked),
        last_activity_date=last,
    )
    accepted_ref = (reference("overflow", answer_ids[accepted]),) if accepted is not None else ()
    draft.latent(ref, "question", facts, accepted_ref)
    for n, (key, advice) in enumerate(zip(answer_ids, found, strict=True)):
        _answer(draft, numbers, question_id, key, advice, question.answers[n], n == accepted)
    return next_id + 1 + len(found)


def _advice(
    numbers: random.Random, problem: Problem, slots: Mapping[str, str], title: str, count: int
) -> list[_Advice]:
    """What is answered, in any order: one answer helps at most, others fail or are about something else."""
    helps = count > 0 and numbers.random() < _HELPED
    found = [_right(numbers, problem, slots)] if helps else []
    failed = [_failed(numbers, slots, *pair) for pair in problem.wrong]
    numbers.shuffle(failed)
    others = numbers.sample([one for one in of_skill(problem.skill) if one is not problem], count)
    while len(found) < count:
        elsewhere = not failed or numbers.random() < _ELSEWHERE
        found.append(_elsewhere(numbers, others.pop(), title) if elsewhere else failed.pop())
    numbers.shuffle(found)
    return found


def _right(numbers: random.Random, problem: Problem, slots: Mapping[str, str]) -> _Advice:
    words = texts("overflow/words")["answer"]
    wording, code = numbers.choice(problem.fixes)
    fix = filled(wording, slots)
    said = [_stated(numbers, fix), filled(numbers.choice(problem.why), slots)]
    if numbers.random() < _OPENS:
        said.insert(0, numbers.choice(words["first"]))
    parts = [" ".join(said)]
    if code:
        parts.append(f"    {filled(code, slots)}")
    if numbers.random() < _CLOSES:
        parts.append(numbers.choice(words["last"]))
    return _Advice(fix, "\n\n".join(parts), True)


def _failed(numbers: random.Random, slots: Mapping[str, str], wrong: str, failed: str) -> _Advice:
    """A proposal for the right problem, with the asker's report that it did not help."""
    fix = filled(wrong, slots)
    reply = pick(numbers, texts("overflow/words")["comment"]["failed"], {"failed": filled(failed, slots)})
    return _Advice(fix, f"{_stated(numbers, fix)}{_comment(numbers, reply)}", False)


def _elsewhere(numbers: random.Random, other: Problem, title: str) -> _Advice:
    """What helps with another problem, with the asker's reply."""
    words, slots = texts("overflow/words"), other.slots(numbers)
    lead = pick(numbers, words["answer"]["other"], {"other": filled(numbers.choice(other.titles), slots)})
    fix = filled(numbers.choice(other.fixes)[0], slots)
    reply = pick(numbers, words["comment"]["elsewhere"], {"title": title})
    return _Advice(fix, f"{lead} {_stated(numbers, fix)}{_comment(numbers, reply)}", False)


def _stated(numbers: random.Random, fix: str) -> str:
    return grammar("overflow/words").say(numbers, "fix", {"fix": fix})


def _comment(numbers: random.Random, reply: str) -> str:
    return f"\n\n{numbers.choice(texts('overflow/words')['comment']['by'])} {reply}"


def _answer(
    draft: Draft,
    numbers: random.Random,
    parent: str,
    key: str,
    advice: _Advice,
    given: tuple[Employee, date],
    accepted: bool,
) -> None:
    writer, day = given
    liked = int(numbers.paretovariate(1.1)) - 1 + 3 * accepted
    ref = draft.add(
        "overflow",
        post_id=key,
        post_type="answer",
        parent_id=parent,
        emp_id=writer.emp_id,
        body=advice.body,
        score=liked if advice.helps else -min(liked, 3),
        creation_date=_moment(numbers, day),
        last_activity_date=day,
    )
    facts = {
        "fix": advice.fix,
        "accepted": "yes" if accepted else "no",
        "helps": "yes" if advice.helps else "no",
    }
    draft.latent(ref, "answer", facts, (reference("overflow", parent),))


def _body(
    numbers: random.Random, problem: Problem, slots: Mapping[str, str], facts: Mapping[str, str]
) -> str:
    data = texts("overflow/words")["context"]
    said = [pick(numbers, data["lines"], facts), filled(numbers.choice(problem.happens), slots)]
    said.append(grammar("overflow/words").say(numbers, "error_code", facts))
    tried = [filled(text, slots) for text in numbers.sample(problem.tried, numbers.choice((1, 1, 2)))]
    if numbers.random() < _OPENS:
        tried.append(numbers.choice(data["ask"]))
    return f"{' '.join(said)}\n\n{' '.join(tried)}"


def _tags(question: _Question) -> list[str]:
    """Words of the project's domain and the most common tags."""
    return [question.project.domain.replace(" ", "-"), "how-to", "troubleshooting", "production"]


def _moment(numbers: random.Random, day: date) -> datetime:
    return datetime.combine(day, time(8)) + timedelta(seconds=numbers.randint(0, 9 * 3600))
