"""IT: what tickets say, one by one, counted and compared; the people and policies around them."""

from __future__ import annotations

from datetime import timedelta

from worksmith.evals.kinds.enterprise.facts import Record, day
from worksmith.evals.kinds.enterprise.goals import entities
from worksmith.evals.kinds.enterprise.goals.draw_context import (
    Draw,
    DrawContext,
    UnfitError,
    attempt,
    need,
    span,
)
from worksmith.evals.kinds.enterprise.goals.goal import Logic, Slots, Solve, Values
from worksmith.evals.kinds.enterprise.goals.groups import GoalGroup
from worksmith.evals.kinds.enterprise.goals.it.ticket_lookup import (
    YEARS,
    busiest,
    days_taken,
    draw_named,
    draw_numbered,
    draw_ticket,
    find_ticket,
    has_had,
    has_raised,
    open_ticket,
    policy_of,
    policy_page,
    ticket_fact,
)
from worksmith.evals.kinds.enterprise.goals.paths import HERE, Ask, Link
from worksmith.evals.kinds.enterprise.goals.plan_recorder import PlanRecorder, Row, Rows

_DAYS = Ask(
    HERE, lambda _, ticket: entities.number(days_taken(ticket)), lambda _, ticket: str(days_taken(ticket))
)
_POLICY = Link(
    lambda ctx, ticket: policy_page(ctx, ticket_fact(ctx, ticket, "clause")),
    lambda plan, ticket: policy_of(plan, plan.fact(ticket, "clause")),
)
_VERDICT = Ask(
    HERE,
    lambda ctx, ticket: entities.yes_or_no(ticket_fact(ctx, ticket, "clause_result") == "obeyed"),
    lambda plan, ticket: "yes" if plan.understood(ticket, "clause_result") == "obeyed" else "no",
)

GROUP = GoalGroup(
    "it/tickets.toml",
    draws=(draw_named, draw_numbered),
    finds=(find_ticket, open_ticket),
    links={"policy": _POLICY},
    asks={"days": _DAYS, "verdict": _VERDICT},
)


def draw_ticket_about(ctx: DrawContext) -> Draw:
    row = draw_ticket(ctx)
    slots = {
        "category": row["category"],
        "topic": ticket_fact(ctx, row, "topic"),
        "project": ticket_fact(ctx, row, "project"),
    }
    same = [
        other
        for other in ctx.facts.where("tickets", category=row["category"])
        if (ticket_fact(ctx, other, "topic"), ticket_fact(ctx, other, "project"))
        == (slots["topic"], slots["project"])
    ]
    if len(same) > 1:
        raise UnfitError
    answer = [entities.ident("ticket_id", row["ticket_id"]), entities.text(row["priority"])]
    return ctx.draw(slots, answer=answer, about=[("tickets", row)])


@GROUP.goal(draw_ticket_about)
def ticket_about(slots: Slots, plan: PlanRecorder) -> Values:
    rows = plan.read(
        "tickets", "I search the tickets of that category.",
        category=slots["category"], query=f"{slots['topic']} {slots['project']}", limit=3,
    )  # fmt: skip
    for row in rows:
        if slots["topic"] in row["issue"] and slots["project"] in row["issue"]:
            return plan.pick(row)["ticket_id"], row["priority"]
    raise UnfitError("no such ticket")


def draw_own(ctx: DrawContext) -> Draw:
    row = ctx.pick("tickets", ctx.facts.where("tickets", raised_by_emp_id=ctx.me["emp_id"]))
    helper = need(ctx.facts.person(row["emp_id"]))
    answer = [entities.person(helper), entities.date(row["assigned_date"])]
    return ctx.draw({"ticket": row["ticket_id"]}, answer=answer, about=[("tickets", row)])


@GROUP.goal(draw_own, who=has_raised)
def own(slots: Slots, plan: PlanRecorder) -> Values:
    row = open_ticket(plan, slots)
    return row["resolver_name"], row["assigned_date"]


_PRIORITIES = ("high", "medium", "low")
_SPAN = (20, 200)
_ONE_DAY = timedelta(days=1)


def draw_my_queue(ctx: DrawContext) -> Draw:
    priority = ctx.rng.choice(_PRIORITIES)
    rows = ctx.facts.where("tickets", emp_id=ctx.me["emp_id"], priority=priority, status="open")
    return ctx.listing({"priority": priority}, rows, "ticket_id", [("tickets", row) for row in rows[:1]])


@GROUP.goal(draw_my_queue)
def my_queue(slots: Slots, plan: PlanRecorder) -> Values:
    rows = plan.every(
        "tickets", f"I look for my open tickets of {slots['priority']} priority.",
        resolver="me", priority=slots["priority"], status="open",
    )  # fmt: skip
    return plan.listing(rows, "ticket_id")


def draw_my_period(ctx: DrawContext) -> Draw:
    row = ctx.pick("tickets", ctx.facts.where("tickets", emp_id=ctx.me["emp_id"]))
    middle = day(row["assigned_date"])
    first = middle - timedelta(days=ctx.rng.randint(*_SPAN))
    last = middle + timedelta(days=ctx.rng.randint(*_SPAN) if not ctx.empty else -1)
    rows = [
        other
        for other in ctx.facts.where("tickets", emp_id=ctx.me["emp_id"])
        if first <= day(other["assigned_date"]) <= last
    ]
    return ctx.listing(
        {"first": first.isoformat(), "last": last.isoformat()},
        rows,
        "ticket_id",
        [("tickets", row) for row in rows[:1]],
    )


