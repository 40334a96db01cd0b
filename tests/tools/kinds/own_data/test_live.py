"""Tables that change while an environment is in use."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import worksmith as ws
from tests.tools.kinds.own_data.databases import elsewhere, server, stored_desk, url
from tests.tools.kinds.own_data.desk import OF_TEAM, TABLES, bare, call, desk, with_tools
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


@pytest.mark.parametrize("form", [str, ws.Table])
def test_a_relative_path_is_read_again_from_another_folder(
    form: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "t.csv").write_text("id,units\nP-1,3\n")
    monkeypatch.chdir(tmp_path)
    env = ws.Environment.from_tables({"t": form("t.csv")}, now="2026-01-05")
    (tmp_path / "t.csv").write_text("id,units\nP-1,2\n")
    monkeypatch.chdir(tmp_path.parent)
    assert env.refresh(force=True)


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


def test_a_database_is_read_again_when_its_version_is_another(url: str, tmp_path: Path) -> None:
    env = stored_desk(tmp_path, ws.Database(url, version="SELECT max(priority) FROM tickets"), OF_TEAM)
    elsewhere(url, "UPDATE tickets SET title = 'Scanner dead' WHERE ticket_id = 'T-1'")
    assert not env.refresh()
    elsewhere(url, "UPDATE tickets SET priority = 9 WHERE ticket_id = 'T-2'")
    assert env.refresh()
    assert found(env, "scanner") == ["T-1"]


def test_what_cannot_be_read_leaves_the_tables_as_they_are(tmp_path: Path) -> None:
    now: Any = [{"id": 1, "size": 2, "boss": None}]
    count = [False, True]

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
    again = ws.Environment.from_tables(
        {"t": ws.Table(lambda: [{"id": 1}] if count.pop() else again.refresh())},
        now="2026-01-05",
        folder=tmp_path,
    )
    with pytest.raises(ws.InputError, match="a function that is read calls refresh"):
        again.refresh()
    with pytest.raises(ws.InputError, match="a name of a table is no text"):
        ws.Database("sqlite://", tables=[5])  # type: ignore[list-item]
    with pytest.raises(ws.InputError, match="no time to read again: 0"):
        ws.Table(rows, refresh=0)

    def fail() -> Any:
        raise OSError("cannot reach https://me:secret-word@host/")

    table = ws.Table(lambda: [{"id": 1}])
    for source, now_is in ((ws.Table(list, version=fail), "2026-01-05"), (table, fail)):
        with pytest.raises(ws.InputError, match=r"fails: OSError: .*//\[hidden\]@host"):
            ws.Environment.from_tables({"t": source}, now=now_is, folder=tmp_path)


def test_people_who_cannot_be_are_not_taken_over(tmp_path: Path) -> None:
    staff: list[dict[str, Any]] = [{"id": "ann", "manager": None}, {"id": "bo", "manager": "ann"}]
    env = with_tools(bare(tmp_path, {**TABLES, "people": ws.Table(lambda: staff)}))  # type: ignore[dict-item]
    env.check()
    staff[0]["manager"] = "nobody"
    with pytest.raises(ws.InputError, match="nobody"):
        env.refresh()
    assert env.episode(persona="ann").persona.id == "ann"


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
        ("sqlite:///file:missing.db?uri=true", "the database fails"),
    ],
)
def test_no_message_holds_a_password(
    url: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ws.InputError, match=said) as caught:
        ws.Environment.from_tables({"desk": url}, now="2026-01-05", folder=tmp_path)
    assert "secret-word" not in f"{caught.value!r} {caught.value}"
    assert not (tmp_path / "missing.db").exists()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("postgresql+psycopg2:///desk?host=/one", "postgresql+psycopg2:///desk?host=/other"),
        ("postgresql+psycopg2://ann@db", "postgresql+psycopg2://bo@db"),
        ("sqlite:///file:desk.db?uri=true", "sqlite:///file:desk.db?uri=true"),
    ],
)
def test_places_that_may_be_others_are_not_taken_for_one(one: str, other: str) -> None:
    """The database is named in the query, after the user, or from a folder."""
    places = [ws.Database(url).identity for url in (one, other)]
    assert places[0] != places[1] or not any(places)


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
        change(table="notes", operation="delete", key="T-1-1", before=NOTE, after=None),
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
        (change(operation="delete", after=None), "refuses the changes"),  # notes refer to it
        (change(table="strange"), "no table of Database"),
    ]:
        with pytest.raises(ws.ToolError, match=said):
            shop.commit(changes(first, refused, id="c2"))
    assert not shop.settle("c1"), "nothing is left of it"


@pytest.mark.slow
def test_decimals_are_compared_to_the_last_digit(server: str, tmp_path: Path) -> None:
    def amount(last: int) -> str:
        return f"UPDATE pay SET amount = 12345678901234567.0{last}"

    elsewhere(
        server,
        "CREATE TABLE pay (id INTEGER PRIMARY KEY, amount NUMERIC, rate NUMERIC(6, 2), paid BOOLEAN)",
        "INSERT INTO pay VALUES (1, 12345678901234567.01, 0.10, FALSE)",
    )
    shop = ws.Database(server, tables=["pay"])
    env = ws.Environment.from_tables({"pay": shop}, now="2026-01-05", folder=tmp_path)
    [row] = env.world.rows("pay", ["id", "amount", "rate"])
    assert row == {"id": 1, "amount": "12345678901234567.01", "rate": 0.1}
    pay = change(table="pay", key=1, before={**row, "paid": False}, after={**row, "paid": True})
    elsewhere(server, amount(2))
    assert env.refresh()
    with pytest.raises(ConflictError):
        shop.commit(changes(pay, id="d1"))
    elsewhere(server, amount(1))
    assert shop.commit(changes(pay, id="d2")) == "committed as d2"


def test_a_database_that_changes_other_rows_than_one_a_change_has_committed_nothing(tmp_path: Path) -> None:
    file = tmp_path / "odd.db"
    with closing(sqlite3.connect(file)) as db:
        db.executescript(
            "CREATE TABLE keyless (n INTEGER); INSERT INTO keyless VALUES (1), (2);"
            "CREATE TABLE still (n INTEGER PRIMARY KEY, m INTEGER); INSERT INTO still VALUES (1, 1);"
            "CREATE TRIGGER u BEFORE UPDATE ON still BEGIN SELECT RAISE(IGNORE); END;"
            "CREATE TRIGGER i BEFORE INSERT ON still BEGIN SELECT RAISE(IGNORE); END;"
        )
        steps = [
            change(table="keyless", key=n, before={"n": n}, after={"n": n + 1 if n == 1 else 9})
            for n in (1, 2)
        ]
        silent = change(table="still", key=1, before={"n": 1, "m": 1}, after={"n": 1, "m": 2})
        unheard = change(table="still", key=2, operation="insert", before=None, after={"n": 2, "m": 2})
        for made in (steps, [silent], [unheard]):
            with pytest.raises(ws.ToolError, match="in place of one"):
                ws.Database(f"sqlite:///{file}").commit(changes(*made))
        assert db.execute("SELECT n FROM keyless").fetchall() == [(1,), (2,)]


def test_cells_of_sqlite_are_read_and_written_as_what_they_are(tmp_path: Path) -> None:
    file = tmp_path / "cells.db"
    with closing(sqlite3.connect(file)) as db:
        db.executescript(
            """CREATE TABLE "a.b" (id INTEGER PRIMARY KEY, j JSON, b BOOLEAN);"""
            """INSERT INTO "a.b" VALUES (1, '[true]', 'false'), (2, NULL, 1)"""
        )
        shop = ws.Database(f"sqlite:///{file}")

        def rows() -> list[tuple[Any, ...]]:
            env = ws.Environment.from_tables({"x": shop}, now="2026-01-05", folder=tmp_path)
            return [tuple(row.values()) for row in env.world.rows("a_b", ["id", "j", "b"])]

        assert rows() == [(1, "[true]", 0), (2, None, 1)]
        row = {"id": 1, "j": [True], "b": False}
        after = {"id": 1, "j": None, "b": True}
        with pytest.raises(ConflictError):
            shop.commit(changes(change(table="a_b", key=1, before={**row, "j": [1]}, after=after)))
        shop.commit(changes(change(table="a_b", key=1, before=row, after=after)))
        assert db.execute('SELECT typeof(j), b FROM "a.b"').fetchall() == [("null", 1), ("null", 1)]
        db.execute("""UPDATE "a.b" SET j = '{'""")
        db.commit()
        with pytest.raises(ws.InputError, match="the database fails"):
            rows()


def test_a_file_that_is_replaced_is_read_and_written_and_never_made(tmp_path: Path) -> None:
    file = tmp_path / "a b ü.db"

    def write(place: Path, count: int) -> None:
        with closing(sqlite3.connect(place)) as db:
            db.executescript(
                f"CREATE TABLE t (id INTEGER PRIMARY KEY, n); INSERT INTO t VALUES (1, '{count}')"
            )

    write(file, 1)
    shop = ws.Database(f"sqlite:///{file}")
    env = ws.Environment.from_tables({"x": shop}, now="2026-01-05", folder=tmp_path)
    write(tmp_path / "next.db", 2)
    (tmp_path / "next.db").replace(file)
    assert env.refresh()
    shop.commit(changes(change(table="t", key=1, before={"id": 1, "n": "2"}, after={"id": 1, "n": "3"})))
    with closing(sqlite3.connect(file)) as db:
        assert db.execute("SELECT n FROM t").fetchone() == ("3",)
    file.unlink()
    with pytest.raises(ws.InputError, match="the database fails"):
        env.refresh()
    assert not file.exists()
