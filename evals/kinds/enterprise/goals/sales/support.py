"""Sales: what representatives know from their support chats with customers, and what is known around them."""

from __future__ import annotations

from collections.abc import Sequence

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
from worksmith.evals.kinds.enterprise.goals.paths import HERE, Ask, Found, Link
from worksmith.evals.kinds.enterprise.goals.plan_recorder import PlanRecorder, Row
from worksmith.evals.kinds.enterprise.goals.sales.figures import (
    catalogue_names,
    review_or_none,
    year,
)


def own_chat(ctx: DrawContext, *needed: str) -> tuple[Record, dict[str, str]]:
    """A support chat of the persona's, the only one with this customer on this product, and its facts."""
    chat = ctx.pick("support_chats", ctx.facts.where("support_chats", emp_id=ctx.me["emp_id"]))
    latent = need(ctx.facts.latent("support_chats", chat["chat_id"]))
    if not set(needed) <= latent.facts.keys():
        raise UnfitError
    only(ctx.facts.where("support_chats", customer_id=chat["customer_id"], product_id=chat["product_id"]))
    return chat, dict(latent.facts)


def _chat(ctx: DrawContext, needed: Sequence[str] = ()) -> Found:
    """A support chat with certain facts."""
    chat, _ = own_chat(ctx, *needed)
    return Found(chat, catalogue_names(ctx, chat, "customer", "product"))


def _named_sale(ctx: DrawContext, chat: Record) -> Record:
    order = ctx.facts.fact("support_chats", chat["chat_id"], "order")
    sale = need(ctx.facts.get("sales", need(order)))
    ctx.other(ctx.facts.colleague(sale["emp_id"]))
    return sale


def _find_sale(plan: PlanRecorder, chat: Row) -> Row:
    order = plan.fact(chat, "order")
    return plan.one("sales", "I look up the order that the chat names.", sales_record_id=order)


GROUP = GoalGroup(
    "sales/support.toml",
    draws=(_chat,),
    links={"sale": Link(_named_sale, _find_sale)},
    asks={
        "order": Ask(
            HERE,
            lambda _, sale: entities.ident("order", sale["sales_record_id"]),
            lambda _, sale: sale["sales_record_id"],
        ),
        "sold_by": Ask(
            HERE,
            lambda ctx, sale: entities.person(need(ctx.facts.person(sale["emp_id"]))),
            lambda _, sale: sale["seller_name"],
        ),
    },
)
GROUP.add(
    later_review=review_or_none(
        GROUP.questions.starts["chat"],
        "Has the customer reviewed it on that day or later?",
        "interaction_date",
    )
)


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
