"""An office world's tables as plain Python, for drawing tasks and working out their answers without tools."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import cached_property
from typing import Any, TypeVar

from worksmith.tools.kinds.office import schema
from worksmith.tools.sqlite.schema import Table
from worksmith.tools.world import World

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)


Row = Mapping[str, Any]
"""A record by column, as tables hold it and as tools show it."""


@dataclass(frozen=True, slots=True)
class Employee:
    """One entry of the directory; `first_name` as tasks write it."""

    first_name: str
    address: str

    @classmethod
    def of(cls, row: Row) -> Employee:
        return cls(row["address"].split(".", 1)[0].capitalize(), row["address"])


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
        return self.start + timedelta(minutes=self.minutes)

    @classmethod
    def of(cls, row: Row) -> Event:
        start = datetime.fromisoformat(row["event_start"])
        return cls(row["event_id"], row["event_name"], row["participant_email"], start, int(row["duration"]))


@dataclass(frozen=True, slots=True)
class Mail:
    """One mail; `address` is the other side's: the sender's in the inbox, else the recipient's."""

    id: str
    box: str
    address: str
    subject: str
    sent: datetime

    def fits(self, subject: str, address: str) -> bool:
        """Whether it has both; an empty text fits any."""
        return subject in ("", self.subject) and address in ("", self.address)

    @classmethod
    def of(cls, row: Row) -> Mail:
        sent = datetime.fromisoformat(row["sent_datetime"])
        return cls(row["email_id"], row["inbox/outbox"], row["sender/recipient"], row["subject"], sent)


@dataclass(frozen=True, slots=True)
class Visit:
    """One visit to the web site."""

    day: date
    seconds: int
    source: str
    engaged: bool

    @classmethod
    def of(cls, row: Row) -> Visit:
        day, seconds = date.fromisoformat(row["date_of_visit"]), int(row["session_duration_seconds"])
        return cls(day, seconds, row["traffic_source"], row["user_engaged"] == "True")


@dataclass(frozen=True, slots=True)
class ProjectTask:
    """One task of a project board; `assignee` is an address."""

    id: str
    name: str
    assignee: str
    list_name: str
    due: date
    board: str

    @classmethod
    def of(cls, row: Row) -> ProjectTask:
        due = date.fromisoformat(row["due_date"])
        return cls(
            row["task_id"], row["task_name"], row["assigned_to_email"], row["list_name"], due, row["board"]
        )


@dataclass(frozen=True, slots=True)
class Customer:
    """One customer; `assignee` is the address of the employee in charge."""

    id: str
    assignee: str
    name: str
    last_contact: date | None
    product: str
    status: str

    @classmethod
    def of(cls, row: Row) -> Customer:
        contact = row["last_contact_date"]
        return cls(
            row["customer_id"],
            row["assigned_to_email"],
            row["customer_name"],
            date.fromisoformat(contact) if contact else None,
            row["product_interest"],
            row["status"],
        )


Series = Mapping[date, float]
"""A figure by day."""


@dataclass(frozen=True)
class Metric:
    """A daily figure of the web site.

    Attributes:
        tool: shows its series.
        value_to_plot: its name for the plotting tool.
        figure: works it out from a day's visits.
    """

    tool: str
    value_to_plot: str
    figure: Callable[[list[Visit]], float]


METRICS = {
    "total visits": Metric("analytics.total_visits_count", "total_visits", len),
    "average session duration": Metric(
        "analytics.get_average_session_duration",
        "session_duration_seconds",
        lambda visits: sum(visit.seconds for visit in visits) / len(visits),
    ),
    "engaged users": Metric(
        "analytics.engaged_users_count",
        "user_engaged",
        lambda visits: sum(visit.engaged for visit in visits),
    ),
}
"""By what tasks call it."""

OPENING, CLOSING = time(9), time(18)
MEETING = timedelta(minutes=30)


