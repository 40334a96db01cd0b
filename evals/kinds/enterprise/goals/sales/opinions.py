"""Sales: reviews and support chats, added, changed and removed."""

from __future__ import annotations

from datetime import timedelta

from worksmith.evals.kinds.enterprise.facts import Record, day
from worksmith.evals.kinds.enterprise.goals.draw_context import DrawContext, only
from worksmith.evals.kinds.enterprise.goals.groups import GoalGroup
from worksmith.evals.kinds.enterprise.goals.paths import Found
from worksmith.evals.kinds.enterprise.goals.sales import customer_words
from worksmith.evals.kinds.enterprise.goals.sales.figures import (
    both,
    catalogue_names,
    named_sale,
)


def _review(ctx: DrawContext) -> Found:
    return Found(ctx.me, {"review": customer_words.draw_review(ctx, _product_id(ctx))})


def _complaint(ctx: DrawContext) -> Found:
    return Found(ctx.me, {"complaint": customer_words.draw_complaint(ctx, _product_id(ctx))})


def _bad_review(ctx: DrawContext) -> Found:
    words = customer_words.draw_review_after(ctx, _product_id(ctx), ctx.words["complaint"])
    return Found(ctx.me, {"review": words})


def _product_id(ctx: DrawContext) -> str:
    """Of the record that was drawn."""
    return next(row["product_id"] for row in ctx.drawn.values())


def _its_review(ctx: DrawContext) -> Found:
    return Found(only_review(ctx, next(iter(ctx.drawn.values()))), {})


def only_review(ctx: DrawContext, row: Record) -> Record:
    return only(ctx.facts.where("sentiments", product_id=row["product_id"], customer_id=row["customer_id"]))


def _any_review(ctx: DrawContext) -> Found:
    row = only_review(ctx, ctx.pick("sentiments"))
    return Found(row, catalogue_names(ctx, row))


def _my_chat(ctx: DrawContext) -> Found:
    row = ctx.pick("support_chats", ctx.facts.where("support_chats", emp_id=ctx.me["emp_id"]))
    pair = {"product_id": row["product_id"], "customer_id": row["customer_id"]}
    only(ctx.facts.where("support_chats", emp_id=ctx.me["emp_id"], **pair))
    return Found(row, catalogue_names(ctx, row))


def _named_sale(ctx: DrawContext) -> Found:
    return Found(*named_sale(ctx))


def _earlier_day(ctx: DrawContext) -> Found:
    """A day some days before that of the chat, or some more before that of the sale."""
    if chat := ctx.drawn.get("support_chats"):
        moved = day(chat["interaction_date"]) - timedelta(days=ctx.rng.randint(1, 9))
    else:
        moved = day(ctx.drawn["sales"]["date_of_purchase"]) - timedelta(days=ctx.rng.randint(1, 20))
    return Found(ctx.me, {"day": moved.isoformat()})


GROUP = GoalGroup(
    "sales/opinions.toml",
    draws=(
        both, _review, _complaint, _bad_review, _its_review, _any_review, _my_chat, _named_sale,
        _earlier_day,
    ),
)  # fmt: skip
