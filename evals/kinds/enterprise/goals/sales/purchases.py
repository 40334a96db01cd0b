"""Sales: what customers bought, how much and when."""

from __future__ import annotations

from evals.kinds.enterprise.facts import Record
from evals.kinds.enterprise.goals import entities
from evals.kinds.enterprise.goals.draw_context import Draw, DrawContext
from evals.kinds.enterprise.goals.goal import GoalGroup, Slots, Values
from evals.kinds.enterprise.goals.plan_recorder import PlanRecorder
from evals.kinds.enterprise.goals.rows import in_year, span
from evals.kinds.enterprise.goals.sales.figures import named_customer, units, year
from evals.kinds.enterprise.goals.unfit import UnfitError, attempt, need

GROUP = GoalGroup("sales/customer.toml")


def draw_year_units(ctx: DrawContext) -> Draw:
    customer = named_customer(ctx)
    slots = {"customer": customer["customer_name"], "year": year(ctx.rng)}
    rows = in_year(
        ctx.facts.where("sales", customer_id=customer["customer_id"]), "date_of_purchase", slots["year"]
    )
    if not rows:
        return ctx.draw(slots, nothing=True, about=[("customers", customer)])
    answer = [entities.number(len(rows)), entities.number(units(rows))]
    return ctx.draw(slots, answer=answer, about=[("customers", customer)])


@GROUP.goal(draw_year_units)
def year_units(slots: Slots, plan: PlanRecorder) -> Values:
    rows = plan.every(
        "sales", f"I need all that {slots['customer']} bought in {slots['year']}.",
        customer_name=slots["customer"], **span(slots["year"]),
    )  # fmt: skip
    return (str(rows.total), str(units(rows))) if rows else plan.none(rows)


def draw_purchase(ctx: DrawContext) -> Draw:
    sale = ctx.pick("sales")
    product = need(ctx.facts.get("products", sale["product_id"]))
    customer = need(ctx.facts.get("customers", sale["customer_id"]))
    if not _only(ctx, sale):
        raise UnfitError
    seller = need(ctx.facts.person(sale["emp_id"]))
    if seller["emp_id"] == ctx.me["emp_id"]:
        raise UnfitError
    return ctx.draw(
        {"customer": customer["customer_name"], "product": product["product_name"]},
        answer=[entities.date(sale["date_of_purchase"]), entities.person(seller)],
        about=[("sales", sale)],
    )


@GROUP.goal(draw_purchase)
def purchase(slots: Slots, plan: PlanRecorder) -> Values:
    row = plan.one(
        "sales", "I look for that purchase.", customer_name=slots["customer"], product_name=slots["product"]
    )
    return row["date_of_purchase"], row["seller_name"]


def draw_invoice(ctx: DrawContext) -> Draw:
    customer = named_customer(ctx)
    rows = ctx.facts.where("orders", customer_id=customer["customer_id"])
    invoices = [row for row in rows if row["kind"] == "invoice"]
    if len(invoices) != 1:
        raise UnfitError
    answer = [entities.amount(invoices[0]["total"]), entities.date(invoices[0]["date"])]
    return ctx.draw(
        {"customer": customer["customer_name"]},
        answer=answer,
        about=[("customers", customer), ("orders", invoices[0])],
    )


@GROUP.goal(draw_invoice)
def invoice(slots: Slots, plan: PlanRecorder) -> Values:
    row = plan.one(
        "orders", "I look for the customer's invoice.", customer_name=slots["customer"], kind="invoice"
    )
    return row["total"], row["date"]


def draw_compare_customers(ctx: DrawContext) -> Draw:
    pair, wanted = [attempt(named_customer, ctx) for _ in range(2)], year(ctx.rng)
    first, second = map(need, pair)
    if first is second:
        raise UnfitError
    counts = [
        units(in_year(ctx.facts.where("sales", customer_id=row["customer_id"]), "date_of_purchase", wanted))
        for row in (first, second)
    ]
    if min(counts) == 0 or abs(counts[0] - counts[1]) < 0.1 * max(counts):
        raise UnfitError
    more = first if counts[0] > counts[1] else second
    return ctx.draw(
        {"customer": first["customer_name"], "other": second["customer_name"], "year": wanted},
        answer=[entities.text(more["customer_name"]), entities.number(max(counts))],
        about=[("customers", first), ("customers", second)],
    )


@GROUP.goal(draw_compare_customers)
def compare_customers(slots: Slots, plan: PlanRecorder) -> Values:
    found = []
    for name in (slots["customer"], slots["other"]):
        rows = plan.every(
            "sales", f"I add up what {name} bought in {slots['year']}.",
            customer_name=name, **span(slots["year"]),
        )  # fmt: skip
        found.append((units(rows), name))
    most, name = max(found)
    return name, str(most)


def _only(ctx: DrawContext, sale: Record) -> bool:
    pair = ctx.facts.where("sales", customer_id=sale["customer_id"], product_id=sale["product_id"])
    return len(pair) == 1
