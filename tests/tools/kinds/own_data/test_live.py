"""Tables that change while an environment is in use."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import worksmith as ws
from tests.tools.kinds.own_data.databases import elsewhere, server, stored_desk, url
from tests.tools.kinds.own_data.desk import OF_TEAM, TABLES, call, desk
from worksmith.retrievers.index import building
from worksmith.tools.change_set import ChangeSet, ConflictError, ProposedChange
from worksmith.tools.persona import Persona

__all__ = ["server", "url"]  # fixtures

USER = Persona(id="ann", name="Ann")
ROW = TABLES["tickets"][0]
NOTE = {"ticket_line": "T-1-1", "ticket": "T-1", "line": 1, "hours": 0.5, "day": "2026-01-04"}


def found(env: ws.Environment, words: str, who: str = "ann") -> list[str]:
    value: Any = call(env, "reading.search", who, table="tickets", words=words).value
    return [row["ticket_id"] for row in value]


def test_rows_rules_and_search_follow_a_database_that_another_process_changes(
    url: str, tmp_path: Path
) -> None:
    rules = json.loads(json.dumps(OF_TEAM))
    red = {"persona": {"field": "team", "in": ["red"]}}
    rules["sources"]["tickets"]["private"] = {"fields": ["vip"], "rule": {"id": "RED", "when": red}}
    env = stored_desk(tmp_path, ws.Database(url), rules)
    suite = ws.Suite(env, [], path=tmp_path)
    before, digests = env.episode(persona="ann"), {env.digest, suite.digest}
    assert call(env, "reading.show", table="tickets", key="T-1").value == ROW
    assert (found(env, "printer"), found(env, "network")) == (["T-1"], [])
    assert not env.refresh()

    elsewhere(
        url,
        "UPDATE tickets SET title = 'Scanner dead' WHERE ticket_id = 'T-1'",
        "INSERT INTO tickets VALUES ('T-0', 'Printer on fire', 'open', 1, 'red', FALSE)",
        "DELETE FROM tickets WHERE ticket_id = 'T-2'",
        "UPDATE people SET team = 'red' WHERE id = 'bo'",
    )
    assert env.refresh()
    assert not digests & {env.digest, suite.digest}
    assert (found(env, "printer"), found(env, "scanner", "bo")) == (["T-0"], ["T-1"])
    assert call(env, "reading.show", table="tickets", key="T-2").status == "tool_error"
    assert call(env, "reading.show", "bo", table="tickets", key="T-1").value["vip"] is True
    assert before.call("reading.show", {"table": "tickets", "key": "T-1"}).value == ROW, "its own snapshot"
    assert not env.refresh()


def test_a_record_is_the_same_one_in_later_rows_of_its_database_alone(url: str, tmp_path: Path) -> None:
    env = stored_desk(tmp_path, ws.Database(url), OF_TEAM)
    quoted = frozenset({"tickets/T-1", "tickets/T-2", env.episode().world})
    elsewhere(url, "UPDATE tickets SET team = 'blue', title = 'Other'")
    assert env.unreadable(env.persona("ann"), quoted) == {"tickets/T-2"}
    env.refresh()
    assert env.unreadable(env.persona("ann"), quoted) == {"tickets/T-1", "tickets/T-2"}
    assert env.unreadable(env.persona("bo"), quoted) == frozenset()
    copy = desk(tmp_path)
    assert env.episode().world in copy.unreadable(copy.persona("bo"), quoted)


@pytest.mark.slow
def test_only_changed_rows_are_embedded_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reports: list[building.IndexReport] = []
    build = building.build_index
    monkeypatch.setattr(building, "build_index", lambda *args, **more: reports.append(build(*args, **more)))
    rows = [{"id": n, "text": f"text {n} of the table"} for n in range(20)]

    def opened() -> ws.Environment:
        env = ws.Environment.from_tables({"texts": ws.Table(lambda: rows)}, now="2026-01-05", folder=tmp_path)
        env.index("texts", text="{text}", embedder="static")

        @env.tool(writes=False)
        def search(ctx: ws.Context, words: str) -> list[object]:
            """Search."""
            return [row["id"] for row in ctx["texts"].search(words, 1)]

        assert env.episode().call("tools.search", {"words": "text 7 of the table"}).value == [7]
        return env

    env = opened()
    rows[3]["text"] = "zebras"
    del rows[5]
    assert env.refresh()
    assert env.episode().call("tools.search", {"words": "zebras"}).value == [3]
    rows.append({"id": 30, "text": "giraffes"})
    assert opened().episode().call("tools.search", {"words": "giraffes"}).value == [30]
    assert [(each.embedded, each.removed) for each in reports] == [(20, 0), (1, 1), (1, 0)]


@pytest.mark.parametrize(
    ("settings", "reads"),
    [
        ({}, [2, 3, 4, 5]),
        ({"refresh": 3600}, [1, 1, 2, 2]),
        ({"refresh": 1e-9}, [2, 3, 4, 5]),
        ({"refresh": None}, [1, 1, 2, 2]),
        ({"version": lambda: 1}, [1, 1, 2, 2]),
    ],
)
def test_a_table_is_read_again_when_it_is_due(settings: Any, reads: list[int], tmp_path: Path) -> None:
    count = 0

    def rows() -> list[dict[str, Any]]:
        nonlocal count
        count += 1
        return [{"id": count}]

    env = ws.Environment.from_tables({"t": ws.Table(rows, **settings)}, now="2026-01-05", folder=tmp_path)
    seen: list[int] = []
    for force in (False, False, True, False):
        assert env.refresh(force=force) == (reads[len(seen)] > (seen or [1])[-1])
        seen.append(count)
        assert [row["id"] for row in env.world.rows("t", ["id"])] == [count]
    assert seen == reads


def test_what_cannot_be_read_leaves_the_tables_as_they_are(tmp_path: Path) -> None:
    now: Any = [{"id": 1, "size": 2, "boss": None}]

    def rows() -> Any:
        if isinstance(now, Exception):
            raise now
        return now

    env = ws.Environment.from_tables(
        {"t": ws.Table(rows)}, now="2026-01-05", folder=tmp_path, types={"t": {"boss": "integer"}}
    )
    for rows_then, said in [
        ([{"id": 1, "size": "big"}], "row 1, column size: an integer"),
        ([{"id": 1}, {"id": 1}], "is the key of row 1, too"),
        ([{"id": 1, "colour": "red"}], "other columns"),
        (OSError("cannot reach https://me:secret-word@host/"), r"fails: OSError: .*//\[hidden\]@host"),
    ]:
        now = rows_then
        with pytest.raises(ws.InputError, match=said):
            env.refresh()
        assert list(env.world.rows("t", ["id", "size"])) == [{"id": 1, "size": 2}]
    now = []
    assert env.refresh()
    assert list(env.world.rows("t", ["id"])) == []
    with pytest.raises(ws.InputError, match="no time to read again: 0"):
        ws.Table(rows, refresh=0)


def test_a_kept_snapshot_stands_in_for_tables_that_changed(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = stored_desk(tmp_path, ws.Database(url))
    elsewhere(url, "UPDATE tickets SET title = 'Scanner dead'")
    assert stored_desk(tmp_path, ws.Database(url)).digest != first.digest
    name = first.world.path.name
    assert f"snapshot {name}" in str(first)
    monkeypatch.setenv("WORKSMITH_SNAPSHOT", name)
    again = stored_desk(tmp_path, ws.Database(url))
    assert again.digest == first.digest
    assert not again.refresh(force=True)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        (
            "postgresql+psycopg2://desk:secret-word@127.0.0.1:1/desk?sslpassword=secret-word",
            "the database fails",
        ),
        ("nodriver://desk:secret-word@127.0.0.1/desk", "no address"),
        ("mysql+nosuchdriver://desk:secret-word@127.0.0.1/desk", "no address"),
        ("sqlite:///missing.db", "no such file"),
    ],
)
def test_no_message_holds_a_password(url: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(ws.InputError, match=said) as caught:
        ws.Environment.from_tables({"desk": url}, now="2026-01-05", folder=tmp_path)
    assert "secret-word" not in f"{caught.value!r} {caught.value}"


def change(**more: Any) -> ProposedChange:
    given = {"table": "tickets", "operation": "update", "key": "T-1", "before": ROW}
    return ProposedChange(**{**given, "after": {**ROW, "status": "closed"}, **more})


def changes(*made: ProposedChange, id: str = "c1") -> ChangeSet:
    return ChangeSet(id, "task", USER, USER, made)


def test_a_change_set_is_committed_once_and_whole(url: str, tmp_path: Path) -> None:
    shop = ws.Database(url)
    new = {"ticket_id": "T-9", "title": "New", "status": None, "priority": 1, "team": None, "vip": False}
    line = {**NOTE, "ticket_line": "T-9-1", "ticket": "T-9", "hours": 1.25}
    approved = changes(
        change(table="notes", operation="insert", key="T-9-1", before=None, after=line),
        change(operation="insert", key="T-9", before=None, after=new),
        change(),
        change(
            table="notes",
            operation="delete",
            key="T-1-1",
            before=NOTE,
            after=None,
        ),
    )
    assert shop.commit(approved) == "committed as c1"
    elsewhere(url, "UPDATE tickets SET status = 'open again' WHERE ticket_id = 'T-1'")
    assert shop.commit(approved) == "committed as c1", "and changes nothing"
    env = stored_desk(tmp_path, shop)
    assert [tuple(row.values()) for row in env.world.rows("tickets", ["ticket_id", "status"])] == [
        ("T-1", "open again"),
        ("T-2", "open"),
        ("T-9", None),
    ]
    assert [tuple(row.values()) for row in env.world.rows("notes", ["ticket", "hours", "day"])] == [
        ("T-9", 1.25, "2026-01-04")
    ]
    assert (shop.settle("c1"), shop.settle("c2")) == (True, False)
    with pytest.raises(ws.ToolError, match="given up"):
        shop.commit(changes(change(before={**ROW, "status": "open again"}), id="c2"))


@pytest.mark.parametrize(
    ("made", "rows"),
    [
        (change(before={**ROW, "priority": 1}), [("tickets", "T-1")]),
        (change(key="T-8", before={**ROW, "ticket_id": "T-8"}), [("tickets", "T-8")]),
        (change(operation="insert", before=None, after=ROW), [("tickets", "T-1")]),
        (change(operation="delete", before={**ROW, "vip": False}, after=None), [("tickets", "T-1")]),
    ],
)
def test_no_change_is_made_over_another_value(url: str, made: ProposedChange, rows: list[Any]) -> None:
    shop = ws.Database(url)
    first = change(
        table="articles", key=8, operation="insert", before=None, after={"number": 8, "title": "New"}
    )
    with pytest.raises(ConflictError) as caught:
        shop.commit(changes(first, made))
    assert list(caught.value.rows) == rows
    without_title = change(**{**vars(first), "after": {"number": 8, "title": None}})
    for refused, said in [
        (without_title, "refuses the changes"),
        (change(table="strange"), "no table of Database"),
    ]:
        with pytest.raises(ws.ToolError, match=said):
            shop.commit(changes(first, refused, id="c2"))
    assert not shop.settle("c1"), "nothing is left of it"
