"""Sales: what representatives know from their support chats with customers, and what is known around them."""

from __future__ import annotations

from functools import partial

from evals.kinds.enterprise.facts import Record
from evals.kinds.enterprise.goals import entities
from evals.kinds.enterprise.goals.draw_context import Draw, DrawContext, UnfitError, in_year, need, span
from evals.kinds.enterprise.goals.goal import GoalGroup, Slots, Values
from evals.kinds.enterprise.goals.messages.chats import manager_of
from evals.kinds.enterprise.goals.paths import HERE, Found, Link, Question, Start
from evals.kinds.enterprise.goals.plan_recorder import PlanRecorder, Row
from evals.kinds.enterprise.goals.sales.figures import year
from evals.tasks.task import Entity

GROUP = GoalGroup("sales/support.toml")


def draw_chats_in_year(ctx: DrawContext) -> Draw:
    rows = ctx.facts.where("support_chats", emp_id=ctx.me["emp_id"])
    wanted = year(ctx.rng)
    mine = in_year(rows, "interaction_date", wanted)
    if not rows or len(mine) > 40:
        raise UnfitError
    customers = len({row["customer_id"] for row in mine})
    answer = [entities.number(len(mine)), entities.number(customers)] if mine else []
    return ctx.draw({"year": wanted}, answer=answer, nothing=not mine)


@GROUP.goal(draw_chats_in_year)
def chats_in_year(slots: Slots, plan: PlanRecorder) -> Values:
    rows = plan.every(
        "support_chats", f"I need all my support chats of {slots['year']}.",
        representative="me", **span(slots["year"]),
    )  # fmt: skip
    return (str(rows.total), str(len({row["customer_id"] for row in rows}))) if rows else plan.none(rows)


def draw_chat_on_product(ctx: DrawContext) -> Draw:
    chat, told = own_chat(ctx, "due")
    product = ctx.rng.choice(ctx.facts.all("products")) if ctx.empty else chat_product(ctx, chat)
    customer = chat_customer(ctx, chat)
    slots = {"product": product["product_name"], "customer": customer["customer_name"]}
    rows = ctx.facts.where(
        "support_chats",
        emp_id=ctx.me["emp_id"],
        product_id=product["product_id"],
        customer_id=customer["customer_id"],
    )
    answer = [entities.ident("chat_id", chat["chat_id"]), entities.date(told["due"])] if rows else []
    return ctx.draw(slots, answer=answer, nothing=not rows, about=[("support_chats", chat)])


@GROUP.goal(draw_chat_on_product)
def chat_on_product(slots: Slots, plan: PlanRecorder) -> Values:
    rows = plan.read(
        "support_chats", "I look for my support chat with that customer on that product.",
        representative="me", customer_name=slots["customer"], product_name=slots["product"],
    )  # fmt: skip
    if not rows:
        return plan.none(rows)
    return plan.pick(rows.first)["chat_id"], plan.fact(rows[0], "due")


def draw_chat_seller(ctx: DrawContext) -> Draw:
    found = own_chat(ctx, "order")
    seller = order_seller(ctx, found[1])
    return draw_about(ctx, found, [entities.ident("order", found[1]["order"]), entities.person(seller)])


@GROUP.goal(draw_chat_seller)
def chat_seller(slots: Slots, plan: PlanRecorder) -> Values:
    sale = _sale(plan, slots)
    return sale["sales_record_id"], sale["seller_name"]


def draw_chat_seller_manager(ctx: DrawContext) -> Draw:
    found = own_chat(ctx, "order")
    seller = order_seller(ctx, found[1])
    manager = ctx.above(seller)
    answer = [entities.person(seller), entities.person(manager), entities.ident("email", manager["email"])]
    return draw_about(ctx, found, answer)


@GROUP.goal(draw_chat_seller_manager)
def chat_seller_manager(slots: Slots, plan: PlanRecorder) -> Values:
    seller = _look_up_seller(plan, _sale(plan, slots))
    manager = manager_of(plan, seller)
    return seller["name"], manager["name"], manager["email"]


