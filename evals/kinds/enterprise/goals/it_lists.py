"""IT: the tickets of a person, of a time, of a category, counted and compared."""

from __future__ import annotations

from datetime import timedelta

from evals.kinds.enterprise.facts import Record, day
from evals.kinds.enterprise.goals import entities
from evals.kinds.enterprise.goals.goal import Book, Slots, Values
from evals.kinds.enterprise.goals.it import HELPDESK, YEARS, busiest, draw_ticket, has_had, span
from evals.kinds.enterprise.goals.it_tickets import SUBAREA
from evals.kinds.enterprise.goals.messages import manager_of
from evals.kinds.enterprise.goals.scene import Draw, Scene
from evals.kinds.enterprise.goals.script import Row, Rows, Script, UnfitError

BOOK = Book("IT", "it_lists.toml", departments=HELPDESK)
_MOST = 8
_PRIORITIES = ("high", "medium", "low")
_SPAN = (20, 200)


def draw_my_queue(scene: Scene) -> Draw | None:
    """The persona's open tickets of a priority."""
    priority = scene.rng.choice(_PRIORITIES)
    rows = scene.facts.where("tickets", emp_id=scene.me["emp_id"], priority=priority, status="open")
    return _list(scene, {"priority": priority}, rows)


@BOOK.goal(SUBAREA, steps=1, draw=draw_my_queue, empty=True)
def my_queue(slots: Slots, call: Script) -> Values:
    """All of them."""
    rows = call.every(
        "tickets", f"I look for my open tickets of {slots['priority']} priority.",
        resolver="me", priority=slots["priority"], status="open",
    )  # fmt: skip
    return _ids(call, rows)


def draw_my_period(scene: Scene) -> Draw | None:
    """The tickets that came to the persona between two days."""
    row = scene.pick("tickets", scene.facts.where("tickets", emp_id=scene.me["emp_id"]))
    if row is None:
        return None
    middle = day(row["assigned_date"])
    first = middle - timedelta(days=scene.rng.randint(*_SPAN))
    last = middle + timedelta(days=scene.rng.randint(*_SPAN) if not scene.empty else -1)
    rows = [
        other
        for other in scene.facts.where("tickets", emp_id=scene.me["emp_id"])
        if first <= day(other["assigned_date"]) <= last
    ]
    return _list(scene, {"first": first.isoformat(), "last": last.isoformat()}, rows)


@BOOK.goal(SUBAREA, steps=1, draw=draw_my_period, who=has_had, empty=True)
def my_period(slots: Slots, call: Script) -> Values:
    """All of them."""
    rows = call.every(
        "tickets", "I look for what came to me in that time.",
        resolver="me", date_from=slots["first"], date_to=slots["last"],
    )  # fmt: skip
    return _ids(call, rows)


def draw_raised_by(scene: Scene) -> Draw | None:
    """A colleague, with tickets or without."""
    row = scene.colleague() if scene.empty else draw_ticket(scene)
    person = scene.facts.colleague(row["emp_id" if scene.empty else "raised_by_emp_id"]) if row else None
    if person is None or person["emp_id"] == scene.me["emp_id"]:
        return None
    rows = scene.facts.where("tickets", raised_by_emp_id=person["emp_id"])
    return _list(scene, {"name": person["name"]}, rows)


@BOOK.goal(SUBAREA, steps=1, draw=draw_raised_by, empty=True)
def raised_by(slots: Slots, call: Script) -> Values:
    """All of them."""
    rows = call.every("tickets", f"I look for what {slots['name']} raised.", raised_by=slots["name"])
    return _ids(call, rows)


def draw_category_year(scene: Scene) -> Draw | None:
    """A category and a year."""
    row = draw_ticket(scene)
    if row is None:
        return None
    year = scene.rng.choice(YEARS) if scene.empty else row["assigned_date"][:4]
    rows = _of_year(scene.facts.where("tickets", category=row["category"]), year)
    slots = {"category": row["category"], "year": year}
    if not rows:
        return scene.draw(slots, nothing=True)
    solved = sum(other["status"] == "resolved" for other in rows)
    answer = [entities.number(len(rows)), entities.number(solved)]
    return scene.draw(slots, answer=answer, about=[("tickets", row)])


