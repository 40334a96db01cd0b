"""Checks of what was paid."""

from __future__ import annotations

from collections.abc import Iterator

from worksmith.tools.kinds.crm.generate.draft import Built


def problems(built: Built) -> Iterator[str]:
    """Items whose price is not that of their entry, or whose entry is of another product or book."""
    entries = {record["Id"]: record for record in built.records("PricebookEntry")}
    orders = {record["Id"]: record for record in built.records("Order")}
    for item in built.records("OrderItem"):
        entry, order = entries[item["PricebookEntryId"]], orders[item["OrderId"]]
        found = (entry["UnitPrice"], entry["Product2Id"], entry["Pricebook2Id"])
        if found != (item["UnitPrice"], item["Product2Id"], order["Pricebook2Id"]):
            yield f"OrderItem/{item['Id']}: does not fit its price book entry"
        total = float(str(item["Quantity"])) * float(str(item["UnitPrice"]))
        if abs(total - float(str(item["TotalPrice"]))) > 0.005:
            yield f"OrderItem/{item['Id']}: the total is wrong"
