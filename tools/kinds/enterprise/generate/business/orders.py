"""The order documents of a generated enterprise: for each customer what was invoiced, ordered and shipped."""

from __future__ import annotations

from datetime import timedelta

from worksmith.tools.kinds.enterprise.generate.business.customers import PATHS
from worksmith.tools.kinds.enterprise.generate.company import NAME
from worksmith.tools.kinds.enterprise.generate.draft import Draft
from worksmith.tools.kinds.enterprise.generate.entities import Customer, Sale

_KINDS = {"invoice": ("INV", "INVOICE"), "purchase_order": ("PUR", "PURCHASE ORDER")} | {
    "shipping_order": ("SHP", "SHIPPING ORDER")
}
_SHIPPED_AFTER = timedelta(days=2)


def add_orders(draft: Draft) -> None:
    """Three documents for each customer over all their purchases; each total is that of the sales."""
    bought: dict[str, list[Sale]] = {}
    for sale in draft.sales:
        bought.setdefault(sale.customer.customer_id, []).append(sale)
    for number, customer in enumerate(draft.customers, start=1):
        sales = bought.get(customer.customer_id, [])
        last = max((sale.day for sale in sales), default=draft.today)
        for kind, path in PATHS.items():
            prefix, title = _KINDS[kind]
            order_id = f"{prefix}-{number:04d}"
            day = min(draft.today, last + _SHIPPED_AFTER) if kind == "shipping_order" else last
            draft.add(
                "orders",
                order_id=order_id,
                kind=kind,
                customer_id=customer.customer_id,
                date=day,
                total=sum(sale.total for sale in sales),
                path=path.format(customer=customer.customer_id),
                text=_document(f"{title} {order_id}", day.isoformat(), customer, sales),
            )


def _document(title: str, day: str, customer: Customer, sales: list[Sale]) -> str:
    head = [title, f"{NAME}, {day}", f"Customer: {customer.name} ({customer.customer_id}), {customer.region}"]
    items = [
        f"{sale.sales_record_id} | {sale.day} | {sale.product.product_id} {sale.product.name} | "
        f"{sale.quantity} x {sale.price} = {sale.total}"
        for sale in sales
    ]
    return "\n".join([*head, "", *items, "", f"Total: {sum(sale.total for sale in sales)} rupees"])
