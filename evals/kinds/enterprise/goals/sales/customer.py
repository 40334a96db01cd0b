"""Sales: what is known about customers, their purchases and reviews."""

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
    only,
    span,
)
from worksmith.evals.kinds.enterprise.goals.goal import Slots, Values
from worksmith.evals.kinds.enterprise.goals.groups import GoalGroup
from worksmith.evals.kinds.enterprise.goals.paths import HERE, Ask, Found, Link
from worksmith.evals.kinds.enterprise.goals.plan_recorder import PlanRecorder, Row
from worksmith.evals.kinds.enterprise.goals.sales.figures import (
    largest,
    leader,
    named_customer,
    named_sale,
    review_or_none,
    sales_of,
    units,
    units_by,
    year,
)


def _last_purchase(ctx: DrawContext, customer: Record) -> Record:
    rows = ctx.facts.where("sales", customer_id=customer["customer_id"])
    if len(rows) < 2:
        raise UnfitError
    return latest(rows, "date_of_purchase")


def _newest(plan: PlanRecorder, **customer: str) -> Row:
    return plan.pick(
        plan.read("sales", "I look for the customer's newest purchase.", **customer, limit=1).first
    )


def _leader(plan: PlanRecorder, slots: Slots, column: str) -> str:
    name = slots["customer"]
    return leader(plan.every("sales", f"I need all purchases of {name}.", customer_name=name), column)


def _find_product(plan: PlanRecorder, slots: Slots, what: str) -> Row:
    key = _leader(plan, slots, "product_id")
    return plan.one("products", f"I look up the {what} of that product.", product_id=key)


def _find_stock(plan: PlanRecorder, slots: Slots) -> Row:
    return _find_product(plan, slots, "stock")


def _find_rating(plan: PlanRecorder, slots: Slots) -> Row:
    return _find_product(plan, slots, "rating")


def _find_last(plan: PlanRecorder, slots: Slots) -> Row:
    return _newest(plan, customer_name=slots["customer"])


def _find_seller(plan: PlanRecorder, slots: Slots) -> Row:
    key = _leader(plan, slots, "emp_id")
    return plan.one("employees", "I look up who sold most of it.", emp_id=key)


def _named(row: Record, customer: Record) -> Found:
    return Found(row, {"customer": customer["customer_name"]}, [("customers", customer)])


def _draw_customer(ctx: DrawContext) -> Found:
    customer = named_customer(ctx)
    return _named(customer, customer)


def _draw_last(ctx: DrawContext) -> Found:
    customer = named_customer(ctx)
    return _named(_last_purchase(ctx, customer), customer)


def _favourite(ctx: DrawContext, customer: Record, column: str) -> str:
    return leader(sales_of(ctx, "customer_id", customer["customer_id"]), column)


def _draw_favourite(ctx: DrawContext) -> Found:
    customer = named_customer(ctx)
    key = _favourite(ctx, customer, "product_id")
    return _named(need(ctx.facts.get("products", key)), customer)


def _seller(ctx: DrawContext, customer: Record) -> Record:
    return need(ctx.facts.colleague(_favourite(ctx, customer, "emp_id")))


def _draw_seller(ctx: DrawContext) -> Found:
    customer = named_customer(ctx)
    return _named(_seller(ctx, customer), customer)


def _draw_invoice(ctx: DrawContext) -> Found:
    customer = named_customer(ctx)
    rows = ctx.facts.where("orders", customer_id=customer["customer_id"], kind="invoice")
    return _named(only(rows), customer)


def _draw_sale(ctx: DrawContext) -> Found:
    return Found(*named_sale(ctx, "customer", "product"))


def walk(plan: PlanRecorder, slots: Slots) -> Row:
    """The way, through the tools: the largest sale of the product to anybody else."""
    bought = plan.every(
        "sales", f"I need all purchases of {slots['customer']}.", customer_name=slots["customer"]
    )
    key = clear_best(units_by(bought, "product_id"))
    sold = plan.every("sales", "Now all sales of the product bought most.", product_id=key)
    return plan.pick(largest([row for row in sold if row["customer_name"] != slots["customer"]]))


def _draw_way(ctx: DrawContext) -> Found:
    """From a customer to the product bought most, and to the largest sale of it to anybody else."""
    customer = named_customer(ctx)
    bought = sales_of(ctx, "customer_id", customer["customer_id"])
    sold = sales_of(ctx, "product_id", clear_best(units_by(bought, "product_id")))
    sale = largest([row for row in sold if row["customer_id"] != customer["customer_id"]])
    return Found(sale, {"customer": customer["customer_name"]}, [("customers", customer)])


GROUP = GoalGroup(
    "sales/customer.toml",
    draws=(_draw_customer, _draw_last, _draw_favourite, _draw_seller, _draw_invoice, _draw_sale, _draw_way),
    finds=(_find_seller, _find_stock, _find_rating, _find_last, walk),
    links={
        "last_product": Link(
            lambda ctx, customer: need(
                ctx.facts.get("products", _last_purchase(ctx, customer)["product_id"])
            ),
            lambda plan, customer: _newest(plan, customer_id=customer["customer_id"]),
        ),
        "main_seller": Link(
            _seller, lambda plan, customer: _find_seller(plan, {"customer": customer["customer_name"]})
        ),
    },
    asks={
        "sold_by": Ask(
            HERE,
            lambda ctx, sale: entities.person(ctx.other(ctx.facts.person(sale["emp_id"]))),
            lambda _, sale: sale["seller_name"],
        )
    },
)
GROUP.add(
    last_reviewed=review_or_none(GROUP.questions.starts["last"], "Now the customer's review of that product.")
)


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
