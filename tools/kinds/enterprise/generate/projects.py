"""The projects of a company: no records, but the reason why colleagues talk, write, code and ask for help."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import date, timedelta

from worksmith.tools.kinds.enterprise.generate.draft import Draft
from worksmith.tools.kinds.enterprise.generate.entities import Employee, Project
from worksmith.tools.kinds.enterprise.generate.industry import Industry
from worksmith.tools.kinds.enterprise.generate.staff import EXECUTIVES, ORDINARY
from worksmith.tools.kinds.enterprise.generate.topics import domains
from worksmith.tools.kinds.enterprise.generate.wording import texts

_PEOPLE_EACH = 25
_FIRST_START, _LAST_START = date(2017, 1, 2), date(2021, 3, 1)
_YEARS = (2, 4)
_ONGOING = 0.7
_GUESTS = 0.35
_FEWEST_DAYS = 60
"""Who is employed for less of a project's time than this takes no part in it."""

_Place = tuple[str, int]
"""A department's code and the number of one of its projects."""


def add_projects(draft: Draft) -> None:
    """One project for about every 25 employees, at least one in each department."""
    places = [
        (code, number)
        for code in ORDINARY
        for number in range(max(1, round(len(draft.people.in_department(code)) / _PEOPLE_EACH)))
    ]
    names = _names(draft)
    staff = _staff(draft, places)
    for at, place in enumerate(places):
        turn, name = divmod(at, len(names))
        draft.projects.append(
            _project(draft, place, names[name] + (f" {turn + 1}" if turn else ""), staff[place])
        )


def colleagues(draft: Draft, project: Project, *departments: str) -> list[Employee]:
    """The members of a project, of `departments` only if given."""
    members = (draft.people[emp_id] for emp_id in project.members)
    return [one for one in members if not departments or one.department in departments]


def workday(numbers: random.Random, first: date, last: date) -> date:
    """A day from Monday to Friday, later ones more likely; a weekend only if there is nothing else."""
    span = (last - first).days
    for _ in range(20):
        day = first + timedelta(days=round(span * max(numbers.random(), numbers.random())))
        if day.weekday() < 5:
            return day
    return last


def _names(draft: Draft) -> list[str]:
    """All names in the order of their use; more projects than names get numbers."""
    data = texts("projects")
    names = [f"{first} {second}" for first in data["first"] for second in data["second"]]
    draft.rng("projects", "names").shuffle(names)
    return names


def _project(draft: Draft, place: _Place, name: str, staff: Sequence[Employee]) -> Project:
    numbers = draft.rng("projects", *place)
    code, number = place
    domain, topics = _domain(draft.industry, numbers, code, number)
    start, end = _period(numbers, draft.today)
    members = sorted(
        (one for one in staff if _employed(one, start, end)),
        key=lambda one: (one.department != code, -one.rank, one.emp_id),
    )
    product = numbers.choice(draft.products) if draft.products and numbers.random() < 0.6 else None
    client = numbers.choice(draft.clients) if draft.clients and product is None else None
    ids = tuple(one.emp_id for one in members)
    return Project(name, code, domain, topics, ids, start, end, draft.industry, product, client)


def _domain(
    industry: Industry, numbers: random.Random, code: str, number: int
) -> tuple[str, tuple[str, ...]]:
    found = domains(industry, code)
    domain = list(found)[number % len(found)]
    return domain, tuple(numbers.sample(found[domain], len(found[domain])))


def _period(numbers: random.Random, today: date) -> tuple[date, date]:
    start = _FIRST_START + timedelta(days=numbers.randint(0, (_LAST_START - _FIRST_START).days))
    if numbers.random() < _ONGOING:
        return start, today
    return start, min(today, start + timedelta(days=round(365 * numbers.uniform(*_YEARS))))


def _staff(draft: Draft, places: Sequence[_Place]) -> dict[_Place, list[Employee]]:
    """Each employee joins a project of their department, some a second one of any."""
    own = {code: [place for place in places if place[0] == code] for code in ORDINARY}
    found: dict[_Place, list[Employee]] = {place: [] for place in places}
    for one in draft.people:
        if one.department not in EXECUTIVES:
            numbers = draft.rng("projects", "member", one.emp_id)
            home = numbers.choice(own[one.department])
            guest = numbers.choice(places)
            found[home].append(one)
            if guest != home and numbers.random() < _GUESTS:
                found[guest].append(one)
    return found


def _employed(one: Employee, start: date, end: date) -> bool:
    first, last = max(start, one.doj), min(end, one.dol or end)
    return (last - first).days >= _FEWEST_DAYS
