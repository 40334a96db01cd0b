"""Business operations: vendors, their terms, and the people who look after them."""

from __future__ import annotations

from worksmith.evals.kinds.enterprise.goals import entities
from worksmith.evals.kinds.enterprise.goals.bizops.clients import REPRESENTATIVE, named_partner
from worksmith.evals.kinds.enterprise.goals.draw_context import DrawContext
from worksmith.evals.kinds.enterprise.goals.groups import GoalGroup
from worksmith.evals.kinds.enterprise.goals.paths import HERE, Ask, Found, Question, Start

GROUP = GoalGroup("bizops/vendors.toml")


def _draw_by_id(ctx: DrawContext) -> Found:
    vendor = ctx.pick("vendors")
    return Found(vendor, {"vendor": vendor["vendor_id"]})


def _draw(ctx: DrawContext) -> Found:
    vendor = named_partner(ctx, "vendors")
    return Found(vendor, {"vendor": vendor["business_name"]})


def _number(fact: str) -> Ask:
    return HERE.fact("vendors", fact, lambda value: entities.number(int(value)))


_BY_ID = Start(
    "vendors",
    _draw_by_id,
    lambda plan, slots: plan.one("vendors", "I open that vendor's record.", vendor_id=slots["vendor"]),
)
_VENDOR = Start(
    "vendors",
    _draw,
    lambda plan, slots: plan.one("vendors", "I look the vendor up.", business_name=slots["vendor"]),
)
_END = HERE.fact("vendors", "contract_end", entities.date)
_LOAD = HERE.count("vendors", "How many vendors has that colleague?", "emp_id", "representative")

GROUP.add(
    vendor_contact=Question(_VENDOR, REPRESENTATIVE.person(), REPRESENTATIVE.email()),
    vendor_load=Question(_VENDOR, _END, REPRESENTATIVE.text("title"), _LOAD),
    vendor_terms=Question(_BY_ID, _END, _number("lead_time")),
    vendor_payment=Question(_VENDOR, _number("payment"), _number("rebate")),
)
