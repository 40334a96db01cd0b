from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from tests.tables import each_row
from worksmith.tools.errors import InputError
from worksmith.tools.kinds.office.generate import DEFAULT_NOW, build
from worksmith.tools.kinds.office.office_world import OFFICE
from worksmith.tools.kinds.office.policy import SAM
from worksmith.tools.kinds.office.schema import TABLES, TRAFFIC_SOURCES
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


@each_row("scale", [0.0, -1.0, 0.01, 1000.0, float("nan")])
def test_a_scale_out_of_range_is_refused(scale: float) -> None:
    with pytest.raises(InputError, match="scale"):
        build(0, scale)
