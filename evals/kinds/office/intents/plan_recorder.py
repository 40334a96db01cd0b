"""Office plans: how records are found by tools, and where each call's arguments come from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime, time, timedelta
from typing import Any, TypeVar

from worksmith.evals.authoring.plan_recorder import PlanRecorder as Recorder
from worksmith.evals.authoring.plan_recorder import leaves
from worksmith.evals.kinds.office.intents.wording import moment_cell
from worksmith.evals.kinds.office.records import (
    METRICS,
    Customer,
    Event,
    Mail,
    ProjectTask,
    Row,
    Series,
    first_free_slot,
)
from worksmith.evals.tasks.task import Action
from worksmith.tools.episode import Episode
from worksmith.tools.errors import WorksmithError

T = TypeVar("T")
R = TypeVar("R", Event, Customer)

_PAGE = 5
"""A search shows at most that many events or mails."""


class ToolRefusedError(WorksmithError):
    """A tool refused a call of a solution."""


class PlanRecorder(Recorder):
    """The clock and the tools for an intent's logic: finds records and makes changes by calls.

    Args:
        query: the task's text; its words need no step that shows them.
    """

    def __init__(self, episode: Episode, query: str) -> None:
        super().__init__(episode)
        self._query = query.lower()
        self._observed: list[set[str]] = []
        self._addresses: dict[str, str] = {}

    def __call__(self, tool: str, why: str, **arguments: str) -> Any:
        """Call a tool.

        Args:
            tool: `toolkit.function`.
            why: the thought that leads to the call, one sentence.
            arguments: the tool's.

        Returns:
            The observation's value.

        Raises:
            ToolRefusedError: the tool refuses the call.
        """
        observation = self._call(tool, why, arguments, self._sources(tool, arguments))
        if observation.status != "ok":
            raise ToolRefusedError(f"{tool}({arguments}): {observation.text}")
        self._observed.append(set(leaves(observation.value, keys=True)))
        return observation.value

    def do(self, action: Action, why: str) -> None:
        """Make the writing call that `action` describes."""
        self(action.tool, why, **action.arguments)

    def again(self, *searches: Callable[[], Sequence[R]]) -> Iterator[R]:
        """The results of each search, repeated until it is empty: a page may hide more.

        The caller must change each record so that the search no longer finds it.
        """
        for search in searches:
            while found := search():
                yield from found

    def address(self, name: str) -> str:
        """The address of the employee whom a task calls `name`, from the directory, asked for once."""
        if name not in self._addresses:
            found: list[str] = self(
                "company_directory.find_email_address", f"I need the email address of {name}.", name=name
            )
            self._addresses[name] = found[0]
        return self._addresses[name]

    def events(self, why: str, query: str, first: datetime, last: datetime | None = None) -> list[Event]:
        """The first events, at most five, that match a query and start in a range, both ends included.

        Without a `last` moment they start after the first.
        """
        arguments = {"query": query} if query else {}
        arguments |= {"time_min": moment_cell(first)}
        arguments |= {"time_max": moment_cell(last)} if last else {}
        found = self._found("calendar.search_events", why, Event.of, **arguments)
        return found if last else [event for event in found if event.start > first]

    def events_of_day(self, why: str, day: date, query: str = "") -> list[Event]:
        """All events of a day that match a query, page by page."""
        return [event for page in self._pages(why, day, query) for event in page]

    def free_slot_tomorrow(self) -> datetime:
        """The first free half hour tomorrow, from all pages of the day's events.

        Raises:
            LookupError: there is no free half hour.
        """
        day = self.today + timedelta(days=1)
        events = list[Event]()
        for page in self._pages("I need tomorrow's events to find the first free slot.", day, of=" tomorrow"):
            events += page
            slot = first_free_slot(((event.start, event.end) for event in events), day)
            if slot is not None and not (len(page) == _PAGE and slot >= events[-1].end):
                return slot
        raise LookupError(f"no half hour is free on {day}")

    def _pages(self, why: str, day: date, query: str = "", of: str = "") -> Iterator[list[Event]]:
        first, last = datetime.combine(day, time.min), datetime.combine(day, time.max)
        while True:
            page = self.events(why, query, first, last)
            yield page
            if len(page) < _PAGE:
                return
            first = page[-1].start + timedelta(seconds=1)
            why = f"The page is full, so I look for later events{of}."

    def mails(self, why: str, query: str, first: date | None = None, last: date | None = None) -> list[Mail]:
        """All received mails that contain the words of `query`, sent from `first` to `last`, page by page."""
        found: dict[str, Mail] = {}
        while True:
            page = self._mails(why, query, first, last)
            fresh = [mail for mail in page if mail.id not in found]
            found |= {mail.id: mail for mail in fresh}
            if len(page) < _PAGE or not fresh:
                return [mail for mail in found.values() if mail.box == "inbox"]
            last = page[-1].sent.date()
            why = "The page is full, so I look for earlier emails."

    def latest_mail(self, why: str, query: str, *, subject: str = "", sender: str = "") -> Mail:
        """The latest mail that contains the words of `query`, of exactly this subject and sender if given.

        Raises:
            LookupError: no mail fits.
        """
        last: date | None = None
        while True:
            page = self._mails(why, query, None, last)
            if mail := next((mail for mail in page if mail.fits(subject, sender)), None):
                return mail
            if len(page) < _PAGE or last == page[-1].sent.date():
                raise LookupError(f"no email {query!r}")
            last = page[-1].sent.date()
            why = "None of these is the email I need, so I look for earlier ones."

    def _mails(self, why: str, query: str, first: date | None, last: date | None) -> list[Mail]:
        days = {"date_min": first, "date_max": last}
        bounds = {name: day.isoformat() for name, day in days.items() if day is not None}
        return self._found("email.search_emails", why, Mail.of, query=query, **bounds)

    def tasks(self, why: str, **wanted: str) -> list[ProjectTask]:
        """All tasks whose columns contain the wanted texts."""
        return self._found("project_management.search_tasks", why, ProjectTask.of, **wanted)

    def customers(self, why: str, **wanted: str) -> list[Customer]:
        """The first customers, at most five, who fit the conditions of the search."""
        return self._found("customer_relationship_manager.search_customers", why, Customer.of, **wanted)

    def series(self, metric: str, since: date, until: date | None = None) -> Series:
        """A figure of the web site by day, from `since` to `until`, by default yesterday."""
        last = until or self.today - timedelta(days=1)
        found: dict[str, float] = self(
            METRICS[metric].tool,
            f"I need the daily figures for {metric} in that period.",
            time_min=since.isoformat(),
            time_max=last.isoformat(),
        )
        return {date.fromisoformat(day): value for day, value in found.items()}

    def visits(self, source: str, since: date, until: date) -> int:
        """How many visits a traffic source has brought."""
        found: dict[str, int] = self(
            "analytics.traffic_source_count",
            f"I need the visits from {source} in that period.",
            time_min=since.isoformat(),
            time_max=until.isoformat(),
            traffic_source=source,
        )
        return sum(found.values())

    def _found(self, tool: str, why: str, of: Callable[[Row], T], **arguments: str) -> list[T]:
        """The records that a search shows; with nothing found it is a message instead of a list."""
        value = self(tool, why, **arguments)
        return [of(row) for row in value] if isinstance(value, list) else []

    def _sources(self, tool: str, arguments: dict[str, str]) -> set[int]:
        """The earlier steps that this call goes back to.

        They are those that first showed an argument which neither the task nor an earlier call names; for
        a writing call also the latest reads, on which it was decided; for a call made before, all steps
        since, after which it shows something else.
        """
        found = {i for value in arguments.values() if (i := self._first_shown(value)) is not None}
        if self._episode.toolset[tool].writes:
            found.update(self._latest_reads())
        for i, step in enumerate(self.steps):
            if (step.tool, step.arguments) == (tool, arguments):
                found.update(range(i + 1, len(self.steps)))
        return found

    def _first_shown(self, value: str) -> int | None:
        if value.lower() in self._query:
            return None
        for i, values in enumerate(self._observed):
            if value in self.steps[i].arguments.values():
                return None
            if value in values:
                return i
        return None

    def _latest_reads(self) -> list[int]:
        """The last unbroken row of reads; writes may have followed."""
        writes = [self._writes(step) for step in self.steps]
        last = max((i for i, write in enumerate(writes) if not write), default=-1)
        first = last
        while first > 0 and not writes[first - 1]:
            first -= 1
        return list(range(first, last + 1)) if last >= 0 else []
