"""Sales: longer ways from a customer to other buyers of a product, to who sold it, and to the papers."""

from __future__ import annotations

from worksmith.evals.kinds.enterprise.facts import Record
from worksmith.evals.kinds.enterprise.goals.draw_context import DrawContext, clear_best
from worksmith.evals.kinds.enterprise.goals.goal import Slots
from worksmith.evals.kinds.enterprise.goals.groups import GoalGroup
from worksmith.evals.kinds.enterprise.goals.paths import Found
from worksmith.evals.kinds.enterprise.goals.plan_recorder import PlanRecorder, Row, Rows
from worksmith.evals.kinds.enterprise.goals.sales.figures import named_customer, sales_of, units_by


def walk(plan: PlanRecorder, slots: Slots) -> Row:
    """The way, through the tools: the largest sale of the product to anybody else."""
    bought = plan.every(
        "sales", f"I need all purchases of {slots['customer']}.", customer_name=slots["customer"]
    )
    key = clear_best(units_by(bought, "product_id"))
    sold = plan.every("sales", "Now all sales of the product bought most.", product_id=key)
    sale = largest([row for row in sold if row["customer_name"] != slots["customer"]])
    return plan.pick(_row_of(sold, sale))


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


GROUP = GoalGroup("sales/chains.toml", draws=(_draw,), finds=(walk,))
