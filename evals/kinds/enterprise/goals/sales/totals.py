"""Sales: totals over many sales, which only a SELECT can work out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

from worksmith.evals.kinds.enterprise.facts import Record
from worksmith.evals.kinds.enterprise.goals import entities
from worksmith.evals.kinds.enterprise.goals.draw_context import (
    Draw,
    DrawContext,
    UnfitError,
    clear_best,
    need,
)
from worksmith.evals.kinds.enterprise.goals.goal import Slots, Values
from worksmith.evals.kinds.enterprise.goals.groups import GoalGroup
from worksmith.evals.kinds.enterprise.goals.plan_recorder import PlanRecorder, Row
from worksmith.evals.kinds.enterprise.goals.sales.figures import year

GROUP = GoalGroup("sales/totals.toml")

_FEWEST = 10
"""So many sales make a total."""

_PIECES = "SUM(CAST(s.quantity AS INTEGER)) AS pieces"
_PRODUCTS = "FROM sales s JOIN products p ON p.product_id = s.product_id"
_CUSTOMERS = "FROM sales s JOIN customers c ON c.customer_id = s.customer_id"


def _kind(ctx: DrawContext) -> str:
    """The narrowest level of a category, which no other category has."""
    categories = sorted({row["category"] for row in ctx.facts.all("products")})
    kind = ctx.rng.choice(categories).rpartition("|")[2]
    if sum(category.rpartition("|")[2] == kind for category in categories) > 1:
        raise UnfitError
    return kind


def _region(ctx: DrawContext) -> str:
    return ctx.rng.choice(ctx.facts.all("customers"))["region"]


def _sold(ctx: DrawContext, wanted: str, source: str, fits: Callable[[Record], bool]) -> list[Record]:
    """The sales of a year to such customers, or of such products."""
    rows = [
        row
        for row in ctx.facts.all("sales")
        if row["date_of_purchase"].startswith(wanted)
        and fits(need(ctx.facts.get(source, row[f"{source[:-1]}_id"])))
    ]
    if len(rows) < _FEWEST:
        raise UnfitError
    return rows


def _most(rows: list[Record], key: Callable[[Record], str]) -> tuple[str, int]:
    """The key with clearly most pieces, and how many."""
    pieces: dict[str, float] = defaultdict(float)
    for row in rows:
        pieces[key(row)] += int(row["quantity"])
    best = clear_best(pieces)
    return best, int(pieces[best])


def _in(wanted: str) -> str:
    return f"s.date_of_purchase LIKE '{wanted}-%'"


def _of_kind(kind: str) -> str:
    quoted = kind.replace("'", "''")
    return f"p.category LIKE '%|{quoted}'"


def draw_kind_best(ctx: DrawContext) -> Draw:
    slots = {"kind": _kind(ctx), "year": year(ctx.rng)}
    rows = _sold(ctx, slots["year"], "products", lambda p: p["category"].endswith(f"|{slots['kind']}"))
    key, pieces = _most(rows, lambda row: row["product_id"])
    product = need(ctx.facts.get("products", key))
    answer = [entities.text(product["product_name"]), entities.number(pieces)]
    return ctx.draw(slots, answer=answer)


@GROUP.goal(draw_kind_best)
def kind_best(slots: Slots, plan: PlanRecorder) -> Values:
    best = _kinds_best(slots, plan)
    return best["product_name"], best["pieces"]


def _kinds_best(slots: Slots, plan: PlanRecorder) -> Row:
    sql = (
        f"SELECT p.product_id, p.product_name, {_PIECES} {_PRODUCTS} WHERE {_of_kind(slots['kind'])} "
        f"AND {_in(slots['year'])} GROUP BY p.product_id ORDER BY pieces DESC LIMIT 1"
    )
    return plan.select("I add up the pieces of each such product.", sql).first


def draw_kind_region(ctx: DrawContext) -> Draw:
    slots = {"kind": _kind(ctx), "year": year(ctx.rng)}
    rows = _sold(ctx, slots["year"], "products", lambda p: p["category"].endswith(f"|{slots['kind']}"))
    best, pieces = _most(rows, lambda row: need(ctx.facts.get("customers", row["customer_id"]))["region"])
    return ctx.draw(slots, answer=[entities.text(best), entities.number(pieces)])


@GROUP.goal(draw_kind_region)
def kind_region(slots: Slots, plan: PlanRecorder) -> Values:
    sql = (
        f"SELECT c.region, {_PIECES} {_PRODUCTS} JOIN customers c ON c.customer_id = s.customer_id WHERE "
        f"{_of_kind(slots['kind'])} AND {_in(slots['year'])} GROUP BY c.region ORDER BY pieces DESC LIMIT 1"
    )
    best = plan.select("I add up the pieces of each region.", sql).first
    return best["region"], best["pieces"]


def draw_kind_best_stock(ctx: DrawContext) -> Draw:
    drawn = draw_kind_best(ctx)
    product = ctx.facts.where("products", product_name=drawn.answer[0].value)[0]
    return ctx.draw(drawn.slots, answer=[drawn.answer[0], entities.number(int(product["stock"]))])


@GROUP.goal(draw_kind_best_stock)
def kind_best_stock(slots: Slots, plan: PlanRecorder) -> Values:
    best = _kinds_best(slots, plan)
    product = plan.one("products", "Now its stock.", product_id=best["product_id"])
    return product["product_name"], product["stock"]


def draw_region_best(ctx: DrawContext) -> Draw:
    slots = {"region": _region(ctx), "year": year(ctx.rng)}
    rows = _sold(ctx, slots["year"], "customers", lambda c: c["region"] == slots["region"])
    key, pieces = _most(rows, lambda row: row["customer_id"])
    customer = need(ctx.facts.get("customers", key))
    return ctx.draw(slots, answer=[entities.text(customer["customer_name"]), entities.number(pieces)])


@GROUP.goal(draw_region_best)
def region_best(slots: Slots, plan: PlanRecorder) -> Values:
    sql = (
        f"SELECT c.customer_name, {_PIECES} {_CUSTOMERS} WHERE c.region = '{slots['region']}' "
        f"AND {_in(slots['year'])} GROUP BY c.customer_id ORDER BY pieces DESC LIMIT 1"
    )
    best = plan.select("I add up the pieces of each customer there.", sql).first
    return best["customer_name"], best["pieces"]


def draw_region_idle(ctx: DrawContext) -> Draw:
    slots = {"region": _region(ctx), "year": year(ctx.rng)}
    there = ctx.facts.where("customers", region=slots["region"])
    idle = [
        customer
        for customer in there
        if not any(
            sale["date_of_purchase"].startswith(slots["year"])
            for sale in ctx.facts.where("sales", customer_id=customer["customer_id"])
        )
    ]
    return ctx.draw(slots, answer=[entities.number(len(idle)), entities.number(len(there))])


@GROUP.goal(draw_region_idle)
def region_idle(slots: Slots, plan: PlanRecorder) -> Values:
    bought = f"EXISTS (SELECT 1 FROM sales s WHERE s.customer_id = c.customer_id AND {_in(slots['year'])})"
    sql = (
        f"SELECT SUM(NOT {bought}) AS idle, COUNT(*) AS customers FROM customers c "
        f"WHERE c.region = '{slots['region']}'"
    )
    found = plan.select("I count the customers there with and without a purchase.", sql).first
    return found["idle"], found["customers"]


def draw_region_seller(ctx: DrawContext) -> Draw:
    slots = {"region": _region(ctx), "year": year(ctx.rng)}
    rows = _sold(ctx, slots["year"], "customers", lambda c: c["region"] == slots["region"])
    seller = need(ctx.facts.colleague(_most(rows, lambda row: row["emp_id"])[0]))
    return ctx.draw(slots, answer=[entities.person(seller), entities.text(seller["title"])])


@GROUP.goal(draw_region_seller)
def region_seller(slots: Slots, plan: PlanRecorder) -> Values:
    sql = (
        f"SELECT s.emp_id, {_PIECES} {_CUSTOMERS} WHERE c.region = '{slots['region']}' "
        f"AND {_in(slots['year'])} GROUP BY s.emp_id ORDER BY pieces DESC LIMIT 1"
    )
    best = plan.select("I add up the pieces of each seller there.", sql).first
    seller = plan.one("employees", "Who is that?", emp_id=best["emp_id"])
    return seller["name"], seller["title"]
