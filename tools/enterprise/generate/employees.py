"""The employees of a generated enterprise."""

from __future__ import annotations

import math
import random
from datetime import date

from tools.enterprise.generate.company import DOMAIN, LEAVES, TODAY
from tools.enterprise.generate.draft import Draft
from tools.enterprise.generate.entities import Employee
from tools.enterprise.generate.hierarchy import Position, positions
from tools.enterprise.generate.names import people_names
from tools.enterprise.generate.people import EXECUTIVES, People
from tools.enterprise.generate.profiles import Profile, profile
from tools.enterprise.generate.wording import pick, texts

_TITLES = {"10": "Team Lead", "12": "Manager", "14": "Director"}
_MEDIAN_SALARIES = {"09": 60_000, "10": 85_000, "12": 120_000, "14": 190_000, "CE": 480_000}
_EXECUTIVE_SALARY = 340_000
_SALARY_SPREAD = 0.2
_AGES = {"09": (22, 34), "10": (26, 40), "12": (31, 50), "14": (38, 57)}
_YOUNGEST = 22
"""Nobody was younger when joining."""

_RATINGS = ((1, 2, 3, 4, 5), (5, 12, 30, 33, 20))
_STATUSES = ("Single", "Married", "Divorced")


def add_employees(draft: Draft) -> None:
    """Everybody who works or has worked here, with a biography that tells certificates and duties."""
    numbers = draft.rng("employees")
    places = positions(draft.rng("hierarchy"), draft.counts.employees, draft.hierarchy)
    ids = {id(place): f"emp_{number:04d}" for number, place in enumerate(places, start=1)}
    names = people_names(draft.rng("names"))
    people = []
    for place in places:
        above = place.manager_in_office()
        name, gender = next(names)
        manager = None if above is None else ids[id(above)]
        people.append(_employee(numbers, place, ids[id(place)], manager, name, gender))
    draft.people = People(people)
    for employee in people:
        _add(draft, employee)


def _employee(
    numbers: random.Random, place: Position, emp_id: str, manager: str | None, name: str, gender: str
) -> Employee:
    department = texts("employees")["departments"][place.department]
    job = numbers.choice(department["associate"])
    if place.level in _TITLES and place.department not in EXECUTIVES:
        job = _TITLES[place.level]
    title = job if place.department in EXECUTIVES else f"{job}, {place.team}"
    known = numbers.randint(4, min(7, len(department["skills"])))
    youngest, oldest = _AGES[place.level]
    return Employee(
        emp_id=emp_id,
        name=name,
        email=f"{name.lower().replace(' ', '.')}@{DOMAIN}",
        gender=gender,
        department=place.department,
        level=place.level,
        title=title,
        manager=manager,
        team=place.team,
        skills=tuple(numbers.sample(department["skills"], known)),
        doj=place.doj,
        dol=place.dol,
        salary=_salary(numbers, place),
        age=max(numbers.randint(youngest, oldest), _YOUNGEST + _years_since(place.doj)),
        taken=_leaves_taken(numbers),
    )


def _years_since(day: date) -> int:
    return TODAY.year - day.year


def _salary(numbers: random.Random, place: Position) -> int:
    median = _MEDIAN_SALARIES.get(place.department, _MEDIAN_SALARIES[place.level])
    if place.department in ("CT", "CO"):
        median = _EXECUTIVE_SALARY
    spread = _SALARY_SPREAD if place.department not in EXECUTIVES else 0.05
    return 50 * round(median * math.exp(numbers.gauss(0, spread)) / 50)


def _leaves_taken(numbers: random.Random) -> tuple[int, int, int]:
    """Days of each kind; few use up everything, few nothing."""
    casual, sick, vacation = (
        round(total * numbers.betavariate(2.2, 1.8 if kind != "sick" else 3.0))
        for kind, total in LEAVES.items()
    )
    return casual, sick, vacation


def _add(draft: Draft, employee: Employee) -> None:
    numbers = draft.rng("employees", employee.emp_id)
    known = profile(draft, employee)
    facts: dict[str, str] = {}
    leaves = {}
    for (kind, total), taken in zip(LEAVES.items(), employee.taken, strict=True):
        leaves |= {f"total_{kind}_leaves": total, f"remaining_{kind}_leaves": total - taken}
    ref = draft.add(
        "employees",
        emp_id=employee.emp_id,
        name=employee.name,
        email=employee.email,
        department=employee.department,
        category=employee.department_name,
        level=employee.level,
        title=employee.title,
        description=_description(draft, numbers, employee, known, facts),
        experience=_experience(numbers, known, facts),
        skills=", ".join(employee.skills),
        doj=employee.doj,
        reports_to=employee.manager,
        is_valid=employee.dol is None,
        dol=employee.dol,
        salary=employee.salary,
        age=employee.age,
        gender=employee.gender,
        marital_status=numbers.choices(_STATUSES, (2, 3, 0.3) if employee.age > 27 else (6, 1, 0.1))[0],
        performance_rating=numbers.choices(*_RATINGS)[0],
        **leaves,
        total_leaves_taken=sum(employee.taken),
    )
    refs = tuple(f"employees/{emp_id}" for emp_id in (facts.pop("successor_of", ""),) if emp_id)
    draft.latent(ref, "biography", facts, refs)


def _description(
    draft: Draft, numbers: random.Random, employee: Employee, known: Profile, facts: dict[str, str]
) -> str:
    words = texts("employees")["description"]
    facts |= {"team": employee.team, "location": known.location, "duty": known.duty}
    slots = {
        "first": employee.first_name,
        "interest": known.interest,
        "languages": " and ".join(known.languages),
    } | facts
    sentences = [pick(numbers, words["first"], slots), pick(numbers, words["duty"], slots)]
    facts["certificates"] = slots["certificates"] = "; ".join(known.certificates) or "none"
    sentences.append(pick(numbers, words["certificates" if known.certificates else "uncertified"], slots))
    if known.programme:
        facts["programme"] = slots["programme"] = known.programme
        sentences.append(pick(numbers, words["programme"], slots))
    if _is_successor(draft, numbers, employee):
        above = draft.people[employee.manager or ""]
        facts["successor_of"] = above.emp_id
        facts["successor"] = slots["successor"] = above.name
        sentences.append(pick(numbers, words["successor"], slots))
    return " ".join([*sentences, pick(numbers, words["closing"], slots)])


def _is_successor(draft: Draft, numbers: random.Random, employee: Employee) -> bool:
    """Of each boss's reports in office the first one of the next level may be named, no other."""
    if employee.manager is None or employee.dol is not None or numbers.random() < 0.5:
        return False
    rivals = [e for e in draft.people.reports(employee.manager) if e.dol is None and e.rank > 9]
    return bool(rivals) and rivals[0] == employee and employee.department not in EXECUTIVES


def _experience(numbers: random.Random, known: Profile, facts: dict[str, str]) -> str:
    words = texts("employees")["experience"]
    if known.years < 1:
        facts |= {"years_before": "0", "college": known.college}
        return pick(numbers, words["fresh"], facts)
    facts |= {"years_before": str(known.years), "employer": known.employer}
    return pick(numbers, words["senior"], facts | {"span": f"{known.years} year{'s' * (known.years > 1)}"})
