"""HR: policy clauses applied to tickets, to contracts to be signed, and to the vacation of several people."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from evals.kinds.enterprise.facts import Record, day
from evals.kinds.enterprise.goals import clauses, entities
from evals.kinds.enterprise.goals.goal import Book, Slots, Values
from evals.kinds.enterprise.goals.hr import PERSONNEL, POLICIES, above, climb, look, myself, three
from evals.kinds.enterprise.goals.scene import Draw, Scene
from evals.kinds.enterprise.goals.script import Row, Script, UnfitError
from evals.tasks.task import Entity

BOOK = Book("HR", "hr_cases.toml")

_HELPDESK = "IN"
_VACATION = "remaining_vacation_leaves"
_STEP = 500
_BOUGHT = (
    "office chairs", "a marketing agency", "courier services", "a trade fair stand", "cloud servers",
    "staff training", "packaging", "the canteen", "a survey of customers", "spare parts", "a lease of cars",
    "translation work", "printing", "air conditioning", "event catering", "test devices",
)  # fmt: skip


# --- tickets --------------------------------------------------------------------------------------------


def draw_ticket_clause(scene: Scene) -> Draw | None:
    """A resolved ticket that the persona may see."""
    ticket = _ticket(scene, "resolved")
    latent = scene.facts.latent("tickets", ticket["ticket_id"]) if ticket else None
    if ticket is None or latent is None or "clause" not in latent.facts:
        return None
    found = clauses.clause(scene.facts, latent.facts["clause"])
    answer = [
        entities.text(latent.facts["clause"]),
        entities.text(clauses.title(scene.facts, found)),
        entities.yes_or_no(latent.facts["clause_result"] == "obeyed"),
    ]
    return scene.draw({"ticket": ticket["ticket_id"]}, answer=answer, about=[("tickets", ticket)])


@BOOK.goal(POLICIES, steps=2, draw=draw_ticket_clause, denials=("not_participant", "left_company"))
def ticket_clause(slots: Slots, call: Script) -> Values:
    """The ticket, then the document with the clause it names."""
    ticket = _open(call, slots)
    wanted, result = call.fact(ticket, "clause"), call.understood(ticket, "clause_result")
    title = clauses.title_of(call, wanted, f"In which policy is clause {wanted}?")
    return wanted, title, "yes" if result == "obeyed" else "no"


def draw_ticket_due(scene: Scene) -> Draw | None:
    """An open ticket that the persona may see."""
    return _draw_due(scene, 0)


@BOOK.goal(POLICIES, steps=2, draw=draw_ticket_due, denials=("not_participant", "left_company"))
def ticket_due(slots: Slots, call: Script) -> Values:
    """The ticket, then the time for its priority."""
    return (_due(call, _open(call, slots)),)


def draw_ticket_reminder(scene: Scene) -> Draw | None:
    """The same, and who works on it."""
    return _draw_due(scene, 1)


@BOOK.goal(POLICIES, steps=3, draw=draw_ticket_reminder, denials=("not_participant", "left_company"))
def ticket_reminder(slots: Slots, call: Script) -> Values:
    """The ticket, the time for its priority, who works on it."""
    ticket = _open(call, slots)
    return _due(call, ticket), _resolver(call, ticket)["email"]


def draw_ticket_escalation(scene: Scene) -> Draw | None:
    """The same, and whom that person reports to."""
    return _draw_due(scene, 2)


@BOOK.goal(POLICIES, steps=4, draw=draw_ticket_escalation, denials=("not_participant", "left_company"))
def ticket_escalation(slots: Slots, call: Script) -> Values:
    """The ticket, the time for its priority, who works on it, the manager."""
    ticket = _open(call, slots)
    return _due(call, ticket), climb(call, _resolver(call, ticket))["email"]


def _ticket(scene: Scene, status: str) -> Record | None:
    rows = scene.facts.where("tickets", status=status)
    if scene.me["department"] != _HELPDESK:
        rows = [row for row in rows if row["raised_by_emp_id"] == scene.me["emp_id"]]
    return scene.pick("tickets", rows)


def _draw_due(scene: Scene, steps: int) -> Draw | None:
    """Due when, and the address of the resolver (1) or of the resolver's manager (2)."""
    ticket = _ticket(scene, "open")
    resolver = scene.facts.person(ticket["emp_id"]) if ticket and ticket["emp_id"] else None
    if ticket is None or resolver is None:
        return None
    days = clauses.value(scene.facts, clauses.SOLUTION[ticket["priority"]])
    answer = [entities.date((day(ticket["assigned_date"]) + timedelta(days=days)).isoformat())]
    if steps:
        asked = resolver if steps == 1 else scene.facts.manager(resolver["emp_id"])
        if asked is None or asked["emp_id"] == scene.me["emp_id"]:
            return None
        answer.append(entities.ident("email", asked["email"]))
    return scene.draw({"ticket": ticket["ticket_id"]}, answer=answer, about=[("tickets", ticket)])


def _open(call: Script, slots: Slots) -> Row:
    return call.one("tickets", f"I open ticket {slots['ticket']}.", ticket_id=slots["ticket"])


def _due(call: Script, ticket: Row) -> str:
    wanted = clauses.SOLUTION[ticket["priority"]]
    days = clauses.rule(call, clauses.ASSETS, "How long may tickets of that priority take?", wanted).value
    call.weigh(ticket)
    return (day(ticket["assigned_date"]) + timedelta(days=days)).isoformat()


def _resolver(call: Script, ticket: Row) -> Row:
    return call.one("employees", "I look up who works on it.", emp_id=ticket["emp_id"])


# --- signatures -----------------------------------------------------------------------------------------


def draw_signatory(scene: Scene) -> Draw | None:
    """A sum that the persona's manager may sign for."""
    return _draw_signatory(scene, 1)


