from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta
from itertools import pairwise, permutations
from pathlib import Path
from re import findall

import pytest

from tests.tables import each_row
from worksmith.tools.errors import InputError
from worksmith.tools.kinds.office.generate import DEFAULT_MAIL_DOMAIN, DEFAULT_NOW, build
from worksmith.tools.kinds.office.generate.names import pool
from worksmith.tools.kinds.office.kind import OFFICE
from worksmith.tools.kinds.office.policy import SAM
from worksmith.tools.kinds.office.schema import BOARDS, LISTS, PRODUCTS, STATUSES, TABLES, TRAFFIC_SOURCES
from worksmith.tools.world import write_world

COUNTS = {"calendar": 300, "email": 500, "analytics": 1000, "tasks": 300, "customers": 200, "directory": 20}


def column(tables: dict[str, list[tuple[str | None, ...]]], table: str, name: str) -> list[str]:
    place = next(t for t in TABLES if t.name == table).columns.index(name)
    return [str(row[place]) for row in tables[table]]


def test_same_seed_same_bytes_other_seed_other_content(tmp_path: Path) -> None:
    digests = []
    for number, seed in enumerate((1, 1, 2)):
        world = write_world(
            tmp_path / str(number),
            OFFICE.tables,
            build(seed),
            kind="office",
            origin="generated",
            now=DEFAULT_NOW,
            persona=SAM,
        )
        digests.append(world.manifest.digest)
        assert {name: count for name, count in world.manifest.counts.items() if count} == COUNTS
    assert digests[0] == digests[1] != digests[2]


@pytest.mark.parametrize("scale", [0.05, 0.1, 0.5, 3.0])
@pytest.mark.parametrize("now", [DEFAULT_NOW, datetime(2024, 2, 29, 14, 30), datetime(2025, 1, 5)])
def test_rows_scale_and_hold_together(scale: float, now: datetime) -> None:
    tables = build(7, scale, now)
    assert {name: len(rows) for name, rows in tables.items()} == {
        name: count if name == "directory" else round(count * scale) for name, count in COUNTS.items()
    }
    addresses = set(column(tables, "directory", "address"))
    for table, name in (
        ("calendar", "participant_email"),
        ("email", "sender/recipient"),
        ("tasks", "assigned_to_email"),
        ("customers", "assigned_to_email"),
    ):
        assert set(column(tables, table, name)) <= addresses
    for table, key in (
        ("calendar", "event_id"),
        ("email", "email_id"),
        ("tasks", "task_id"),
        ("customers", "customer_id"),
    ):
        assert sorted(column(tables, table, key)) == [f"{n:08d}" for n in range(len(tables[table]))]
    names = column(tables, "customers", "customer_name")
    assert len(set(names)) == len(names)
    assert len(set(column(tables, "tasks", "assigned_to_email"))) == 15


def test_events_keep_to_office_hours_and_do_not_overlap() -> None:
    tables = build(1)
    starts = [datetime.fromisoformat(text) for text in column(tables, "calendar", "event_start")]
    minutes = [int(text) for text in column(tables, "calendar", "duration")]
    ends = [start + timedelta(minutes=length) for start, length in zip(starts, minutes, strict=True)]
    assert starts == sorted(starts)
    assert all(end <= start for end, start in zip(ends, starts[1:], strict=False))
    assert all(start.weekday() < 5 and 9 <= start.hour <= 15 for start in starts)
    assert DEFAULT_NOW + timedelta(days=10) < starts[-1] <= DEFAULT_NOW + timedelta(days=22)
    assert set(minutes) == {30, 60, 90, 120}
    names = column(tables, "calendar", "event_name")
    days = [(start.date(), name) for start, name in zip(starts, names, strict=True)]
    assert len(set(days)) == len(days)
    assert len(set(names)) == 48


