"""Sales: all around a product, its sellers, reviewers and stock."""

from __future__ import annotations

from evals.kinds.enterprise.goals import entities
from evals.kinds.enterprise.goals.draw_context import Draw, DrawContext
from evals.kinds.enterprise.goals.goal import GoalGroup, Slots, Values
from evals.kinds.enterprise.goals.plan_recorder import PlanRecorder
from evals.kinds.enterprise.goals.rows import clear_best
from evals.kinds.enterprise.goals.sales.chains import buyer_of, largest
from evals.kinds.enterprise.goals.sales.figures import named_product, sales_of, units
from evals.kinds.enterprise.goals.sales.product import (
    contact_of,
    draw_about,
    draw_last_review,
    draw_seller,
    find_review,
    top_seller_manager,
)
from evals.kinds.enterprise.goals.unfit import UnfitError, attempt, need

GROUP = GoalGroup("sales/product.toml")


def draw_better_selling(ctx: DrawContext) -> Draw:
    first, second = attempt(named_product, ctx), attempt(named_product, ctx)
    pair = (need(first), need(second))
    if first is second:
        raise UnfitError
    sold = {row["product_id"]: sales_of(ctx, "product_id", row["product_id"]) for row in pair}
    best = clear_best({key: units(rows) for key, rows in sold.items()})
    product = need(ctx.facts.get("products", best))
    sale = largest(sold[best])
    buyer = need(ctx.facts.get("customers", sale["customer_id"]))
    return ctx.draw(
        {"product": pair[0]["product_name"], "other": pair[1]["product_name"]},
        answer=[
            entities.text(product["product_name"]),
            entities.number(int(product["stock"])),
            entities.text(buyer["region"]),
        ],
        about=[("products", pair[0]), ("products", pair[1])],
    )


@GROUP.goal(draw_better_selling)
def better_selling(slots: Slots, plan: PlanRecorder) -> Values:
    sold = {
        name: plan.every("sales", f"I add up the pieces of the {name}.", product_name=name)
        for name in (slots["product"], slots["other"])
    }
    best = clear_best({name: units(rows) for name, rows in sold.items()})
    sale = largest(sold[best])
    product = plan.one("products", "Now the stock of the better one.", product_id=sale["product_id"])
    row = next(row for row in sold[best] if row["sales_record_id"] == sale["sales_record_id"])
    buyer = buyer_of(plan, plan.pick(row))
    return product["product_name"], product["stock"], buyer["region"]


def draw_profile(ctx: DrawContext) -> Draw:
    product, seller = draw_seller(ctx)
    manager = ctx.above(seller)
    _, _, reviewer = draw_last_review(ctx, product)
    answer = [entities.person(seller), *contact_of(manager), entities.text(reviewer["region"])]
    return draw_about(ctx, product, answer)


@GROUP.goal(draw_profile)
def profile(slots: Slots, plan: PlanRecorder) -> Values:
    values = top_seller_manager(slots, plan)
    review = find_review(plan, slots)
    reviewer = plan.one("customers", "Where is its author?", customer_id=review["customer_id"])
    return *values, reviewer["region"]


def draw_full_profile(ctx: DrawContext) -> Draw:
    draw = draw_profile(ctx)
    product = need(ctx.facts.at(draw.about[0]))
    return draw_about(ctx, product, [*draw.answer, entities.number(int(product["stock"]))])


@GROUP.goal(draw_full_profile)
def full_profile(slots: Slots, plan: PlanRecorder) -> Values:
    values = profile(slots, plan)
    product = plan.one("products", "Last, the product's stock.", product_name=slots["product"])
    return *values, product["stock"]
