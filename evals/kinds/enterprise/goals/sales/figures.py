"""Common parts of the goals about sales: years, sums over sales, and leaders."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import TypeVar

from worksmith.evals.kinds.enterprise.facts import Record
from worksmith.evals.kinds.enterprise.goals import entities
from worksmith.evals.kinds.enterprise.goals.draw_context import (
    Draw,
    DrawContext,
    UnfitError,
    attempt,
    clear_best,
    need,
    only,
)
from worksmith.evals.kinds.enterprise.goals.goal import Logic, Slots, Values
from worksmith.evals.kinds.enterprise.goals.paths import Found, Start
from worksmith.evals.kinds.enterprise.goals.plan_recorder import MOST_READ, PlanRecorder, Row
from worksmith.evals.tasks.task import Entity

_Sale = TypeVar("_Sale", bound=Mapping[str, str])

YEARS = tuple(str(year) for year in range(2016, 2023))


def named_product(ctx: DrawContext) -> Record:
    """A product with a unique name."""
    row = ctx.pick("products")
    if not ctx.facts.unique("products", "product_name", row["product_name"]):
        raise UnfitError
    return row


def named_customer(ctx: DrawContext) -> Record:
    """A customer with a unique name."""
    row = ctx.pick("customers")
    if not ctx.facts.unique("customers", "customer_name", row["customer_name"]):
        raise UnfitError
    return row


def named_sale(ctx: DrawContext, *nouns: str) -> tuple[Record, dict[str, str]]:
    """A sale that customer and product identify, and these as slots."""
    sale = ctx.pick("sales")
    only(ctx.facts.where("sales", customer_id=sale["customer_id"], product_id=sale["product_id"]))
    return sale, catalogue_names(ctx, sale, *nouns)


def catalogue_names(ctx: DrawContext, row: Record, *nouns: str) -> dict[str, str]:
    """The names of the product and the customer of a record as slots, by default in this order."""
    return {
        noun: need(ctx.facts.get(f"{noun}s", row[f"{noun}_id"]))[f"{noun}_name"]
        for noun in nouns or ("product", "customer")
    }


def both(ctx: DrawContext) -> Found:
    """A product and a customer with unique names."""
    found, customer = attempt(named_product, ctx), named_customer(ctx)
    product = need(found)
    slots = {"product": product["product_name"], "customer": customer["customer_name"]}
    return Found(ctx.me, slots, [("products", product), ("customers", customer)])


def year(random: Random) -> str:
    return random.choice(YEARS)


def units(rows: Iterable[Record | Row]) -> int:
    """The pieces sold."""
    return sum(int(row["quantity"]) for row in rows)


def units_by(rows: Iterable[Record | Row], column: str) -> dict[str, float]:
    """The pieces sold by the value of a column."""
    found: dict[str, float] = defaultdict(float)
    for row in rows:
        found[row[column]] += int(row["quantity"])
    return dict(found)


def largest(rows: Sequence[_Sale]) -> _Sale:
    """The sale with clearly most pieces."""
    key = clear_best({row["sales_record_id"]: int(row["quantity"]) for row in rows})
    return next(row for row in rows if row["sales_record_id"] == key)


def leader(rows: Iterable[Record | Row], column: str, *, but: str = "") -> str:
    """With which value of a column clearly most pieces go; None if it is not clear."""
    scores: Mapping[str, float] = {key: n for key, n in units_by(rows, column).items() if key != but}
    return clear_best(scores)


def sales_of(ctx: DrawContext, column: str, key: str) -> list[Record]:
    """All sales of a product or customer if they fit one call, and are more than two."""
    rows = ctx.facts.where("sales", **{column: key})
    if not 2 < len(rows) <= MOST_READ:
        raise UnfitError
    return rows


def stars_of(value: str) -> Entity:
    return entities.number(int(value))


def review_or_none(start: Start, why: str, later_than: str = "") -> Logic:
    """The day and the stars of a customer's review of a product, or none.

    Args:
        start: a record with the product and the customer.
        why: the thought that leads to the reviews.
        later_than: the record's column with the first day that counts; any day if empty.
    """

    def draw(ctx: DrawContext) -> Draw:
        row, slots, about = start.draw(ctx)
        reviews = [
            review
            for review in ctx.facts.where(
                "sentiments", product_id=row["product_id"], customer_id=row["customer_id"]
            )
            if not later_than or review["review_date"] >= row[later_than]
        ]
        if len(reviews) > 1:
            raise UnfitError
        answer = []
        for review in reviews:
            told = ctx.facts.fact("sentiments", review["sentiment_id"], "stars")
            answer = [entities.date(review["review_date"]), stars_of(told or "0")]
        own = [(start.source, row)] if start.source else []
        return ctx.draw(slots, answer=answer, nothing=not reviews, about=[*about, *own])

    def solve(slots: Slots, plan: PlanRecorder) -> Values:
        row = start.find(plan, slots)
        since = {"date_from": row[later_than]} if later_than else {}
        reviews = plan.read(
            "sentiments", why, product_id=row["product_id"], customer_id=row["customer_id"], **since
        )
        if not reviews:
            return plan.none(reviews)
        return plan.pick(reviews.first)["review_date"], plan.understood(reviews.first, "stars")

    return Logic(draw, solve)