@BOOK.goal(POLICIES, steps=3, draw=draw_signatory)
def signatory(slots: Slots, call: Script) -> Values:
    """The limits, oneself, one level up."""
    return _signatory(slots, call)


def draw_signatory_above(scene: Scene) -> Draw | None:
    """A sum that takes one more level."""
    return _draw_signatory(scene, 2)


@BOOK.goal(POLICIES, steps=4, draw=draw_signatory_above)
def signatory_above(slots: Slots, call: Script) -> Values:
    """The limits, oneself, two levels up."""
    return _signatory(slots, call)


def draw_signatory_top(scene: Scene) -> Draw | None:
    """A sum that takes the director of the persona's department."""
    return _draw_signatory(scene, 3)


@BOOK.goal(POLICIES, steps=5, draw=draw_signatory_top)
def signatory_top(slots: Slots, call: Script) -> Values:
    """The limits, oneself, three levels up."""
    return _signatory(slots, call)


def _draw_signatory(scene: Scene, steps: int) -> Draw | None:
    limits = {level: clauses.value(scene.facts, wanted) for level, wanted in clauses.SIGNATURE.items()}
    chain = [scene.me, *above(scene, scene.me, steps)]
    if len(chain) != steps + 1:
        return None
    too_low, enough = (limits.get(row["level"], 0) for row in chain[-2:])
    if enough <= too_low:
        return None
    lowest, highest = too_low // _STEP + 1, enough // _STEP
    total = scene.rng.randint(lowest, highest) * _STEP
    answer = [entities.person(chain[-1]), entities.ident("email", chain[-1]["email"])]
    slots = {"total": str(total), "bought": scene.rng.choice(_BOUGHT)}
    return scene.draw(slots, answer=answer)


def _signatory(slots: Slots, call: Script) -> Values:
    levels = list(clauses.SIGNATURE)
    found = clauses.rules(call, clauses.GOVERNANCE, "Who may sign for how much?", *clauses.SIGNATURE.values())
    limits = dict(zip(levels, (one.value for one in found), strict=True))
    person = myself(call)
    while limits.get(person["level"], 0) < int(slots["total"]):
        call.weigh(person)
        person = climb(call, person)
    return person["name"], person["email"]


# --- vacation of several people -------------------------------------------------------------------------


def draw_two_lapsing(scene: Scene) -> Draw | None:
    """Two people of whom one loses more days."""
    return _draw_most(scene, 2, 0)


@BOOK.goal(POLICIES, steps=3, draw=draw_two_lapsing, departments=PERSONNEL)
def two_lapsing(slots: Slots, call: Script) -> Values:
    """Both, and what may be carried over."""
    row, lost = _most(slots, call, 2)
    return row["name"], lost


def draw_three_lapsing(scene: Scene) -> Draw | None:
    """The same with three."""
    return _draw_most(scene, 3, 0)


@BOOK.goal(POLICIES, steps=4, draw=draw_three_lapsing, departments=PERSONNEL)
def three_lapsing(slots: Slots, call: Script) -> Values:
    """All three, and what may be carried over."""
    row, lost = _most(slots, call, 3)
    return row["name"], lost


def draw_three_lapsing_told(scene: Scene) -> Draw | None:
    """The same, and whom to write to: the manager."""
    return _draw_most(scene, 3, 1)


@BOOK.goal(POLICIES, steps=5, draw=draw_three_lapsing_told, departments=PERSONNEL)
def three_lapsing_told(slots: Slots, call: Script) -> Values:
    """All three, what may be carried over, the manager of one."""
    row, lost = _most(slots, call, 3)
    return row["name"], lost, climb(call, row)["email"]


def draw_three_lapsing_above(scene: Scene) -> Draw | None:
    """The same, one level further up."""
    return _draw_most(scene, 3, 2)


@BOOK.goal(POLICIES, steps=6, draw=draw_three_lapsing_above, departments=PERSONNEL)
def three_lapsing_above(slots: Slots, call: Script) -> Values:
    """All three, what may be carried over, the manager's manager of one."""
    row, lost = _most(slots, call, 3)
    return row["name"], lost, climb(call, row, 2)["email"]


def _draw_most(scene: Scene, number: int, steps: int) -> Draw | None:
    rows = three(scene)[:number]
    if not rows:
        return None
    first = _first([(row, int(row[_VACATION])) for row in rows])
    most = clauses.value(scene.facts, clauses.CARRIED)
    if first is None or int(first[_VACATION]) <= most:
        return None
    answer: list[Entity] = [entities.person(first), entities.number(int(first[_VACATION]) - most)]
    if steps:
        chain = above(scene, first, steps)
        if not chain:
            return None
        answer.append(entities.ident("email", chain[-1]["email"]))
    slots = {f"name{place + 1 if place else ''}": row["name"] for place, row in enumerate(rows)}
    return scene.draw(slots, answer=answer)


def _most(slots: Slots, call: Script, number: int) -> tuple[Row, str]:
    names = [slots["name"], slots["name2"], *([slots["name3"]] if number == 3 else [])]
    left = []
    for name in names:
        row = look(call, name)
        left.append((row, int(call.private(row, _VACATION))))
    first = _first(left)
    if first is None:
        raise UnfitError("two have the same")
    most = clauses.rule(call, clauses.LEAVE, "How much may be carried over?", clauses.CARRIED).value
    row = next(row for row, _ in left if row["emp_id"] == first["emp_id"])
    return row, str(int(row[_VACATION]) - most)


def _first(left: Sequence[tuple[Record, int]]) -> Record | None:
    """Whoever has most left, if nobody else has as much."""
    order = sorted(left, key=lambda one: one[1], reverse=True)
    return order[0][0] if order[0][1] > order[1][1] else None