def own_chat(ctx: DrawContext, *needed: str) -> tuple[Record, dict[str, str]]:
    """A support chat of the persona's, the only one with this customer on this product, and its facts."""
    chat = ctx.pick("support_chats", ctx.facts.where("support_chats", emp_id=ctx.me["emp_id"]))
    latent = need(ctx.facts.latent("support_chats", chat["chat_id"]))
    if not set(needed) <= latent.facts.keys():
        raise UnfitError
    same = ctx.facts.where("support_chats", customer_id=chat["customer_id"], product_id=chat["product_id"])
    if len(same) != 1:
        raise UnfitError
    return chat, dict(latent.facts)


def chat_product(ctx: DrawContext, chat: Record) -> Record:
    found = ctx.facts.get("products", chat["product_id"])
    assert found is not None
    return found


def chat_customer(ctx: DrawContext, chat: Record) -> Record:
    found = ctx.facts.get("customers", chat["customer_id"])
    assert found is not None
    return found


def order_seller(ctx: DrawContext, told: dict[str, str]) -> Record:
    """Who made the sale that a chat names, if still here and not the persona."""
    sale = need(ctx.facts.get("sales", told["order"]))
    seller = need(ctx.facts.colleague(sale["emp_id"]))
    if seller["emp_id"] == ctx.me["emp_id"]:
        raise UnfitError
    return seller


def chat_stock(ctx: DrawContext, chat: Record) -> Entity:
    return entities.number(int(chat_product(ctx, chat)["stock"]))


def draw_about(ctx: DrawContext, found: tuple[Record, dict[str, str]], answer: list[Entity]) -> Draw:
    return ctx.draw(slots_of(ctx, found[0]), answer=answer, about=[("support_chats", found[0])])


def slots_of(ctx: DrawContext, chat: Record) -> dict[str, str]:
    """The words that name a support chat."""
    customer, product = chat_customer(ctx, chat), chat_product(ctx, chat)
    return {"customer": customer["customer_name"], "product": product["product_name"]}


def find_support_chat(plan: PlanRecorder, slots: Slots) -> Row:
    """The support chat that the text names by customer and product."""
    return plan.one(
        "support_chats", "I look for my support chat with that customer on that product.",
        customer_name=slots["customer"], product_name=slots["product"],
    )  # fmt: skip


def _sale(plan: PlanRecorder, slots: Slots) -> Row:
    order = plan.fact(find_support_chat(plan, slots), "order")
    return plan.one("sales", "I look up the order that the chat names.", sales_record_id=order)


def _look_up_seller(plan: PlanRecorder, sale: Row) -> Row:
    return plan.one("employees", "I look up who sold it.", emp_id=sale["emp_id"])


def _draw_chat(ctx: DrawContext) -> Found:
    chat, _ = own_chat(ctx, "order", "due")
    return Found(chat, slots_of(ctx, chat))


def _draw_seller(ctx: DrawContext) -> Found:
    chat, told = own_chat(ctx, "order")
    return Found(order_seller(ctx, told), slots_of(ctx, chat), [("support_chats", chat)])


_CHAT = Start("support_chats", _draw_chat, find_support_chat)
_SELLER = Start("", _draw_seller, lambda plan, slots: _look_up_seller(plan, _sale(plan, slots)))
_PRODUCT = HERE.to(
    Link(
        chat_product,
        lambda plan, chat: plan.one("products", "Do we have that product?", product_id=chat["product_id"]),
    )
)
_FACTS = (
    HERE.fact("support_chats", "order", partial(entities.ident, "order")),
    HERE.fact("support_chats", "due", entities.date),
)
GROUP.add(
    promise=Question(_CHAT, *_FACTS),
    promise_stock=Question(_CHAT, *_FACTS, _PRODUCT.number("stock")),
    chat_seller_address=Question(_SELLER, HERE.person(), HERE.email()),
)


def draw_case(ctx: DrawContext) -> Draw:
    found = own_chat(ctx, "order")
    return draw_of(ctx, found)


def draw_of(ctx: DrawContext, found: tuple[Record, dict[str, str]], *more: Entity) -> Draw:
    seller = order_seller(ctx, found[1])
    manager = ctx.above(seller)
    region = entities.text(chat_customer(ctx, found[0])["region"])
    answer = [entities.person(seller), entities.person(manager), entities.ident("email", manager["email"])]
    return draw_about(ctx, found, [*answer, region, *more])


