"""The employees of a generated enterprise."""

from __future__ import annotations

import math
import random
from datetime import date

from worksmith.tools.kinds.enterprise.generate.company import DOMAIN, LEAVES, TODAY
from worksmith.tools.kinds.enterprise.generate.draft import Draft
from worksmith.tools.kinds.enterprise.generate.entities import Employee
from worksmith.tools.kinds.enterprise.generate.grammar import grammar
from worksmith.tools.kinds.enterprise.generate.industry import Industry
from worksmith.tools.kinds.enterprise.generate.latent import reference
from worksmith.tools.kinds.enterprise.generate.people.hierarchy import Position, positions
from worksmith.tools.kinds.enterprise.generate.people.names import people_names
from worksmith.tools.kinds.enterprise.generate.people.profiles import Profile, profile
from worksmith.tools.kinds.enterprise.generate.staff import EXECUTIVES, People
from worksmith.tools.kinds.enterprise.generate.topics import details, domains
from worksmith.tools.kinds.enterprise.generate.wording import pick, texts

_WORDS = grammar("employees")
_NONE = "none"
"""The fact of a biography without certificates."""

_LOWEST = 9
"""The lowest level."""

_TITLES = {"10": "Team Lead", "12": "Manager", "14": "Director"}
_MEDIAN_SALARIES = {"09": 60_000, "10": 85_000, "12": 120_000, "14": 190_000, "CE": 480_000}
_EXECUTIVE_SALARY = 340_000
"""The median of CTO and COO. Salaries are a year's, in the world's currency."""

_SALARY_SPREAD = 0.2
"""Standard deviation of the logarithm of salaries."""

_AGES = {"09": (22, 34), "10": (26, 40), "12": (31, 50), "14": (38, 57)}
"""The youngest and oldest age in years, by level."""

_YOUNGEST = 22
"""The youngest age in years at which employees join."""

_RATINGS = ((1, 2, 3, 4, 5), (5, 12, 30, 33, 20))
"""Performance ratings and their weights."""

_STATUSES = ("Single", "Married", "Divorced")


def add_employees(draft: Draft) -> None:
    """Add all employees, past and present, with biographies that state certificates and duties."""
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
    """Days taken of casual, sick and vacation leave; few employees take all of them or none."""
    casual, sick, vacation = (
        round(total * numbers.betavariate(2.2, 1.8 if kind != "sick" else 3.0))
        for kind, total in LEAVES.items()
    )
    return casual, sick, vacation


def _add(draft: Draft, employee: Employee) -> None:
    numbers = draft.rng("employees", employee.emp_id)
    known = profile(draft, employee)
    leaves: dict[str, int] = {}
    for (kind, total), taken in zip(LEAVES.items(), employee.taken, strict=True):
        leaves |= {f"total_{kind}_leaves": total, f"remaining_{kind}_leaves": total - taken}
    background = _background(known)
    present = _present(employee, known)
    predecessor = _predecessor(draft, numbers, employee)
    if predecessor is not None:
        present["successor"] = predecessor.name
    ref = draft.add(
        "employees",
        emp_id=employee.emp_id,
        name=employee.name,
        email=employee.email,
        department=employee.department,
        category=employee.department_name,
        level=employee.level,
        title=employee.title,
        description=_description(draft.industry, numbers, employee, known, present),
        experience=_experience(numbers, employee, background),
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
    refs = () if predecessor is None else (reference("employees", predecessor.emp_id),)
    draft.latent(ref, "biography", present | background, refs)


def _present(employee: Employee, known: Profile) -> dict[str, str]:
    facts = {"team": employee.team, "location": known.location, "duty": known.duty}
    facts["certificates"] = "; ".join(known.certificates) or _NONE
    return facts | ({"programme": known.programme} if known.programme else {})


def _background(known: Profile) -> dict[str, str]:
    if known.years == 0:
        return {"college": known.college}
    return {"years_before": str(known.years), "employer": known.employer}


def _description(
    industry: Industry, numbers: random.Random, employee: Employee, known: Profile, facts: dict[str, str]
) -> str:
    slots = facts | {
        "first": employee.first_name,
        "interest": known.interest,
        "languages": known.spoken(),
    }
    other = _WORDS.data["other"]
    sentences = []
    for slot in facts:
        if facts[slot] == _NONE:
            sentences.append(pick(numbers, other["uncertified"], slots))
        else:
            sentences.append(_WORDS.say(numbers, slot, slots))
    return " ".join([*sentences, *_work(industry, numbers, employee), pick(numbers, other["closing"], slots)])


def _work(industry: Industry, numbers: random.Random, employee: Employee) -> list[str]:
    """What an employee does, did before, and thinks of it, each about a topic of the department."""
    department = texts("employees")["departments"][employee.department].get("work", employee.department)
    topics = [topic for some in domains(industry, department).values() for topic in some]
    now, before = (details(industry, topic) for topic in numbers.sample(topics, 2))
    said = []
    for bank, forms in (
        (now, _WORDS.data["work"][_level(employee)]),
        (before, _WORDS.data["other"]["earlier"]),
    ):
        thing, other = numbers.sample(bank.things, 2)
        said.append(pick(numbers, forms, {"first": employee.first_name, "thing": thing, "other": other}))
    slots = {"first": employee.first_name, "gain": now.say(numbers, "gain")}
    return [*said, pick(numbers, _WORDS.data["other"]["conviction"], slots)]


def _level(employee: Employee) -> str:
    return employee.level if employee.department not in EXECUTIVES else "14"


def _experience(numbers: random.Random, employee: Employee, facts: dict[str, str]) -> str:
    skill, craft = numbers.sample(employee.skills, 2)
    slots = facts | {"first": employee.first_name, "skill": skill, "craft": craft}
    return " ".join(_WORDS.say(numbers, slot, slots) for slot in facts)


def _predecessor(draft: Draft, numbers: random.Random, employee: Employee) -> Employee | None:
    """The manager that an employee is to succeed, for half of the managers' first reports; else None."""
    if employee.manager is None or employee.dol is not None or numbers.random() < 0.5:
        return None
    rivals = [e for e in draft.people.reports(employee.manager) if e.dol is None and e.rank > _LOWEST]
    if not rivals or rivals[0] != employee or employee.department in EXECUTIVES:
        return None
    return draft.people[employee.manager]
