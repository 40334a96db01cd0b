"""Sales: what is known about products, their sales and reviews."""

from __future__ import annotations

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
    span,
)
from worksmith.evals.kinds.enterprise.goals.goal import Slots, Values
from worksmith.evals.kinds.enterprise.goals.groups import GoalGroup
from worksmith.evals.kinds.enterprise.goals.paths import Found, Link
from worksmith.evals.kinds.enterprise.goals.plan_recorder import PlanRecorder, Row
from worksmith.evals.kinds.enterprise.goals.sales.figures import (
    largest,
    leader,
    named_product,
    review_or_none,
    sales_of,
    units,
    year,
)

NEGATIVE = ("1", "2")
"""So many stars are a bad review."""


def _sold(plan: PlanRecorder, name: str) -> list[Row]:
    return plan.every("sales", "I need all sales of that product.", product_name=name)


def _sales(ctx: DrawContext, product: Record) -> list[Record]:
    return sales_of(ctx, "product_id", product["product_id"])


def _find_seller(plan: PlanRecorder, product: Row) -> Row:
    rows = _sold(plan, product["product_name"])
    key = leader(rows, "emp_id")
    return plan.one("employees", "Who made that sale?", emp_id=key)


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


def _find_largest(plan: PlanRecorder, slots: Slots) -> Row:
    return plan.pick(largest(_sold(plan, slots["product"])))


def _find_named(_: PlanRecorder, slots: Slots) -> Row:
    """A record of the name in the text, from which lookups can start."""
    return Row({"product_name": slots["product"]}, "products", -1)


_SELLER = Link(
    lambda ctx, product: need(ctx.facts.colleague(leader(_sales(ctx, product), "emp_id"))), _find_seller
)
GROUP = GoalGroup(
    "sales/product.toml",
    draws=(_draw_product, _draw_largest),
    finds=(_find_largest, _find_named),
    links={"seller": _SELLER, "review": Link(_last_review, _find_review, "sentiments")},
)
GROUP.add(
    biggest_buyer_review=review_or_none(GROUP.questions.starts["largest"], "Now the review of that customer.")
)


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
    plan.pick(sale)
    buyer = plan.one("customers", "Where is that buyer?", customer_id=sale["customer_id"])
    return product["product_name"], product["stock"], buyer["region"]
