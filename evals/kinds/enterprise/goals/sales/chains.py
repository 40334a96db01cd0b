"""Sales: longer ways from a customer to other buyers of a product, to who sold it, and to the papers."""

from __future__ import annotations

from worksmith.evals.kinds.enterprise.facts import Record
from worksmith.evals.kinds.enterprise.goals.draw_context import DrawContext, clear_best, need, only
from worksmith.evals.kinds.enterprise.goals.goal import Slots
from worksmith.evals.kinds.enterprise.goals.groups import GoalGroup
from worksmith.evals.kinds.enterprise.goals.paths import HERE, Found, Link, Question, Start, record
from worksmith.evals.kinds.enterprise.goals.plan_recorder import PlanRecorder, Row, Rows
from worksmith.evals.kinds.enterprise.goals.sales.figures import named_customer, sales_of, units_by

GROUP = GoalGroup("sales/chains.toml")


def walk(plan: PlanRecorder, slots: Slots) -> Row:
    """The way, through the tools: the largest sale of the product to anybody else."""
    bought = plan.every(
        "sales", f"I need all purchases of {slots['customer']}.", customer_name=slots["customer"]
    )
    key = clear_best(units_by(bought, "product_id"))
    sold = plan.every("sales", "Now all sales of the product bought most.", product_id=key)
    sale = largest([row for row in sold if row["customer_name"] != slots["customer"]])
    return plan.pick(_row_of(sold, sale))


BUYER = record("customers", "Where is that buyer?", "customer_id")


def seller_of(plan: PlanRecorder, sale: Row) -> Row:
    return plan.one("employees", "Who made that sale?", emp_id=sale["emp_id"])


def largest(rows: list[Record] | list[Row]) -> Record:
    """The sale with clearly most pieces."""
    key = clear_best({row["sales_record_id"]: int(row["quantity"]) for row in rows})
    return next(row for row in rows if row["sales_record_id"] == key)


def _row_of(rows: Rows, sale: Record) -> Row:
    return next(row for row in rows if row["sales_record_id"] == sale["sales_record_id"])


def _draw(ctx: DrawContext) -> Found:
    """From a customer to the product bought most, and to the largest sale of it to anybody else."""
    customer = named_customer(ctx)
    bought = sales_of(ctx, "customer_id", customer["customer_id"])
    sold = sales_of(ctx, "product_id", clear_best(units_by(bought, "product_id")))
    sale = largest([row for row in sold if row["customer_id"] != customer["customer_id"]])
    return Found(sale, {"customer": customer["customer_name"]}, [("customers", customer)])


def _invoice(ctx: DrawContext, sale: Record) -> Record:
    return only(ctx.facts.where("orders", customer_id=sale["customer_id"], kind="invoice"))


def _find_invoice(plan: PlanRecorder, sale: Row) -> Row:
    why = "Last, the invoice of that buyer."
    return plan.one("orders", why, customer_id=sale["customer_id"], kind="invoice")


_BUYER = HERE.to(BUYER)
_SELLER = HERE.to(Link(lambda ctx, sale: need(ctx.facts.colleague(sale["emp_id"])), seller_of))
_INVOICE = HERE.to(Link(_invoice, _find_invoice))
_STOCK = HERE.to(record("products", "How many of the product are there?")).number("stock")

_START = Start("", _draw, walk)
_ASKS = (_BUYER.text("customer_name"), _BUYER.text("region"))
_SOLD = (*_ASKS, _SELLER.text("title"))
GROUP.add(
    other_buyer=Question(_START, *_ASKS),
    other_buyer_seller=Question(_START, *_SOLD),
    other_buyer_invoice=Question(_START, *_SOLD, _INVOICE.amount("total")),
    other_buyer_stock=Question(_START, *_SOLD, _INVOICE.amount("total"), _STOCK),
)
