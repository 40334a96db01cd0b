"""Business operations: vendors, and the people who look after them."""

from __future__ import annotations

from evals.kinds.enterprise.goals import entities
from evals.kinds.enterprise.goals.bizops.clients import REPRESENTATIVE, named_partner
from evals.kinds.enterprise.goals.draw_context import DrawContext
from evals.kinds.enterprise.goals.goal import GoalGroup
from evals.kinds.enterprise.goals.paths import HERE, MANAGER, Found, Question, Start

GROUP = GoalGroup("bizops/clients.toml")


def _draw_by_id(ctx: DrawContext) -> Found:
    vendor = ctx.pick("vendors")
    return Found(vendor, {"vendor": vendor["vendor_id"]})


def _draw_named(ctx: DrawContext) -> Found:
    vendor = named_partner(ctx, "vendors")
    return Found(vendor, {"vendor": vendor["business_name"]})


_BY_ID = Start(
    "vendors",
    _draw_by_id,
    lambda plan, slots: plan.one("vendors", "I open that vendor's record.", vendor_id=slots["vendor"]),
)
_NAMED = Start(
    "vendors",
    _draw_named,
    lambda plan, slots: plan.one("vendors", "I look the vendor up.", business_name=slots["vendor"]),
)
_END = HERE.fact("vendors", "contract_end", entities.date)
_TIME = HERE.fact("vendors", "lead_time", lambda value: entities.number(int(value)))
_MANAGER = REPRESENTATIVE.to(MANAGER)

GROUP.add(
    vendor_contact=Question(_NAMED, REPRESENTATIVE.person(), REPRESENTATIVE.email()),
    vendor_manager=Question(_NAMED, _END, _MANAGER.person(), _MANAGER.email()),
    vendor_terms=Question(_BY_ID, _END, _TIME),
)