@GROUP.goal(draw_my_period, who=has_had)
def my_period(slots: Slots, plan: PlanRecorder) -> Values:
    rows = plan.every(
        "tickets", "I look for what came to me in that time.",
        resolver="me", date_from=slots["first"], date_to=slots["last"],
    )  # fmt: skip
    return plan.listing(rows, "ticket_id")


def draw_raised_by(ctx: DrawContext) -> Draw:
    row = ctx.colleague() if ctx.empty else draw_ticket(ctx)
    person = ctx.other(ctx.facts.colleague(row["emp_id" if ctx.empty else "raised_by_emp_id"]))
    rows = ctx.facts.where("tickets", raised_by_emp_id=person["emp_id"])
    return ctx.listing({"name": person["name"]}, rows, "ticket_id", [("tickets", row) for row in rows[:1]])


@GROUP.goal(draw_raised_by)
def raised_by(slots: Slots, plan: PlanRecorder) -> Values:
    rows = plan.every("tickets", f"I look for what {slots['name']} raised.", raised_by=slots["name"])
    return plan.listing(rows, "ticket_id")


def draw_category_year(ctx: DrawContext) -> Draw:
    row = draw_ticket(ctx)
    year = ctx.rng.choice(YEARS) if ctx.empty else row["assigned_date"][:4]
    rows = _of_year(ctx.facts.where("tickets", category=row["category"]), year)
    slots = {"category": row["category"], "year": year}
    if not rows:
        return ctx.draw(slots, nothing=True)
    solved = sum(other["status"] == "resolved" for other in rows)
    answer = [entities.number(len(rows)), entities.number(solved)]
    return ctx.draw(slots, answer=answer, about=[("tickets", row)])


@GROUP.goal(draw_category_year)
def category_year(slots: Slots, plan: PlanRecorder) -> Values:
    rows = _in_category(plan, slots["category"], slots["year"])
    if not rows:
        return plan.none(rows)
    return str(len(rows)), str(sum(row["status"] == "resolved" for row in rows))


def draw_more_of(ctx: DrawContext) -> Draw:
    found, year = attempt(ctx.pick_two, "tickets"), ctx.rng.choice(YEARS)
    pair = need(found)
    if pair[0]["category"] == pair[1]["category"]:
        raise UnfitError
    names = [row["category"] for row in pair]
    counts = [len(_of_year(ctx.facts.where("tickets", category=name), year)) for name in names]
    if counts[0] == counts[1]:
        raise UnfitError
    most = max(counts)
    slots = {"category": names[0], "other": names[1], "year": year}
    answer = [entities.text(names[counts.index(most)]), entities.number(most)]
    return ctx.draw(slots, answer=answer, about=[("tickets", row) for row in pair])


@GROUP.goal(draw_more_of)
def more_of(slots: Slots, plan: PlanRecorder) -> Values:
    counts = [
        (len(_in_category(plan, name, slots["year"])), name) for name in (slots["category"], slots["other"])
    ]
    most, name = max(counts)
    return name, str(most)


def _draw_busiest(ctx: DrawContext, *, load: bool) -> Draw:
    person, slots = _busy_time(ctx)
    answer = [entities.person(person), entities.text(person["title"])]
    if load:
        answer.append(
            entities.number(len(ctx.facts.where("tickets", emp_id=person["emp_id"], status="open")))
        )
    return ctx.draw(slots, answer=answer)


def _busiest(slots: Slots, plan: PlanRecorder, *, load: bool) -> Values:
    person = _look_up_busiest(plan, slots)
    if not load:
        return person["name"], person["title"]
    now = plan.every("tickets", "What is open there now?", resolver=person["emp_id"], status="open")
    return person["name"], person["title"], str(now.total)


def _without_ends(solve: Solve) -> Solve:
    """A time from one day to another, read as the days between the two."""

    def inside(slots: Slots, plan: PlanRecorder) -> Values:
        first, last = day(slots["first"]) + _ONE_DAY, day(slots["last"]) - _ONE_DAY
        return solve({**slots, "first": first.isoformat(), "last": last.isoformat()}, plan)

    return inside


_HELPER, _LOAD = (Logic.given(_draw_busiest, _busiest, load=load) for load in (False, True))
GROUP.add(busiest_helper=_HELPER, busiest_load=_LOAD)
GROUP.read_also("my_period", _without_ends(my_period))
GROUP.read_also("busiest_helper", _without_ends(_HELPER.solve))
GROUP.read_also("busiest_load", _without_ends(_LOAD.solve))


def _of_year(rows: list[Record], year: str) -> list[Record]:
    return [row for row in rows if row["assigned_date"].startswith(year)]


def _in_category(plan: PlanRecorder, category: str, year: str) -> Rows:
    return plan.every("tickets", f"I need the {category} tickets of {year}.", category=category, **span(year))


def _busy_time(ctx: DrawContext) -> tuple[Record, dict[str, str]]:
    """Two days, and who clearly got most tickets between them."""
    first = day(ctx.rng.choice(ctx.facts.all("tickets"))["assigned_date"])
    last = first + timedelta(days=2 * ctx.rng.randint(*_SPAN))
    rows = [row for row in ctx.facts.all("tickets") if first <= day(row["assigned_date"]) <= last]
    person = need(ctx.facts.colleague(busiest(rows)))
    if len(rows) > 50:
        raise UnfitError
    return person, {"first": first.isoformat(), "last": last.isoformat()}


def _look_up_busiest(plan: PlanRecorder, slots: Slots) -> Row:
    rows = plan.every(
        "tickets", "I need all tickets of that time.", date_from=slots["first"], date_to=slots["last"]
    )
    key = busiest(rows)
    return plan.one("employees", "I look up who got most of them.", emp_id=key)