class Records:
    """The records of one world, each list in table order, and the clock of its episodes.

    Attributes:
        now: the clock. Tasks call its date "today".
    """

    def __init__(self, now: datetime, read: Callable[[Table], Iterable[Row]]) -> None:
        self.now = now
        self.employees = [Employee.of(row) for row in read(schema.DIRECTORY)]
        self.events = [Event.of(row) for row in read(schema.CALENDAR)]
        self.mails = [Mail.of(row) for row in read(schema.EMAIL)]
        self.visits = [Visit.of(row) for row in read(schema.ANALYTICS)]
        self.tasks = [ProjectTask.of(row) for row in read(schema.TASKS)]
        self.customers = [Customer.of(row) for row in read(schema.CUSTOMERS)]

    @classmethod
    def of(cls, world: World) -> Records:
        return cls(world.manifest.now, lambda table: world.rows(table.name, table.columns))

    @classmethod
    def of_tables(cls, now: datetime, tables: Mapping[str, Sequence[Sequence[str | None]]]) -> Records:
        """Those of a world that is not written yet: its rows by table name, cells in column order."""
        return cls(
            now,
            lambda table: (dict(zip(table.columns, row, strict=True)) for row in tables.get(table.name, ())),
        )

    @property
    def today(self) -> date:
        return self.now.date()

    @cached_property
    def by_start(self) -> list[Event]:
        return sorted(self.events, key=lambda event: event.start)

    @cached_property
    def upcoming(self) -> list[Event]:
        """Events that start after the clock, the next one first."""
        return [event for event in self.by_start if event.start > self.now]

    @cached_property
    def events_on(self) -> dict[date, list[Event]]:
        """The events of each day that has any, by start."""
        return grouped(self.by_start, lambda event: event.start.date())

    def free_slot_tomorrow(self) -> datetime | None:
        """The first free half hour of the day after the clock's."""
        day = self.today + timedelta(days=1)
        return first_free_slot(((each.start, each.end) for each in self.events_on.get(day, [])), day)

    def is_free(self, start: datetime, minutes: int, besides: Event | None = None) -> bool:
        """Whether an event fits then: no event but `besides` is in the way, and office hours suffice."""
        end = start + timedelta(minutes=minutes)
        others = (event for event in self.events_on.get(start.date(), []) if event is not besides)
        return end.time() <= CLOSING and all(end <= each.start or start >= each.end for each in others)

    @cached_property
    def event_names(self) -> list[str]:
        return sorted({event.name for event in self.events})

    @cached_property
    def received_from(self) -> dict[str, list[Mail]]:
        """The mails that each sender sent to Sam, the latest last."""
        inbox = (mail for mail in self.mails if mail.box == "inbox")
        return grouped(sorted(inbox, key=lambda mail: mail.sent), lambda mail: mail.address)

    @cached_property
    def received(self) -> list[Mail]:
        """The mails that Sam got, sender by sender."""
        return [mail for mails in self.received_from.values() for mail in mails]

    @cached_property
    def visits_on(self) -> dict[date, list[Visit]]:
        return grouped(self.visits, lambda visit: visit.day)

    def series(self, metric: str, since: date, until: date | None = None) -> Series:
        """A figure by day from `since` to `until`, by default yesterday, for days with visits."""
        last = until or self.today - timedelta(days=1)
        return {day: value for day, value in self._series[metric].items() if since <= day <= last}

    @cached_property
    def _series(self) -> dict[str, Series]:
        days = sorted(self.visits_on.items())
        return {
            name: {day: metric.figure(visits) for day, visits in days} for name, metric in METRICS.items()
        }

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


def first_free_slot(busy: Iterable[tuple[datetime, datetime]], day: date) -> datetime | None:
    """The earliest start on `day` of a half hour that touches nothing `busy` and lies in office hours.

    Args:
        busy: starts and ends of the day's events, by start.
    """
    free = datetime.combine(day, OPENING)
    for start, end in busy:
        if free + MEETING <= start:
            return free
        free = max(free, end)
    return free if free + MEETING <= datetime.combine(day, CLOSING) else None


def grouped(rows: Iterable[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    """`rows` by `key`, their order kept."""
    groups: dict[K, list[T]] = defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    return dict(groups)
