"""The mails of a generated office."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, time, timedelta

from worksmith.tools.kinds.office.generate.names import Cast, Employee, pool, record_id
from worksmith.tools.kinds.office.moments import CELL_FORMAT
from worksmith.tools.kinds.office.schema import Row
from worksmith.tools.seeding import rng

DAYS = 60
_TEXTS = "mail_texts.toml"
_FEWEST_DAYS = 14
_PER_DAY = 500 / DAYS
_TASK_SUBJECTS = 32
_LONG_EVERY = 5
_WORKDAYS = 5
_FIRST_SECOND, _LAST_SECOND = 9 * 3600, 16 * 3600 - 1


@dataclass(frozen=True)
class _Content:
    """The content of a mail; each sending has other words."""

    sender: Employee
    kind: str
    topic: str
    greeting: str
    theme: Mapping[str, list[str]]
    more: list[str]
    closing: str

    @property
    def subject(self) -> str:
        subject: str = pool(_TEXTS)[self.kind]["subject"]
        return subject.replace("{x}", self.topic)

    def body(self, numbers: random.Random, weekday: int) -> str:
        """The text; the days that it names are others than that of the mail."""
        said = [numbers.choice(self.theme[part]) for part in ("open", "detail", "ask")]
        paragraphs = [self.greeting, " ".join(said)]
        if self.more:
            paragraphs.append(numbers.choice(self.more))
        paragraphs.append(f"{self.closing}\n{self.sender.first_name}")
        text = "\n\n".join(paragraphs)
        texts = pool(_TEXTS)
        others = [day for place, day in enumerate(texts["days"]) if place != weekday]
        for slot, words in (("{n}", texts["numbers"]), ("{day}", others)):
            for word in numbers.sample(words, text.count(slot)):
                text = text.replace(slot, word, 1)
        return text.replace("{x}", self.topic)


def mails(seed: int, count: int, now: datetime, cast: Cast, boards: Mapping[str, str]) -> list[Row]:
    """`count` received mails of the workdays before `now`, no subject twice a day, by time.

    Args:
        boards: the board of each name of a task; who works on it writes about it.
    """
    numbers = rng(seed, "office", "mails")
    contents = _contents(numbers, count, cast, boards)
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
        if sent.weekday() >= _WORKDAYS or (days_back, subject) in used or sent in times:
            continue
        used.add((days_back, subject))
        times.add(sent)
        body = content.body(rng(seed, "office", "mail words", len(rows)), sent.weekday())
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


def _contents(numbers: random.Random, count: int, cast: Cast, boards: Mapping[str, str]) -> list[_Content]:
    """As many contents as mails; mails draw from them, so some are sent again."""
    texts = pool(_TEXTS)
    topics = {
        "event": cast.events,
        "task": numbers.sample(list(boards), min(_TASK_SUBJECTS, len(boards))),
    }
    found = []
    for number in range(count):
        kind = ("event", "task")[number % 2]
        is_long = number % _LONG_EVERY == _LONG_EVERY - 1
        topic = numbers.choice(topics[kind])
        board = boards.get(topic)
        theme = numbers.choice(texts[kind]["themes"])
        found.append(
            _Content(
                kind=kind,
                topic=topic,
                sender=numbers.choice(cast.boards[board] if board else cast.everyone),
                greeting=numbers.choice(texts["greetings"]),
                theme=theme | {"detail": [*theme["detail"], *theme.get("only", {}).get(board, [])]},
                more=numbers.choice(texts["more"]["paragraphs"]) if is_long else [],
                closing=numbers.choice(texts["closings"]),
            )
        )
    return found
