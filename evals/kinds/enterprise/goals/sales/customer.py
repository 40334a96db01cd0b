"""Sales: what is known about customers, their purchases and reviews."""

from __future__ import annotations

from collections.abc import Callable

from worksmith.evals.kinds.enterprise.facts import Record
from worksmith.evals.kinds.enterprise.goals import entities
from worksmith.evals.kinds.enterprise.goals.draw_context import (
    Draw,
    DrawContext,
    UnfitError,
    attempt,
    in_year,
    latest,
    need,
    only,
    span,
)
from worksmith.evals.kinds.enterprise.goals.goal import Slots, Values
from worksmith.evals.kinds.enterprise.goals.groups import GoalGroup
from worksmith.evals.kinds.enterprise.goals.paths import HERE, Ask, Found, Link, Question, Start
from worksmith.evals.kinds.enterprise.goals.plan_recorder import PlanRecorder, Row
from worksmith.evals.kinds.enterprise.goals.sales.figures import (
    find_sale,
    leader,
    named_customer,
    named_sale,
    review_or_none,
    sales_of,
    units,
    year,
)

GROUP = GoalGroup("sales/customer.toml")


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


def _find_product(why: str) -> Callable[[PlanRecorder, Slots], Row]:
    return lambda plan, slots: plan.one("products", why, product_id=_leader(plan, slots, "product_id"))


def _find_seller(plan: PlanRecorder, slots: Slots) -> Row:
    key = _leader(plan, slots, "emp_id")
    return plan.one("employees", "I look up who sold most of it.", emp_id=key)


def _about(find: Callable[[DrawContext, Record], Record]) -> Callable[[DrawContext], Found]:
    """Draw a customer, and find a record from there."""

    def draw(ctx: DrawContext) -> Found:
        customer = named_customer(ctx)
        return Found(find(ctx, customer), {"customer": customer["customer_name"]}, [("customers", customer)])

    return draw


def _favourite(column: str) -> Callable[[DrawContext, Record], str]:
    return lambda ctx, customer: leader(sales_of(ctx, "customer_id", customer["customer_id"]), column)


_product, _seller = _favourite("product_id"), _favourite("emp_id")
_draw_product = _about(lambda ctx, customer: need(ctx.facts.get("products", _product(ctx, customer))))
_CUSTOMER = Start(
    "",
    _about(lambda _, customer: customer),
    lambda plan, slots: plan.one("customers", "I look the customer up.", customer_name=slots["customer"]),
)
_LAST = Start("", _about(_last_purchase), lambda plan, slots: _newest(plan, customer_name=slots["customer"]))
_LAST_PRODUCT = Link(
    lambda ctx, customer: need(ctx.facts.get("products", _last_purchase(ctx, customer)["product_id"])),
    lambda plan, customer: _newest(plan, customer_id=customer["customer_id"]),
)
_STOCKED = Start("", _draw_product, _find_product("I look up the stock of that product."))
_RATED = Start("", _draw_product, _find_product("I look up the rating of that product."))
_SELLER = Start(
    "", _about(lambda ctx, customer: need(ctx.facts.colleague(_seller(ctx, customer)))), _find_seller
)
_INVOICE = Start(
    "orders",
    _about(
        lambda ctx, customer: only(
            ctx.facts.where("orders", customer_id=customer["customer_id"], kind="invoice")
        )
    ),
    lambda plan, slots: plan.one(
        "orders", "I look for the customer's invoice.", customer_name=slots["customer"], kind="invoice"
    ),
)


def _paper(kind: str) -> Link:
    """Lead from a customer's invoice to another order document of the same customer."""
    called = kind.replace("_", " ")
    return Link(
        lambda ctx, order: only(ctx.facts.where("orders", customer_id=order["customer_id"], kind=kind)),
        lambda plan, order: plan.one(
            "orders", f"Now the {called}.", customer_id=order["customer_id"], kind=kind
        ),
    )


_SHIPPED = HERE.to(_paper("shipping_order")).date("date")
_ORDERED = HERE.to(_paper("purchase_order")).ident("order_id")
_SOLD_MOST = HERE.to(
    Link(
        lambda ctx, customer: need(ctx.facts.colleague(_seller(ctx, customer))),
        lambda plan, customer: _find_seller(plan, {"customer": customer["customer_name"]}),
    )
)
_SALE = Start(
    "sales",
    lambda ctx: Found(*named_sale(ctx, "customer", "product")),
    find_sale("I look for that purchase."),
)
_SOLD_BY = Ask(
    HERE,
    lambda ctx, sale: entities.person(ctx.other(ctx.facts.person(sale["emp_id"]))),
    lambda _, sale: sale["seller_name"],
)

GROUP.add(
    region_and_last=Question(_CUSTOMER, HERE.text("region"), HERE.to(_LAST_PRODUCT).text("product_name")),
    last_reviewed=review_or_none(_LAST, "Now the customer's review of that product."),
    favourite_reviews=Question(
        _RATED, HERE.count("sentiments", "Now all of its reviews.", "product_id"), HERE.rating("rating")
    ),
    favourite_stock=Question(_STOCKED, HERE.text("product_name"), HERE.number("stock")),
    main_seller=Question(_SELLER, HERE.person(), HERE.text("title")),
    main_seller_region=Question(
        _CUSTOMER, HERE.text("region"), _SOLD_MOST.person(), _SOLD_MOST.text("title")
    ),
    purchase=Question(_SALE, HERE.date("date_of_purchase"), _SOLD_BY),
    invoice=Question(_INVOICE, HERE.amount("total"), HERE.date("date")),
    invoice_shipped=Question(_INVOICE, HERE.ident("order_id"), HERE.amount("total"), _SHIPPED),
    papers=Question(_INVOICE, HERE.ident("order_id"), HERE.amount("total"), _ORDERED, _SHIPPED),
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