@GROUP.goal(draw_case)
def case(slots: Slots, plan: PlanRecorder) -> Values:
    values = chat_seller_manager(slots, plan)
    customer = plan.one("customers", "Where is the customer?", customer_name=slots["customer"])
    return *values, customer["region"]


def draw_whole_case(ctx: DrawContext) -> Draw:
    found = own_chat(ctx, "order")
    return draw_of(ctx, found, chat_stock(ctx, found[0]))


@GROUP.goal(draw_whole_case)
def whole_case(slots: Slots, plan: PlanRecorder) -> Values:
    values = case(slots, plan)
    product = plan.one("products", "Last, the product's stock.", product_name=slots["product"])
    return *values, product["stock"]


def draw_review_after_chat(ctx: DrawContext) -> Draw:
    found = own_chat(ctx, "due")
    chat, told = found
    reviews = ctx.facts.where("sentiments", product_id=chat["product_id"], customer_id=chat["customer_id"])
    if len(reviews) != 1:
        raise UnfitError
    stars = ctx.facts.fact("sentiments", reviews[0]["sentiment_id"], "stars")
    answer = [
        entities.date(told["due"]),
        entities.number(int(stars or 0)),
        entities.rating(chat_product(ctx, chat)["rating"]),
    ]
    return draw_about(ctx, found, answer)


@GROUP.goal(draw_review_after_chat)
def review_after_chat(slots: Slots, plan: PlanRecorder) -> Values:
    chat = find_support_chat(plan, slots)
    due = plan.fact(chat, "due")
    review = plan.one(
        "sentiments", "Now the customer's review of it.",
        product_id=chat["product_id"], customer_id=chat["customer_id"],
    )  # fmt: skip
    stars = plan.understood(review, "stars")
    product = plan.one("products", "And the rating of the product.", product_id=chat["product_id"])
    return due, stars, product["rating"]


def draw_later_review(ctx: DrawContext) -> Draw:
    found = own_chat(ctx)
    chat = found[0]
    reviews = [
        row
        for row in ctx.facts.where(
            "sentiments", product_id=chat["product_id"], customer_id=chat["customer_id"]
        )
        if row["review_date"] >= chat["interaction_date"]
    ]
    slots = slots_of(ctx, chat)
    if len(reviews) > 1:
        raise UnfitError
    answer = []
    if reviews:
        stars = ctx.facts.fact("sentiments", reviews[0]["sentiment_id"], "stars")
        answer = [entities.date(reviews[0]["review_date"]), entities.number(int(stars or 0))]
    return ctx.draw(slots, answer=answer, nothing=not reviews, about=[("support_chats", chat)])


@GROUP.goal(draw_later_review)
def later_review(slots: Slots, plan: PlanRecorder) -> Values:
    chat = find_support_chat(plan, slots)
    reviews = plan.read(
        "sentiments", "Has the customer reviewed it on that day or later?",
        product_id=chat["product_id"], customer_id=chat["customer_id"], date_from=chat["interaction_date"],
    )  # fmt: skip
    if not reviews:
        return plan.none(reviews)
    return plan.pick(reviews.first)["review_date"], plan.understood(reviews.first, "stars")


def draw_salary(ctx: DrawContext) -> Draw:
    chat = ctx.pick("support_chats")
    person = need(ctx.facts.colleague(chat["emp_id"]))
    if ctx.me["emp_id"] not in ctx.facts.above(person["emp_id"]):
        raise UnfitError
    return ctx.draw(
        {"chat_id": chat["chat_id"]},
        answer=[entities.person(person), entities.amount(person["salary"])],
        about=[("support_chats", chat)],
        subject=person["emp_id"],
    )


@GROUP.goal(draw_salary)
def salary(slots: Slots, plan: PlanRecorder) -> Values:
    chat = plan.one("support_chats", "I open that support chat.", chat_id=slots["chat_id"])
    person = plan.one("employees", "Now the record of its representative.", emp_id=chat["emp_id"])
    return person["name"], plan.private(person, "salary")
