"""Sales: support chats with what is known around them."""

from __future__ import annotations

from evals.kinds.enterprise.facts import Record
from evals.kinds.enterprise.goals import entities
from evals.kinds.enterprise.goals.draw_context import Draw, DrawContext
from evals.kinds.enterprise.goals.goal import GoalGroup, Slots, Values
from evals.kinds.enterprise.goals.plan_recorder import PlanRecorder
from evals.kinds.enterprise.goals.sales.support import (
    chat_customer,
    chat_product,
    chat_seller_manager,
    chat_stock,
    draw_about,
    find_support_chat,
    order_seller,
    own_chat,
    slots_of,
)
from evals.kinds.enterprise.goals.unfit import UnfitError, need
from evals.tasks.task import Entity

GROUP = GoalGroup("sales/support.toml")


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
