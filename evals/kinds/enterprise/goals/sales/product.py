"""Sales: what is known about products, their sales and reviews."""

from __future__ import annotations

from evals.kinds.enterprise.facts import Record
from evals.kinds.enterprise.goals import entities
from evals.kinds.enterprise.goals.draw_context import (
    Draw,
    DrawContext,
    UnfitError,
    attempt,
    clear_best,
    in_year,
    latest,
    need,
    span,
)
from evals.kinds.enterprise.goals.goal import GoalGroup, Slots, Values
from evals.kinds.enterprise.goals.messages.chats import manager_of
from evals.kinds.enterprise.goals.paths import HERE, Found, Link, Question, Start
from evals.kinds.enterprise.goals.plan_recorder import PlanRecorder, Row
from evals.kinds.enterprise.goals.sales.chains import buyer_of, largest, seller_of
from evals.kinds.enterprise.goals.sales.figures import leader, named_product, sales_of, units, year
from evals.tasks.task import Entity

GROUP = GoalGroup("sales/product.toml")

NEGATIVE = ("1", "2")
"""So many stars are a bad review."""


def draw_product_year(ctx: DrawContext) -> Draw:
    found, wanted = attempt(named_product, ctx), year(ctx.rng)
    product = need(found)
    rows = in_year(ctx.facts.where("sales", product_id=product["product_id"]), "date_of_purchase", wanted)
    answer = [entities.number(len(rows)), entities.number(units(rows))] if rows else []
    slots = {"product": product["product_name"], "year": wanted}
    return ctx.draw(slots, answer=answer, nothing=not rows, about=[("products", product)])


@GROUP.goal(draw_product_year)
def product_year(slots: Slots, plan: PlanRecorder) -> Values:
    rows = plan.every(
        "sales", f"I need all sales of that product in {slots['year']}.",
        product_name=slots["product"], **span(slots["year"]),
    )  # fmt: skip
    return (str(rows.total), str(units(rows))) if rows else plan.none(rows)


def draw_bad_reviews(ctx: DrawContext) -> Draw:
    found, wanted = attempt(named_product, ctx), year(ctx.rng)
    product = need(found)
    rows = ctx.facts.where("sentiments", product_id=product["product_id"])
    rows = in_year(rows, "review_date", wanted)
    bad = [row for row in rows if ctx.facts.fact("sentiments", row["sentiment_id"], "stars") in NEGATIVE]
    if len(rows) < 2 or not bad:
        raise UnfitError
    answer = [entities.number(len(bad)), entities.number(len(rows))]
    return ctx.draw(
        {"product": product["product_name"], "year": wanted}, answer=answer, about=[("products", product)]
    )


@GROUP.goal(draw_bad_reviews)
def bad_reviews(slots: Slots, plan: PlanRecorder) -> Values:
    rows = plan.every(
        "sentiments", f"I read the reviews of that product of {slots['year']}.",
        product_name=slots["product"], **span(slots["year"]),
    )  # fmt: skip
    bad = [row for row in rows if plan.understood(row, "stars") in NEGATIVE]
    return str(len(bad)), str(rows.total)


def draw_biggest_buyer_review(ctx: DrawContext) -> Draw:
    product, sale = _largest_sale(ctx)
    reviews = ctx.facts.where("sentiments", product_id=product["product_id"], customer_id=sale["customer_id"])
    if len(reviews) > 1:
        raise UnfitError
    answer: list[Entity] = []
    if reviews:
        stars = ctx.facts.fact("sentiments", reviews[0]["sentiment_id"], "stars")
        answer = [entities.date(reviews[0]["review_date"]), entities.number(int(stars or 0))]
    slots = {"product": product["product_name"]}
    return ctx.draw(slots, answer=answer, nothing=not reviews, about=[("products", product)])


@GROUP.goal(draw_biggest_buyer_review)
def biggest_buyer_review(slots: Slots, plan: PlanRecorder) -> Values:
    sale = _find_largest(plan, slots)
    reviews = plan.read(
        "sentiments", "Now the review of that customer.",
        product_id=sale["product_id"], customer_id=sale["customer_id"],
    )  # fmt: skip
    if not reviews:
        return plan.none(reviews)
    return plan.pick(reviews.first)["review_date"], plan.understood(reviews.first, "stars")


def draw_top_seller_manager(ctx: DrawContext) -> Draw:
    product, seller = draw_seller(ctx)
    return draw_about(ctx, product, [entities.person(seller), *contact_of(ctx.above(seller))])


@GROUP.goal(draw_top_seller_manager)
def top_seller_manager(slots: Slots, plan: PlanRecorder) -> Values:
    seller = _find_seller(plan, slots)
    manager = manager_of(plan, seller)
    return seller["name"], manager["name"], manager["email"]


def draw_latest_reviewer_purchase(ctx: DrawContext) -> Draw:
    found = draw_last_review(ctx)
    product, review, _ = found
    bought = ctx.facts.where("sales", product_id=product["product_id"], customer_id=review["customer_id"])
    if len(bought) != 1:
        raise UnfitError
    answer = [*_opinion(ctx, found), entities.date(bought[0]["date_of_purchase"])]
    return draw_about(ctx, product, answer)


