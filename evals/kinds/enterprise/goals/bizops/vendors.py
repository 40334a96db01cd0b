"""Business operations: vendors, and the people who look after them."""

from __future__ import annotations

from evals.kinds.enterprise.goals import entities
from evals.kinds.enterprise.goals.bizops.clients import SUBAREA, representative, told_of, with_representative
from evals.kinds.enterprise.goals.draw_context import Draw, DrawContext
from evals.kinds.enterprise.goals.goal import GoalGroup, Slots, Values
from evals.kinds.enterprise.goals.messages.chats import manager_of
from evals.kinds.enterprise.goals.plan_recorder import PlanRecorder, Row
from evals.kinds.enterprise.goals.unfit import UnfitError

GROUP = GoalGroup("BizOps", "bizops/clients.toml", departments=("BU",))


MANAGEMENT = ("MA",)
"""Vendors are theirs."""


def draw_vendor_terms(ctx: DrawContext) -> Draw:
    vendor = ctx.pick("vendors")
    told = told_of(ctx, "vendors", vendor)
    if not {"contract_end", "lead_time"} <= told.keys():
        raise UnfitError
    answer = [entities.date(told["contract_end"]), entities.number(int(told["lead_time"]))]
    return ctx.draw({"vendor": vendor["vendor_id"]}, answer=answer, about=[("vendors", vendor)])


@GROUP.goal(SUBAREA, steps=1, draw=draw_vendor_terms, departments=MANAGEMENT, denials=("wrong_department",))
def vendor_terms(slots: Slots, plan: PlanRecorder) -> Values:
    vendor = plan.one("vendors", "I open that vendor's record.", vendor_id=slots["vendor"])
    return plan.fact(vendor, "contract_end"), plan.fact(vendor, "lead_time")


def draw_vendor_contact(ctx: DrawContext) -> Draw:
    vendor, person = with_representative(ctx, "vendors")
    answer = [entities.person(person), entities.ident("email", person["email"])]
    slots = {"vendor": vendor["business_name"]}
    return ctx.draw(slots, answer=answer, about=[("vendors", vendor)])


@GROUP.goal(SUBAREA, steps=2, draw=draw_vendor_contact, departments=MANAGEMENT)
def vendor_contact(slots: Slots, plan: PlanRecorder) -> Values:
    person = representative(plan, find_vendor(plan, slots))
    return person["name"], person["email"]


def draw_vendor_manager(ctx: DrawContext) -> Draw:
    vendor, found_1 = with_representative(ctx, "vendors")
    manager = ctx.above(found_1)
    told = told_of(ctx, "vendors", vendor)
    if "contract_end" not in told:
        raise UnfitError
    answer = [
        entities.date(told["contract_end"]),
        entities.person(manager),
        entities.ident("email", manager["email"]),
    ]
    slots = {"vendor": vendor["business_name"]}
    return ctx.draw(slots, answer=answer, about=[("vendors", vendor)])


@GROUP.goal(SUBAREA, steps=3, draw=draw_vendor_manager, departments=MANAGEMENT)
def vendor_manager(slots: Slots, plan: PlanRecorder) -> Values:
    vendor = find_vendor(plan, slots)
    end = plan.fact(vendor, "contract_end")
    manager = manager_of(plan, representative(plan, vendor))
    return end, manager["name"], manager["email"]


def find_vendor(plan: PlanRecorder, slots: Slots) -> Row:
    """The vendor that the text names."""
    return plan.one("vendors", "I look the vendor up.", business_name=slots["vendor"])
