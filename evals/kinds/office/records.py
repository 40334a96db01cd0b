"""An office world's tables as plain Python, for drawing tasks and working out their answers without tools."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cached_property
from typing import Any, TypeVar

from worksmith.tools.world import World

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Employee:
    """One entry of the directory; `first_name` as tasks write it."""

    first_name: str
    address: str


@dataclass(frozen=True, slots=True)
class Event:
    """One event of the calendar; `participant` is an address."""

    id: str
    name: str
    participant: str
    start: datetime
    minutes: int

    @property
    def end(self) -> datetime:
        """When it is over."""
        return self.start + timedelta(minutes=self.minutes)


@dataclass(frozen=True, slots=True)
class Mail:
    """One mail; `address` is the other side's: the sender's in the inbox, else the recipient's."""

    id: str
    box: str
    address: str
    subject: str
    sent: datetime
    body: str


@dataclass(frozen=True, slots=True)
class Visit:
    """One visit to the web site."""

    day: date
    seconds: int
    source: str
    engaged: bool


@dataclass(frozen=True, slots=True)
class ProjectTask:
    """One task of a project board; `assignee` is an address."""

    id: str
    name: str
    assignee: str
    list_name: str
    due: date
    board: str


@dataclass(frozen=True, slots=True)
class Customer:
    """One customer; `assignee` is the address of the employee in charge."""

    id: str
    assignee: str
    name: str
    last_contact: date | None
    product: str
    status: str


class Records:
    """The records of one world, each list in table order, and the clock of its episodes.

    Attributes:
        now: the clock. Tasks call its date "today".
        employees: the directory.
        events: by start.
        mails: by time sent.
        visits: in no order.
        tasks: by due date.
        customers: the latest contacted first.
    """

    def __init__(self, world: World) -> None:
        def read(table: str, *columns: str) -> Iterable[tuple[Any, ...]]:
            return (tuple(row.values()) for row in world.rows(table, columns))

        moment = datetime.fromisoformat
        day = date.fromisoformat
        self.now = world.manifest.now
        self.employees = [
            Employee(str(address).split(".", 1)[0].capitalize(), address)
            for (address,) in read("directory", "address")
        ]
        self.events = [
            Event(i, name, participant, moment(start), int(minutes))
            for i, name, participant, start, minutes in read(
                "calendar", "event_id", "event_name", "participant_email", "event_start", "duration"
            )
        ]
        self.mails = [
            Mail(i, box, address, subject, moment(sent), body)
            for i, box, address, subject, sent, body in read(
                "email", "email_id", "inbox/outbox", "sender/recipient", "subject", "sent_datetime", "body"
            )
        ]
        self.visits = [
            Visit(day(visited), int(seconds), source, engaged == "True")
            for visited, seconds, source, engaged in read(
                "analytics", "date_of_visit", "session_duration_seconds", "traffic_source", "user_engaged"
            )
        ]
        self.tasks = [
            ProjectTask(i, name, assignee, list_name, day(due), board)
            for i, name, assignee, list_name, due, board in read(
                "tasks", "task_id", "task_name", "assigned_to_email", "list_name", "due_date", "board"
            )
        ]
        self.customers = [
            Customer(i, assignee, name, day(contact) if contact else None, product, status)
            for i, assignee, name, contact, product, status in read(
                "customers",
                *("customer_id", "assigned_to_email", "customer_name"),
                *("last_contact_date", "product_interest", "status"),
            )
        ]

    @property
    def today(self) -> date:
        return self.now.date()

    @cached_property
    def upcoming(self) -> list[Event]:
        """Events that start after the clock, the next one first."""
        return sorted((event for event in self.events if event.start > self.now), key=lambda e: e.start)

    @cached_property
    def events_on(self) -> dict[date, list[Event]]:
        """The events of each day that has any, by start."""
        return grouped(sorted(self.events, key=lambda e: e.start), lambda event: event.start.date())

    @cached_property
    def events_with(self) -> dict[str, list[Event]]:
        """The events with each participant, by start."""
        return grouped(sorted(self.events, key=lambda e: e.start), lambda event: event.participant)

    @cached_property
    def received_from(self) -> dict[str, list[Mail]]:
        """The mails that each sender sent to Sam, the latest last."""
        inbox = (mail for mail in self.mails if mail.box == "inbox")
        return grouped(sorted(inbox, key=lambda mail: mail.sent), lambda mail: mail.address)

    @cached_property
    def visits_on(self) -> dict[date, list[Visit]]:
        return grouped(self.visits, lambda visit: visit.day)

    @cached_property
    def tasks_of(self) -> dict[str, list[ProjectTask]]:
        """Each assignee's tasks, the first due first."""
        return grouped(sorted(self.tasks, key=lambda task: task.due), lambda task: task.assignee)

    @cached_property
    def customers_of(self) -> dict[str, list[Customer]]:
        """Each employee's customers, in table order."""
        return grouped(self.customers, lambda customer: customer.assignee)

    @cached_property
    def sales(self) -> list[Employee]:
        """Who is in charge of customers, in the order of the directory."""
        return [employee for employee in self.employees if employee.address in self.customers_of]

    @cached_property
    def project_staff(self) -> list[Employee]:
        """Who has project tasks, in the order of the directory."""
        return [employee for employee in self.employees if employee.address in self.tasks_of]

    def address(self, first_name: str) -> str:
        """The address of the employee whom tasks call `first_name`, in any letter case."""
        return self._addresses[first_name.lower()]

    @cached_property
    def _addresses(self) -> dict[str, str]:
        return {employee.first_name.lower(): employee.address for employee in self.employees}


def grouped(rows: Iterable[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    """`rows` by `key`, their order kept."""
    groups: dict[K, list[T]] = defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    return dict(groups)
