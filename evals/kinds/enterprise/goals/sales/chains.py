"""Sales: longer ways from a customer to other buyers of the same product, to who sold it, and above."""

from __future__ import annotations

from dataclasses import dataclass

from evals.kinds.enterprise.facts import Record
from evals.kinds.enterprise.goals import entities
from evals.kinds.enterprise.goals.draw_context import Draw, DrawContext
from evals.kinds.enterprise.goals.goal import GoalGroup, Slots, Values
from evals.kinds.enterprise.goals.messages.chats import manager_of
from evals.kinds.enterprise.goals.plan_recorder import PlanRecorder, Row, Rows
from evals.kinds.enterprise.goals.rows import clear_best
from evals.kinds.enterprise.goals.sales.figures import named_customer, sales_of, units_by
from evals.kinds.enterprise.goals.unfit import UnfitError, need
from evals.tasks.task import Entity

GROUP = GoalGroup("Sales", "sales/chains.toml", departments=("SA",))
SUBAREA = "customer"


@dataclass(frozen=True)
class Way:
    """From a customer to the product of which they bought most, and to its biggest other buyer.

    Attributes:
        customer: where the way begins.
        product_id: what they bought most of.
        sale: the largest sale of it to anybody else.
    """

    customer: Record
    product_id: str
    sale: Record


def draw_way(ctx: DrawContext) -> Way:
    """A customer from whom the way is clear."""
    customer = named_customer(ctx)
    bought = sales_of(ctx, "customer_id", customer["customer_id"])
    key = clear_best(units_by(bought, "product_id"))
    sold = sales_of(ctx, "product_id", key)
    sale = largest([row for row in sold if row["customer_id"] != customer["customer_id"]])
    return Way(customer, key, sale)


def walk(plan: PlanRecorder, slots: Slots) -> Row:
    """The way, through the tools: the largest sale of the product to anybody else."""
    bought = plan.every(
        "sales", f"I need all purchases of {slots['customer']}.", customer_name=slots["customer"]
    )
    key = clear_best(units_by(bought, "product_id"))
    sold = plan.every("sales", "Now all sales of the product bought most.", product_id=key)
    sale = largest([row for row in sold if row["customer_name"] != slots["customer"]])
    return plan.pick(_row_of(sold, sale))


def buyer_of(plan: PlanRecorder, sale: Row) -> Row:
    """The customer of that sale."""
    return plan.one("customers", "Where is that buyer?", customer_id=sale["customer_id"])


def seller_of(plan: PlanRecorder, sale: Row) -> Row:
    """Who made that sale."""
    return plan.one("employees", "Who made that sale?", emp_id=sale["emp_id"])


def draw_other_buyer(ctx: DrawContext) -> Draw:
    way = draw_way(ctx)
    return _draw(ctx, way, _buyer(ctx, way))


@GROUP.goal(SUBAREA, steps=3, draw=draw_other_buyer)
def other_buyer(slots: Slots, plan: PlanRecorder) -> Values:
    buyer = buyer_of(plan, walk(plan, slots))
    return buyer["customer_name"], buyer["region"]


def draw_other_buyer_seller(ctx: DrawContext) -> Draw:
    way = draw_way(ctx)
    seller = need(ctx.facts.colleague(way.sale["emp_id"]))
    return _draw(ctx, way, [*_buyer(ctx, way), entities.ident("email", seller["email"])])


@GROUP.goal(SUBAREA, steps=4, draw=draw_other_buyer_seller)
def other_buyer_seller(slots: Slots, plan: PlanRecorder) -> Values:
    sale = walk(plan, slots)
    buyer = buyer_of(plan, sale)
    return buyer["customer_name"], buyer["region"], seller_of(plan, sale)["email"]


def draw_other_buyer_manager(ctx: DrawContext) -> Draw:
    way = draw_way(ctx)
    manager = ctx.above(way.sale)
    return _draw(ctx, way, [*_buyer(ctx, way), entities.ident("email", manager["email"])])


@GROUP.goal(SUBAREA, steps=5, draw=draw_other_buyer_manager)
def other_buyer_manager(slots: Slots, plan: PlanRecorder) -> Values:
    sale = walk(plan, slots)
    buyer = buyer_of(plan, sale)
    manager = manager_of(plan, seller_of(plan, sale))
    return buyer["customer_name"], buyer["region"], manager["email"]


def draw_other_buyer_invoice(ctx: DrawContext) -> Draw:
    way = draw_way(ctx)
    manager = ctx.above(way.sale)
    rows = ctx.facts.where("orders", customer_id=way.sale["customer_id"], kind="invoice")
    if len(rows) != 1:
        raise UnfitError
    more = [entities.ident("email", manager["email"]), entities.amount(rows[0]["total"])]
    return _draw(ctx, way, [*_buyer(ctx, way), *more])


@GROUP.goal(SUBAREA, steps=6, draw=draw_other_buyer_invoice)
def other_buyer_invoice(slots: Slots, plan: PlanRecorder) -> Values:
    sale = walk(plan, slots)
    buyer = buyer_of(plan, sale)
    manager = manager_of(plan, seller_of(plan, sale))
    invoice = plan.one(
        "orders", "Last, the invoice of that buyer.", customer_id=buyer["customer_id"], kind="invoice"
    )
    return buyer["customer_name"], buyer["region"], manager["email"], invoice["total"]


def _draw(ctx: DrawContext, way: Way, answer: list[Entity]) -> Draw:
    slots = {"customer": way.customer["customer_name"]}
    return ctx.draw(slots, answer=answer, about=[("customers", way.customer)])


def _buyer(ctx: DrawContext, way: Way) -> list[Entity]:
    buyer = ctx.facts.get("customers", way.sale["customer_id"])
    assert buyer is not None
    return [entities.text(buyer["customer_name"]), entities.text(buyer["region"])]


def largest(rows: list[Record] | list[Row]) -> Record:
    """The sale with clearly most pieces."""
    key = clear_best({row["sales_record_id"]: int(row["quantity"]) for row in rows})
    return next(row for row in rows if row["sales_record_id"] == key)


def _row_of(rows: Rows, sale: Record) -> Row:
    return next(row for row in rows if row["sales_record_id"] == sale["sales_record_id"])
