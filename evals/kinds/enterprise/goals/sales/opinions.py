"""Sales: reviews and support chats, added, changed and removed."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from worksmith.evals.kinds.enterprise.facts import day
from worksmith.evals.kinds.enterprise.goals.draw_context import Draw, DrawContext, action
from worksmith.evals.kinds.enterprise.goals.goal import Slots, Values
from worksmith.evals.kinds.enterprise.goals.groups import GoalGroup
from worksmith.evals.kinds.enterprise.goals.messages.sending import chat_to, mail_to
from worksmith.evals.kinds.enterprise.goals.plan_recorder import PlanRecorder
from worksmith.evals.kinds.enterprise.goals.record_changes import Change, Series, no_words
from worksmith.evals.kinds.enterprise.goals.sales import customer_words
from worksmith.evals.kinds.enterprise.goals.sales.figures import (
    find_sale,
    named_sale,
)
from worksmith.evals.kinds.enterprise.goals.sales.opinion_lookup import (
    draw_any_review,
    draw_both,
    draw_my_chat,
    draw_my_dated_chat,
    draw_my_told_chat,
    draw_reworded_review,
    find_my_chat,
    find_review,
    only_review,
)
from worksmith.evals.kinds.enterprise.goals.sales.records import find_both
from worksmith.evals.kinds.enterprise.goals.telling import chat
from worksmith.evals.tasks.task import Action

GROUP = GoalGroup("sales/opinions.toml")


def draw_review_added(ctx: DrawContext) -> Draw:
    product, customer, slots = draw_both(ctx)
    slots["review"] = customer_words.draw_review(ctx, product["product_id"])
    change = _review(slots, product["product_id"], customer["customer_id"])
    about = [("products", product), ("customers", customer)]
    return ctx.draw(slots, actions=[change], mentions=[slots["review"]], about=about)


@GROUP.goal(draw_review_added)
def review_added(slots: Slots, plan: PlanRecorder) -> Values:
    product, customer = find_both(plan, slots)
    change = _review(slots, product["product_id"], customer["customer_id"])
    return plan.carry_out("I record the review.", change)


def draw_complaint(ctx: DrawContext) -> Draw:
    product, customer, slots = draw_both(ctx)
    slots["complaint"] = customer_words.draw_complaint(ctx, product["product_id"])
    change = _complaint(slots, product["product_id"], customer["customer_id"])
    about = [("products", product), ("customers", customer)]
    return ctx.draw(slots, actions=[change], mentions=[slots["complaint"]], about=about)


@GROUP.goal(draw_complaint)
def complaint(slots: Slots, plan: PlanRecorder) -> Values:
    product, customer = find_both(plan, slots)
    change = _complaint(slots, product["product_id"], customer["customer_id"])
    return plan.carry_out("I record it as a support chat of mine.", change)


def _review(slots: Slots, product_id: str, customer_id: str) -> Action:
    return action(
        "product_sentiment.create",
        product_id=product_id,
        customer_id=customer_id,
        review_content=slots["review"],
    )


def _complaint(slots: Slots, product_id: str, customer_id: str) -> Action:
    return action(
        "customer_support_chats.create",
        product_id=product_id,
        customer_id=customer_id,
        text=slots["complaint"],
    )


def _withdrawn_said(slots: Slots) -> str:
    return f"The review of the {slots['product']} by {slots['customer']} has been deleted."


def _complained_said(slots: Slots) -> str:
    return f"{slots['customer']} told me about the {slots['product']}: {slots['complaint']}"


def _gone_said(slots: Slots) -> str:
    return f"I have deleted my support chat with {slots['customer']} on the {slots['product']}."


def _dated_said(slots: Slots) -> str:
    return f"My support chat with {slots['customer']} on the {slots['product']} was on {slots['day']}."


_DROP_REVIEW = Change(
    "sentiments",
    draw_any_review,
    find_review,
    "I delete the review.",
    lambda row, _: action("product_sentiment.delete", sentiment_id=row["sentiment_id"]),
)
_CHANGE_REVIEW = Change(
    "sentiments",
    draw_reworded_review,
    find_review,
    "I replace its text.",
    lambda row, slots: action(
        "product_sentiment.update", sentiment_id=row["sentiment_id"], review_content=slots["review"]
    ),
    mentions=("review",),
)
_DATE_CHAT = Change(
    "support_chats",
    draw_my_dated_chat,
    find_my_chat,
    "I correct its day.",
    lambda row, slots: action(
        "customer_support_chats.update", chat_id=row["chat_id"], interaction_date=slots["day"]
    ),
)
_DROP_CHAT = Change(
    "support_chats",
    draw_my_chat,
    find_my_chat,
    "I delete it.",
    lambda row, _: action("customer_support_chats.delete", chat_id=row["chat_id"]),
)
_REWRITE_CHAT = replace(
    _DATE_CHAT,
    draw_record=draw_my_told_chat,
    why="I replace its text.",
    action=lambda row, slots: action(
        "customer_support_chats.update", chat_id=row["chat_id"], text=slots["complaint"]
    ),
    mentions=("complaint",),
)
GROUP.add(
    review_changed=_CHANGE_REVIEW,
    review_gone=_DROP_REVIEW,
    review_replaced=replace(
        _DROP_REVIEW,
        draw_record=draw_reworded_review,
        also=(
            (
                "I record the new one.",
                lambda row, slots: _review(slots, row["product_id"], row["customer_id"]),
            ),
        ),
        mentions=("review",),
    ),
    review_gone_told=Series(
        no_words, _DROP_REVIEW, replace(chat_to("colleague", _withdrawn_said), mentions=("product",))
    ),
    review_changed_told=Series(
        no_words,
        _CHANGE_REVIEW,
        chat_to("colleague", lambda slots: f"{slots['customer']} now says: {slots['review']}"),
    ),
    chat_dated=_DATE_CHAT,
    chat_dated_told=Series(
        no_words, _DATE_CHAT, replace(chat_to("colleague", _dated_said), mentions=("day",))
    ),
    chat_rewritten=_REWRITE_CHAT,
    chat_rewritten_told=Series(
        no_words,
        _REWRITE_CHAT,
        chat_to("colleague", _complained_said),
        mail_to("other", _complained_said),
    ),
    complaint_gone=_DROP_CHAT,
    complaint_gone_told=Series(
        no_words, _DROP_CHAT, replace(chat_to("colleague", _gone_said), mentions=("customer", "product"))
    ),
    complaint_gone_both=Series(
        no_words,
        _DROP_CHAT,
        replace(chat_to("colleague", _gone_said), mentions=("customer", "product")),
        mail_to("other", _gone_said),
    ),
)


def draw_complaint_told(ctx: DrawContext) -> Draw:
    drawn, name = draw_complaint(ctx), ctx.colleague()["name"]
    return drawn.adding(chat(name, _complained_said(drawn.slots)), slots={"colleague": name})


@GROUP.goal(draw_complaint_told)
def complaint_told(slots: Slots, plan: PlanRecorder) -> Values:
    complaint(slots, plan)
    return plan.carry_out("I quote it in the chat.", chat(slots["colleague"], _complained_said(slots)))


def draw_complaint_reviewed(ctx: DrawContext) -> Draw:
    drawn = draw_complaint(ctx)
    ids = drawn.actions[0].arguments
    bad = customer_words.draw_review_after(ctx, ids["product_id"], drawn.slots["complaint"])
    slots = {**drawn.slots, "review": bad}
    review = _review(slots, ids["product_id"], ids["customer_id"])
    return drawn.adding(review, slots=slots, mentions=[slots["review"]])


@GROUP.goal(draw_complaint_reviewed)
def complaint_reviewed(slots: Slots, plan: PlanRecorder) -> Values:
    product, customer = find_both(plan, slots)
    ids = product["product_id"], customer["customer_id"]
    plan.carry_out("I record the support chat.", _complaint(slots, *ids))
    return plan.carry_out("I record the review.", _review(slots, *ids))


def _corrected(slots: Slots, chat_id: str, sentiment_id: str) -> tuple[Action, Action]:
    return (
        action("customer_support_chats.update", chat_id=chat_id, interaction_date=slots["day"]),
        action("product_sentiment.update", sentiment_id=sentiment_id, review_content=slots["review"]),
    )


def draw_chat_and_review(ctx: DrawContext) -> Draw:
    chat, names, _ = draw_my_chat(ctx)
    review, slots = only_review(ctx, chat), dict(names)
    moved = day(chat["interaction_date"]) - timedelta(days=ctx.rng.randint(1, 9))
    words = customer_words.draw_review(ctx, chat["product_id"])
    slots |= {"day": moved.isoformat(), "review": words}
    return ctx.draw(
        slots,
        actions=_corrected(slots, chat["chat_id"], review["sentiment_id"]),
        mentions=[slots["review"]],
        about=[("support_chats", chat), ("sentiments", review)],
    )


@GROUP.goal(draw_chat_and_review)
def chat_and_review(slots: Slots, plan: PlanRecorder) -> Values:
    chat, review = find_my_chat(plan, slots), find_review(plan, slots)
    for change in _corrected(slots, chat["chat_id"], review["sentiment_id"]):
        plan.carry_out("I correct it.", change)
    return ()


def _returned(sale: str, review: str) -> tuple[Action, Action]:
    return (
        action("sales.delete", sales_record_id=sale),
        action("product_sentiment.delete", sentiment_id=review),
    )


def draw_sale_returned(ctx: DrawContext) -> Draw:
    sale, slots = named_sale(ctx)
    review = only_review(ctx, sale)
    return ctx.draw(
        slots,
        actions=_returned(sale["sales_record_id"], review["sentiment_id"]),
        about=[("sales", sale), ("sentiments", review)],
    )


@GROUP.goal(draw_sale_returned)
def sale_returned(slots: Slots, plan: PlanRecorder) -> Values:
    sale, review = find_sale("I look for that sale.")(plan, slots), find_review(plan, slots)
    for change in _returned(sale["sales_record_id"], review["sentiment_id"]):
        plan.carry_out("I delete it.", change)
    return ()


def _both_corrected(slots: Slots, sale: str, review: str) -> tuple[Action, Action]:
    return (
        action("sales.update", sales_record_id=sale, date_of_purchase=slots["day"]),
        action("product_sentiment.update", sentiment_id=review, review_content=slots["review"]),
    )


def draw_sale_and_review(ctx: DrawContext) -> Draw:
    sale, slots = named_sale(ctx)
    review = only_review(ctx, sale)
    moved = day(sale["date_of_purchase"]) - timedelta(days=ctx.rng.randint(1, 20))
    words = customer_words.draw_review(ctx, sale["product_id"])
    slots |= {"day": moved.isoformat(), "review": words}
    return ctx.draw(
        slots,
        actions=_both_corrected(slots, sale["sales_record_id"], review["sentiment_id"]),
        mentions=[slots["review"]],
        about=[("sales", sale), ("sentiments", review)],
    )


@GROUP.goal(draw_sale_and_review)
def sale_and_review(slots: Slots, plan: PlanRecorder) -> Values:
    sale, review = find_sale("I look for that sale.")(plan, slots), find_review(plan, slots)
    for change in _both_corrected(slots, sale["sales_record_id"], review["sentiment_id"]):
        plan.carry_out("I correct it.", change)
    return ()
