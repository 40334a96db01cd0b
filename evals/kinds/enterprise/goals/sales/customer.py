"""Sales: what is known about customers, their purchases and reviews."""

from __future__ import annotations

from evals.kinds.enterprise.facts import Record
from evals.kinds.enterprise.goals import entities
from evals.kinds.enterprise.goals.draw_context import Draw, DrawContext
from evals.kinds.enterprise.goals.goal import GoalGroup, Slots, Values
from evals.kinds.enterprise.goals.messages.chats import manager_of
from evals.kinds.enterprise.goals.plan_recorder import PlanRecorder, Row, UnfitError
from evals.kinds.enterprise.goals.rows import latest
from evals.kinds.enterprise.goals.sales.figures import leader, named_customer, sales_of

GROUP = GoalGroup("Sales", "sales/customer.toml", departments=("SA",))
SUBAREA = "customer"


def draw_region_and_last(ctx: DrawContext) -> Draw | None:
    """A customer with a clear latest purchase."""
    customer = named_customer(ctx)
    last = _last_purchase(ctx, customer)
    product = ctx.facts.get("products", last["product_id"]) if last else None
    if customer is None or last is None or product is None:
        return None
    answer = [entities.text(customer["region"]), entities.text(product["product_name"])]
    return ctx.draw({"customer": customer["customer_name"]}, answer=answer, about=[("customers", customer)])


@GROUP.goal(SUBAREA, steps=2, draw=draw_region_and_last, denials=("wrong_department",))
def region_and_last(slots: Slots, plan: PlanRecorder) -> Values:
    """The customer, then the newest sale."""
    customer = plan.one("customers", "I look the customer up.", customer_name=slots["customer"])
    return customer["region"], _newest(plan, customer["customer_id"])["product_name"]


def draw_favourite_stock(ctx: DrawContext) -> Draw | None:
    """The product of which a customer bought most."""
    found = _favourite(ctx)
    if found is None:
        return None
    customer, product = found
    answer = [entities.text(product["product_name"]), entities.number(int(product["stock"]))]
    return ctx.draw({"customer": customer["customer_name"]}, answer=answer, about=[("customers", customer)])


@GROUP.goal(SUBAREA, steps=2, draw=draw_favourite_stock)
def favourite_stock(slots: Slots, plan: PlanRecorder) -> Values:
    """All purchases, then the product."""
    product = plan.one(
        "products", "I look up the stock of that product.", product_id=_best_product(plan, slots)
    )
    return product["product_name"], product["stock"]


def draw_last_reviewed(ctx: DrawContext) -> Draw | None:
    """A customer's latest purchase, with a review or without."""
    customer = named_customer(ctx)
    last = _last_purchase(ctx, customer)
    if customer is None or last is None:
        return None
    slots = {"customer": customer["customer_name"]}
    reviews = ctx.facts.where(
        "sentiments", product_id=last["product_id"], customer_id=customer["customer_id"]
    )
    if not reviews:
        return ctx.draw(slots, nothing=True, about=[("customers", customer)])
    if len(reviews) > 1:
        return None
    stars = ctx.facts.fact("sentiments", reviews[0]["sentiment_id"], "stars")
    answer = [entities.date(reviews[0]["review_date"]), entities.number(int(stars or 0))]
    return ctx.draw(slots, answer=answer, about=[("customers", customer)])


@GROUP.goal(SUBAREA, steps=2, draw=draw_last_reviewed, empty=True)
def last_reviewed(slots: Slots, plan: PlanRecorder) -> Values:
    """The newest sale, then the reviews."""
    sale = _newest(plan, customer_name=slots["customer"])
    reviews = plan.read(
        "sentiments", "Now the customer's review of that product.",
        product_id=sale["product_id"], customer_id=sale["customer_id"],
    )  # fmt: skip
    if not reviews:
        return plan.none(reviews)
    return reviews[0]["review_date"], plan.understood(reviews[0], "stars")


def draw_main_seller(ctx: DrawContext) -> Draw | None:
    """Who sold most to a customer."""
    found = _main_seller(ctx)
    if found is None:
        return None
    customer, seller = found
    answer = [entities.person(seller), entities.text(seller["title"])]
    return ctx.draw({"customer": customer["customer_name"]}, answer=answer, about=[("customers", customer)])


