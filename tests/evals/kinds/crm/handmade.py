"""A tiny org made by hand, to see what the rules make of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from worksmith.evals.kinds.crm.questions.family import Question
from worksmith.evals.kinds.crm.questions.org_records import OrgRecords
from worksmith.tools.kinds.crm.generate.draft import Built, Row, written_moment
from worksmith.tools.kinds.crm.generate.industry import packaged
from worksmith.tools.kinds.crm.schema import OBJECTS

PRODUCT = "shoe"


@dataclass
class Handmade:
    """Cases as they come; `org` is the org with all of them."""

    rows: dict[str, list[Row]] = field(default_factory=lambda: {name: [] for name in OBJECTS})

    def case(
        self,
        opened: str,
        agent: str,
        *,
        minutes: int | None = 60,
        moved: tuple[str, str] | None = None,
        state: str = "TX",
        issue: str = "late",
        product: str = PRODUCT,
    ) -> None:
        """A case; open where `minutes` are None; `moved` to an agent at a moment."""
        key = str(len(self.rows["Case"]))
        start = datetime.fromisoformat(opened)
        self._add("Account", Id=key, ShippingState=state)
        self._add("Order", Id=key, AccountId=key, EffectiveDate=opened[:10], Status="Activated")
        self._add("OrderItem", Id=key, OrderId=key, Product2Id=product)
        self._add(
            "Case",
            Id=key,
            OwnerId=moved[0] if moved else agent,
            AccountId=key,
            ContactId=key,
            CreatedDate=written_moment(start),
            ClosedDate=None if minutes is None else written_moment(start + timedelta(minutes=minutes)),
            Status="Working" if minutes is None else "Closed",
            OrderItemId__c=key,
            IssueId__c=issue,
        )
        self._assign(key, None, agent, start)
        if moved:
            self._assign(key, agent, moved[0], datetime.fromisoformat(moved[1]))

    @property
    def org(self) -> OrgRecords:
        """The org so far."""
        return OrgRecords(Built(0, 1.0, packaged(), self.rows, [], [], [], [], [], [], [], []))

    def _assign(self, case: str, old: str | None, new: str, moment: datetime) -> None:
        self._add(
            "CaseHistory__c",
            Id=str(len(self.rows["CaseHistory__c"])),
            CaseId__c=case,
            Field__c="Owner Assignment",
            OldValue__c=old,
            NewValue__c=new,
            CreatedDate=written_moment(moment),
        )

    def _add(self, name: str, **cells: str | None) -> None:
        self.rows[name].append(tuple(cells.get(column) for column in OBJECTS[name].columns))


def question(period: str, today: str = "2021-06-01", **slots: str) -> Question:
    """A question on a day."""
    day = datetime.fromisoformat(today).date()
    return Question({"period": period, "product": PRODUCT, **slots}, day, None, stratum="")
