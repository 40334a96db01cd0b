"""Sales: what is known about products, their sales and reviews."""

from __future__ import annotations

from dataclasses import replace

from worksmith.evals.kinds.enterprise.facts import Record
from worksmith.evals.kinds.enterprise.goals import entities
from worksmith.evals.kinds.enterprise.goals.draw_context import (
    Draw,
    DrawContext,
    UnfitError,
    attempt,
    clear_best,
    in_year,
    latest,
    need,
    only,
    span,
)
from worksmith.evals.kinds.enterprise.goals.goal import Slots, Values
from worksmith.evals.kinds.enterprise.goals.groups import GoalGroup
from worksmith.evals.kinds.enterprise.goals.paths import HERE, Found, Link, Question, Start, record, words
from worksmith.evals.kinds.enterprise.goals.plan_recorder import PlanRecorder, Row
from worksmith.evals.kinds.enterprise.goals.sales.chains import BUYER, largest, seller_of
from worksmith.evals.kinds.enterprise.goals.sales.figures import (
    leader,
    named_product,
    review_or_none,
    sales_of,
    stars_of,
    units,
    year,
)

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


def _sold(plan: PlanRecorder, product: Row) -> list[Row]:
    return plan.every("sales", "I need all sales of that product.", product_name=product["product_name"])


def _sales(ctx: DrawContext, product: Record) -> list[Record]:
    return sales_of(ctx, "product_id", product["product_id"])


def _find_largest(plan: PlanRecorder, product: Row) -> Row:
    rows = _sold(plan, product)
    sale = largest(rows)
    return plan.pick(next(row for row in rows if row["sales_record_id"] == sale["sales_record_id"]))


def _find_seller(plan: PlanRecorder, product: Row) -> Row:
    rows = _sold(plan, product)
    key = leader(rows, "emp_id")
    return seller_of(plan, next(row for row in rows if row["emp_id"] == key))


def _last_review(ctx: DrawContext, product: Record) -> Record:
    rows = ctx.facts.where("sentiments", product_id=product["product_id"])
    if len(rows) < 2:
        raise UnfitError
    return latest(rows, "review_date")


def _find_review(plan: PlanRecorder, product: Row) -> Row:
    why, name = "I look for its newest review.", product["product_name"]
    return plan.pick(plan.read("sentiments", why, product_name=name, limit=1).first)


def _draw_product(ctx: DrawContext) -> Found:
    product = named_product(ctx)
    return Found(product, {"product": product["product_name"]})


def _draw_largest(ctx: DrawContext) -> Found:
    product = named_product(ctx)
    sale = largest(_sales(ctx, product))
    return Found(sale, {"product": product["product_name"]}, [("products", product)])


_NAME = words("products", "product_name", "product")
_PRODUCT = Start(
    "products",
    _draw_product,
    lambda plan, slots: plan.one("products", "I look the product up.", product_name=slots["product"]),
)
_NAMED = Start("products", _draw_product, _NAME)
_LARGEST = Start("", _draw_largest, lambda plan, slots: _find_largest(plan, _NAME(plan, slots)))
_STOCK = HERE.to(record("products", "Last, the product's stock.", by="product_name")).number("stock")
_BUYER = HERE.to(BUYER)
_SELLER = HERE.to(
    Link(lambda ctx, product: need(ctx.facts.colleague(leader(_sales(ctx, product), "emp_id"))), _find_seller)
)
_REVIEW = HERE.to(Link(_last_review, _find_review))
_REVIEWER = _REVIEW.to(record("customers", "Where is its author?", "customer_id"))
_REGION = _REVIEWER.text("region")
_OPINION = (_REVIEW.understood("sentiments", "stars", stars_of), _REVIEWER.text("customer_name"), _REGION)
_LATEST_REVIEWER = Question(_NAMED, *_OPINION)
_SOLD_BY = (_SELLER.person(), _SELLER.text("title"))
_INVOICED = _REVIEW.to(
    Link(
        lambda ctx, review: only(
            ctx.facts.where("orders", customer_id=review["customer_id"], kind="invoice")
        ),
        lambda plan, review: plan.one(
            "orders", "Now the author's invoice.", customer_id=review["customer_id"], kind="invoice"
        ),
    )
).amount("total")

GROUP.add(
    price_stock=Question(_PRODUCT, HERE.amount("discounted_price"), HERE.number("stock")),
    biggest_buyer=Question(_LARGEST, _BUYER.text("customer_name"), _BUYER.text("region")),
    biggest_buyer_review=review_or_none(_LARGEST, "Now the review of that customer."),
    top_seller=Question(_NAMED, *_SOLD_BY),
    top_seller_stock=Question(_NAMED, *_SOLD_BY, _STOCK),
    latest_reviewer=_LATEST_REVIEWER,
    profile=Question(_NAMED, *_SOLD_BY, _REGION, _STOCK),
    full_profile=Question(_NAMED, *_SOLD_BY, _REGION, _INVOICED, _STOCK),
)


def draw_latest_reviewer_purchase(ctx: DrawContext) -> Draw:
    drawn = _LATEST_REVIEWER.draw(ctx)
    review = _last_review(ctx, need(ctx.facts.at(drawn.about[0])))
    bought = ctx.facts.where("sales", product_id=review["product_id"], customer_id=review["customer_id"])
    return replace(drawn, answer=(*drawn.answer, entities.date(only(bought)["date_of_purchase"])))


@GROUP.goal(draw_latest_reviewer_purchase)
def latest_reviewer_purchase(slots: Slots, plan: PlanRecorder) -> Values:
    values = _LATEST_REVIEWER.solve(slots, plan)
    sale = plan.one(
        "sales", "Now that customer's purchase.", product_name=slots["product"], customer_name=values[1]
    )
    return *values, sale["date_of_purchase"]


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
    buyer = BUYER.lookup(plan, plan.pick(row))
    return product["product_name"], product["stock"], buyer["region"]
