"""Sales: what is known about customers, their purchases and reviews."""

from __future__ import annotations

from evals.kinds.enterprise.facts import Record
from evals.kinds.enterprise.goals import entities
from evals.kinds.enterprise.goals.draw_context import (
    Draw,
    DrawContext,
    UnfitError,
    attempt,
    in_year,
    latest,
    need,
    span,
)
from evals.kinds.enterprise.goals.goal import GoalGroup, Slots, Values
from evals.kinds.enterprise.goals.paths import HERE, MANAGER, Found, Question, Start
from evals.kinds.enterprise.goals.plan_recorder import PlanRecorder, Row
from evals.kinds.enterprise.goals.sales.figures import leader, named_customer, sales_of, units, year

GROUP = GoalGroup("sales/customer.toml")


def draw_region_and_last(ctx: DrawContext) -> Draw:
    customer = named_customer(ctx)
    last = _last_purchase(ctx, customer)
    product = need(ctx.facts.get("products", last["product_id"]))
    answer = [entities.text(customer["region"]), entities.text(product["product_name"])]
    return ctx.draw({"customer": customer["customer_name"]}, answer=answer, about=[("customers", customer)])


@GROUP.goal(draw_region_and_last)
def region_and_last(slots: Slots, plan: PlanRecorder) -> Values:
    customer = plan.one("customers", "I look the customer up.", customer_name=slots["customer"])
    return customer["region"], _newest(plan, customer["customer_id"])["product_name"]


def draw_last_reviewed(ctx: DrawContext) -> Draw:
    customer = named_customer(ctx)
    last = _last_purchase(ctx, customer)
    slots = {"customer": customer["customer_name"]}
    reviews = ctx.facts.where(
        "sentiments", product_id=last["product_id"], customer_id=customer["customer_id"]
    )
    if not reviews:
        return ctx.draw(slots, nothing=True, about=[("customers", customer)])
    if len(reviews) > 1:
        raise UnfitError
    stars = ctx.facts.fact("sentiments", reviews[0]["sentiment_id"], "stars")
    answer = [entities.date(reviews[0]["review_date"]), entities.number(int(stars or 0))]
    return ctx.draw(slots, answer=answer, about=[("customers", customer)])


@GROUP.goal(draw_last_reviewed)
def last_reviewed(slots: Slots, plan: PlanRecorder) -> Values:
    sale = _newest(plan, customer_name=slots["customer"])
    reviews = plan.read(
        "sentiments", "Now the customer's review of that product.",
        product_id=sale["product_id"], customer_id=sale["customer_id"],
    )  # fmt: skip
    if not reviews:
        return plan.none(reviews)
    return reviews[0]["review_date"], plan.understood(reviews[0], "stars")


def draw_favourite_reviews(ctx: DrawContext) -> Draw:
    customer, product = _favourite(ctx)
    reviews = ctx.facts.where("sentiments", product_id=product["product_id"])
    if not reviews:
        raise UnfitError
    answer = [entities.number(len(reviews)), entities.rating(product["rating"])]
    return ctx.draw({"customer": customer["customer_name"]}, answer=answer, about=[("customers", customer)])


@GROUP.goal(draw_favourite_reviews)
def favourite_reviews(slots: Slots, plan: PlanRecorder) -> Values:
    key = _best_product(plan, slots)
    product = plan.one("products", "I look up the rating of that product.", product_id=key)
    reviews = plan.every("sentiments", "Now all of its reviews.", product_id=key)
    return str(reviews.total), product["rating"]


def _last_purchase(ctx: DrawContext, customer: Record) -> Record:
    rows = ctx.facts.where("sales", customer_id=customer["customer_id"])
    if len(rows) < 2:
        raise UnfitError
    return latest(rows, "date_of_purchase")


def _newest(plan: PlanRecorder, customer_id: str = "", customer_name: str = "") -> Row:
    rows = plan.read(
        "sales", "I look for the customer's newest purchase.",
        **({"customer_id": customer_id} if customer_id else {"customer_name": customer_name}), limit="1",
    )  # fmt: skip
    return plan.pick(rows.first)


def _favourite(ctx: DrawContext) -> tuple[Record, Record]:
    """A customer and the product of which they clearly bought most."""
    customer = named_customer(ctx)
    rows = sales_of(ctx, "customer_id", customer["customer_id"])
    key = leader(rows, "product_id")
    product = need(ctx.facts.get("products", key))
    return customer, product


def _purchases(plan: PlanRecorder, slots: Slots) -> list[Row]:
    return plan.every(
        "sales", f"I need all purchases of {slots['customer']}.", customer_name=slots["customer"]
    )


def _best_product(plan: PlanRecorder, slots: Slots) -> str:
    return leader(_purchases(plan, slots), "product_id")


def _best_seller(plan: PlanRecorder, slots: Slots) -> Row:
    key = leader(_purchases(plan, slots), "emp_id")
    return plan.one("employees", "I look up who sold most of it.", emp_id=key)


def _draw_product(ctx: DrawContext) -> Found:
    customer, product = _favourite(ctx)
    return Found(product, {"customer": customer["customer_name"]}, [("customers", customer)])


def _draw_seller(ctx: DrawContext) -> Found:
    """Whoever clearly sold most to a customer, if still here."""
    customer = named_customer(ctx)
    key = leader(sales_of(ctx, "customer_id", customer["customer_id"]), "emp_id")
    seller = need(ctx.facts.colleague(key))
    return Found(seller, {"customer": customer["customer_name"]}, [("customers", customer)])


def _find_product(plan: PlanRecorder, slots: Slots) -> Row:
    key = _best_product(plan, slots)
    return plan.one("products", "I look up the stock of that product.", product_id=key)


_PRODUCT, _SELLER = Start("", _draw_product, _find_product), Start("", _draw_seller, _best_seller)
GROUP.add(
    favourite_stock=Question(_PRODUCT, HERE.text("product_name"), HERE.number("stock")),
    main_seller=Question(_SELLER, HERE.person(), HERE.text("title")),
    main_seller_manager=Question(_SELLER, HERE.person(), HERE.to(MANAGER).email()),
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
