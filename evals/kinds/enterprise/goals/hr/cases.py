"""HR: policy clauses applied to tickets, to contracts to be signed, and to the vacation of several people."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from worksmith.evals.kinds.enterprise.facts import Record, day
from worksmith.evals.kinds.enterprise.goals import entities
from worksmith.evals.kinds.enterprise.goals.draw_context import Draw, DrawContext, UnfitError, need
from worksmith.evals.kinds.enterprise.goals.goal import Logic, Slots, Values
from worksmith.evals.kinds.enterprise.goals.groups import GoalGroup
from worksmith.evals.kinds.enterprise.goals.hr import clauses
from worksmith.evals.kinds.enterprise.goals.hr.employees import climb, look, myself, named, names, several
from worksmith.evals.kinds.enterprise.goals.plan_recorder import PlanRecorder, Row
from worksmith.tools.files.data_files import read_toml

GROUP = GoalGroup("hr/cases.toml")

_HELPDESK = "IN"
_VACATION = "remaining_vacation_leaves"
_STEP = 500
_BOUGHT: list[str] = read_toml(__package__, "words.toml")["bought"]


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


@GROUP.goal(draw_ticket_clause)
def ticket_clause(slots: Slots, plan: PlanRecorder) -> Values:
    ticket = _open(plan, slots)
    wanted, result = plan.fact(ticket, "clause"), plan.understood(ticket, "clause_result")
    title = clauses.title_of(plan, wanted, f"In which policy is clause {wanted}?")
    return wanted, title, "yes" if result == "obeyed" else "no"


def _ticket(ctx: DrawContext, status: str) -> Record:
    rows = ctx.facts.where("tickets", status=status)
    if ctx.me["department"] != _HELPDESK:
        rows = [row for row in rows if row["raised_by_emp_id"] == ctx.me["emp_id"]]
    return ctx.pick("tickets", rows)


def _draw_due(ctx: DrawContext, asked: str) -> Draw:
    ticket = _ticket(ctx, "open")
    resolver = need(ctx.facts.person(ticket["emp_id"]))
    days = clauses.value(ctx.facts, clauses.SOLUTION[ticket["priority"]])
    answer = [entities.date((day(ticket["assigned_date"]) + timedelta(days=days)).isoformat())]
    if asked == "resolver":
        city = need(ctx.facts.fact("employees", resolver["emp_id"], "location"))
        answer += [entities.text(ctx.other(resolver)["title"]), entities.text(city)]
    elif asked == "manager":
        manager = ctx.other(ctx.above(resolver))
        answer += [entities.person(manager), entities.text(manager["title"])]
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
    limits = {level: clauses.value(ctx.facts, wanted) for level, wanted in clauses.SIGNATURE.items()}
    boss = ctx.above(ctx.me)
    too_low, enough = (limits.get(row["level"], 0) for row in (ctx.me, boss))
    # Above this sum it takes two people.
    enough = min(enough, clauses.value(ctx.facts, clauses.TWO_SIGNATURES))
    if enough <= too_low:
        raise UnfitError
    lowest, highest = too_low // _STEP + 1, enough // _STEP
    total = ctx.rng.randint(lowest, highest) * _STEP
    answer = [entities.person(boss), entities.text(boss["title"])]
    slots = {"total": str(total), "bought": ctx.rng.choice(_BOUGHT)}
    return ctx.draw(slots, answer=answer)


@GROUP.goal(draw_signatory)
def signatory(slots: Slots, plan: PlanRecorder) -> Values:
    levels = list(clauses.SIGNATURE)
    found = clauses.rules(plan, clauses.GOVERNANCE, "Who may sign for how much?", *clauses.SIGNATURE.values())
    limits = dict(zip(levels, (one.value for one in found), strict=True))
    person = myself(plan)
    while limits.get(person["level"], 0) < int(slots["total"]):
        plan.weigh(person)
        person = climb(plan, person)
    return person["name"], person["title"]


def draw_most_lapsing(ctx: DrawContext, number: int) -> tuple[list[Record], Record, int]:
    """Several people, the one of them who clearly loses most vacation, and how many days."""
    rows = several(ctx, number)
    first = _first([(row, int(row[_VACATION])) for row in rows])
    lost = int(first[_VACATION]) - clauses.value(ctx.facts, clauses.CARRIED)
    if lost <= 0:
        raise UnfitError
    return rows, first, lost


def most_lapsing(slots: Slots, plan: PlanRecorder, number: int) -> tuple[Row, str]:
    """Find the one of the people in the slots who loses most vacation, and how many days."""
    left = []
    for name in named(slots, number):
        row = look(plan, name)
        left.append((row, int(plan.private(row, _VACATION))))
    first = _first(left)
    most = clauses.rule(plan, clauses.LEAVE, "How much may be carried over?", clauses.CARRIED).value
    row = next(row for row, _ in left if row["emp_id"] == first["emp_id"])
    return row, str(int(row[_VACATION]) - most)


def _draw_most(ctx: DrawContext, number: int) -> Draw:
    rows, first, lost = draw_most_lapsing(ctx, number)
    return ctx.draw(names(rows), answer=[entities.person(first), entities.number(lost)])


def _first(left: Sequence[tuple[Record, int]]) -> Record:
    """The person with most left, if unique."""
    order = sorted(left, key=lambda one: one[1], reverse=True)
    if order[0][1] == order[1][1]:
        raise UnfitError
    return order[0][0]


def _solve_due(slots: Slots, plan: PlanRecorder, asked: str) -> Values:
    ticket = _open(plan, slots)
    due = _due(plan, ticket)
    if not asked:
        return (due,)
    resolver = _resolver(plan, ticket)
    if asked == "resolver":
        return due, resolver["title"], plan.fact(resolver, "location")
    manager = climb(plan, resolver)
    return due, manager["name"], manager["title"]


def _solve_most(slots: Slots, plan: PlanRecorder, number: int) -> Values:
    row, lost = most_lapsing(slots, plan, number)
    return row["name"], lost


GROUP.add(
    ticket_due=Logic.given(_draw_due, _solve_due, asked=""),
    ticket_reminder=Logic.given(_draw_due, _solve_due, asked="resolver"),
    ticket_escalation=Logic.given(_draw_due, _solve_due, asked="manager"),
    two_lapsing=Logic.given(_draw_most, _solve_most, number=2),
    three_lapsing=Logic.given(_draw_most, _solve_most, number=3),
    four_lapsing=Logic.given(_draw_most, _solve_most, number=4),
)
