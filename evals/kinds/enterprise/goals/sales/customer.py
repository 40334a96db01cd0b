"""Sales: what is known about customers, their purchases and reviews."""

from __future__ import annotations

from evals.kinds.enterprise.facts import Record
from evals.kinds.enterprise.goals import entities
from evals.kinds.enterprise.goals.draw_context import Draw, DrawContext
from evals.kinds.enterprise.goals.goal import GoalGroup, Slots, Values
from evals.kinds.enterprise.goals.paths import HERE, MANAGER, Found, Question, Start
from evals.kinds.enterprise.goals.plan_recorder import PlanRecorder, Row
from evals.kinds.enterprise.goals.rows import latest
from evals.kinds.enterprise.goals.sales.figures import leader, named_customer, sales_of
from evals.kinds.enterprise.goals.unfit import UnfitError, need

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
