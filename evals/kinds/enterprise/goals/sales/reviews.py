"""Sales: reviews and support chats, added, changed and removed."""

from __future__ import annotations

from evals.kinds.enterprise.goals.draw_context import Draw, DrawContext, action
from evals.kinds.enterprise.goals.goal import GoalGroup, Slots, Values
from evals.kinds.enterprise.goals.plan_recorder import PlanRecorder
from evals.kinds.enterprise.goals.sales.figures import named_customer, named_product
from evals.kinds.enterprise.goals.sales.new import draw_review, find_both
from evals.kinds.enterprise.goals.unfit import UnfitError, attempt, need
from evals.tasks.task import Action

GROUP = GoalGroup("sales/catalogue.toml")


def draw_review_added(ctx: DrawContext) -> Draw:
    found, customer = attempt(named_product, ctx), named_customer(ctx)
    product = need(found)
    slots = {
        "product": product["product_name"],
        "customer": customer["customer_name"],
        "review": draw_review(ctx),
    }
    change = _review(slots, product["product_id"], customer["customer_id"])
    about = [("products", product), ("customers", customer)]
    return ctx.draw(slots, actions=[change], mentions=[slots["review"]], about=about)


@GROUP.goal(draw_review_added)
def review_added(slots: Slots, plan: PlanRecorder) -> Values:
    product, customer = find_both(plan, slots)
    change = _review(slots, product["product_id"], customer["customer_id"])
    return plan.carry_out("I record the review.", change)


def draw_review_changed(ctx: DrawContext) -> Draw:
    row = ctx.pick("sentiments")
    product = need(ctx.facts.get("products", row["product_id"]))
    customer = need(ctx.facts.get("customers", row["customer_id"]))
    same = ctx.facts.where("sentiments", product_id=row["product_id"], customer_id=row["customer_id"])
    if len(same) != 1:
        raise UnfitError
    slots = {
        "product": product["product_name"],
        "customer": customer["customer_name"],
        "review": draw_review(ctx),
    }
    change = action(
        "product_sentiment.update", sentiment_id=row["sentiment_id"], review_content=slots["review"]
    )
    return ctx.draw(slots, actions=[change], mentions=[slots["review"]], about=[("sentiments", row)])


@GROUP.goal(draw_review_changed)
def review_changed(slots: Slots, plan: PlanRecorder) -> Values:
    row = plan.one(
        "sentiments", "I look for that review.",
        product_name=slots["product"], customer_name=slots["customer"],
    )  # fmt: skip
    change = action(
        "product_sentiment.update", sentiment_id=row["sentiment_id"], review_content=slots["review"]
    )
    return plan.carry_out("I replace its text.", change)


def draw_complaint(ctx: DrawContext) -> Draw:
    draw = draw_review_added(ctx)
    ids = draw.actions[0].arguments
    slots = {
        "product": draw.slots["product"],
        "customer": draw.slots["customer"],
        "complaint": draw.slots["review"],
    }
    about = [(ref.partition("/")[0], row) for ref in draw.about if (row := ctx.facts.at(ref))]
    change = _complaint(slots, ids["product_id"], ids["customer_id"])
    return ctx.draw(slots, actions=[change], mentions=[slots["complaint"]], about=about)


@GROUP.goal(draw_complaint)
def complaint(slots: Slots, plan: PlanRecorder) -> Values:
    product, customer = find_both(plan, slots)
    change = _complaint(slots, product["product_id"], customer["customer_id"])
    return plan.carry_out("I record it as a support chat of mine.", change)


def draw_complaint_gone(ctx: DrawContext) -> Draw:
    row = ctx.pick("support_chats", ctx.facts.where("support_chats", emp_id=ctx.me["emp_id"]))
    product = need(ctx.facts.get("products", row["product_id"]))
    customer = need(ctx.facts.get("customers", row["customer_id"]))
    slots = {"product": product["product_name"], "customer": customer["customer_name"]}
    change = action("customer_support_chats.delete", chat_id=row["chat_id"])
    return ctx.draw(slots, actions=[change], about=[("support_chats", row)])


@GROUP.goal(draw_complaint_gone)
def complaint_gone(slots: Slots, plan: PlanRecorder) -> Values:
    row = plan.one(
        "support_chats", "I look for that support chat of mine.", representative="me",
        customer_name=slots["customer"], product_name=slots["product"],
    )  # fmt: skip
    change = action("customer_support_chats.delete", chat_id=row["chat_id"])
    return plan.carry_out("I delete it.", change)


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