@GROUP.goal(SUBAREA, steps=2, draw=draw_main_seller)
def main_seller(slots: Slots, plan: PlanRecorder) -> Values:
    """All purchases, then the directory."""
    seller = _best_seller(plan, slots)
    return seller["name"], seller["title"]


def draw_main_seller_manager(ctx: DrawContext) -> Draw | None:
    """The manager of who sold most to a customer."""
    found = _main_seller(ctx)
    manager = ctx.facts.manager(found[1]["emp_id"]) if found else None
    if found is None or manager is None:
        return None
    customer, seller = found
    answer = [entities.person(seller), entities.ident("email", manager["email"])]
    return ctx.draw({"customer": customer["customer_name"]}, answer=answer, about=[("customers", customer)])


@GROUP.goal(SUBAREA, steps=3, draw=draw_main_seller_manager)
def main_seller_manager(slots: Slots, plan: PlanRecorder) -> Values:
    """All purchases, then two entries of the directory."""
    seller = _best_seller(plan, slots)
    return seller["name"], manager_of(plan, seller)["email"]


def draw_favourite_reviews(ctx: DrawContext) -> Draw | None:
    """Rating and number of reviews of the product of which a customer bought most."""
    found = _favourite(ctx)
    reviews = ctx.facts.where("sentiments", product_id=found[1]["product_id"]) if found else []
    if found is None or not reviews:
        return None
    customer, product = found
    answer = [entities.number(len(reviews)), entities.rating(product["rating"])]
    return ctx.draw({"customer": customer["customer_name"]}, answer=answer, about=[("customers", customer)])


@GROUP.goal(SUBAREA, steps=3, draw=draw_favourite_reviews)
def favourite_reviews(slots: Slots, plan: PlanRecorder) -> Values:
    """All purchases, the product, its reviews."""
    key = _best_product(plan, slots)
    product = plan.one("products", "I look up the rating of that product.", product_id=key)
    reviews = plan.every("sentiments", "Now all of its reviews.", product_id=key)
    return str(reviews.total), product["rating"]


# --- parts ----------------------------------------------------------------------------------------------


def _last_purchase(ctx: DrawContext, customer: Record | None) -> Record | None:
    rows = ctx.facts.where("sales", customer_id=customer["customer_id"]) if customer else []
    return latest(rows, "date_of_purchase") if len(rows) > 1 else None


def _newest(plan: PlanRecorder, customer_id: str = "", customer_name: str = "") -> Row:
    rows = plan.read(
        "sales", "I look for the customer's newest purchase.",
        **({"customer_id": customer_id} if customer_id else {"customer_name": customer_name}), limit="1",
    )  # fmt: skip
    return plan.pick(rows.first)


def _favourite(ctx: DrawContext) -> tuple[Record, Record] | None:
    """A customer and the product of which they clearly bought most."""
    customer = named_customer(ctx)
    rows = sales_of(ctx, "customer_id", customer["customer_id"]) if customer else None
    key = leader(rows, "product_id") if rows else None
    product = ctx.facts.get("products", key) if key else None
    return (customer, product) if customer and product else None


def _main_seller(ctx: DrawContext) -> tuple[Record, Record] | None:
    """A customer and who clearly sold most to them, if still here."""
    customer = named_customer(ctx)
    rows = sales_of(ctx, "customer_id", customer["customer_id"]) if customer else None
    key = leader(rows, "emp_id") if rows else None
    seller = ctx.facts.colleague(key) if key else None
    return (customer, seller) if customer and seller else None


def _purchases(plan: PlanRecorder, slots: Slots) -> list[Row]:
    return plan.every(
        "sales", f"I need all purchases of {slots['customer']}.", customer_name=slots["customer"]
    )


def _best_product(plan: PlanRecorder, slots: Slots) -> str:
    return _clear(leader(_purchases(plan, slots), "product_id"))


def _best_seller(plan: PlanRecorder, slots: Slots) -> Row:
    key = _clear(leader(_purchases(plan, slots), "emp_id"))
    return plan.one("employees", "I look up who sold most of it.", emp_id=key)


def _clear(key: str | None) -> str:
    if key is None:
        raise UnfitError("nothing leads clearly")
    return key
