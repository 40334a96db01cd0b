"""Sales: all around a product, its sellers, reviewers and stock."""

from __future__ import annotations

from evals.kinds.enterprise.goals import entities
from evals.kinds.enterprise.goals.draw_context import Draw, DrawContext
from evals.kinds.enterprise.goals.goal import GoalGroup, Slots, Values
from evals.kinds.enterprise.goals.plan_recorder import PlanRecorder, UnfitError
from evals.kinds.enterprise.goals.rows import clear_best
from evals.kinds.enterprise.goals.sales.chains import buyer_of, largest
from evals.kinds.enterprise.goals.sales.figures import named_product, sales_of, units
from evals.kinds.enterprise.goals.sales.product import (
    SUBAREA,
    contact_of,
    draw_about,
    draw_last_review,
    draw_seller,
    find_review,
    top_seller_manager,
)

GROUP = GoalGroup("Sales", "sales/product.toml", departments=("SA",))


def draw_better_selling(ctx: DrawContext) -> Draw | None:
    """Two products, of which one sold clearly more."""
    pair = named_product(ctx), named_product(ctx)
    if pair[0] is None or pair[1] is None or pair[0] is pair[1]:
        return None
    sold = {row["product_id"]: sales_of(ctx, "product_id", row["product_id"]) for row in pair if row}
    if None in sold.values():
        return None
    best = clear_best({key: units(rows or []) for key, rows in sold.items()})
    product = ctx.facts.get("products", best) if best else None
    sale = largest(sold[best] or []) if best else None
    buyer = ctx.facts.get("customers", sale["customer_id"]) if sale else None
    if product is None or buyer is None:
        return None
    return ctx.draw(
        {"product": pair[0]["product_name"], "other": pair[1]["product_name"]},
        answer=[
            entities.text(product["product_name"]),
            entities.number(int(product["stock"])),
            entities.text(buyer["region"]),
        ],
        about=[("products", pair[0]), ("products", pair[1])],
    )


@GROUP.goal(SUBAREA, steps=4, draw=draw_better_selling)
def better_selling(slots: Slots, plan: PlanRecorder) -> Values:
    """The sales of both, the better product, its biggest buyer."""
    sold = {
        name: plan.every("sales", f"I add up the pieces of the {name}.", product_name=name)
        for name in (slots["product"], slots["other"])
    }
    best = clear_best({name: units(rows) for name, rows in sold.items()})
    sale = largest(sold[best]) if best else None
    if best is None or sale is None:
        raise UnfitError("nothing leads clearly")
    product = plan.one("products", "Now the stock of the better one.", product_id=sale["product_id"])
    row = next(row for row in sold[best] if row["sales_record_id"] == sale["sales_record_id"])
    buyer = buyer_of(plan, plan.pick(row))
    return product["product_name"], product["stock"], buyer["region"]


def draw_profile(ctx: DrawContext) -> Draw | None:
    """Seller, manager and latest reviewer of a product."""
    seller, review = draw_seller(ctx), None
    manager = ctx.facts.manager(seller[1]["emp_id"]) if seller else None
    if seller is None or manager is None:
        return None
    review = draw_last_review(ctx, seller[0])
    if review is None:
        return None
    answer = [entities.person(seller[1]), *contact_of(manager), entities.text(review[2]["region"])]
    return draw_about(ctx, seller[0], answer)


@GROUP.goal(SUBAREA, steps=5, draw=draw_profile)
def profile(slots: Slots, plan: PlanRecorder) -> Values:
    """Sales, seller, manager, newest review, reviewer."""
    values = top_seller_manager(slots, plan)
    review = find_review(plan, slots)
    reviewer = plan.one("customers", "Where is its author?", customer_id=review["customer_id"])
    return (*values, reviewer["region"])


def draw_full_profile(ctx: DrawContext) -> Draw | None:
    """The same and the stock."""
    draw = draw_profile(ctx)
    product = ctx.facts.at(draw.about[0]) if draw else None
    if draw is None or product is None:
        return None
    return draw_about(ctx, product, [*draw.answer, entities.number(int(product["stock"]))])


@GROUP.goal(SUBAREA, steps=6, draw=draw_full_profile)
def full_profile(slots: Slots, plan: PlanRecorder) -> Values:
    """The profile, then the product itself."""
    values = profile(slots, plan)
    product = plan.one("products", "Last, the product's stock.", product_name=slots["product"])
    return (*values, product["stock"])
