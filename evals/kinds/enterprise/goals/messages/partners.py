"""Mail with clients and vendors: what it settles, answering it, and writing to their contact people."""

from __future__ import annotations

import re
from dataclasses import replace

from worksmith.evals.kinds.enterprise.facts import Record
from worksmith.evals.kinds.enterprise.goals import entities
from worksmith.evals.kinds.enterprise.goals.draw_context import (
    Draw,
    DrawContext,
    UnfitError,
    latest,
    need,
)
from worksmith.evals.kinds.enterprise.goals.goal import Slots, Values
from worksmith.evals.kinds.enterprise.goals.groups import GoalGroup
from worksmith.evals.kinds.enterprise.goals.paths import Found
from worksmith.evals.kinds.enterprise.goals.plan_recorder import PlanRecorder, Row
from worksmith.evals.tasks.task import Entity

_SOURCES = {"BU": "clients", "MA": "vendors"}
"""Whose mail a department reads."""

_MAY_WRITE = "12"
"""From this level on also to partners of others."""

_SHOWN = 3
"""So many records a call shows with their texts in full."""

_COUNTED = re.compile(r"^(\d+) [a-z]+$")
_VALUED = re.compile(r"^(?:\d{4}-\d\d-\d\d|\d+)$")


def _draw_partner(ctx: DrawContext, *, writing: bool = False) -> tuple[str, Record]:
    """A client or vendor of whom the persona reads the mail, or to whom they may write."""
    source = _SOURCES[ctx.me["department"]]
    rows = ctx.facts.all(source)
    if writing and ctx.me["level"] < _MAY_WRITE:
        rows = ctx.facts.where(source, emp_id=ctx.me["emp_id"])
    row = ctx.pick(source, rows)
    same = [
        other
        for one in _SOURCES.values()
        for other in ctx.facts.all(one)
        if row["business_name"].lower() in other["business_name"].lower()
    ]
    if len(same) > 1 or not row["contact_email"]:
        raise UnfitError
    return source, row


def _mails(ctx: DrawContext, partner: Record) -> list[Record]:
    address = partner["contact_email"]
    return [
        *ctx.facts.where("mail", sender_email=address),
        *ctx.facts.where("mail", recipient_email=address),
    ]


def _entity(value: str) -> Entity:
    """A day, a count or a sum; phrases are not asked for."""
    if counted := _COUNTED.match(value):
        return entities.number(int(counted[1]))
    if not _VALUED.match(value):
        raise UnfitError
    return entities.date(value) if "-" in value else entities.amount(value)


def _writable(ctx: DrawContext) -> Found:
    source, partner = _draw_partner(ctx, writing=True)
    return Found(partner, {"partner": partner["business_name"]}, [(source, partner)])


def _thread(ctx: DrawContext) -> Found:
    """The newest mail with such a partner, if the persona wrote or got it, and the address outside."""
    source, partner = _draw_partner(ctx, writing=True)
    newest = latest(_mails(ctx, partner), "date")
    if ctx.me["emp_id"] not in (newest["sender_emp_id"], newest["recipient_emp_id"]):
        raise UnfitError
    about = [("mail", newest), (source, partner)]
    address = {"outside": partner["contact_email"]}
    return Found({**newest, **address}, {"partner": partner["business_name"]}, about)


def _open_partner(plan: PlanRecorder, slots: Slots) -> Row:
    source = _SOURCES[plan.me.department]
    return plan.one(source, "I open their record.", business_name=slots["partner"])


def _find_newest(plan: PlanRecorder, slots: Slots) -> Row:
    rows = plan.read(
        "mail", f"I look for the newest mail with {slots['partner']}.", partner=slots["partner"], limit=1
    )
    return plan.pick(rows.first)


def _find_thread(plan: PlanRecorder, slots: Slots) -> Row:
    newest = _find_newest(plan, slots)
    newest["outside"] = newest["recipient_email"] if newest["sender_emp_id"] else newest["sender_email"]
    return newest


GROUP = GoalGroup("messages/partners.toml", draws=(_writable, _thread), finds=(_open_partner, _find_thread))


def draw_partner_settled(ctx: DrawContext) -> Draw:
    source, partner = _draw_partner(ctx)
    told = [
        (row, latent.facts)
        for row in _mails(ctx, partner)
        if (latent := ctx.facts.latent("mail", row["email_id"])) and latent.facts.get("state") == "current"
    ]
    if not told:
        raise UnfitError
    mail_row, facts = ctx.rng.choice(told)
    if sum(other["aspect"] == facts["aspect"] for _, other in told) > 1:
        raise UnfitError
    slots = {"partner": partner["business_name"], "aspect": facts["aspect"], "goods": facts["goods"]}
    about = [("mail", mail_row), (source, partner)]
    return ctx.draw(slots, answer=[_entity(facts["value"])], about=about)


@GROUP.goal(draw_partner_settled)
def partner_settled(slots: Slots, plan: PlanRecorder) -> Values:
    rows = plan.read(
        "mail", f"I look for the mails with {slots['partner']} on that.",
        partner=slots["partner"], subject=slots["aspect"], limit=_SHOWN,
    )  # fmt: skip
    for row in rows:
        if slots["aspect"] in row["subject"] and slots["goods"] in row["subject"]:
            try:
                value = plan.fact(row, "value")
            except UnfitError:  # it asks, or thanks
                continue
            counted = _COUNTED.match(value)
            return (counted[1] if counted else value,)
    raise UnfitError("no mail settles it")


def draw_partner_file(ctx: DrawContext) -> Draw:
    drawn = draw_partner_settled(ctx)
    partner = _partner_of(ctx, drawn)
    return replace(drawn, answer=(*drawn.answer, entities.date(partner["onboarding_date"])))


@GROUP.goal(draw_partner_file)
def partner_file(slots: Slots, plan: PlanRecorder) -> Values:
    settled = partner_settled(slots, plan)
    return *settled, _open_partner(plan, slots)["onboarding_date"]


def draw_partner_case(ctx: DrawContext) -> Draw:
    drawn = draw_partner_file(ctx)
    person = need(ctx.facts.colleague(_partner_of(ctx, drawn)["emp_id"]))
    return replace(drawn, answer=(*drawn.answer, entities.text(ctx.other(person)["title"])))


@GROUP.goal(draw_partner_case)
def partner_case(slots: Slots, plan: PlanRecorder) -> Values:
    settled = partner_settled(slots, plan)
    partner = _open_partner(plan, slots)
    person = plan.one("employees", "Who looks after them?", emp_id=partner["emp_id"])
    return *settled, partner["onboarding_date"], person["title"]


def _partner_of(ctx: DrawContext, draw: Draw) -> Record:
    return need(ctx.facts.at(draw.about[-1]))


def draw_partner_latest(ctx: DrawContext) -> Draw:
    source, partner = _draw_partner(ctx)
    newest = latest(_mails(ctx, partner), "date")
    answer = [entities.text(newest["subject"]), entities.date(newest["date"])]
    slots = {"partner": partner["business_name"]}
    return ctx.draw(slots, answer=answer, about=[("mail", newest), (source, partner)])


@GROUP.goal(draw_partner_latest)
def partner_latest(slots: Slots, plan: PlanRecorder) -> Values:
    newest = _find_newest(plan, slots)
    return newest["subject"], newest["date"][:10]
