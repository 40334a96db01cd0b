"""The tickets of the IT service."""

from __future__ import annotations

import random
from datetime import date, timedelta
from typing import Any

from worksmith.tools.kinds.enterprise.generate.business.problems import Problem, problems
from worksmith.tools.kinds.enterprise.generate.draft import Draft
from worksmith.tools.kinds.enterprise.generate.entities import Citable, Employee, Project
from worksmith.tools.kinds.enterprise.generate.grammar import grammar
from worksmith.tools.kinds.enterprise.generate.latent import reference
from worksmith.tools.kinds.enterprise.generate.projects import workday
from worksmith.tools.kinds.enterprise.generate.wording import pick, texts

LIMITS = {"high": 1, "medium": 3, "low": 7}
"""The days for a ticket of each priority, by the asset management policy."""

_PRIORITIES = (45, 33, 22)
_RESOLVED = 0.75
_IN_TIME = 0.7
_BROKEN = 0.35
_ON_PRODUCT = 0.2
_FIRST_ID = 1001
_TRIES = 200


def add_tickets(draft: Draft) -> None:
    """Tickets of all categories in equal numbers, by date.

    A problem comes back only after all others of its category, and never to the same person.
    """
    categories = list(problems())
    taken: set[tuple[str, Problem]] = set()
    found = []
    for number in range(draft.counts.tickets):
        turn, category = divmod(number, len(categories))
        problem = _turn(draft, categories[category], turn)
        found.append(_ticket(draft, draft.rng("tickets", number), problem, taken))
    found.sort(key=lambda one: str(one[0]["assigned_date"]))
    for number, (cells, facts, project) in enumerate(found):
        key = str(_FIRST_ID + number)
        ref = draft.add("tickets", ticket_id=key, **cells)
        product = facts.pop("product", None)
        draft.latent(ref, facts["category"], facts, (reference("products", product),) if product else ())
        people = frozenset((cells["raised_by_emp_id"], cells["emp_id"]))
        draft.cite(project.name, Citable(ref, key, cells["assigned_date"], people))


_Made = tuple[dict[str, Any], dict[str, str], Project]


def _turn(draft: Draft, category: str, turn: int) -> Problem:
    """The problem of a category's ticket number `turn`: each once in every round."""
    known = problems()[category]
    round_, place = divmod(turn, len(known))
    return draft.rng("tickets", category, round_).sample(known, len(known))[place]


def _ticket(draft: Draft, numbers: random.Random, problem: Problem, taken: set[tuple[str, Problem]]) -> _Made:
    raiser, resolver, project, day = _people(draft, numbers, problem, taken)
    facts = {
        "project": project.name,
        "topic": project.topic(numbers),
        "category": problem.category,
        "symptom": numbers.choice(problem.symptoms),
    }
    priority = numbers.choices(list(LIMITS), _PRIORITIES)[0]
    words = texts("tickets/words")
    issue = [
        numbers.choice(words["opening"]["lines"]),
        facts["symptom"],
        *numbers.sample(problem.details, numbers.choice((1, 2))),
        pick(numbers, words["work"][problem.work], facts),
    ]
    if project.product is not None and numbers.random() < _ON_PRODUCT:
        facts["product"] = project.product.product_id
        named = {"name": project.product.name, "key": project.product.product_id}
        issue.append(pick(numbers, words["opening"]["product"], named))
    closed = _closed(draft, numbers, priority, day, resolver)
    if closed is None:
        resolution = numbers.choice(problem.waiting)
    else:
        facts["sla"] = "met" if (closed - day).days <= LIMITS[priority] else "missed"
        resolution = _resolution(numbers, problem, priority, facts)
    cells = {
        "priority": priority,
        "category": problem.category,
        "status": "resolved" if closed else "open",
        "raised_by_emp_id": raiser.emp_id,
        "assigned_date": day,
        "emp_id": resolver.emp_id,
        "issue": f"{issue[0]}\n\n{' '.join(issue[1:])}",
        "resolution": resolution,
        "closed_date": closed,
    }
    return cells, facts, project


def _people(
    draft: Draft, numbers: random.Random, problem: Problem, taken: set[tuple[str, Problem]]
) -> tuple[Employee, Employee, Project, date]:
    """Requester and resolver, both employed on that day."""
    for _ in range(_TRIES):
        project = numbers.choice([one for one in draft.projects if one.members])
        raiser = draft.people[numbers.choice(project.members)]
        window = project.window(raiser)
        if window is None or (raiser.emp_id, problem) in taken:
            continue
        day = workday(numbers, *window)
        experts = [one for one in draft.people.active_on(day, "IN") if one is not raiser]
        if experts:
            taken.add((raiser.emp_id, problem))
            return raiser, numbers.choice(experts), project, day
    raise ValueError(f"nobody has trouble with {problem.category}")


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


def _resolution(numbers: random.Random, problem: Problem, priority: str, facts: dict[str, str]) -> str:
    """Cause, what was done, advice, which clause that obeyed or broke, and whether it was in time."""
    words = texts("tickets/words")
    facts["root_cause"], done = numbers.choice(problem.remedies)
    clause = numbers.choice(problem.clauses)
    result = "broken" if numbers.random() < _BROKEN else "obeyed"
    facts |= {"clause": clause.id, "clause_result": result}
    because = clause.broken if result == "broken" else clause.obeyed
    return " ".join(
        (
            grammar("tickets/words").say(numbers, "root_cause", facts),
            done,
            numbers.choice(problem.advice),
            pick(numbers, words["say"][result], {"clause": clause.id, "because": because}),
            pick(numbers, words["say"][facts["sla"]], {"days": words["days"][priority]}),
        )
    )
