"""Business operations: vendors, their terms, and the people who look after them."""

from __future__ import annotations

from worksmith.evals.kinds.enterprise.goals.bizops.clients import named_partner
from worksmith.evals.kinds.enterprise.goals.draw_context import DrawContext
from worksmith.evals.kinds.enterprise.goals.groups import GoalGroup
from worksmith.evals.kinds.enterprise.goals.paths import Found


def _draw_by_id(ctx: DrawContext) -> Found:
    vendor = ctx.pick("vendors")
    return Found(vendor, {"vendor": vendor["vendor_id"]})


def _draw(ctx: DrawContext) -> Found:
    vendor = named_partner(ctx, "vendors")
    return Found(vendor, {"vendor": vendor["business_name"]})


GROUP = GoalGroup("bizops/vendors.toml", draws=(_draw_by_id, _draw))
