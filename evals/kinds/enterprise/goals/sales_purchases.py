"""Sales: what customers bought, how much and when."""

from __future__ import annotations

from evals.kinds.enterprise.facts import Record
from evals.kinds.enterprise.goals import entities
from evals.kinds.enterprise.goals.goal import Book, Slots, Values
from evals.kinds.enterprise.goals.sales import in_year, named_customer, span, units, year
from evals.kinds.enterprise.goals.scene import Draw, Scene
from evals.kinds.enterprise.goals.script import Script

BOOK = Book("Sales", "sales_customer.toml", departments=("SA",))
SUBAREA = "customer"


def draw_year_units(scene: Scene) -> Draw | None:
    """A customer and a year."""
    customer = named_customer(scene)
    if customer is None:
        return None
    slots = {"customer": customer["customer_name"], "year": year(scene.rng)}
    rows = in_year(
        scene.facts.where("sales", customer_id=customer["customer_id"]), "date_of_purchase", slots["year"]
    )
    if not rows:
        return scene.draw(slots, nothing=True, about=[("customers", customer)])
    answer = [entities.number(len(rows)), entities.number(units(rows))]
    return scene.draw(slots, answer=answer, about=[("customers", customer)])


@BOOK.goal(SUBAREA, steps=1, draw=draw_year_units, empty=True)
def year_units(slots: Slots, call: Script) -> Values:
    """Count and add."""
    rows = call.every(
        "sales", f"I need all that {slots['customer']} bought in {slots['year']}.",
        customer_name=slots["customer"], **span(slots["year"]),
    )  # fmt: skip
    return (str(rows.total), str(units(rows))) if rows else call.none(rows)


def draw_purchase(scene: Scene) -> Draw | None:
    """One purchase, known by customer and product."""
    sale = scene.pick("sales")
    product = scene.facts.get("products", sale["product_id"]) if sale else None
    customer = scene.facts.get("customers", sale["customer_id"]) if sale else None
    if sale is None or product is None or customer is None or not _only(scene, sale):
        return None
    seller = scene.facts.person(sale["emp_id"])
    if seller is None or seller["emp_id"] == scene.me["emp_id"]:
        return None
    return scene.draw(
        {"customer": customer["customer_name"], "product": product["product_name"]},
        answer=[entities.date(sale["date_of_purchase"]), entities.person(seller)],
        about=[("sales", sale)],
    )


@BOOK.goal(SUBAREA, steps=1, draw=draw_purchase, denials=("wrong_department",))
def purchase(slots: Slots, call: Script) -> Values:
    """One look at the sales."""
    row = call.one(
        "sales", "I look for that purchase.", customer_name=slots["customer"], product_name=slots["product"]
    )
    return row["date_of_purchase"], row["seller_name"]


def draw_invoice(scene: Scene) -> Draw | None:
    """The invoice of a customer."""
    customer = named_customer(scene)
    rows = scene.facts.where("orders", customer_id=customer["customer_id"]) if customer else []
    invoices = [row for row in rows if row["kind"] == "invoice"]
    if customer is None or len(invoices) != 1:
        return None
    answer = [entities.amount(invoices[0]["total"]), entities.date(invoices[0]["date"])]
    return scene.draw(
        {"customer": customer["customer_name"]},
        answer=answer,
        about=[("customers", customer), ("orders", invoices[0])],
    )


@BOOK.goal(SUBAREA, steps=1, draw=draw_invoice)
def invoice(slots: Slots, call: Script) -> Values:
    """One look at the documents."""
    row = call.one(
        "orders", "I look for the customer's invoice.", customer_name=slots["customer"], kind="invoice"
    )
    return row["total"], row["date"]


def draw_compare_customers(scene: Scene) -> Draw | None:
    """Two customers and a year."""
    first, second, wanted = named_customer(scene), named_customer(scene), year(scene.rng)
    if first is None or second is None or first is second:
        return None
    counts = [
        units(in_year(scene.facts.where("sales", customer_id=row["customer_id"]), "date_of_purchase", wanted))
        for row in (first, second)
    ]
    if min(counts) == 0 or abs(counts[0] - counts[1]) < 0.1 * max(counts):
        return None
    more = first if counts[0] > counts[1] else second
    return scene.draw(
        {"customer": first["customer_name"], "other": second["customer_name"], "year": wanted},
        answer=[entities.text(more["customer_name"]), entities.number(max(counts))],
        about=[("customers", first), ("customers", second)],
    )


@BOOK.goal(SUBAREA, steps=2, draw=draw_compare_customers)
def compare_customers(slots: Slots, call: Script) -> Values:
    """Both sums, and the larger."""
    found = []
    for name in (slots["customer"], slots["other"]):
        rows = call.every(
            "sales", f"I add up what {name} bought in {slots['year']}.",
            customer_name=name, **span(slots["year"]),
        )  # fmt: skip
        found.append((units(rows), name))
    most, name = max(found)
    return name, str(most)


def _only(scene: Scene, sale: Record) -> bool:
    pair = scene.facts.where("sales", customer_id=sale["customer_id"], product_id=sale["product_id"])
    return len(pair) == 1