@BOOK.goal(SUBAREA, steps=1, draw=draw_category_year, empty=True)
def category_year(slots: Slots, call: Script) -> Values:
    """Count."""
    rows = _in_category(call, slots["category"], slots["year"])
    if not rows:
        return call.none(rows)
    return str(len(rows)), str(sum(row["status"] == "resolved" for row in rows))


def draw_more_of(scene: Scene) -> Draw | None:
    """Two categories with different numbers of tickets in a year."""
    pair, year = scene.pick_two("tickets"), scene.rng.choice(YEARS)
    if pair is None or pair[0]["category"] == pair[1]["category"]:
        return None
    names = [row["category"] for row in pair]
    counts = [len(_of_year(scene.facts.where("tickets", category=name), year)) for name in names]
    if counts[0] == counts[1]:
        return None
    most = max(counts)
    slots = {"category": names[0], "other": names[1], "year": year}
    answer = [entities.text(names[counts.index(most)]), entities.number(most)]
    return scene.draw(slots, answer=answer, about=[("tickets", row) for row in pair])


@BOOK.goal(SUBAREA, steps=2, draw=draw_more_of)
def more_of(slots: Slots, call: Script) -> Values:
    """Count both."""
    counts = [
        (len(_in_category(call, name, slots["year"])), name) for name in (slots["category"], slots["other"])
    ]
    most, name = max(counts)
    return name, str(most)


# --- who works most -------------------------------------------------------------------------------------


def draw_busiest(scene: Scene) -> Draw | None:
    """A time in which somebody clearly has most tickets."""
    found = _busy_time(scene)
    if found is None:
        return None
    person, slots = found
    answer = [entities.person(person), entities.ident("email", person["email"])]
    return scene.draw(slots, answer=answer)


@BOOK.goal(SUBAREA, steps=2, draw=draw_busiest)
def busiest_helper(slots: Slots, call: Script) -> Values:
    """All tickets of the time, then the directory."""
    person = _look_up_busiest(call, slots)
    return person["name"], person["email"]


def draw_busiest_manager(scene: Scene) -> Draw | None:
    """And the manager."""
    found = _busy_time(scene)
    manager = scene.facts.manager(found[0]["emp_id"]) if found else None
    if found is None or manager is None:
        return None
    person, slots = found
    answer = [entities.person(person), entities.ident("email", manager["email"])]
    return scene.draw(slots, answer=answer)


@BOOK.goal(SUBAREA, steps=3, draw=draw_busiest_manager)
def busiest_manager(slots: Slots, call: Script) -> Values:
    """All tickets of the time, then two entries of the directory."""
    person = _look_up_busiest(call, slots)
    return person["name"], manager_of(call, person)["email"]


# --- parts ----------------------------------------------------------------------------------------------


def _list(scene: Scene, slots: dict[str, str], rows: list[Record]) -> Draw | None:
    if not rows:
        return scene.draw(slots, nothing=True)
    if len(rows) > _MOST:
        return None
    answer = [entities.ident("ticket_id", row["ticket_id"]) for row in rows]
    return scene.draw(slots, answer=answer, about=[("tickets", rows[0])])


def _ids(call: Script, rows: Rows) -> Values:
    return tuple(row["ticket_id"] for row in rows) if rows else call.none(rows)


def _of_year(rows: list[Record], year: str) -> list[Record]:
    return [row for row in rows if row["assigned_date"].startswith(year)]


def _in_category(call: Script, category: str, year: str) -> Rows:
    return call.every("tickets", f"I need the {category} tickets of {year}.", category=category, **span(year))


def _busy_time(scene: Scene) -> tuple[Record, dict[str, str]] | None:
    """Two days, and who clearly got most tickets between them."""
    first = day(scene.rng.choice(scene.facts.all("tickets"))["assigned_date"])
    last = first + timedelta(days=2 * scene.rng.randint(*_SPAN))
    rows = [row for row in scene.facts.all("tickets") if first <= day(row["assigned_date"]) <= last]
    person = scene.facts.colleague(busiest(rows) or "")
    if person is None or len(rows) > 50:
        return None
    return person, {"first": first.isoformat(), "last": last.isoformat()}


def _look_up_busiest(call: Script, slots: Slots) -> Row:
    rows = call.every(
        "tickets", "I need all tickets of that time.", date_from=slots["first"], date_to=slots["last"]
    )
    key = busiest(rows)
    if key is None:
        raise UnfitError("nobody leads clearly")
    return call.one("employees", "I look up who got most of them.", emp_id=key)