@GROUP.goal(draw_latest_reviewer_purchase)
def latest_reviewer_purchase(slots: Slots, plan: PlanRecorder) -> Values:
    values = _LATEST_REVIEWER.solve(slots, plan)
    sale = plan.one(
        "sales", "Now that customer's purchase.", product_name=slots["product"], customer_name=values[1]
    )
    return *values, sale["date_of_purchase"]


def draw_about(ctx: DrawContext, product: Record, answer: list[Entity]) -> Draw:
    slots = {"product": product["product_name"]}
    return ctx.draw(slots, answer=answer, about=[("products", product)])


def contact_of(person: Record) -> list[Entity]:
    """Somebody, and how to reach them."""
    return [entities.person(person), entities.ident("email", person["email"])]


def _largest_sale(ctx: DrawContext) -> tuple[Record, Record]:
    product = named_product(ctx)
    rows = sales_of(ctx, "product_id", product["product_id"])
    sale = largest(rows)
    return product, sale


def draw_seller(ctx: DrawContext) -> tuple[Record, Record]:
    """A product and who clearly sold most of it, if still here."""
    product = named_product(ctx)
    rows = sales_of(ctx, "product_id", product["product_id"])
    key = leader(rows, "emp_id")
    seller = need(ctx.facts.colleague(key))
    return product, seller


def draw_last_review(ctx: DrawContext, product: Record | None = None) -> tuple[Record, Record, Record]:
    """A product, its latest review and the author of that."""
    product = product or named_product(ctx)
    rows = ctx.facts.where("sentiments", product_id=product["product_id"])
    review = latest(rows, "review_date")
    reviewer = need(ctx.facts.get("customers", review["customer_id"]))
    if len(rows) < 2:
        raise UnfitError
    return product, review, reviewer


def _opinion(ctx: DrawContext, found: tuple[Record, Record, Record]) -> list[Entity]:
    _, review, reviewer = found
    stars = ctx.facts.fact("sentiments", review["sentiment_id"], "stars")
    return [
        entities.number(int(stars or 0)),
        entities.text(reviewer["customer_name"]),
        entities.text(reviewer["region"]),
    ]


def _sold(plan: PlanRecorder, slots: Slots) -> list[Row]:
    return plan.every("sales", "I need all sales of that product.", product_name=slots["product"])


def _find_largest(plan: PlanRecorder, slots: Slots) -> Row:
    rows = _sold(plan, slots)
    sale = largest(rows)
    return plan.pick(next(row for row in rows if row["sales_record_id"] == sale["sales_record_id"]))


def _find_seller(plan: PlanRecorder, slots: Slots) -> Row:
    rows = _sold(plan, slots)
    key = leader(rows, "emp_id")
    return seller_of(plan, next(row for row in rows if row["emp_id"] == key))


def find_review(plan: PlanRecorder, slots: Slots) -> Row:
    """The newest review of the product that the text names."""
    rows = plan.read("sentiments", "I look for its newest review.", product_name=slots["product"], limit="1")
    return plan.pick(rows.first)


def _draw_product(ctx: DrawContext) -> Found:
    product = named_product(ctx)
    return Found(product, {"product": product["product_name"]})


def _draw_buyer(ctx: DrawContext) -> Found:
    product, sale = _largest_sale(ctx)
    buyer = need(ctx.facts.get("customers", sale["customer_id"]))
    return Found(buyer, {"product": product["product_name"]}, [("products", product)])


def _draw_seller(ctx: DrawContext) -> Found:
    product, seller = draw_seller(ctx)
    return Found(seller, {"product": product["product_name"]}, [("products", product)])


def _draw_review(ctx: DrawContext) -> Found:
    product, review, _ = draw_last_review(ctx)
    return Found(review, {"product": product["product_name"]}, [("products", product)])


_PRODUCT = Start(
    "products",
    _draw_product,
    lambda plan, slots: plan.one("products", "I look the product up.", product_name=slots["product"]),
)
_BUYER = Start("", _draw_buyer, lambda plan, slots: buyer_of(plan, _find_largest(plan, slots)))
_SELLER = Start("", _draw_seller, _find_seller)
_REVIEW = Start("", _draw_review, find_review)
_REVIEWER = HERE.to(
    Link(
        lambda ctx, review: need(ctx.facts.get("customers", review["customer_id"])),
        lambda plan, review: plan.one("customers", "Where is its author?", customer_id=review["customer_id"]),
    )
)
_STARS = HERE.understood("sentiments", "stars", lambda value: entities.number(int(value)))
_LATEST_REVIEWER = Question(_REVIEW, _STARS, _REVIEWER.text("customer_name"), _REVIEWER.text("region"))

GROUP.add(
    price_stock=Question(_PRODUCT, HERE.amount("discounted_price"), HERE.number("stock")),
    biggest_buyer=Question(_BUYER, HERE.text("customer_name"), HERE.text("region")),
    top_seller=Question(_SELLER, HERE.person(), HERE.email()),
    latest_reviewer=_LATEST_REVIEWER,
)


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
