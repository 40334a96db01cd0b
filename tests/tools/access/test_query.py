"""Somebody's own SELECT sees what they may read, and nothing gets past it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import apsw
import pytest

from tests.tables import each_row
from tests.tools.access import shop
from worksmith.tools.access.confinement import Limits
from worksmith.tools.access.guard import Guard
from worksmith.tools.errors import ToolError
from worksmith.tools.sqlite.sandbox import Sandbox
from worksmith.tools.tool_context import ToolContext

CLOCKS = [
    "date('now')",
    "date()",
    "date ( /*c*/ )",
    "datetime('no' || 'w')",
    "datetime(lower('NOW'))",
    "datetime('NoW', '+1 day')",
    "datetime('now', 'start of year')",
    "time('now', 'subsec')",
    "time('subsec')",
    "unixepoch('subsecond')",
    "unixepoch()",
    "julianday(substr('snow', 2))",
    "julianday(replace('nXw', 'X', 'o'))",
    "strftime('%Y')",
    "strftime('%Y', 'now')",
    "strftime('%Y', (SELECT 'now'))",
    "datetime(word) FROM (SELECT 'now' AS word)",
    "datetime('2021-01-01', 'localtime')",
    "datetime('2021-01-01', 'local' || 'time')",
    "datetime('2021-01-01', 'utc')",
    "timediff('now', '2021-01-01')",
    "CURRENT_TIMESTAMP",
    "current_date",
    "1 WHERE '2030-01-01' > date('now')",
    "count(*) FROM staff GROUP BY date('now')",
    "name FROM staff ORDER BY julianday('now') - julianday('2021-01-01')",
]

HOSTILE = [
    "SELECT * FROM main.letters",
    "SELECT * FROM MAIN.[vault]",
    'SELECT * FROM "main"."vault"',
    "SELECT count(*) FROM main.vault",
    "SELECT count(*) FROM vault, main.vault AS v",
    "SELECT 1 FROM main.vault",
    "SELECT * FROM letters UNION SELECT * FROM main.letters",
    "SELECT name FROM staff UNION ALL SELECT content FROM main.vault",
    "SELECT (SELECT content FROM main.vault)",
    "SELECT EXISTS (SELECT 1 FROM main.vault)",
    "SELECT 1 WHERE 'SECRET-vault' IN main.vault",
    "SELECT 'v1' IN (SELECT item FROM main.vault)",
    "WITH letters AS (SELECT * FROM main.letters) SELECT * FROM letters",
    "WITH letters AS MATERIALIZED (SELECT * FROM main.letters) SELECT count(*) FROM letters",
    "WITH letters(a) AS (SELECT 1) SELECT * FROM main.letters",
    "SELECT * FROM letters /* */ JOIN main.vault -- vault",
    "SELECT * FROM sqlite_master",
    "SELECT count(*) FROM sqlite_master",
    "SELECT * FROM sqlite_temp_master",
    "SELECT count(*) FROM sqlite_temp_schema",
    "SELECT * FROM sqlite_sequence",
    "SELECT * FROM dbstat",
    "SELECT count(*) FROM dbstat",
    "SELECT * FROM pragma_table_info('vault')",
    "SELECT count(*) FROM pragma_table_list",
    "SELECT * FROM json_each('[1]')",
    "SELECT count(*) FROM json_each('[1, 2]')",
    "SELECT json_object('a', 1)",
    "SELECT printf('%999999999d', 1)",
    "SELECT format('%999999999d', 1)",
    "SELECT hex(zeroblob(999999999))",
    "SELECT hex(randomblob(9))",
    "SELECT load_extension('x')",
    "SELECT readfile('/etc/passwd')",
    "SELECT fts3_tokenizer('simple')",
    "SELECT last_insert_rowid()",
    "SELECT median(rank) FROM staff",
    "SELECT percentile(rank, 50) FROM staff",
    "SELECT sqlite_version()",
    "SELECT 1; SELECT 2",
    "SELECT 1; DELETE FROM letters",
    "DELETE FROM letters",
    "DELETE FROM main.letters",
    "INSERT INTO letters DEFAULT VALUES RETURNING text",
    "WITH x AS (SELECT 1) UPDATE main.letters SET reader = 'bob'",
    "REPLACE INTO main.vault VALUES (1, 2, 3)",
    "CREATE TEMP VIEW v AS SELECT * FROM main.vault",
    "CREATE TABLE x AS SELECT * FROM main.vault",
    "DROP TABLE letters",
    "ALTER TABLE main.letters RENAME TO x",
    "PRAGMA table_info(vault)",
    "PRAGMA writable_schema = 1",
    "ATTACH ':memory:' AS other",
    "VACUUM INTO '/tmp/stolen'",
    "BEGIN",
    "ROLLBACK",
    "SAVEPOINT x",
    "EXPLAIN SELECT * FROM letters",
    "EXPLAIN QUERY PLAN SELECT 1",
    "QUERY PLAN SELECT 1",
    "ANALYZE",
    "REINDEX",
    "SELECT * FROM nothing",
    "SELECT text FROM",
    "SELECT ?",
    "SELECT \0",
    "SELECT '\ud800'",
    "",
    "-- nothing",
    ";",
    *(f"SELECT {call}" for call in CLOCKS),
    "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t",
    f"SELECT count(*) FROM {', '.join(f'staff s{i}' for i in range(60))}",
    f"SELECT replace(replace('{'a' * 999}', 'a', '{'a' * 999}'), 'a', 'aa')",
    f"SELECT {'(' * 300}1{')' * 300} + {' + '.join('1' * 300)}",
    f"SELECT {' UNION SELECT '.join('1' * 100)}",
    f"SELECT '{'a' * 5000}'",
]


@each_row("text", HOSTILE)
def test_hostile_statements_are_refused_and_leave_nothing(text: str) -> None:
    connection = shop.database()
    asked: list[Any] = []

    def before(*arguments: Any) -> int:
        asked.append(arguments)
        return apsw.SQLITE_OK

    connection.authorizer = before
    sizes = [connection.limit(which) for which in range(11)]
    with shop.unchanged(connection), pytest.raises(ToolError) as refusal:
        shop.guard(connection=connection).select(text)
    assert "SECRET" not in str(refusal.value)
    assert connection.authorizer is before
    assert [connection.limit(which) for which in range(11)] == sizes
    assert list(connection.execute("SELECT name FROM sqlite_temp_master")) == []
    assert connection.execute("SELECT count(*) FROM main.vault").get == 1


@each_row(
    ("text", "rows"),
    [
        ("SELECT letter_id FROM letters", [{"letter_id": "L1"}, {"letter_id": "L3"}]),
        ("SELECT count(*) AS n FROM letters;", [{"n": 2}]),
        ("SELECT count(*) AS n FROM vault", [{"n": 0}]),
        ("SELECT name FROM staff WHERE pay IS NOT NULL ORDER BY name", [{"name": "Bob"}, {"name": "Cy"}]),
        ("SELECT max(pay) AS most FROM staff", [{"most": "800"}]),
        ("SELECT name FROM staff WHERE pay = '900'", []),
        (
            "SELECT a.name, b.name FROM staff a JOIN staff b ON a.boss = b.id WHERE a.id = 'cy'",
            [{"name": "Cy", "name_2": "Bob"}],
        ),
        ("WITH few AS (SELECT 1 AS n) SELECT count(*) AS n FROM few", [{"n": 1}]),
        ("SELECT temp.letters.text FROM letters -- mine\nLIMIT 1", [{"text": "hello"}]),
        (
            "SELECT row_number() OVER (ORDER BY text) AS n, text FROM LETTERS LIMIT 1",
            [{"n": 1, "text": "bye"}],
        ),
        ("VALUES ('a;b')", [{"column1": "a;b"}]),
        ("SELECT * FROM vault", []),
        ("SELECT strftime('%Y', '2021-03-04') AS y", [{"y": "2021"}]),
        ("SELECT date('2021-03-04', '+1 month', 'weekday 0') AS d", [{"d": "2021-04-04"}]),
        ("SELECT julianday('2021-03-04') - julianday('2021-03-01') AS n", [{"n": 3.0}]),
        (
            "SELECT date(NULL) AS d, date('nowhere') AS e, time(1.5) AS f",
            [{"d": None, "e": None, "f": "00:00:00"}],
        ),
        ("SELECT unixepoch('2021-03-04 05:06:07') AS u", [{"u": 1614834367}]),
        (
            "SELECT date(X'32303231') AS d, datetime(0, 'unixepoch') AS e",
            [{"d": "-4707-06-06", "e": "1970-01-01 00:00:00"}],
        ),
        (
            "SELECT X'ff' AS b, X'' AS e, 9e999 AS i, -9e999 AS j",
            [{"b": "X'FF'", "e": "X''", "i": "Inf", "j": "-Inf"}],
        ),
    ],
)
def test_honest_statements_see_what_may_be_read(text: str, rows: list[dict[str, Any]]) -> None:
    connection = shop.database()
    with shop.unchanged(connection):
        assert shop.guard(connection=connection).select(text) == rows


def test_errors_do_not_depend_on_rows_that_are_hidden() -> None:
    """A condition that fails on one text would tell, by failing, that somebody has a record with it."""
    overflow = "abs('-9223372036854775808' + 0)"
    fails = f"SELECT text FROM letters WHERE CASE WHEN text LIKE 'SECRET%' THEN {overflow} END"
    for text in (fails, fails.replace("SECRET", "nobody")):
        assert shop.guard().select(text) == []
    with pytest.raises(ToolError):
        shop.guard(shop.persona("cy", 9)).select(fails)


def test_a_table_that_is_no_source_cannot_be_counted() -> None:
    """No column of it is read, and no temporary table hides it."""
    ctx = ToolContext(shop.database(), datetime(2022, 12, 31), shop.persona(), shop.policy())
    with pytest.raises(ToolError, match="only the sources"):
        Guard(ctx, shop.TABLES[:2]).select("SELECT count(*) FROM vault")


def test_limits_are_errors_that_explain() -> None:
    guard = shop.guard()
    with pytest.raises(ToolError, match="more than 3 rows"):
        guard.select("SELECT * FROM staff", limits=Limits(rows=3))
    with pytest.raises(ToolError, match="more than 5 characters"):
        guard.select("SELECT * FROM staff", limits=Limits(characters=5))
    with pytest.raises(ToolError, match="takes too long"):
        guard.select(
            "SELECT count(*) FROM staff, staff b, staff c, staff d, staff e", limits=Limits(steps=100)
        )
    with pytest.raises(ToolError, match="too long: at most 10"):
        guard.select("SELECT 1 FROM staff", limits=Limits(statement=10))


def test_the_clock_is_looked_at_every_few_steps() -> None:
    """A step may be a slow function, so a statement of a few hundred steps can already take too long."""
    guard = shop.guard()
    terms = " + ".join(f"instr(b.name, '{number}')" for number in range(20))
    with pytest.raises(ToolError, match="takes too long"):
        guard.select(f"SELECT sum({terms}) FROM staff b", limits=Limits(seconds=0))


def test_the_statement_sees_what_the_episode_has_changed() -> None:
    """In a sandbox, whose own authorizer is in place again afterwards."""
    sandbox = Sandbox(shop.database().serialize("main"), shop.TABLES)

    def body(connection: apsw.Connection) -> Any:
        guard = shop.guard(connection=connection)
        guard.update("letters", "L3", {"text": "changed"})
        found = guard.select("SELECT text FROM letters WHERE letter_id = 'L3'")
        with pytest.raises(ToolError):
            guard.select("SELECT * FROM main.letters")
        with pytest.raises(apsw.AuthError):
            connection.execute("ATTACH ':memory:' AS other")
        return found, guard.find("letters", [("letter_id = ?", ["L3"])])[0]["text"]

    (found, text), changeset = sandbox.run(b"", body)
    assert found == [{"text": "changed"}]
    assert text == "changed"
    assert changeset
    assert sandbox.run(b"", lambda c: c.execute("SELECT count(*) FROM sqlite_temp_master").get)[0] == 0


def crowd(rows: int) -> apsw.Connection:
    """The shop with so many people more, of whom much can be made by joining."""
    connection = shop.database()
    people = [(f"p{number}", "x" * 100, "ann", "01", "1") for number in range(rows)]
    connection.executemany(shop.TABLES[0].insert_sql(), people)
    return connection


@each_row(
    "text",
    [
        "SELECT max(n) FROM "
        "(SELECT row_number() OVER (ORDER BY x.name, y.name, x.id) AS n FROM staff x, staff y)",
        "SELECT max(n) FROM (SELECT count(*) OVER (PARTITION BY x.name) AS n FROM staff x, staff y)",
        "SELECT count(*) FROM (SELECT DISTINCT x.name || x.id || y.name || y.id FROM staff x, staff y)",
        "SELECT count(DISTINCT x.name || x.id || y.name || y.id) FROM staff x, staff y",
        "SELECT count(*) FROM "
        "(SELECT x.name, y.id FROM staff x, staff y, staff z GROUP BY x.id || y.id || z.id)",
        "WITH big AS MATERIALIZED (SELECT x.name AS a, y.name AS b FROM staff x, staff y) "
        "SELECT count(*) FROM big p, big q",
        "SELECT count(*) FROM (SELECT x.id || y.id FROM staff x, staff y UNION SELECT y.name || x.id || y.id "
        "FROM staff x, staff y)",
    ],
)
def test_temporary_files_are_limited(text: str) -> None:
    guard = shop.guard(connection=crowd(1_000))
    # Steps and seconds are not what stops them here.
    limits = Limits(storage=1_000_000, steps=10**12, seconds=300)

    with pytest.raises(ToolError, match="too much room"):
        guard.select(text, limits=limits)
    assert guard.select("SELECT count(*) AS n FROM staff", limits=limits) == [{"n": 1_004}]


def test_what_one_statement_writes_is_not_taken_from_the_next() -> None:
    guard = shop.guard(connection=crowd(100))
    text = "SELECT max(n) AS n FROM (SELECT row_number() OVER (ORDER BY x.name) AS n FROM staff x, staff y)"

    for _ in range(3):
        assert guard.select(text, limits=Limits(storage=4_000_000)) == [{"n": 104**2}]


def test_a_connection_without_a_meter_is_no_place_for_a_foreign_statement() -> None:
    connection = apsw.Connection(":memory:")
    connection.deserialize("main", shop.database().serialize("main"))

    with pytest.raises(ValueError, match="open_memory"):
        shop.guard(connection=connection).select("SELECT 1 FROM staff")


def test_texts_that_are_no_unicode_are_refused() -> None:
    for text in ("SELECT CAST(X'ff' AS TEXT) AS t", "SELECT date(CAST(X'ff' AS TEXT)) AS t"):
        with pytest.raises(ToolError, match="Unicode"):
            shop.guard().select(text)
