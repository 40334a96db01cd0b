"""Functions about customers, what they bought, and what can be looked up by its words."""

from __future__ import annotations

from worksmith.tools.kinds.crm.functions.base import Base, Ids, Records
from worksmith.tools.kinds.crm.functions.statements import one_of, search_term
from worksmith.tools.kinds.crm.soql.results import Record, plain


class Customers(Base):
    """Functions that read purchases, products and articles."""

    def get_order_item_ids_by_product(self, product_id: str) -> Ids:
        self.check(product_id=product_id)
        rows = self.select("Id", "OrderItem", [one_of("Product2Id", [product_id])])
        return [row["Id"] for row in rows]

    def get_account_id_by_contact_id(self, contact_id: str) -> str | Ids | None:
        self.check(contact_id=contact_id)
        rows = self.select("AccountId", "Contact", [one_of("Id", [contact_id])])
        if rows and rows[0]["AccountId"]:
            return str(rows[0]["AccountId"])
        return None if self.clean else []

    def get_purchase_history(self, account_id: str, purchase_date: str, related_product_ids: Ids) -> Records:
        self.check(account_id=account_id, related_product_ids=related_product_ids)
        day = self.moment("purchase_date", purchase_date).strftime("%Y-%m-%d").rjust(10, "0")
        if not related_product_ids:
            if self.clean:
                return []
            raise self.refusal("related_product_ids must not be empty")
        conditions = [
            one_of("OrderItem.Order.AccountId", [account_id]),
            f"OrderItem.Order.EffectiveDate = {day}",
            "OrderItem.Order.Status = 'Activated'",
        ]
        name = ", Product2.Name" if self.clean else ""
        rows = self.select(
            f"Id, Product2Id{name}", "OrderItem", conditions, {"Product2Id": related_product_ids}
        )
        return [_bought(row) for row in rows]

    def search_knowledge_articles(self, search_term: str) -> Records:
        where = "PublishStatus = 'Online' AND Language = 'en_US'"
        found = self._search(search_term, f"Knowledge__kav(Id, Title, FAQ_Answer__c WHERE {where})")
        return [{"Id": row["Id"], "Title": row["Title"], "Content": row["FAQ_Answer__c"]} for row in found]

    def search_products(self, search_term: str) -> Records | Ids:
        found = self._search(search_term, f"Product2(Id{', Name' if self.clean else ''})")
        return found if self.clean else [row["Id"] for row in found]

    def _search(self, text: str, returning: str) -> list[Record]:
        self.check(search_term=text)
        term = search_term(text)
        if not term:
            raise self.refusal("search_term must have a word in it")
        found: list[Record] = plain(
            self.org.search(f"FIND {{{term}}} IN ALL FIELDS RETURNING {returning}").records
        )
        return found


def _bought(row: Record) -> Record:
    product = row.get("Product2")
    name = {"Name": product["Name"]} if product else {}
    return {"Product2Id": row["Product2Id"], **name}
