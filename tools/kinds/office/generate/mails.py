"""The mails of a generated office."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import datetime, time, timedelta

from tools.kinds.office.generate.names import Cast, Employee, pool, record_id
from tools.kinds.office.moments import CELL_FORMAT
from tools.kinds.office.schema import Row
from tools.seeding import rng

DAYS = 60
_TEXTS = "mail_texts.toml"
_FEWEST_DAYS = 14
_PER_DAY = 500 / DAYS
_TASK_SUBJECTS = 32
_LONG_EVERY = 5
_FIRST_SECOND, _LAST_SECOND = 9 * 3600, 16 * 3600 - 1


@dataclass(frozen=True)
class _Content:
    """What a mail says; each time that it is sent it says so in other words."""

    sender: Employee
    kind: str
    topic: str
    greeting: str
    theme: dict[str, list[str]]
    more: list[str]
    closing: str

    @property
    def subject(self) -> str:
        subject: str = pool(_TEXTS)[self.kind]["subject"]
        return subject.replace("{x}", self.topic)

    def body(self, numbers: random.Random) -> str:
        said = [numbers.choice(self.theme[part]) for part in ("open", "detail", "ask")]
        paragraphs = [self.greeting, " ".join(said)]
        if self.more:
            paragraphs.append(numbers.choice(self.more))
        paragraphs.append(f"{self.closing}\n{self.sender.first_name}")
        texts = pool(_TEXTS)
        number, day = numbers.choice(texts["numbers"]), numbers.choice(texts["days"])
        text = "\n\n".join(paragraphs).replace("{n}", number).replace("{day}", day)
        return text.replace("{x}", self.topic)


def mails(seed: int, count: int, now: datetime, cast: Cast, task_names: list[str]) -> list[Row]:
    """`count` received mails of the days before `now`, no subject twice a day, by time."""
    numbers = rng(seed, "office", "mails")
    contents = _contents(numbers, count, cast, task_names)
    days = max(_FEWEST_DAYS, round(count / _PER_DAY))
    used: set[tuple[int, str]] = set()
    times: set[datetime] = set()
    rows: list[Row] = []
    while len(rows) < count:
        content = numbers.choice(contents)
        subject = content.subject
        days_back = numbers.randint(1, days)
        sent = datetime.combine(now.date(), time()) + timedelta(
            days=-days_back, seconds=numbers.randint(_FIRST_SECOND, _LAST_SECOND)
        )
        if (days_back, subject) in used or sent in times:
            continue
        used.add((days_back, subject))
        times.add(sent)
        body = content.body(rng(seed, "office", "mail words", len(rows)))
        rows.append(
            (
                record_id(len(rows)),
                "inbox",
                content.sender.address,
                subject,
                sent.strftime(CELL_FORMAT),
                body,
            )
        )
    return sorted(rows, key=lambda row: str(row[4]))


def _contents(numbers: random.Random, count: int, cast: Cast, task_names: list[str]) -> list[_Content]:
    """As many contents as mails; mails draw from them, so some are sent again."""
    texts = pool(_TEXTS)
    topics = {
        "event": cast.events,
        "task": numbers.sample(task_names, min(_TASK_SUBJECTS, len(task_names))),
    }
    found = []
    for number in range(count):
        kind = ("event", "task")[number % 2]
        is_long = number % _LONG_EVERY == _LONG_EVERY - 1
        found.append(
            _Content(
                kind=kind,
                topic=numbers.choice(topics[kind]),
                sender=numbers.choice(cast.everyone),
                greeting=numbers.choice(texts["greetings"]),
                theme=numbers.choice(texts[kind]["themes"]),
                more=numbers.choice(texts["more"]["paragraphs"]) if is_long else [],
                closing=numbers.choice(texts["closings"]),
            )
        )
    return found
