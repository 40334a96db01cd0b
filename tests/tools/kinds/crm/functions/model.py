"""What the functions return, by loops over records: no query language, no code of theirs.

Records are typed Python values; results are as the functions give them.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from tests.tools.kinds.crm.soql.org import Org, cell
from worksmith.tools.kinds.crm.ids import canonical
from worksmith.tools.kinds.crm.schema import OBJECTS
from worksmith.tools.kinds.crm.sosl.tables import words

Record = dict[str, Any]


@dataclass
class Model:
    """The functions that read an org."""

    org: Org
    clean: bool

    def assignments(self, start: datetime, end: datetime) -> list[Record]:
        rows = [r for r in self.org["CaseHistory__c"] if r["Field__c"] == "Owner Assignment"]
        return [r for r in rows if self.inside(r["CreatedDate"], start, end)]

    def inside(self, moment: datetime | None, start: datetime, end: datetime) -> bool:
        if moment is None:
            return False
        return start <= moment < end if self.clean else start <= moment <= end

    def handled(self, start: datetime, end: datetime) -> dict[str, int]:
        rows = self.assignments(start, end)
        if self.clean:
            rows = [r for r in rows if r["OldValue__c"] is None]
        return dict(Counter(r["NewValue__c"] for r in rows if r["NewValue__c"]))

    def never_transferred(self, start: datetime, end: datetime) -> set[str]:
        seen = defaultdict(list)
        if self.clean:
            for r in self.org["CaseHistory__c"]:
                if r["Field__c"] == "Owner Assignment":
                    seen[r["CaseId__c"]].append(r["CreatedDate"])
            once = {case for case, moments in seen.items() if len(moments) == 1}
            return {case for case in once if case and self.inside(seen[case][0], start, end)}
        counts = Counter(r["CaseId__c"] for r in self.assignments(start, end))
        return {case for case, count in counts.items() if case and count == 1}

    def transferred(self, start: datetime, end: datetime, agents: list[str] | None) -> dict[str, int]:
        counts = Counter(r["OldValue__c"] for r in self.assignments(start, end) if r["OldValue__c"])
        if self.clean and agents is not None:
            return {agent: counts[agent] for agent in agents}
        return {agent: n for agent, n in counts.items() if not agents or agent in agents}

    def cases(self, start: datetime | None, end: datetime | None, **lists: list[str] | None) -> list[Record]:
        given = {name: values for name, values in lists.items() if values is not None}
        if self.clean and not all(given.values()):
            return []
        found = []
        for r in self.org["Case"]:
            created = r["CreatedDate"]
            if (start or end) and created is None:
                continue
            if (start and created < start) or (end and created >= end):
                continue
            if all(fold(r[name]) in map(fold, values) for name, values in given.items() if values):
                found.append(shown(r, "OwnerId", "CreatedDate", "ClosedDate", "AccountId"))
        return found

    def issue_counts(self, start: datetime, end: datetime, items: list[str]) -> dict[str, int]:
        wanted = {fold(item) for item in items}
        rows = [r for r in self.org["Case"] if self.inside(r["CreatedDate"], start, end)]
        rows = [r for r in rows if fold(r["OrderItemId__c"]) in wanted]
        return dict(Counter(r["IssueId__c"] for r in rows if r["IssueId__c"]))

    def states(self, accounts: list[str | None]) -> list[str | None]:
        known = {r["Id"]: r["ShippingState"] for r in self.org["Account"]}
        return [known.get(account) for account in accounts]

    def order_items(self, product: str) -> set[str]:
        return {r["Id"] for r in self.org["OrderItem"] if same_id(r["Product2Id"], product)}

    def account(self, contact: str) -> Any:
        found = [r["AccountId"] for r in self.org["Contact"] if same_id(r["Id"], contact)]
        return found[0] if found and found[0] else (None if self.clean else [])

    def bought(self, account: str, day: datetime, products: list[str]) -> list[Record]:
        orders = {r["Id"]: r for r in self.org["Order"]}
        names = {r["Id"]: r["Name"] for r in self.org["Product2"]}
        found = []
        for r in self.org["OrderItem"]:
            order = orders.get(r["OrderId"])
            if order is None or not same_id(order["AccountId"], account) or order["Status"] != "Activated":
                continue
            if order["EffectiveDate"] == day.date() and r["Product2Id"] in products:
                name = {"Name": names[r["Product2Id"]]} if self.clean and r["Product2Id"] in names else {}
                found.append({"Product2Id": r["Product2Id"], **name})
        return found

    def about(self, name: str, link: str, case: str, *fields: str) -> list[Record]:
        return [shown(r, *fields) for r in self.org[name] if same_id(r[link], case)]

    def search(self, name: str, term: str, matches: Callable[..., bool]) -> set[str]:
        """Ids of the records of which `matches` (all or any) of the words of a term are in some field."""
        phrases = [words(word) for word in term.split() if word.upper() not in ("AND", "OR", "NOT")]
        phrases = [phrase for phrase, word in zip(phrases, _kept(term), strict=True) if _wordy(word)]
        fields = [field.name for field in OBJECTS[name].queryable if field.find]
        return {
            r["Id"]
            for r in self.org[name]
            if matches(any(_in(phrase, words(cell(r[f]) or "")) for f in fields) for phrase in phrases)
        }


def shown(record: Record, *fields: str) -> Record:
    return {field: cell(record[field]) for field in fields}


def fold(value: str | None) -> str | None:
    return value.lower() if value is not None and value.isascii() else value


def same_id(value: str | None, given: str) -> bool:
    return value is not None and value == canonical(given)


def _kept(term: str) -> list[str]:
    return [word for word in term.split() if word.upper() not in ("AND", "OR", "NOT")]


def _wordy(word: str) -> bool:
    return bool(re.search(r"[^\W_]", word))


def _in(phrase: list[str], tokens: list[str]) -> bool:
    return bool(phrase) and any(
        tokens[at : at + len(phrase)] == phrase for at in range(len(tokens) - len(phrase) + 1)
    )
