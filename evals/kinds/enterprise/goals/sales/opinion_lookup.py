"""What the goals of reviews and support chats share: the records to ask about, and the ways there."""

from __future__ import annotations

from datetime import timedelta

from worksmith.evals.kinds.enterprise.facts import Record, day
from worksmith.evals.kinds.enterprise.goals.draw_context import DrawContext, attempt, need, only
from worksmith.evals.kinds.enterprise.goals.goal import Slots
from worksmith.evals.kinds.enterprise.goals.paths import Found
from worksmith.evals.kinds.enterprise.goals.plan_recorder import PlanRecorder, Row
from worksmith.evals.kinds.enterprise.goals.sales import customer_words
from worksmith.evals.kinds.enterprise.goals.sales.figures import (
    catalogue_names,
    named_customer,
    named_product,
)


def draw_both(ctx: DrawContext) -> tuple[Record, Record, dict[str, str]]:
    """A product and a customer, with their names as slots."""
    found, customer = attempt(named_product, ctx), named_customer(ctx)
    product = need(found)
    return product, customer, {"product": product["product_name"], "customer": customer["customer_name"]}


def only_review(ctx: DrawContext, row: Record) -> Record:
    return only(ctx.facts.where("sentiments", product_id=row["product_id"], customer_id=row["customer_id"]))


def draw_any_review(ctx: DrawContext) -> Found:
    row = only_review(ctx, ctx.pick("sentiments"))
    return Found(row, catalogue_names(ctx, row))


def draw_reworded_review(ctx: DrawContext) -> Found:
    row, slots, _ = draw_any_review(ctx)
    return Found(row, {**slots, "review": customer_words.draw_review(ctx, row["product_id"])})


def draw_my_chat(ctx: DrawContext) -> Found:
    row = ctx.pick("support_chats", ctx.facts.where("support_chats", emp_id=ctx.me["emp_id"]))
    pair = {"product_id": row["product_id"], "customer_id": row["customer_id"]}
    only(ctx.facts.where("support_chats", emp_id=ctx.me["emp_id"], **pair))
    return Found(row, catalogue_names(ctx, row))


def draw_my_dated_chat(ctx: DrawContext) -> Found:
    row, slots, _ = draw_my_chat(ctx)
    moved = day(row["interaction_date"]) - timedelta(days=ctx.rng.randint(1, 9))
    return Found(row, {**slots, "day": moved.isoformat()})


def draw_my_told_chat(ctx: DrawContext) -> Found:
    row, slots, _ = draw_my_chat(ctx)
    return Found(row, {**slots, "complaint": customer_words.draw_complaint(ctx, row["product_id"])})


def find_review(plan: PlanRecorder, slots: Slots) -> Row:
    return plan.one(
        "sentiments", "I look for that review.",
        product_name=slots["product"], customer_name=slots["customer"],
    )  # fmt: skip


def find_my_chat(plan: PlanRecorder, slots: Slots) -> Row:
    return plan.one(
        "support_chats", "I look for that support chat of mine.", representative="me",
        customer_name=slots["customer"], product_name=slots["product"],
    )  # fmt: skip
