"""The subjects, authors and times of mail threads: planned before their words."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import cached_property

from worksmith.tools.kinds.enterprise.generate.draft import Draft
from worksmith.tools.kinds.enterprise.generate.entities import Citable, Employee, Project
from worksmith.tools.kinds.enterprise.generate.projects import colleagues, workday
from worksmith.tools.kinds.enterprise.generate.staff import ORDINARY
from worksmith.tools.kinds.enterprise.generate.wording import texts

_LENGTHS = (0.2, 0.22, 0.22, 0.16, 0.12, 0.08)
"""How common threads of one to six mails are: three on average."""

STATING = ("offer", "settle", "settle_own", "change")
"""The roles of mails that state a value."""

_OUTSIDE = 0.1
"""The share of threads with clients and vendors."""

_TRIES = 200
_AHEAD = (4, 70)


@dataclass(frozen=True)
class Thread:
    """Some mails that two people write in turn about one aspect of one topic; no other thread is about it.

    Attributes:
        key: its id.
        first: the number of its first mail.
        roles: what each mail does, see `texts/mail.toml`.
        people: who writes first, and who answers.
        times: when each mail is sent.
        values: what each mail states, None without one.
        deciders: who stands behind it, where a mail says so.
    """

    key: str
    first: int
    project: Project
    topic: str
    intent: str
    aspect: str
    roles: tuple[str, ...]
    people: tuple[Employee, Employee]
    times: tuple[datetime, ...]
    values: tuple[str | None, ...]
    deciders: tuple[str | None, ...]

    def mail_id(self, place: int) -> str:
        """The id of its mail number `place`, counted from nought."""
        return f"EM-{self.first + place:06d}"

    @cached_property
    def current(self) -> int:
        """The number of the mail with the final values."""
        return max(n for n, role in enumerate(self.roles) if role in STATING)


def plan_threads(draft: Draft) -> list[Thread]:
    """All threads between colleagues, the same at each call."""
    lengths = lengths_of(draft)[0]
    taken: set[tuple[str, str, str]] = set()
    threads: list[Thread] = []
    first = 1
    for number, length in enumerate(lengths, 1):
        threads.append(_thread(draft, number, first, length, taken))
        first += length
    return threads


def cite_threads(draft: Draft) -> None:
    """Let members of a thread mention it."""
    for thread in plan_threads(draft):
        people = frozenset(one.emp_id for one in thread.people)
        day = thread.times[0].date()
        draft.cite(thread.project.name, Citable(f"mail/{thread.mail_id(0)}", thread.key, day, people))


def lengths_of(draft: Draft) -> tuple[list[int], list[int]]:
    """How many mails each thread has, between colleagues and with partners; together as many as there are."""
    numbers = draft.rng("mail", "lengths")
    lengths = numbers.choices(range(1, 7), _LENGTHS, k=draft.counts.threads)
    while (missing := draft.counts.mail - sum(lengths)) != 0:
        step = 1 if missing > 0 else -1
        place = numbers.randrange(len(lengths))
        if 1 <= lengths[place] + step <= 6:
            lengths[place] += step
    outside = round(_OUTSIDE * len(lengths))
    return lengths[outside:], lengths[:outside]


def _thread(draft: Draft, number: int, first: int, length: int, taken: set[tuple[str, str, str]]) -> Thread:
    numbers = draft.rng("mail", number)
    intents = texts("mail")["intents"]
    for _ in range(_TRIES):
        project = numbers.choice([one for one in draft.projects if len(one.members) > 1])
        topic = project.topic(numbers)
        intent = numbers.choice(["decision", "decision", *intents])
        only: dict[str, list[str]] = texts("mail")["only"]
        near = (one for one in intents[intent]["aspects"] if project.department in only.get(one, ORDINARY))
        aspect = numbers.choice(list(near))
        one, other = (draft.people[emp_id] for emp_id in numbers.sample(project.members, 2))
        window = project.window(one, other)
        if window is None or (project.name, topic, aspect) in taken:
            continue
        taken.add((project.name, topic, aspect))
        last = min(window[1], draft.today - timedelta(days=1))
        times = moments(numbers, workday(numbers, min(window[0], last), last), last, length)
        roles = tuple(numbers.choice(texts("mail")["roles"][str(length)]))
        kind = intents[intent]["aspects"][aspect]
        values = _values(draft, numbers, project, kind, roles, times)
        deciders = tuple(
            _decider(draft, numbers, (one, other)[n % 2], times[n].date())
            if role in ("settle", "change")
            else None
            for n, role in enumerate(roles)
        )
        return Thread(
            f"THR-{number:06d}", first, project, topic, intent, aspect, roles, (one, other), times, values,
            deciders,
        )  # fmt: skip
    raise ValueError("there is nothing left to write about")


def moments(numbers: random.Random, day: date, last: date, length: int) -> tuple[datetime, ...]:
    """Moments in office hours, minutes apart where the last day is near."""
    moment = datetime.combine(day, time(8, 30)) + timedelta(minutes=numbers.randint(0, 360))
    found = [moment]
    while len(found) < length:
        later = moment + timedelta(minutes=numbers.randint(25, 3000))
        if not 8 <= later.hour < 18:
            later = datetime.combine(later.date() + timedelta(days=later.hour >= 18), time(8, 30))
            later += timedelta(minutes=numbers.randint(0, 240))
        if later.weekday() > 4:
            later += timedelta(days=7 - later.weekday())
        if later.date() > last:
            later = moment + timedelta(minutes=numbers.randint(4, 30))
        moment = later
        found.append(moment)
    return tuple(one + timedelta(seconds=numbers.randint(0, 59)) for one in found)


def _values(
    draft: Draft,
    numbers: random.Random,
    project: Project,
    kind: str | Sequence[str],
    roles: Sequence[str],
    times: Sequence[datetime],
) -> tuple[str | None, ...]:
    """Each mail that states something states another value, so that the read one shows."""
    values: list[str | None] = []
    for role, sent in zip(roles, times, strict=True):
        value = None
        while role in STATING and (value is None or value in values):
            value = _value(draft, numbers, project, kind, sent)
        values.append(value)
    return tuple(values)


def _value(
    draft: Draft, numbers: random.Random, project: Project, kind: str | Sequence[str], sent: datetime
) -> str:
    if kind == "person":
        present = [one for one in colleagues(draft, project) if one.active_on(sent.date())]
        return numbers.choice(present if len(present) > 3 else list(draft.people)).name
    return value_of(numbers, kind, sent)


def value_of(numbers: random.Random, kind: str | Sequence[str], sent: datetime) -> str:
    """A value of a kind, in its canonical form; one of the phrases where the kind is a list of these."""
    if not isinstance(kind, str):
        return numbers.choice(kind)
    day = sent.date() + timedelta(days=numbers.randint(*_AHEAD))
    if kind == "day":
        return day.isoformat()
    if kind == "moment":
        return f"{day.isoformat()}T{numbers.randint(9, 16):02d}:{numbers.choice((0, 15, 30, 45)):02d}"
    if kind == "money":
        return str(numbers.randint(4, 400) * 2500)
    if kind == "percent":
        return f"{numbers.randint(2, 98)} percent"
    if kind == "version":
        return f"release {numbers.randint(1, 9)}.{numbers.randint(0, 12)}"
    if kind == "price":
        return str(numbers.randint(18, 900) * 5)
    raise ValueError(kind)


def _decider(draft: Draft, numbers: random.Random, sender: Employee, day: date) -> str:
    """The sender, or an active superior."""
    above = [one for one in draft.people.chain(sender.emp_id) if one.active_on(day)]
    return numbers.choice([sender, *above]).name
