"""Sales: recording, correcting and deleting sales, products, customers, reviews."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from evals.kinds.enterprise.facts import Record, day
from evals.kinds.enterprise.goals import entities
from evals.kinds.enterprise.goals.draw_context import Draw, DrawContext, action
from evals.kinds.enterprise.goals.goal import GoalGroup, Slots, Values
from evals.kinds.enterprise.goals.plan_recorder import PlanRecorder, Row
from evals.kinds.enterprise.goals.telling import chat, my_manager
from evals.kinds.enterprise.goals.unfit import UnfitError, attempt, need
from evals.tasks.task import Action, Entity

GROUP = GoalGroup("Sales", "sales/records.toml", departments=("SA",))
SUBAREA = "sales DB"

UPDATE = (("update", "sales"),)
DELETE = (("delete", "sales"),)
WRITE = (("update", "products"),)
REMOVE = (("delete", "products"),)


def draw_sale_details(ctx: DrawContext) -> Draw:
    sale = ctx.pick("sales")
    product = need(ctx.facts.get("products", sale["product_id"]))
    customer = need(ctx.facts.get("customers", sale["customer_id"]))
    answer = [
        entities.text(product["product_name"]),
        entities.text(customer["customer_name"]),
        entities.date(sale["date_of_purchase"]),
    ]
    return _draw(ctx, {"sale": sale["sales_record_id"]}, sale, answer=answer)


@GROUP.goal(SUBAREA, steps=1, draw=draw_sale_details, denials=("left_company", "wrong_department"))
def sale_details(slots: Slots, plan: PlanRecorder) -> Values:
    sale = plan.one("sales", "I open that sale.", sales_record_id=slots["sale"])
    return sale["product_name"], sale["customer_name"], sale["date_of_purchase"]


def draw_sale_contact(ctx: DrawContext) -> Draw:
    sale = ctx.pick("sales")
    seller = need(ctx.facts.colleague(sale["emp_id"]))
    answer = [entities.person(seller), entities.ident("email", seller["email"])]
    return _draw(ctx, {"sale": sale["sales_record_id"]}, sale, answer=answer)


@GROUP.goal(SUBAREA, steps=2, draw=draw_sale_contact, denials=("left_company", "wrong_department"))
def sale_contact(slots: Slots, plan: PlanRecorder) -> Values:
    sale = plan.one("sales", "I open that sale.", sales_record_id=slots["sale"])
    seller = plan.one("employees", "I look up who made it.", emp_id=sale["emp_id"])
    return seller["name"], seller["email"]


def draw_sale_quantity(ctx: DrawContext) -> Draw:
    found, quantity = attempt(ctx.pick, "sales"), str(ctx.rng.randint(1, 40))
    sale = need(found)
    if sale["quantity"] == quantity:
        raise UnfitError
    key = sale["sales_record_id"]
    change = action("sales.update", sales_record_id=key, quantity=quantity)
    return _draw(ctx, {"sale": key, "quantity": quantity}, sale, change)


@GROUP.goal(
    SUBAREA, steps=1, type="crud", draw=draw_sale_quantity, needs=UPDATE,
    denials=("level_too_low", "wrong_department"),
)  # fmt: skip
def sale_quantity(slots: Slots, plan: PlanRecorder) -> Values:
    change = action("sales.update", sales_record_id=slots["sale"], quantity=slots["quantity"])
    return plan.carry_out("I correct the quantity of that sale.", change)


def draw_sale_deleted(ctx: DrawContext) -> Draw:
    sale = ctx.pick("sales")
    key = sale["sales_record_id"]
    return _draw(ctx, {"sale": key}, sale, action("sales.delete", sales_record_id=key))


@GROUP.goal(
    SUBAREA, steps=1, type="crud", draw=draw_sale_deleted, needs=DELETE,
    denials=("level_too_low", "wrong_department"),
)  # fmt: skip
def sale_deleted(slots: Slots, plan: PlanRecorder) -> Values:
    return plan.carry_out("I delete that sale.", action("sales.delete", sales_record_id=slots["sale"]))


def draw_sale_price(ctx: DrawContext) -> Draw:
    sale, slots = _sale(ctx)
    slots["price"] = str(round(int(float(sale["discounted_price"])) * ctx.rng.uniform(0.7, 0.95)))
    if slots["price"] in (sale["discounted_price"], "0"):
        raise UnfitError
    change = action("sales.update", sales_record_id=sale["sales_record_id"], discounted_price=slots["price"])
    return _draw(ctx, slots, sale, change)


@GROUP.goal(
    SUBAREA, steps=2, type="crud", draw=draw_sale_price, needs=UPDATE,
    denials=("level_too_low", "wrong_department"),
)  # fmt: skip
def sale_price(slots: Slots, plan: PlanRecorder) -> Values:
    sale = _find(plan, slots)
    change = action("sales.update", sales_record_id=sale["sales_record_id"], discounted_price=slots["price"])
    return plan.carry_out("I correct the discounted price of that sale.", change)


def draw_sale_date(ctx: DrawContext) -> Draw:
    sale, slots = _sale(ctx)
    seller = need(ctx.facts.colleague(sale["emp_id"]))
    if seller["emp_id"] == ctx.me["emp_id"]:
        raise UnfitError
    moved = day(sale["date_of_purchase"]) - timedelta(days=ctx.rng.randint(1, 20))
    slots["day"] = moved.isoformat()
    changes = _dated(slots, sale)
    return _draw(ctx, slots, sale, *changes, mentions=(slots["day"],))


@GROUP.goal(SUBAREA, steps=3, type="crud", draw=draw_sale_date, needs=UPDATE, denials=("level_too_low",))
def sale_date(slots: Slots, plan: PlanRecorder) -> Values:
    sale = _find(plan, slots)
    change, message = _dated(slots, sale)
    plan.carry_out("I correct the day of that sale.", change)
    return plan.carry_out("I tell the seller the new day.", message)


def draw_sale_dropped(ctx: DrawContext) -> Draw:
    sale, slots = _sale(ctx)
    change = action("sales.delete", sales_record_id=sale["sales_record_id"])
    return _draw(ctx, slots, sale, change)


@GROUP.goal(
    SUBAREA, steps=2, type="crud", draw=draw_sale_dropped, needs=DELETE,
    denials=("level_too_low", "wrong_department"),
)  # fmt: skip
def sale_dropped(slots: Slots, plan: PlanRecorder) -> Values:
    sale = _find(plan, slots)
    change = action("sales.delete", sales_record_id=sale["sales_record_id"])
    return plan.carry_out("I delete that sale.", change)


def draw_sale_dropped_told(ctx: DrawContext) -> Draw:
    sale, slots = _sale(ctx)
    seller = need(ctx.facts.colleague(sale["emp_id"]))
    manager = ctx.above(ctx.me)
    if seller is manager:
        raise UnfitError
    key = sale["sales_record_id"]
    if seller["emp_id"] == ctx.me["emp_id"]:
        raise UnfitError
    changes = [
        action("sales.delete", sales_record_id=key),
        *(chat(to, _deleted(key)) for to in (seller["emp_id"], manager["emp_id"])),
    ]
    return _draw(ctx, slots, sale, *changes, mentions=(key,))


@GROUP.goal(
    SUBAREA, steps=5, type="crud", draw=draw_sale_dropped_told, needs=DELETE, denials=("level_too_low",)
)
def sale_dropped_told(slots: Slots, plan: PlanRecorder) -> Values:
    sale = _find(plan, slots)
    key = sale["sales_record_id"]
    plan.carry_out("I delete that sale.", action("sales.delete", sales_record_id=key))
    plan.carry_out("I tell its seller.", chat(sale["emp_id"], _deleted(key)))
    return plan.carry_out("I tell my manager.", chat(my_manager(plan), _deleted(key)))


def _draw(
    ctx: DrawContext,
    slots: Slots,
    sale: Record,
    *changes: Action,
    answer: Sequence[Entity] = (),
    mentions: tuple[str, ...] = (),
) -> Draw:
    return ctx.draw(slots, answer=answer, actions=changes, mentions=mentions, about=[("sales", sale)])


def _sale(ctx: DrawContext) -> tuple[Record, dict[str, str]]:
    """A sale that customer and product tell from all others."""
    sale = ctx.pick("sales")
    pair = ctx.facts.where("sales", customer_id=sale["customer_id"], product_id=sale["product_id"])
    product = need(ctx.facts.get("products", sale["product_id"]))
    customer = need(ctx.facts.get("customers", sale["customer_id"]))
    if len(pair) != 1:
        raise UnfitError
    return sale, {"product": product["product_name"], "customer": customer["customer_name"]}


def _find(plan: PlanRecorder, slots: Slots) -> Row:
    return plan.one(
        "sales", "I look for that sale.", customer_name=slots["customer"], product_name=slots["product"]
    )


def _dated(slots: Slots, sale: Record | Row) -> tuple[Action, Action]:
    change = action("sales.update", sales_record_id=sale["sales_record_id"], date_of_purchase=slots["day"])
    text = f"The sale of the {slots['product']} to {slots['customer']} is now dated {slots['day']}."
    return change, chat(sale["emp_id"], text)


def _deleted(key: str) -> str:
    return f"The sale {key} has been deleted."