def test_mails_are_received_in_order_before_now() -> None:
    tables = build(1)
    sent = column(tables, "email", "sent_datetime")
    assert all(earlier < later for earlier, later in pairwise(sent))
    assert sent[-1] < DEFAULT_NOW.isoformat(" ")
    assert set(column(tables, "email", "inbox/outbox")) == {"inbox"}
    assert all("Sam" in body.splitlines()[0] for body in column(tables, "email", "body"))


def test_mails_come_on_workdays_and_about_tasks_from_their_board() -> None:
    tables = build(3)
    days = [datetime.fromisoformat(text).weekday() for text in column(tables, "email", "sent_datetime")]
    assert max(days) < 5
    boards = dict(zip(column(tables, "tasks", "task_name"), column(tables, "tasks", "board"), strict=True))
    people = dict(
        zip(column(tables, "tasks", "assigned_to_email"), column(tables, "tasks", "board"), strict=True)
    )
    sent = zip(column(tables, "email", "subject"), column(tables, "email", "sender/recipient"), strict=True)
    about = [(subject.removeprefix("Progress: "), sender) for subject, sender in sent if ": " in subject]
    assert len(about) > 200
    assert all(people[sender] == boards.get(name, people[sender]) for name, sender in about)


def test_every_day_up_to_yesterday_has_visits() -> None:
    tables = build(1)
    days = set(column(tables, "analytics", "date_of_visit"))
    assert days == {(DEFAULT_NOW - timedelta(days=n)).date().isoformat() for n in range(1, 91)}
    sources = Counter(column(tables, "analytics", "traffic_source"))
    assert set(sources) == set(TRAFFIC_SOURCES)
    assert 450 < sources["direct"] < 550
    engaged = column(tables, "analytics", "user_engaged").count("True")
    assert 420 < engaged < 560
    pages, seconds = (
        column(tables, "analytics", name) for name in ("page_views", "session_duration_seconds")
    )
    assert all(int(one) <= 1 + int(other) / 2 for one, other in zip(pages, seconds, strict=True))


def test_tasks_and_customers_are_spread_like_the_original() -> None:
    tables = build(1)
    assert Counter(column(tables, "tasks", "board")) == dict.fromkeys(BOARDS, 100)
    lists = Counter(column(tables, "tasks", "list_name"))
    assert set(lists) == set(LISTS)
    assert lists["Backlog"] > lists["Completed"] > lists["In Progress"]
    pairs = list(
        zip(column(tables, "tasks", "task_name"), column(tables, "tasks", "assigned_to_email"), strict=True)
    )
    assert len(set(pairs)) == len(pairs)
    assert set(column(tables, "customers", "status")) == set(STATUSES)
    assert set(column(tables, "customers", "product_interest")) == set(PRODUCTS)
    contacts = column(tables, "customers", "last_contact_date")
    assert contacts == sorted(contacts, reverse=True)
    for notes in column(tables, "customers", "notes"):
        written = findall(r"(\d{4}-\d\d-\d\d): ([^.]+)", notes)
        assert written == sorted(written, key=lambda note: note[0])
        assert len({text for _, text in written}) == len(written)


def test_no_name_can_be_taken_for_another() -> None:
    names = pool()
    firsts = [name.lower() for name in names["first_names"]]
    events = [name.lower() for name in names["events"]]
    customers = [name.lower() for key in ("first_names", "surnames") for name in names["customers"][key]]
    others = [name.lower() for name in names["surnames"]] + events + customers + [DEFAULT_MAIL_DOMAIN]
    assert not [(a, b) for a in firsts for b in others if a in b]
    assert not [pair for pair in permutations(firsts, 2) if pair[0] in pair[1]]
    assert not [pair for pair in permutations(events, 2) if pair[0] in pair[1]]
    for key in ("first_names", "surnames", "events"):
        assert len(set(names[key])) == len(names[key])


@each_row("scale", [0.0, -1.0, 0.01, 1000.0, float("nan")])
def test_a_scale_out_of_range_is_refused(scale: float) -> None:
    with pytest.raises(InputError, match="scale"):
        build(0, scale)
