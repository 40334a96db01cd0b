"""Common parts of IT's goals: the tickets, and the ways to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from worksmith.evals.kinds.enterprise.facts import Facts, Record, day
from worksmith.evals.kinds.enterprise.goals.draw_context import DrawContext, UnfitError, clear_best, need
from worksmith.evals.kinds.enterprise.goals.hr.clauses import clause_query
from worksmith.evals.kinds.enterprise.goals.paths import Found
from worksmith.evals.kinds.enterprise.goals.plan_recorder import PlanRecorder, Row

HELPDESK = ("IN",)
"""The department that solves tickets and may read all of them."""


YEARS = ("2018", "2019", "2020", "2021", "2022")


def draw_ticket(ctx: DrawContext, **cells: str) -> Record:
    return ctx.pick("tickets", ctx.facts.where("tickets", **cells) if cells else None)


def draw_numbered(ctx: DrawContext, **cells: str) -> Found:
    """Draw a ticket that a text names by its number."""
    row = draw_ticket(ctx, **cells)
    return Found(row, {"ticket": row["ticket_id"]})


def draw_named(ctx: DrawContext, **cells: str) -> Found:
    """A ticket that its raiser and category identify."""
    row = draw_ticket(ctx, **cells)
    raiser = need(ctx.facts.person(row["raised_by_emp_id"]))
    if not ctx.facts.known_by_name(raiser):
        raise UnfitError
    same = ctx.facts.where("tickets", raised_by_emp_id=raiser["emp_id"], category=row["category"])
    if len(same) > 1 or raiser["emp_id"] == ctx.me["emp_id"]:
        raise UnfitError
    return Found(row, {"name": raiser["name"], "category": row["category"]})


def raiser(ctx: DrawContext, ticket: Record) -> Record:
    """The raiser of a ticket, if another employee than the persona."""
    return ctx.other(ctx.facts.colleague(ticket["raised_by_emp_id"]))


def resolver(ctx: DrawContext, ticket: Record) -> Record:
    """The resolver of a ticket, if another employee than the persona."""
    return ctx.other(ctx.facts.colleague(ticket["emp_id"]))


def resolved_by_another(ctx: DrawContext) -> Found:
    found = draw_named(ctx, status="resolved")
    resolver(ctx, found.row)
    return found


def helper(ctx: DrawContext, *but: str) -> Record:
    """Some colleague of the helpdesk who is none of these."""
    row = ctx.rng.choice(ctx.facts.staff(HELPDESK))
    if row["emp_id"] in (ctx.me["emp_id"], *but):
        raise UnfitError
    return need(ctx.facts.colleague(row["emp_id"]))


def ticket_fact(ctx: DrawContext, ticket: Record, name: str) -> str:
    """A latent fact of a ticket, empty without one."""
    return ctx.facts.fact("tickets", ticket["ticket_id"], name) or ""


def policy_page(ctx: DrawContext, clause: str) -> Record:
    found = next(one for one in ctx.facts.latents("policies", "clause") if one.facts["clause"] == clause)
    return need(ctx.facts.at(found.ref))


def days_taken(ticket: Record | Row) -> int:
    """From raising to solving."""
    return (day(ticket["closed_date"]) - day(ticket["assigned_date"])).days


def busiest(rows: Sequence[Record] | Sequence[Row]) -> str:
    """Who clearly works on most of some tickets."""
    counts: dict[str, float] = {}
    for row in rows:
        counts[row["emp_id"]] = counts.get(row["emp_id"], 0) + 1
    return clear_best(counts)


def has_raised(facts: Facts, row: Record) -> bool:
    return bool(facts.where("tickets", raised_by_emp_id=row["emp_id"]))


def waits(facts: Facts, row: Record) -> bool:
    """Whether a ticket that somebody raised is open."""
    return bool(facts.where("tickets", raised_by_emp_id=row["emp_id"], status="open"))


def has_had(facts: Facts, row: Record) -> bool:
    """Whether a ticket was ever assigned to somebody."""
    return bool(facts.where("tickets", emp_id=row["emp_id"]))


def find_ticket(plan: PlanRecorder, slots: Mapping[str, str]) -> Row:
    """The ticket that somebody raised in a category."""
    return plan.one(
        "tickets", f"I look for the {slots['category']} ticket that {slots['name']} raised.",
        raised_by=slots["name"], category=slots["category"],
    )  # fmt: skip


def open_ticket(plan: PlanRecorder, slots: Mapping[str, str]) -> Row:
    return plan.one("tickets", "I open that ticket.", ticket_id=slots["ticket"])


def resolver_of(plan: PlanRecorder, ticket: Row) -> Row:
    """The directory's entry of who works on a ticket."""
    return plan.one("employees", "Who works on it?", emp_id=ticket["emp_id"])


def policy_of(plan: PlanRecorder, clause: str) -> Row:
    """The page of a policy that states a clause."""
    pages = plan.read("policies", f"Which policy has clause {clause}?", query=clause_query(clause))
    for page in pages:
        if clause in page["text"]:
            return plan.pick(page)
    raise UnfitError("no such clause")
