"""Sales: sales recorded, corrected and deleted, and reviews with them."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from worksmith.evals.kinds.enterprise.facts import Record, day
from worksmith.evals.kinds.enterprise.goals import entities
from worksmith.evals.kinds.enterprise.goals.draw_context import (
    Draw,
    DrawContext,
    UnfitError,
    action,
    attempt,
    need,
)
from worksmith.evals.kinds.enterprise.goals.goal import Slots, Values
from worksmith.evals.kinds.enterprise.goals.groups import GoalGroup
from worksmith.evals.kinds.enterprise.goals.messages.news import draw_subject
from worksmith.evals.kinds.enterprise.goals.paths import HERE, Found, Link, Question, Start, record
from worksmith.evals.kinds.enterprise.goals.plan_recorder import PlanRecorder, Row
from worksmith.evals.kinds.enterprise.goals.record_changes import Change
from worksmith.evals.kinds.enterprise.goals.sales.customer_words import draw_review
from worksmith.evals.kinds.enterprise.goals.sales.figures import (
    find_sale,
    named_customer,
    named_product,
    named_sale,
)
from worksmith.evals.kinds.enterprise.goals.telling import Recipient, chat, mail
from worksmith.evals.tasks.task import Action

GROUP = GoalGroup("sales/records.toml")

_FIND = find_sale("I look for that sale.")


def draw_sale_date(ctx: DrawContext) -> Draw:
    sale, slots = named_sale(ctx)
    ctx.other(ctx.facts.colleague(sale["emp_id"]))
    moved = day(sale["date_of_purchase"]) - timedelta(days=ctx.rng.randint(1, 20))
    slots["day"] = moved.isoformat()
    changes = _dated(slots, sale)
    return ctx.draw(slots, actions=changes, mentions=[slots["day"]], about=[("sales", sale)])


@GROUP.goal(draw_sale_date)
def sale_date(slots: Slots, plan: PlanRecorder) -> Values:
    sale = _FIND(plan, slots)
    change, message = _dated(slots, sale)
    plan.carry_out("I correct the day of that sale.", change)
    return plan.carry_out("I tell the seller the new day.", message)


def _dated(slots: Slots, sale: Record | Row) -> tuple[Action, Action]:
    change = action("sales.update", sales_record_id=sale["sales_record_id"], date_of_purchase=slots["day"])
    text = f"The sale of the {slots['product']} to {slots['customer']} is now dated {slots['day']}."
    return change, chat(sale["emp_id"], text)


def _draw_details(ctx: DrawContext) -> Draw:
    sale = ctx.pick("sales")
    product = need(ctx.facts.get("products", sale["product_id"]))
    customer = need(ctx.facts.get("customers", sale["customer_id"]))
    answer = [
        entities.text(product["product_name"]),
        entities.text(customer["customer_name"]),
        entities.date(sale["date_of_purchase"]),
    ]
    return ctx.draw({"sale": sale["sales_record_id"]}, answer=answer, about=[("sales", sale)])


@GROUP.goal(_draw_details)
def sale_details(slots: Slots, plan: PlanRecorder) -> Values:
    sale = _open(plan, slots)
    return sale["product_name"], sale["customer_name"], sale["date_of_purchase"]


def _open(plan: PlanRecorder, slots: Slots) -> Row:
    return plan.one("sales", "I open that sale.", sales_record_id=slots["sale"])


def _by_id(ctx: DrawContext) -> Found:
    sale = ctx.pick("sales")
    return Found(sale, {"sale": sale["sales_record_id"]})


def _recounted(ctx: DrawContext) -> Found:
    found, quantity = attempt(ctx.pick, "sales"), str(ctx.rng.randint(1, 40))
    sale = need(found)
    if sale["quantity"] == quantity:
        raise UnfitError
    return Found(sale, {"sale": sale["sales_record_id"], "quantity": quantity})


def _repriced(ctx: DrawContext) -> Found:
    sale, slots = named_sale(ctx)
    slots["price"] = str(round(int(float(sale["discounted_price"])) * ctx.rng.uniform(0.7, 0.95)))
    if slots["price"] in (sale["discounted_price"], "0"):
        raise UnfitError
    return Found(sale, slots)


def _any_sale(ctx: DrawContext) -> Found:
    return Found(*named_sale(ctx))


def _restocked(ctx: DrawContext) -> Found:
    """A sale, and another stock of what was sold."""
    sale, slots = named_sale(ctx)
    stock = int(need(ctx.facts.get("products", sale["product_id"]))["stock"])
    return Found(sale, {**slots, "stock": str(stock + int(sale["quantity"]) + ctx.rng.randint(0, 9))})


def _redone(ctx: DrawContext) -> Found:
    sale, slots = named_sale(ctx)
    return Found(sale, {**slots, "quantity": str(ctx.rng.randint(2, 30))})


def _seller(ctx: DrawContext, sale: Record) -> Record:
    return ctx.other(ctx.facts.colleague(sale["emp_id"]))


_SELLER = HERE.to(
    Link(
        lambda ctx, sale: need(ctx.facts.colleague(sale["emp_id"])),
        lambda plan, sale: plan.one("employees", "I look up who made it.", emp_id=sale["emp_id"]),
    )
)
_SOLD = HERE.to(record("products", "I look up the product.", "product_id"))
_BOUGHT = HERE.to(record("customers", "I look up the customer.", "customer_id"))
_QUANTITY = Change(
    "sales",
    _recounted,
    None,
    "I correct the quantity of that sale.",
    lambda _, slots: action("sales.update", sales_record_id=slots["sale"], quantity=slots["quantity"]),
)
_DELETE_BY_ID = Change(
    "sales",
    _by_id,
    None,
    "I delete that sale.",
    lambda _, slots: action("sales.delete", sales_record_id=slots["sale"]),
)
_PRICE = Change(
    "sales",
    _repriced,
    _FIND,
    "I correct the discounted price of that sale.",
    lambda sale, slots: action(
        "sales.update", sales_record_id=sale["sales_record_id"], discounted_price=slots["price"]
    ),
)
_DROP = Change(
    "sales",
    _any_sale,
    _FIND,
    "I delete that sale.",
    lambda sale, _: action("sales.delete", sales_record_id=sale["sales_record_id"]),
    key_text="The sale {key} has been deleted.",
)
_RESTOCK = replace(
    _DROP,
    draw_record=_restocked,
    also=(
        (
            "I set the stock.",
            lambda sale, slots: _stocked(sale["product_id"], slots["stock"]),
        ),
    ),
    key_text="",
)
_TELL_SELLER = Recipient("I tell its seller.", _seller, lambda _, sale: sale["emp_id"])
GROUP.add(
    sale_terms=Question(
        Start("sales", _by_id, _open), HERE.number("quantity"), HERE.amount("discounted_price")
    ),
    sale_stock=Question(Start("sales", _by_id, _open), _SOLD.text("product_name"), _SOLD.number("stock")),
    sale_buyer=Question(Start("sales", _by_id, _open), _BOUGHT.text("customer_name"), _BOUGHT.text("region")),
    sale_seller=Question(Start("sales", _by_id, _open), _SELLER.person(), _SELLER.text("title")),
    sale_quantity=_QUANTITY,
    sale_deleted=_DELETE_BY_ID,
    sale_price=_PRICE,
    sale_price_told=replace(
        _PRICE,
        tells=(_TELL_SELLER,),
        colleague=("colleague", DrawContext.colleague),
        key_text="The discounted price of the sale {key} is corrected.",
    ),
    sale_dropped=_DROP,
    sale_restocked=_RESTOCK,
    sale_redone=replace(
        _DROP,
        draw_record=_redone,
        also=(("I record it anew.", lambda sale, slots: _new_sale(slots, sale, sale)),),
        key_text="",
    ),
    sale_dropped_told=replace(_DROP, tells=(_TELL_SELLER,)),
    sale_dropped_both=replace(_DROP, tells=(_TELL_SELLER,), colleague=("colleague", DrawContext.colleague)),
)


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


def draw_new_sale_stock(ctx: DrawContext) -> Draw:
    draw = draw_new_sale(ctx)
    product = need(ctx.facts.at(draw.about[0]))
    stock = str(max(0, int(product["stock"]) - int(draw.slots["quantity"]) + ctx.rng.randint(1, 9)))
    if stock == product["stock"]:
        raise UnfitError
    return draw.adding(_stocked(product["product_id"], stock), slots={"stock": stock})


@GROUP.goal(draw_new_sale_stock)
def new_sale_stock(slots: Slots, plan: PlanRecorder) -> Values:
    product, customer = find_both(plan, slots)
    plan.carry_out("I record the sale.", _new_sale(slots, product, customer))
    return plan.carry_out("I set the stock.", _stocked(product["product_id"], slots["stock"]))


def _stocked(product_id: str, stock: str) -> Action:
    return action("products.update", product_id=product_id, stock=stock)


def _tell(ctx: DrawContext, draw: Draw, slot: str) -> Draw:
    """The same with a chat message on the sale to a colleague."""
    name = ctx.colleague()["name"]
    return draw.adding(chat(name, _sold(draw.slots)), slots={slot: name}, mentions=[draw.slots["quantity"]])


def draw_new_sale_told(ctx: DrawContext) -> Draw:
    return _tell(ctx, draw_new_sale(ctx), "colleague")


@GROUP.goal(draw_new_sale_told)
def new_sale_told(slots: Slots, plan: PlanRecorder) -> Values:
    new_sale(slots, plan)
    return plan.carry_out("I tell the colleague.", chat(slots["colleague"], _sold(slots)))


def draw_new_sale_reviewed(ctx: DrawContext) -> Draw:
    draw = draw_new_sale_told(ctx)
    review = {"review": draw_review(ctx, draw.actions[0].arguments["product_id"])}
    change = _new_review({**draw.slots, **review}, draw.actions[0].arguments)
    return draw.adding(change, slots=review, mentions=[review["review"]])


@GROUP.goal(draw_new_sale_reviewed)
def new_sale_reviewed(slots: Slots, plan: PlanRecorder) -> Values:
    both = find_both(plan, slots)
    sale = _new_sale(slots, *both)
    plan.carry_out("I record the sale.", sale)
    plan.carry_out("I record the review.", _new_review(slots, sale.arguments))
    return plan.carry_out("I tell the colleague.", chat(slots["colleague"], _sold(slots)))


def draw_new_sale_shared(ctx: DrawContext) -> Draw:
    draw = draw_new_sale_reviewed(ctx)
    other = ctx.colleague()["name"]
    if other == draw.slots["colleague"]:
        raise UnfitError
    slots = {"other": other, "subject": draw_subject(ctx.rng)}
    message = mail(other, slots["subject"], _sold(draw.slots))
    return draw.adding(message, slots=slots, mentions=[slots["subject"]])


@GROUP.goal(draw_new_sale_shared)
def new_sale_shared(slots: Slots, plan: PlanRecorder) -> Values:
    new_sale_reviewed(slots, plan)
    return plan.carry_out("I mail the other one.", mail(slots["other"], slots["subject"], _sold(slots)))


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
