"""Sales: recording new ones."""

from __future__ import annotations

from evals.kinds.enterprise.facts import Record
from evals.kinds.enterprise.goals.draw_context import Draw, DrawContext, action
from evals.kinds.enterprise.goals.goal import GoalGroup, Logic, Slots, Values
from evals.kinds.enterprise.goals.plan_recorder import PlanRecorder, Row
from evals.kinds.enterprise.goals.sales.figures import named_customer, named_product
from evals.kinds.enterprise.goals.telling import chat, my_manager, telling_my_manager
from evals.kinds.enterprise.goals.unfit import attempt, need
from evals.tasks.task import Action
from tools.files.data_files import read_toml

GROUP = GoalGroup("sales/records.toml")


def draw_new_sale(ctx: DrawContext) -> Draw:
    found, customer = attempt(named_product, ctx), named_customer(ctx)
    product = need(found)
    slots = {
        "product": product["product_name"],
        "customer": customer["customer_name"],
        "quantity": str(ctx.rng.randint(2, 30)),
    }
    change = _new_sale(slots, product, customer)
    about = [("products", product), ("customers", customer)]
    return ctx.draw(slots, actions=[change], about=about)


@GROUP.goal(draw_new_sale)
def new_sale(slots: Slots, plan: PlanRecorder) -> Values:
    return plan.carry_out("I record the sale.", _new_sale(slots, *find_both(plan, slots)))


_SALE_TOLD = telling_my_manager(
    Logic(draw_new_sale, new_sale), lambda to, slots: chat(to, _sold(slots)), mentions=("quantity",)
)
GROUP.add(new_sale_told=_SALE_TOLD)


def draw_new_sale_reviewed(ctx: DrawContext) -> Draw:
    draw, review = _SALE_TOLD.draw(ctx), {"review": draw_review(ctx)}
    change = _new_review({**draw.slots, **review}, draw.actions[0].arguments)
    return draw.adding(change, slots=review)


@GROUP.goal(draw_new_sale_reviewed)
def new_sale_reviewed(slots: Slots, plan: PlanRecorder) -> Values:
    both = find_both(plan, slots)
    sale = _new_sale(slots, *both)
    plan.carry_out("I record the sale.", sale)
    plan.carry_out("I record the review.", _new_review(slots, sale.arguments))
    return plan.carry_out("I tell my manager.", chat(my_manager(plan), _sold(slots)))


_REVIEWS: list[str] = read_toml(__package__, "words.toml")["reviews"]


def draw_review(ctx: DrawContext) -> str:
    """What a customer may say."""
    return ctx.rng.choice(_REVIEWS)


def find_both(plan: PlanRecorder, slots: Slots) -> tuple[Row, Row]:
    """The product and the customer that the text names."""
    product = plan.one("products", "I look up the product's id.", product_name=slots["product"])
    customer = plan.one("customers", "I look up the customer's id.", customer_name=slots["customer"])
    return product, customer


def _new_sale(slots: Slots, product: Record | Row, customer: Record | Row) -> Action:
    return action(
        "sales.create",
        product_id=product["product_id"],
        customer_id=customer["customer_id"],
        quantity=slots["quantity"],
    )


def _new_review(slots: Slots, ids: dict[str, str]) -> Action:
    return action(
        "product_sentiment.create",
        product_id=ids["product_id"],
        customer_id=ids["customer_id"],
        review_content=slots["review"],
    )


def _sold(slots: Slots) -> str:
    return f"I sold {slots['quantity']} pieces of the {slots['product']} to {slots['customer']}."
