"""Sales: sales recorded, corrected and deleted, and reviews with them."""

from __future__ import annotations

from datetime import timedelta

from worksmith.evals.kinds.enterprise.facts import day
from worksmith.evals.kinds.enterprise.goals import entities
from worksmith.evals.kinds.enterprise.goals.draw_context import (
    DrawContext,
    UnfitError,
    attempt,
    need,
)
from worksmith.evals.kinds.enterprise.goals.groups import GoalGroup
from worksmith.evals.kinds.enterprise.goals.paths import HERE, Ask, Found
from worksmith.evals.kinds.enterprise.goals.sales.customer_words import draw_review
from worksmith.evals.kinds.enterprise.goals.sales.figures import (
    both,
    named_sale,
)


def _by_id(ctx: DrawContext) -> Found:
    sale = ctx.pick("sales")
    return Found(sale, {"sale": sale["sales_record_id"]})


def _recounted(ctx: DrawContext) -> Found:
    found, quantity = attempt(ctx.pick, "sales"), str(ctx.rng.randint(1, 40))
    sale = need(found)
    if sale["quantity"] == quantity:
        raise UnfitError
    return Found(sale, {"sale": sale["sales_record_id"], "quantity": quantity})


def _repriced(ctx: DrawContext) -> Found:
    sale, slots = named_sale(ctx)
    slots["price"] = str(round(int(float(sale["discounted_price"])) * ctx.rng.uniform(0.7, 0.95)))
    if slots["price"] in (sale["discounted_price"], "0"):
        raise UnfitError
    return Found(sale, slots)


def _any_sale(ctx: DrawContext) -> Found:
    return Found(*named_sale(ctx))


def _restocked(ctx: DrawContext) -> Found:
    """A sale, and another stock of its product."""
    sale, slots = named_sale(ctx)
    stock = int(need(ctx.facts.get("products", sale["product_id"]))["stock"])
    return Found(sale, {**slots, "stock": str(stock + int(sale["quantity"]) + ctx.rng.randint(0, 9))})


def _repriced_of_another(ctx: DrawContext) -> Found:
    return _of_another(ctx, _repriced(ctx))


def _any_sale_of_another(ctx: DrawContext) -> Found:
    return _of_another(ctx, _any_sale(ctx))


def _of_another(ctx: DrawContext, found: Found) -> Found:
    """A sale of another employee."""
    ctx.other(ctx.facts.colleague(found.row["emp_id"]))
    return found


def _redone(ctx: DrawContext) -> Found:
    sale, slots = named_sale(ctx)
    return Found(sale, {**slots, "quantity": str(ctx.rng.randint(2, 30))})


def _new_sale(ctx: DrawContext) -> Found:
    row, slots, about = both(ctx)
    return Found(row, {**slots, "quantity": str(ctx.rng.randint(2, 30))}, about)


def _less_stock(ctx: DrawContext) -> Found:
    stock = ctx.drawn["products"]["stock"]
    left = str(max(0, int(stock) - int(ctx.words["quantity"]) + ctx.rng.randint(1, 9)))
    if left == stock:
        raise UnfitError
    return Found(ctx.me, {"stock": left})


def _review(ctx: DrawContext) -> Found:
    return Found(ctx.me, {"review": draw_review(ctx, ctx.drawn["products"]["product_id"])})


def _other(ctx: DrawContext) -> Found:
    """Another person than the first recipient."""
    name = ctx.colleague()["name"]
    if name == ctx.words["colleague"]:
        raise UnfitError
    return Found(ctx.me, {"other": name})


def _named(source: str, noun: str) -> Ask:
    """The name of a sale's product or customer, which the sale shows."""
    return Ask(
        HERE,
        lambda ctx, sale: entities.text(need(ctx.facts.get(source, sale[f"{noun}_id"]))[f"{noun}_name"]),
        lambda _, sale: sale[f"{noun}_name"],
    )


def _dated(ctx: DrawContext) -> Found:
    """A sale of another employee, and an earlier day."""
    sale, slots = named_sale(ctx)
    ctx.other(ctx.facts.colleague(sale["emp_id"]))
    moved = day(sale["date_of_purchase"]) - timedelta(days=ctx.rng.randint(1, 20))
    return Found(sale, {**slots, "day": moved.isoformat()})


GROUP = GoalGroup(
    "sales/records.toml",
    draws=(
        _by_id, _recounted, _repriced, _repriced_of_another, _any_sale, _any_sale_of_another, _restocked,
        _redone, _dated, _new_sale, _less_stock, _review, _other,
    ),
    asks={"product": _named("products", "product"), "customer": _named("customers", "customer")},
)  # fmt: skip
