"""Sales: what representatives know from their support chats with customers, and what is known around them."""

from __future__ import annotations

from functools import partial

from worksmith.evals.kinds.enterprise.facts import Record
from worksmith.evals.kinds.enterprise.goals import entities
from worksmith.evals.kinds.enterprise.goals.draw_context import (
    Draw,
    DrawContext,
    UnfitError,
    in_year,
    need,
    only,
    span,
)
from worksmith.evals.kinds.enterprise.goals.goal import Slots, Values
from worksmith.evals.kinds.enterprise.goals.groups import GoalGroup
from worksmith.evals.kinds.enterprise.goals.paths import (
    HERE,
    Ask,
    Found,
    Link,
    Question,
    Start,
    colleague,
    record,
)
from worksmith.evals.kinds.enterprise.goals.plan_recorder import PlanRecorder, Row
from worksmith.evals.kinds.enterprise.goals.sales.figures import (
    catalogue_names,
    review_or_none,
    stars_of,
    year,
)

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
    product = (
        ctx.rng.choice(ctx.facts.all("products"))
        if ctx.empty
        else need(ctx.facts.get("products", chat["product_id"]))
    )
    customer = need(ctx.facts.get("customers", chat["customer_id"]))
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


def own_chat(ctx: DrawContext, *needed: str) -> tuple[Record, dict[str, str]]:
    """A support chat of the persona's, the only one with this customer on this product, and its facts."""
    chat = ctx.pick("support_chats", ctx.facts.where("support_chats", emp_id=ctx.me["emp_id"]))
    latent = need(ctx.facts.latent("support_chats", chat["chat_id"]))
    if not set(needed) <= latent.facts.keys():
        raise UnfitError
    only(ctx.facts.where("support_chats", customer_id=chat["customer_id"], product_id=chat["product_id"]))
    return chat, dict(latent.facts)


def _find_chat(plan: PlanRecorder, slots: Slots) -> Row:
    """The support chat that the text names by customer and product."""
    return plan.one(
        "support_chats", "I look for my support chat with that customer on that product.",
        customer_name=slots["customer"], product_name=slots["product"],
    )  # fmt: skip


def _chat(*needed: str) -> Start:
    """A support chat that tells certain facts."""

    def draw(ctx: DrawContext) -> Found:
        chat, _ = own_chat(ctx, *needed)
        return Found(chat, catalogue_names(ctx, chat, "customer", "product"))

    return Start("support_chats", draw, _find_chat)


def _named_sale(ctx: DrawContext, chat: Record) -> Record:
    order = ctx.facts.fact("support_chats", chat["chat_id"], "order")
    sale = need(ctx.facts.get("sales", need(order)))
    ctx.other(ctx.facts.colleague(sale["emp_id"]))
    return sale


def _find_sale(plan: PlanRecorder, chat: Row) -> Row:
    order = plan.fact(chat, "order")
    return plan.one("sales", "I look up the order that the chat names.", sales_record_id=order)


def _review(ctx: DrawContext, chat: Record) -> Record:
    pair = {"product_id": chat["product_id"], "customer_id": chat["customer_id"]}
    return only(ctx.facts.where("sentiments", **pair))


def _find_review(plan: PlanRecorder, chat: Row) -> Row:
    pair = {"product_id": chat["product_id"], "customer_id": chat["customer_id"]}
    return plan.one("sentiments", "Now the customer's review of it.", **pair)


def _by_name(source: str, noun: str, why: str) -> Link:
    """Lead from a chat to its customer or product, which the text names."""
    return Link(
        lambda ctx, chat: need(ctx.facts.get(source, chat[f"{noun}_id"])),
        lambda plan, chat: plan.one(source, why, **{f"{noun}_name": chat[f"{noun}_name"]}),
    )


_TOLD_ORDER, _TOLD_DUE, _TOLD = _chat("order"), _chat("due"), _chat("order", "due")
_SALE = HERE.to(Link(_named_sale, _find_sale))
_ORDER = Ask(
    _SALE,
    lambda _, sale: entities.ident("order", sale["sales_record_id"]),
    lambda _, sale: sale["sales_record_id"],
)
_SELLER_NAME = Ask(
    _SALE,
    lambda ctx, sale: entities.person(need(ctx.facts.person(sale["emp_id"]))),
    lambda _, sale: sale["seller_name"],
)
_SELLER = _SALE.to(colleague("I look up who sold it."))
_SOLD_BY = (_SELLER.person(), _SELLER.text("title"))
_REGION = HERE.to(_by_name("customers", "customer", "Where is the customer?")).text("region")
_STOCK = HERE.to(_by_name("products", "product", "Last, the product's stock.")).number("stock")
_STARS = HERE.to(Link(_review, _find_review)).understood("sentiments", "stars", stars_of)
_RATING = HERE.to(record("products", "And the rating of the product.")).rating("rating")
_PRODUCT = HERE.to(record("products", "Do we have that product?"))
_DUE = HERE.fact("support_chats", "due", entities.date)
_PROMISE = (HERE.fact("support_chats", "order", partial(entities.ident, "order")), _DUE)

GROUP.add(
    chat_seller=Question(_TOLD_ORDER, _ORDER, _SELLER_NAME),
    chat_seller_title=Question(_TOLD_ORDER, *_SOLD_BY),
    chat_seller_region=Question(_TOLD_ORDER, *_SOLD_BY, _REGION),
    case=Question(_TOLD_ORDER, *_SOLD_BY, _REGION, _STOCK),
    whole_case=Question(_TOLD_ORDER, *_SOLD_BY, _REGION, _STARS, _STOCK),
    promise=Question(_TOLD, *_PROMISE),
    promise_stock=Question(_TOLD, *_PROMISE, _PRODUCT.number("stock")),
    review_after_chat=Question(_TOLD_DUE, _DUE, _STARS, _RATING),
    later_review=review_or_none(
        _chat(), "Has the customer reviewed it on that day or later?", "interaction_date"
    ),
)


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
