"""The records of a generated org as plain Python objects, for truths that no query engine has touched.

Nothing here knows SOQL or the functions that agents call: what both find must agree, and an error in one of
them must not be an error in both.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from operator import attrgetter

from worksmith.evals.kinds.crm.questions.periods import Window
from worksmith.tools.kinds.crm.generate.company import DEFAULT_NOW, YEARS
from worksmith.tools.kinds.crm.generate.draft import Built

Record = dict[str, str | None]


@dataclass(frozen=True)
class Case:
    """A case as its record says; `closed` is None while it is open, `owner` who has it now or had it last."""

    id: str
    owner: str
    account: str
    contact: str
    created: datetime
    closed: datetime | None
    status: str
    item: str
    issue: str
    subject: str
    description: str

    @cached_property
    def minutes(self) -> float:
        if self.closed is None:
            raise ValueError(f"case {self.id} is open")
        return (self.closed - self.created).total_seconds() / 60


@dataclass(frozen=True)
class Assignment:
    """A case given to an agent; `old` is who had it before, None for the first one."""

    case: str
    old: str | None
    new: str
    moment: datetime


@dataclass(frozen=True)
class Purchase:
    """A product on an order; `day` is the order's, `activated` whether it went beyond a draft."""

    item: str
    product: str
    order: str
    account: str
    day: date
    activated: bool


class OrgRecords:
    """A generated org, indexed.

    Attributes:
        built: what it was generated from, for what only the generator knows.
        first_day, snapshot: nothing happens before the one, nor on or after the other.
    """

    def __init__(self, built: Built) -> None:
        self.built = built
        self.first_day = date(min(YEARS), 1, 1)
        self.snapshot = DEFAULT_NOW.date()

    # --- cases -----------------------------------------------------------------------------------------

    @cached_property
    def cases(self) -> list[Case]:
        found = [
            Case(
                id=_text(row["Id"]),
                owner=_text(row["OwnerId"]),
                account=_text(row["AccountId"]),
                contact=_text(row["ContactId"]),
                created=_moment(row["CreatedDate"]),
                closed=_moment(row["ClosedDate"]) if row["ClosedDate"] else None,
                status=_text(row["Status"]),
                item=_text(row["OrderItemId__c"]),
                issue=_text(row["IssueId__c"]),
                subject=_text(row["Subject"]),
                description=_text(row["Description"]),
            )
            for row in self.built.records("Case")
        ]
        return sorted(found, key=attrgetter("created", "id"))

    @cached_property
    def case(self) -> dict[str, Case]:
        return {case.id: case for case in self.cases}

    def opened(self, window: Window, *, end_too: bool = False) -> Sequence[Case]:
        """The cases opened in a window; with those of its very end if asked."""
        return self.cases[slice(*_slice(self._opened, window, end_too=end_too))]

    @cached_property
    def _opened(self) -> list[datetime]:
        return [case.created for case in self.cases]

    @cached_property
    def product_cases(self) -> dict[str, list[Case]]:
        """Cases by the product that they are about, by when they were opened."""
        found: dict[str, list[Case]] = defaultdict(list)
        for case in self.cases:
            found[self.purchase[case.item].product].append(case)
        return dict(found)

    # --- assignments -----------------------------------------------------------------------------------

    @cached_property
    def assignments(self) -> list[Assignment]:
        found = [
            Assignment(
                _text(row["CaseId__c"]),
                row["OldValue__c"],
                _text(row["NewValue__c"]),
                _moment(row["CreatedDate"]),
            )
            for row in self.built.records("CaseHistory__c")
            if row["Field__c"] == "Owner Assignment"
        ]
        return sorted(found, key=attrgetter("moment", "case"))

    def assigned(self, window: Window, *, end_too: bool = False) -> Sequence[Assignment]:
        """The assignments made in a window; with those of its very end if asked."""
        return self.assignments[slice(*_slice(self._assigned, window, end_too=end_too))]

    @cached_property
    def _assigned(self) -> list[datetime]:
        return [each.moment for each in self.assignments]

    @cached_property
    def assignments_of(self) -> dict[str, list[Assignment]]:
        found: dict[str, list[Assignment]] = defaultdict(list)
        for each in self.assignments:
            found[each.case].append(each)
        return dict(found)

    @cached_property
    def last_event(self) -> dict[str, datetime]:
        return {
            case.id: max(case.closed or case.created, *(a.moment for a in self.assignments_of[case.id]))
            for case in self.cases
        }

    # --- customers, products, articles -----------------------------------------------------------------

    @cached_property
    def states(self) -> dict[str, str]:
        return self._by_id("Account", "ShippingState")

    @cached_property
    def account_of(self) -> dict[str, str]:
        return self._by_id("Contact", "AccountId")

    @cached_property
    def purchases(self) -> list[Purchase]:
        orders = {_text(row["Id"]): row for row in self.built.records("Order")}
        found = []
        for row in self.built.records("OrderItem"):
            order = orders[_text(row["OrderId"])]
            found.append(
                Purchase(
                    item=_text(row["Id"]),
                    product=_text(row["Product2Id"]),
                    order=_text(row["OrderId"]),
                    account=_text(order["AccountId"]),
                    day=date.fromisoformat(_text(order["EffectiveDate"])),
                    activated=order["Status"] == "Activated",
                )
            )
        return found

    @cached_property
    def purchase(self) -> dict[str, Purchase]:
        return {purchase.item: purchase for purchase in self.purchases}

    @cached_property
    def products(self) -> dict[str, str]:
        return self._by_id("Product2", "Name")

    @cached_property
    def issues(self) -> dict[str, str]:
        return self._by_id("Issue__c", "Name")

    @cached_property
    def agents(self) -> dict[str, str]:
        return self._by_id("User", "Name")

    @cached_property
    def articles(self) -> dict[str, Record]:
        return {_text(row["Id"]): row for row in self.built.records("Knowledge__kav")}

    def _by_id(self, name: str, field: str) -> dict[str, str]:
        """One field of the records of an object."""
        return {_text(row["Id"]): _text(row[field]) for row in self.built.records(name)}


def _slice(moments: list[datetime], window: Window, *, end_too: bool) -> tuple[int, int]:
    end = (bisect_right if end_too else bisect_left)(moments, window.end)
    return bisect_left(moments, window.start), end


def _text(cell: str | None) -> str:
    return cell or ""


def _moment(cell: str | None) -> datetime:
    return datetime.strptime(_text(cell), "%Y-%m-%dT%H:%M:%S.000+0000")
