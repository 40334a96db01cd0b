"""An office's records in place of its tools: the results and changes of an intent's logic."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime, time
from typing import TypeVar

from worksmith.evals.kinds.office.records import Customer, Event, Mail, ProjectTask, Records, Series
from worksmith.evals.tasks.task import Action

R = TypeVar("R", Event, Customer)


class Known:
    """Finds records without tools. `actions`: the changes so far.

    Every method takes the arguments of the one of this name in `PlanRecorder`.
    """

    def __init__(self, records: Records) -> None:
        self.now, self.today = records.now, records.today
        self.actions: list[Action] = []
        self._records = records

    def do(self, action: Action, why: str) -> None:
        self.actions.append(action)

    def again(self, *searches: Callable[[], Sequence[R]]) -> Iterator[R]:
        found = [row for search in searches for row in search()]
        yield from found if len(searches) == 1 else sorted(found, key=lambda row: self._place(row))

    def _place(self, row: Event | Customer) -> int:
        rows: list[Event] | list[Customer] = self._records.customers
        return rows.index(row)  # type: ignore[arg-type]

    def address(self, name: str) -> str:
        return self._records.address(name)

    def events(self, why: str, query: str, first: datetime, last: datetime | None = None) -> list[Event]:
        return [
            event
            for event in self._records.by_start
            if (first <= event.start <= last if last else event.start > first)
            and query.lower() in ("", event.name.lower(), event.participant)
        ]

    def events_of_day(self, why: str, day: date, query: str = "") -> list[Event]:
        return self.events(why, query, datetime.combine(day, time.min), datetime.combine(day, time.max))

    def free_slot_tomorrow(self) -> datetime:
        start = self._records.free_slot_tomorrow()
        assert start is not None, "draw no such task for a world whose tomorrow is full"
        return start

    def mails(self, why: str, query: str, first: date | None = None, last: date | None = None) -> list[Mail]:
        return [
            mail
            for mail in self._records.received
            if (first or date.min) <= mail.sent.date() <= (last or date.max)
        ]

    def latest_mail(self, why: str, query: str, *, subject: str = "", sender: str = "") -> Mail:
        fitting = (mail for mail in self._records.received if mail.fits(subject, sender))
        return max(fitting, key=lambda mail: mail.sent)

    def tasks(self, why: str, **wanted: str) -> list[ProjectTask]:
        owner = wanted.get("assigned_to_email")
        return [
            task
            for task in (self._records.tasks if owner is None else self._records.tasks_of.get(owner, []))
            if wanted.get("list_name", task.list_name) == task.list_name
            and wanted.get("board", task.board) == task.board
            and re.search(wanted.get("due_date", ""), task.due.isoformat())
        ]

    def customers(self, why: str, **wanted: str) -> list[Customer]:
        latest = wanted.pop("last_contact_date_max", "")
        return [
            customer
            for customer in self._records.customers
            if all(_cell(customer, name) == value.lower() for name, value in wanted.items())
            and (not latest or (customer.last_contact and customer.last_contact.isoformat() <= latest))
        ]

    def series(self, metric: str, since: date, until: date | None = None) -> Series:
        return self._records.series(metric, since, until)

    def visits(self, source: str, since: date, until: date) -> int:
        return sum(visit.source == source and since <= visit.day <= until for visit in self._records.visits)


def _cell(customer: Customer, column: str) -> str:
    cells = {
        "customer_name": customer.name,
        "assigned_to_email": customer.assignee,
        "product_interest": customer.product,
        "status": customer.status,
    }
    return cells[column].lower()
