"""Functions about cases: which there are, what they are about, and what was said in them."""

from __future__ import annotations

from typing import Any

from worksmith.tools.kinds.crm.functions.base import Base, Counts, Ids, Records, Values, means, tally
from worksmith.tools.kinds.crm.functions.statements import one_of
from worksmith.tools.kinds.crm.ids import canonical

FEWEST = 3
"""Closed cases that a state needs for its mean to say anything; in the published system one will do."""

_CASE_FIELDS = "OwnerId, CreatedDate, ClosedDate, AccountId"
_EMAIL_FIELDS = "Subject, TextBody, FromAddress, ToAddress, MessageDate"


class Cases(Base):
    """Functions that read cases and what hangs on them."""

    def get_cases(
        self,
        start_date: str | None = None,
        end_date: str | None = None,
        agent_ids: Ids | None = None,
        case_ids: Ids | None = None,
        order_item_ids: Ids | None = None,
        issue_ids: Ids | None = None,
        statuses: Ids | None = None,
    ) -> Records:
        self.check(agent_ids=agent_ids, case_ids=case_ids, order_item_ids=order_item_ids)
        self.check(issue_ids=issue_ids, statuses=statuses)
        given = {
            "OwnerId": agent_ids,
            "Id": case_ids,
            "OrderItemId__c": order_item_ids,
            "IssueId__c": issue_ids,
            "Status": statuses,
        }
        lists = {field: values for field, values in given.items() if values is not None}
        if self.clean and not all(lists.values()):
            return []
        lists = {field: values for field, values in lists.items() if values}
        window = self.within(start_date, end_date)
        if not window and not lists:
            raise self.refusal("at least one argument must be given")
        found = self.select(f"Id, {_CASE_FIELDS}", "Case", window, lists)
        if not self.clean:
            for record in found:
                del record["Id"]
        return found

    def get_shipping_state(self, cases: Records) -> Records:
        self.need("cases", cases, "AccountId")
        accounts = [record["AccountId"] for record in cases]
        for place, account in enumerate(accounts):
            if account is not None and not isinstance(account, str):
                raise self.refusal(f"cases[{place}]: AccountId must be an id or null")
        wanted = list(dict.fromkeys(account for account in accounts if account))
        rows = self.select("Id, ShippingState", "Account", lists={"Id": wanted}) if wanted else []
        states = {row["Id"]: row["ShippingState"] for row in rows}
        found = cases if not self.clean else [dict(record) for record in cases]
        for record, account in zip(found, accounts, strict=True):
            record["ShippingState"] = states.get(canonical(account) if account else None)
        return found

    def calculate_region_average_closure_times(self, cases: Records) -> Values:
        if not cases and not self.clean:
            raise self.refusal("cases must not be empty")
        self.need("cases", cases, "ShippingState")
        for place, record in enumerate(cases):
            if record["ShippingState"] is not None and not isinstance(record["ShippingState"], str):
                raise self.refusal(f"cases[{place}]: ShippingState must be text or null")
        pairs = zip((record["ShippingState"] for record in cases), self.seconds("cases", cases), strict=True)
        timed = [(state, seconds) for state, seconds in pairs if state and seconds is not None]
        return means(timed if not self.clean else self._often_enough(timed))

    def _often_enough(self, timed: list[tuple[str, float]]) -> list[tuple[str, float]]:
        """The cases of states that have enough of them."""
        counts = tally(state for state, _ in timed)
        few = sorted(state for state, count in counts.items() if count < FEWEST)
        if few:
            self.notes.append(f"left out, with fewer than {FEWEST} closed cases: {', '.join(few)}")
        return [(state, seconds) for state, seconds in timed if counts[state] >= FEWEST]

    def get_issue_counts(self, start_date: str, end_date: str, order_item_ids: Ids) -> Counts:
        self.check(order_item_ids=order_item_ids)
        window = self.within(start_date, end_date, last=True)
        if not order_item_ids:
            if self.clean:
                return {}
            raise self.refusal("order_item_ids must not be empty")
        rows = self.select("Id, IssueId__c", "Case", window, {"OrderItemId__c": order_item_ids})
        counts = tally(row["IssueId__c"] for row in rows if row["IssueId__c"] is not None)
        return dict(sorted(counts.items(), key=lambda entry: -entry[1]))

    def get_issues(self) -> Records:
        return self.select("Id, Name", "Issue__c")

    def get_email_messages_by_case_id(self, case_id: str) -> Records:
        order = " ORDER BY MessageDate" if self.clean else ""
        return self._about("EmailMessage", "ParentId", case_id, _EMAIL_FIELDS, order)

    def get_livechat_transcript_by_case_id(self, case_id: str) -> Records:
        order = " ORDER BY EndTime" if self.clean else ""
        return self._about("LiveChatTranscript", "CaseId", case_id, "Body, EndTime", order)

    def _about(
        self, source: str, field: str, record_id: str, fields: str, order: str
    ) -> list[dict[str, Any]]:
        self.check(case_id=record_id)
        return self.select(fields, source, [one_of(field, [record_id])], tail=order)
