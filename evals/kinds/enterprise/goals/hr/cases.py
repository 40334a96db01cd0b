"""HR: policy clauses applied to tickets, to contracts to be signed, and to the vacation of several people."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from evals.kinds.enterprise.facts import Record, day
from evals.kinds.enterprise.goals import entities
from evals.kinds.enterprise.goals.draw_context import Draw, DrawContext
from evals.kinds.enterprise.goals.goal import GoalGroup, Slots, Values
from evals.kinds.enterprise.goals.hr import clauses
from evals.kinds.enterprise.goals.hr.employees import PERSONNEL, POLICIES, climb, look, myself, three
from evals.kinds.enterprise.goals.plan_recorder import PlanRecorder, Row
from evals.kinds.enterprise.goals.unfit import UnfitError, need
from evals.tasks.task import Entity

GROUP = GoalGroup("HR", "hr/cases.toml")

_HELPDESK = "IN"
_VACATION = "remaining_vacation_leaves"
_STEP = 500
_BOUGHT = (
    "office chairs", "a marketing agency", "courier services", "a trade fair stand", "cloud servers",
    "staff training", "packaging", "the canteen", "a survey of customers", "spare parts", "a lease of cars",
    "translation work", "printing", "air conditioning", "event catering", "test devices",
)  # fmt: skip


def draw_ticket_clause(ctx: DrawContext) -> Draw:
    ticket = _ticket(ctx, "resolved")
    latent = need(ctx.facts.latent("tickets", ticket["ticket_id"]))
    if "clause" not in latent.facts:
        raise UnfitError
    found = clauses.clause(ctx.facts, latent.facts["clause"])
    answer = [
        entities.text(latent.facts["clause"]),
        entities.text(clauses.title(ctx.facts, found)),
        entities.yes_or_no(latent.facts["clause_result"] == "obeyed"),
    ]
    return ctx.draw({"ticket": ticket["ticket_id"]}, answer=answer, about=[("tickets", ticket)])


@GROUP.goal(POLICIES, steps=2, draw=draw_ticket_clause, denials=("not_participant", "left_company"))
def ticket_clause(slots: Slots, plan: PlanRecorder) -> Values:
    ticket = _open(plan, slots)
    wanted, result = plan.fact(ticket, "clause"), plan.understood(ticket, "clause_result")
    title = clauses.title_of(plan, wanted, f"In which policy is clause {wanted}?")
    return wanted, title, "yes" if result == "obeyed" else "no"


def draw_ticket_due(ctx: DrawContext) -> Draw:
    return _draw_due(ctx, 0)


@GROUP.goal(POLICIES, steps=2, draw=draw_ticket_due, denials=("not_participant", "left_company"))
def ticket_due(slots: Slots, plan: PlanRecorder) -> Values:
    return (_due(plan, _open(plan, slots)),)


def draw_ticket_reminder(ctx: DrawContext) -> Draw:
    return _draw_due(ctx, 1)


@GROUP.goal(POLICIES, steps=3, draw=draw_ticket_reminder, denials=("not_participant", "left_company"))
def ticket_reminder(slots: Slots, plan: PlanRecorder) -> Values:
    ticket = _open(plan, slots)
    return _due(plan, ticket), _resolver(plan, ticket)["email"]


def draw_ticket_escalation(ctx: DrawContext) -> Draw:
    return _draw_due(ctx, 2)


@GROUP.goal(POLICIES, steps=4, draw=draw_ticket_escalation, denials=("not_participant", "left_company"))
def ticket_escalation(slots: Slots, plan: PlanRecorder) -> Values:
    ticket = _open(plan, slots)
    return _due(plan, ticket), climb(plan, _resolver(plan, ticket))["email"]


def _ticket(ctx: DrawContext, status: str) -> Record:
    rows = ctx.facts.where("tickets", status=status)
    if ctx.me["department"] != _HELPDESK:
        rows = [row for row in rows if row["raised_by_emp_id"] == ctx.me["emp_id"]]
    return ctx.pick("tickets", rows)


def _draw_due(ctx: DrawContext, steps: int) -> Draw:
    ticket = _ticket(ctx, "open")
    resolver = need(ctx.facts.person(ticket["emp_id"]))
    days = clauses.value(ctx.facts, clauses.SOLUTION[ticket["priority"]])
    answer = [entities.date((day(ticket["assigned_date"]) + timedelta(days=days)).isoformat())]
    if steps:
        asked = ctx.above(resolver, steps - 1)
        if asked["emp_id"] == ctx.me["emp_id"]:
            raise UnfitError
        answer.append(entities.ident("email", asked["email"]))
    return ctx.draw({"ticket": ticket["ticket_id"]}, answer=answer, about=[("tickets", ticket)])


def _open(plan: PlanRecorder, slots: Slots) -> Row:
    return plan.one("tickets", f"I open ticket {slots['ticket']}.", ticket_id=slots["ticket"])


def _due(plan: PlanRecorder, ticket: Row) -> str:
    wanted = clauses.SOLUTION[ticket["priority"]]
    days = clauses.rule(plan, clauses.ASSETS, "How long may tickets of that priority take?", wanted).value
    plan.weigh(ticket)
    return (day(ticket["assigned_date"]) + timedelta(days=days)).isoformat()


def _resolver(plan: PlanRecorder, ticket: Row) -> Row:
    return plan.one("employees", "I look up who works on it.", emp_id=ticket["emp_id"])


def draw_signatory(ctx: DrawContext) -> Draw:
    return _draw_signatory(ctx, 1)


@GROUP.goal(POLICIES, steps=3, draw=draw_signatory)
def signatory(slots: Slots, plan: PlanRecorder) -> Values:
    return _signatory(slots, plan)


def draw_signatory_above(ctx: DrawContext) -> Draw:
    return _draw_signatory(ctx, 2)


@GROUP.goal(POLICIES, steps=4, draw=draw_signatory_above)
def signatory_above(slots: Slots, plan: PlanRecorder) -> Values:
    return _signatory(slots, plan)


def draw_signatory_top(ctx: DrawContext) -> Draw:
    return _draw_signatory(ctx, 3)


@GROUP.goal(POLICIES, steps=5, draw=draw_signatory_top)
def signatory_top(slots: Slots, plan: PlanRecorder) -> Values:
    return _signatory(slots, plan)


def _draw_signatory(ctx: DrawContext, steps: int) -> Draw:
    limits = {level: clauses.value(ctx.facts, wanted) for level, wanted in clauses.SIGNATURE.items()}
    below = ctx.above(ctx.me, steps - 1)
    boss = ctx.above(below)
    too_low, enough = (limits.get(row["level"], 0) for row in (below, boss))
    if enough <= too_low:
        raise UnfitError
    lowest, highest = too_low // _STEP + 1, enough // _STEP
    total = ctx.rng.randint(lowest, highest) * _STEP
    answer = [entities.person(boss), entities.ident("email", boss["email"])]
    slots = {"total": str(total), "bought": ctx.rng.choice(_BOUGHT)}
    return ctx.draw(slots, answer=answer)


def _signatory(slots: Slots, plan: PlanRecorder) -> Values:
    levels = list(clauses.SIGNATURE)
    found = clauses.rules(plan, clauses.GOVERNANCE, "Who may sign for how much?", *clauses.SIGNATURE.values())
    limits = dict(zip(levels, (one.value for one in found), strict=True))
    person = myself(plan)
    while limits.get(person["level"], 0) < int(slots["total"]):
        plan.weigh(person)
        person = climb(plan, person)
    return person["name"], person["email"]


def draw_two_lapsing(ctx: DrawContext) -> Draw:
    return _draw_most(ctx, 2, 0)


@GROUP.goal(POLICIES, steps=3, draw=draw_two_lapsing, departments=PERSONNEL)
def two_lapsing(slots: Slots, plan: PlanRecorder) -> Values:
    row, lost = _most(slots, plan, 2)
    return row["name"], lost


def draw_three_lapsing(ctx: DrawContext) -> Draw:
    return _draw_most(ctx, 3, 0)


@GROUP.goal(POLICIES, steps=4, draw=draw_three_lapsing, departments=PERSONNEL)
def three_lapsing(slots: Slots, plan: PlanRecorder) -> Values:
    row, lost = _most(slots, plan, 3)
    return row["name"], lost


def draw_three_lapsing_told(ctx: DrawContext) -> Draw:
    return _draw_most(ctx, 3, 1)


@GROUP.goal(POLICIES, steps=5, draw=draw_three_lapsing_told, departments=PERSONNEL)
def three_lapsing_told(slots: Slots, plan: PlanRecorder) -> Values:
    row, lost = _most(slots, plan, 3)
    return row["name"], lost, climb(plan, row)["email"]


def draw_three_lapsing_above(ctx: DrawContext) -> Draw:
    return _draw_most(ctx, 3, 2)


@GROUP.goal(POLICIES, steps=6, draw=draw_three_lapsing_above, departments=PERSONNEL)
def three_lapsing_above(slots: Slots, plan: PlanRecorder) -> Values:
    row, lost = _most(slots, plan, 3)
    return row["name"], lost, climb(plan, row, 2)["email"]


def _draw_most(ctx: DrawContext, number: int, steps: int) -> Draw:
    rows = three(ctx)[:number]
    first = _first([(row, int(row[_VACATION])) for row in rows])
    most = clauses.value(ctx.facts, clauses.CARRIED)
    if int(first[_VACATION]) <= most:
        raise UnfitError
    answer: list[Entity] = [entities.person(first), entities.number(int(first[_VACATION]) - most)]
    if steps:
        answer.append(entities.ident("email", ctx.above(first, steps)["email"]))
    slots = {f"name{(place + 1 if place else '')}": row["name"] for place, row in enumerate(rows)}
    return ctx.draw(slots, answer=answer)


def _most(slots: Slots, plan: PlanRecorder, number: int) -> tuple[Row, str]:
    names = [slots["name"], slots["name2"], *([slots["name3"]] if number == 3 else [])]
    left = []
    for name in names:
        row = look(plan, name)
        left.append((row, int(plan.private(row, _VACATION))))
    first = _first(left)
    most = clauses.rule(plan, clauses.LEAVE, "How much may be carried over?", clauses.CARRIED).value
    row = next(row for row, _ in left if row["emp_id"] == first["emp_id"])
    return row, str(int(row[_VACATION]) - most)


def _first(left: Sequence[tuple[Record, int]]) -> Record:
    """Whoever has most left, if nobody else has as much."""
    order = sorted(left, key=lambda one: one[1], reverse=True)
    if not order[0][1] > order[1][1]:
        raise UnfitError
    return order[0][0]
