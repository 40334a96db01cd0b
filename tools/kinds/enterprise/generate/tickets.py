"""The tickets of the IT service."""

from __future__ import annotations

import random
from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

from tools.kinds.enterprise.generate.draft import Draft
from tools.kinds.enterprise.generate.entities import Citable, Employee, Project
from tools.kinds.enterprise.generate.grammar import grammar
from tools.kinds.enterprise.generate.latent import reference
from tools.kinds.enterprise.generate.projects import workday
from tools.kinds.enterprise.generate.wording import pick, texts

LIMITS = {"high": 1, "medium": 3, "low": 7}
"""In how many days a ticket of each priority has to be solved, as the asset management policy says."""

_PRIORITIES = (45, 33, 22)
_RESOLVED = 0.75
_IN_TIME = 0.7
_BROKEN = 0.35
_ON_PRODUCT = 0.2
_FIRST_ID = 1001
_TRIES = 200


def add_tickets(draft: Draft) -> None:
    """Tickets of all categories in equal numbers, by date. Nobody has two of one category and cause."""
    categories = texts("tickets")["categories"]
    taken: set[tuple[str, str, str]] = set()
    found = []
    for number in range(draft.counts.tickets):
        category = list(categories)[number % len(categories)]
        found.append(_ticket(draft, draft.rng("tickets", number), category, categories[category], taken))
    found.sort(key=lambda one: str(one[0]["assigned_date"]))
    for number, (cells, facts, project) in enumerate(found):
        key = str(_FIRST_ID + number)
        ref = draft.add("tickets", ticket_id=key, **cells)
        product = facts.pop("product", None)
        draft.latent(ref, facts["category"], facts, (reference("products", product),) if product else ())
        people = frozenset((cells["raised_by_emp_id"], cells["emp_id"]))
        draft.cite(project.name, Citable(ref, key, cells["assigned_date"], people))


_Made = tuple[dict[str, Any], dict[str, str], Project]


def _ticket(
    draft: Draft,
    numbers: random.Random,
    category: str,
    data: Mapping[str, Any],
    taken: set[tuple[str, str, str]],
) -> _Made:
    raiser, resolver, project, day, symptom = _people(draft, numbers, category, data, taken)
    topic = project.topic(numbers)
    facts = {"project": project.name, "topic": topic, "category": category, "symptom": symptom}
    priority = numbers.choices(list(LIMITS), _PRIORITIES)[0]
    words = texts("tickets")
    issue = [
        numbers.choice(words["opening"]["lines"]),
        symptom,
        pick(numbers, words["opening"]["work"], facts),
    ]
    if project.product is not None and numbers.random() < _ON_PRODUCT:
        facts["product"] = project.product.product_id
        named = {"name": project.product.name, "key": project.product.product_id}
        issue.append(pick(numbers, words["opening"]["product"], named))
    closed = _closed(draft, numbers, priority, day, resolver)
    if closed is None:
        resolution = numbers.choice(words["progress"]["lines"])
    else:
        facts["sla"] = "met" if (closed - day).days <= LIMITS[priority] else "missed"
        resolution = _resolution(numbers, data, priority, facts)
    cells = {
        "priority": priority,
        "category": category,
        "status": "resolved" if closed else "open",
        "raised_by_emp_id": raiser.emp_id,
        "assigned_date": day,
        "emp_id": resolver.emp_id,
        "issue": f"{issue[0]} {' '.join(issue[1:])}",
        "resolution": resolution,
        "closed_date": closed,
    }
    return cells, facts, project


def _people(
    draft: Draft,
    numbers: random.Random,
    category: str,
    data: Mapping[str, Any],
    taken: set[tuple[str, str, str]],
) -> tuple[Employee, Employee, Project, date, str]:
    """Requester and resolver, both employed on that day."""
    for _ in range(_TRIES):
        project = numbers.choice([one for one in draft.projects if one.members])
        raiser = draft.people[numbers.choice(project.members)]
        symptom = numbers.choice(data["issues"])
        window = project.window(raiser)
        if window is None or (raiser.emp_id, category, symptom) in taken:
            continue
        day = workday(numbers, *window)
        experts = [one for one in draft.people.active_on(day, "IN") if one is not raiser]
        if experts:
            taken.add((raiser.emp_id, category, symptom))
            return raiser, numbers.choice(experts), project, day, symptom
    raise ValueError(f"nobody has trouble with {category}")


def _closed(
    draft: Draft, numbers: random.Random, priority: str, day: date, resolver: Employee
) -> date | None:
    """The day of the solution, while the resolver was employed; old tickets are rarely open."""
    limit = LIMITS[priority]
    took = numbers.randint(0, limit) if numbers.random() < _IN_TIME else limit + numbers.randint(1, 12)
    closed = day + timedelta(days=took)
    recent = (draft.today - day).days < 400
    if (
        closed > draft.today
        or not resolver.active_on(closed)
        or (recent and numbers.random() > _RESOLVED / 2)
    ):
        return None
    return closed


def _resolution(numbers: random.Random, data: Mapping[str, Any], priority: str, facts: dict[str, str]) -> str:
    """Cause, what was done, which clause that obeyed or broke, and whether it was in time."""
    words = texts("tickets")
    facts["root_cause"], done = numbers.choice(data["causes"])
    clause, obeyed, broken = numbers.choice(data["clauses"])
    result = "broken" if numbers.random() < _BROKEN else "obeyed"
    facts |= {"clause": clause, "clause_result": result}
    because = broken if result == "broken" else obeyed
    return " ".join(
        (
            grammar("tickets").say(numbers, "root_cause", facts),
            done,
            pick(numbers, words["say"][result], {"clause": clause, "because": because}),
            pick(numbers, words["say"][facts["sla"]], {"days": words["days"][priority]}),
        )
    )
