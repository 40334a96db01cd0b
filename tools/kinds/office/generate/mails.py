"""The mails of a generated office."""

from __future__ import annotations

import random
from datetime import datetime, time, timedelta

from tools.kinds.office.generate.names import Cast, pool, record_id
from tools.kinds.office.moments import CELL_FORMAT
from tools.kinds.office.schema import Row
from tools.seeding import rng

DAYS = 60
_FEWEST_DAYS = 14
_PER_DAY = 500 / DAYS
_TASK_SUBJECTS = 32
_LONG_EVERY = 5
_FIRST_SECOND, _LAST_SECOND = 9 * 3600, 16 * 3600 - 1


def mails(seed: int, count: int, now: datetime, cast: Cast, task_names: list[str]) -> list[Row]:
    """`count` received mails of the days before `now`, no subject twice a day, by time."""
    numbers = rng(seed, "office", "mails")
    contents = _contents(numbers, count, cast, task_names)
    days = max(_FEWEST_DAYS, round(count / _PER_DAY))
    used: set[tuple[int, str]] = set()
    times: set[datetime] = set()
    rows: list[Row] = []
    while len(rows) < count:
        sender, subject, body = numbers.choice(contents)
        days_back = numbers.randint(1, days)
        sent = datetime.combine(now.date(), time()) + timedelta(
            days=-days_back, seconds=numbers.randint(_FIRST_SECOND, _LAST_SECOND)
        )
        if (days_back, subject) in used or sent in times:
            continue
        used.add((days_back, subject))
        times.add(sent)
        rows.append((record_id(len(rows)), "inbox", sender, subject, sent.strftime(CELL_FORMAT), body))
    return sorted(rows, key=lambda row: str(row[4]))


def _contents(
    numbers: random.Random, count: int, cast: Cast, task_names: list[str]
) -> list[tuple[str, str, str]]:
    """As many contents as mails; mails draw from them, so some are sent again. Sender, subject, body."""
    texts = pool("mail_texts.toml")
    topics = {
        "event": cast.events,
        "task": numbers.sample(task_names, min(_TASK_SUBJECTS, len(task_names))),
    }
    found = []
    for number in range(count):
        kind = ("event", "task")[number % 2]
        topic = numbers.choice(topics[kind])
        sender = numbers.choice(cast.everyone)
        paragraphs = [numbers.choice(texts["greetings"]), numbers.choice(texts[kind]["sentences"])]
        if number % _LONG_EVERY == _LONG_EVERY - 1:
            paragraphs.append(numbers.choice(texts["more"]["paragraphs"]))
        paragraphs.append(f"{numbers.choice(texts['closings'])}\n{sender.first_name}")
        body = "\n\n".join(paragraphs).replace("{x}", topic)
        found.append((sender.address, texts[kind]["subject"].replace("{x}", topic), body))
    return found
