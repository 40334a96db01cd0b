"""Tables of users, whole and broken: each gives the right rows, or an error with its place and a remedy."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tables import each_row
from worksmith.tools.errors import InputError, Notice
from worksmith.tools.generating.pdf import Paragraph, render_pdf
from worksmith.tools.kinds.own_data.sources.csv_files import DELIMITERS
from worksmith.tools.kinds.own_data.sources.tables import SourceTable, read_tables
from worksmith.tools.sqlite.cells import CellValue, shown_cell

Make = Callable[[Path], Any]


def text(content: str | bytes, name: str = "t.csv") -> Make:
    def make(folder: Path) -> Path:
        data = content.encode() if isinstance(content, str) else content
        (folder / name).write_bytes(data)
        return folder / name

    return make


def sqlite(*statements: str) -> Make:
    def make(folder: Path) -> Path:
        connection = apsw.Connection(str(folder / "t.sqlite"))
        for statement in statements:
            connection.execute(statement)
        connection.close()
        return folder / "t.sqlite"

    return make


def parquet(columns: dict[str, list[Any]], cut: int = 0) -> Make:
    def make(folder: Path) -> Path:
        import pyarrow
        from pyarrow.parquet import write_table

        write_table(pyarrow.table(columns), folder / "t.parquet")
        data = (folder / "t.parquet").read_bytes()
        (folder / "t.parquet").write_bytes(data[: len(data) - cut])
        return folder / "t.parquet"

    return make


def frame(columns: dict[Any, Any], **settings: Any) -> Make:
    def make(folder: Path) -> Any:
        import pandas

        return pandas.DataFrame(columns, **settings)

    return make


def categorical(folder: Path) -> Any:
    import pandas

    return pandas.DataFrame({"id": ["a", "b"], "state": pandas.Categorical(["new", None])})


def twice(folder: Path) -> Any:
    import pandas

    return pandas.DataFrame([[1, 2], [3, 4]], columns=["id", "id"])


def times(folder: Path) -> Any:
    import pandas

    when = pandas.to_datetime(["2026-01-05 09:00", None])
    return pandas.DataFrame({"id": [1, 2], "when": when, "flag": pandas.array([True, None], "boolean")})


def fifo(folder: Path) -> Path:
    os.mkfifo(folder / "t.csv")
    return folder / "t.csv"


def loop(folder: Path) -> Path:
    (folder / "t.csv").symlink_to(folder / "t.csv")
    return folder / "t.csv"


def documents(folder: Path) -> Path:
    (folder / "docs" / "more").mkdir(parents=True)
    (folder / "docs" / "a-first.txt").write_bytes(b"\xef\xbb\xbfHello")
    (folder / "docs" / "more" / "b.md").write_text("intro\n\n## How to *leave* ##\ntext")
    (folder / "docs" / "c.pdf").write_bytes(
        render_pdf("Rules", "Ann", date(2026, 1, 5), [Paragraph("Be kind.")])
    )
    (folder / "docs" / ".hidden").write_text("x")
    return folder / "docs"


def looped_documents(folder: Path) -> Path:
    (documents(folder) / "more" / "again").symlink_to(folder / "docs")
    return folder / "docs"


def nothing_to_read(folder: Path) -> Path:
    (folder / "docs").mkdir()
    (folder / "docs" / "a.docx").write_bytes(b"x")
    return folder / "docs"


def damaged_pdf(folder: Path) -> Path:
    (documents(folder) / "c.pdf").write_bytes(b"%PDF-1.7 nothing")
    return folder / "docs"


def directory(folder: Path) -> Path:
    (folder / "t.csv").mkdir()
    return folder / "t.csv"


@dataclass
class Case:
    """A source, and what reading it gives.

    Attributes:
        error: parts of the message, in order; else the rows are right.
        key: None for `id`.
    """

    make: Make
    rows: list[tuple[CellValue, ...]] = field(default_factory=list)
    types: str = ""
    key: str | None = None
    error: tuple[str, ...] = ()
    keys: dict[str, Any] = field(default_factory=dict)
    chosen: dict[str, Any] = field(default_factory=dict)
    nulls: tuple[str, ...] = ()


def wrong(make: Make, *error: str, keys: Any = None, chosen: Any = None) -> Case:
    return Case(make, error=error, keys=keys or {}, chosen=chosen or {})


def right(make: Make, types: str, *rows: tuple[CellValue, ...], key: str | None = None, **more: Any) -> Case:
    return Case(make, list(rows), types, key, **more)


LONG = "x" * 3_000_000
BAD_NAMES = "order,first name,größe,1st,class,a-b,id\n1,2,3,4,5,6,7\n"

# Contents of files, with the types of their columns and their rows; the key is `id`.
CSV: list[tuple[str | bytes, str, list[tuple[CellValue, ...]]]] = [
    ("id,n\n1,2\n", "integer integer", [(1, 2)]),
    ("id;n\n1;2,5\n", "integer text", [(1, "2,5")]),
    ("id\tn\n1\ta,b\n", "integer text", [(1, "a,b")]),
    ("id|n\n1|a;b\n", "integer text", [(1, "a;b")]),
    ("id\na\nb\n", "text", [("a",), ("b",)]),
    (b"\xef\xbb\xbfid,n\r\n1,2\r\n", "integer integer", [(1, 2)]),
    ("id,n\r1,2\r", "integer integer", [(1, 2)]),
    ("id,n\n1,2", "integer integer", [(1, 2)]),
    ("id,n\n\n1,2\n\n\n2,3\n", "integer integer", [(1, 2), (2, 3)]),
    ('id,n\n1,"a\nb"\n2,"c ""d"""\n', "integer text", [(1, "a\nb"), (2, 'c "d"')]),
    ("id,n\nü,日本\n", "text text", [("ü", "日本")]),
    (" id , n \n1,2\n", "integer integer", [(1, 2)]),
    (BAD_NAMES, "integer integer integer integer integer integer integer", [(1, 2, 3, 4, 5, 6, 7)]),
    ("id,n\n", "text text", []),
    ("id,n\n1,\n2,-7\n", "integer integer", [(1, None), (2, -7)]),
    ("id,n\n1,1\n2,2.5\n3,-1e3\n4,.5\n", "integer real", [(1, 1.0), (2, 2.5), (3, -1e3), (4, 0.5)]),
    ("id,n\n1,true\n2,FALSE\n3,\n", "integer boolean", [(1, True), (2, False), (3, None)]),
    ("id,n\n1,0\n2,1\n", "integer integer", [(1, 0), (2, 1)]),
    ("id,n\n1,2026-01-05\n", "integer text", [(1, "2026-01-05")]),
    ("id,n\n1,007\n2,8\n", "integer text", [(1, "007"), (2, "8")]),
    (f"id,n\n1,{2**64}\n", "integer text", [(1, str(2**64))]),
    (f"id,n\n1,{2**53 + 1}\n2,0.5\n", "integer text", [(1, str(2**53 + 1)), (2, "0.5")]),
    ("id,n\n1,5\n2,n/a\n", "integer text", [(1, "5"), (2, "n/a")]),
    ("id,n\n1,inf\n2,NaN\n", "integer text", [(1, "inf"), (2, "NaN")]),
    ("id,n\n1,\u0661\n", "integer text", [(1, "\u0661")]),
]
JSONL: list[tuple[str | bytes, str, list[tuple[CellValue, ...]]]] = [
    (
        '{"id": 1, "a": "1", "b": true}\n\n{"b": false, "id": 2, "c": 0.5}\n',
        "integer text boolean real",
        [(1, "1", True, None), (2, None, False, 0.5)],
    ),
    (
        '{"id": "a", "n": {"x": [1, "é"]}}\n{"id": "b", "n": []}\n',
        "text json",
        [("a", '{"x":[1,"é"]}'), ("b", "[]")],
    ),
    (
        '{"id": "a", "n": 5}\n{"id": "b", "n": true}\n{"id": "c", "n": 1.5}\n',
        "text text",
        [("a", "5"), ("b", "true"), ("c", "1.5")],
    ),
    (f'{{"id": {2**70}}}\n', "text", [(str(2**70),)]),
]
# Contents of damaged files, with parts of the message in order.
NO_CSV: list[tuple[str | bytes, list[str]]] = [
    (
        "id,n\nT-1,a\nT-2,b\nT-1,c\n",
        ["t.csv, row 4, column id: T-1 is the key of row 2, too (mend", 'keys={"t"'],
    ),
    ("id,n\n1,a\n,b\n", ["t.csv, row 3, column id: the key of this row is empty"]),
    ("id,n\n1.5,a\n", ["column id: the key is a column of the type real"]),
    ("a,b\n1,2\n1,2\n", ["in every row (name columns that do so together", "--key t=A,B", "row_number"]),
    ("", ["t.csv: the file is empty (its first line names the columns)"]),
    ("\ufeff \n\r\n", ["the file is empty"]),
    ("id,n\n1,a\n2,caf\xe9\n".encode("cp1252"), ["t.csv, line 3: not UTF-8: the byte 0xE9", "cp1252"]),
    ("id,n\n1,a\n".encode("utf-16"), ["t.csv: the file is UTF-16", "CSV UTF-8"]),
    ("id,n\n1,a\n".encode("utf-16-le"), ["t.csv, line 1: the file has a NUL byte"]),
    ("id,n\n1,a\n2,\0\n", ["t.csv, line 3: the file has a NUL byte"]),
    ("id,n\n1,a\n2,b,c\n", ["t.csv, row 3: the row has 3 cells, and the header has 2 (quote"]),
    ("id,n,m\n1,a,b\n2\n", ["t.csv, row 3: the row has 1 cells, and the header has 3 (add"]),
    ('id,n\n1,a\n2,"b\n3,c\n', ["t.csv, row 3: not CSV: a quoted cell does not end"]),
    ('id,n\n1,"a"b\n', ["t.csv, row 2: not CSV: ',' expected after '\"'"]),
    ("id,N,n\n1,2,3\n", ["t.csv: the columns 2 and 3 are both called 'n'"]),
    ("id,\n1,2\n", ["t.csv: column 2 has no name"]),
    ("id,_ROW\n1,2\n", ["a column cannot be called '_ROW'"]),
    ('id,"a\nb"\n1,2\n', ["column 2 has a control character: 'a\\nb'"]),
    (",".join(f"c{n}" for n in range(2000)) + "\n", ["has 2,000 columns, at most 1,999"]),
]
NO_JSONL: list[tuple[str | bytes, list[str]]] = [
    ('{"id": 1}\n[2]\n', ["t.jsonl, line 2: not a JSON object"]),
    ('[{"id": 1},\n{"id": 2}]\n', ["t.jsonl, line 1: not a JSON object", "an array"]),
    ('{"id": 1}\n{"id": 2\n', ["t.jsonl, line 2: not a JSON object: EOF"]),
    ('{"id": 1, "id": 2}\n', ["t.jsonl, line 1", "id"]),
    ("\n", ["t.jsonl: the file has no rows"]),
    ('{" id": 1}\n', ["the key ' id' begins or ends"]),
    (b'{"id": "\xe9"}\n', ["t.jsonl, line 1: not UTF-8"]),
    ('{"id": 1}\n{"id": 1}\n', ["t.jsonl, line 2, column id: 1 is the"]),
]
CASES: dict[str, Case] = {
    "very long cells": right(text(f"id,n\n1,{LONG}\n"), "integer text", (1, LONG)),
    "unknown format": wrong(
        text("x", "t.xlsx"), "no format is known by the ending '.xlsx'", "known are .csv"
    ),
    "no Parquet": wrong(text("id\n1\n", "t.parquet"), "t.parquet: not a readable Parquet file"),
    "no SQLite": wrong(text("id,n\n", "t.db"), "t.db: not an SQLite database"),
    "damaged SQLite": wrong(text(b"SQLite format 3\0" + b"\1" * 2000, "t.db"), "t.db: ", "database"),
    "type chosen": right(
        text("id,n,f\n1,5,1\n2,6,0\n"),
        "text real boolean",
        ("1", 5.0, True),
        ("2", 6.0, False),
        chosen={"id": "text", "n": "real", "f": "boolean"},
    ),
    "mistyped": wrong(
        text('id,n\n1,"a\nb"\n2,high\n'),
        "t.csv, row 2, column n: an integer of at most 64 bits is needed, not 'a\\nb' (mend the cell",
        chosen={"n": "integer"},
    ),
    "rows are lines": wrong(
        text('id,n,m\n1,"a\nb",1\n\n2,c,high\n'),
        "t.csv, row 5, column m: an integer",
        chosen={"m": "integer"},
    ),
    "decimal comma": wrong(
        text("id;n\n1;2,5\n"),
        "row 2, column n: a finite number is needed",
        "decimal point",
        chosen={"n": "real"},
    ),
    "key of the singular": right(text("x,T_ID\n1,b\n"), "integer text", (1, "b"), key="T_ID"),
    "first unique column": right(
        text("a,b,c,d\n1,1.5,x,p\n1,2.5,y,q\n"),
        "integer real text text",
        (1, 1.5, "x", "p"),
        (1, 2.5, "y", "q"),
        key="c",
    ),
    "key chosen": right(
        text("id,n\n1,a\n1,b\n"), "integer text", (1, "a"), (1, "b"), key="n", keys={"t": "n"}
    ),
    "numbered rows": right(
        text("a,b\n1,x\n1,x\n"),
        "integer integer text",
        (1, 1, "x"),
        (2, 1, "x"),
        key="row_number",
        keys={"t": "row_number"},
    ),
    "a column called row_number": right(
        text("a,row_number\n1,7\n1,8\n"),
        "integer integer",
        (1, 7),
        (1, 8),
        key="row_number",
        keys={"t": "row_number"},
    ),
    "numbered dicts": right(
        lambda _: [{"a": 1}, {"a": 1}],
        "integer integer",
        (1, 1),
        (2, 1),
        key="row_number",
        keys={"t": "row_number"},
    ),
    "columns together": right(
        text("a,b,n\n1,x,5\n1,y,5\n"),
        "text integer text integer",
        ("1-x", 1, "x", 5),
        ("1-y", 1, "y", 5),
        key="a_b",
        keys={"t": ("a", "b")},
    ),
    "columns of dicts together": right(
        lambda _: [{"a": 1, "b": 2}, {"a": 12, "b": 2}],
        "text integer integer",
        ("1-2", 1, 2),
        ("12-2", 12, 2),
        key="a_b",
        keys={"t": ["a", "b"]},
    ),
    "columns that are no key together": wrong(
        text("a,b\n1,x\n1,x\n"), "row 3, column a_b: 1-x is the key of row 2, too", keys={"t": ("a", "b")}
    ),
    "an empty part of a key": wrong(
        text("a,b\n1,x\n1,\n"), "row 3, column b: a part of the key is empty", keys={"t": ("a", "b")}
    ),
    "nothing spelled out": right(
        text("id,n,d,s\n1,NULL,2026-01-05,NULL\n2,3,NULL,a\n"),
        "integer integer text text",
        (1, None, "2026-01-05", None),
        (2, 3, None, "a"),
        nulls=("NULL",),
    ),
    "numbered and mistyped": wrong(
        text("a,b\n1,x\n1,x\n"),
        "row 2, column b: an integer",
        keys={"t": "row_number"},
        chosen={"b": "integer"},
    ),
    "unknown key": wrong(text("a,b\n1,2\n"), "t has no column 'id'", "there are a, b", keys={"t": "id"}),
    "key of no table": wrong(
        text("a,b\n1,2\n"), "keys: no table 'tt' (did you mean 't'? There are t)", keys={"tt": "id"}
    ),
    "unknown column": wrong(text("a,b\n1,2\n"), "t has no column 'c'", chosen={"c": "text"}),
    "unknown type": wrong(
        text("a,b\n1,2\n"), "no type 'date'", "text, integer, real, boolean", chosen={"a": "date"}
    ),
    "directory": wrong(directory, "t.csv: cannot read the table: Is a directory"),
    "FIFO": wrong(fifo, "t.csv: cannot read the table: not a regular file"),
    "symbolic links in a circle": wrong(
        loop, "t.csv: cannot read the table: Too many levels of symbolic links"
    ),
    "no file": wrong(lambda folder: folder / "t.csv", "t.csv: cannot read the table: No such file"),
    "no folder": wrong(lambda folder: folder / "docs", "docs: there is no such file or folder"),
    "no source": wrong(lambda _: 5, "t: no table can be read from a int"),
    "Parquet": right(
        parquet(
            {
                "id": [1, 2],
                "day": [date(2026, 1, 5), None],
                "at": [datetime(2026, 1, 5, 9), datetime(2026, 1, 5, 9, tzinfo=UTC).replace(tzinfo=None)],
                "n": [float("nan"), 0.5],
                "price": [Decimal("1.50"), None],
                "sum": [Decimal("12345678901234567.01"), Decimal("0.50")],
                "tags": [["a"], []],
                "raw": [b"x", None],
                "ok": [True, False],
            }
        ),
        "integer text text real real text json text boolean",
        (1, "2026-01-05", "2026-01-05 09:00:00", None, 1.5, "12345678901234567.01", '["a"]', "x", True),
        (2, None, "2026-01-05 09:00:00", 0.5, None, "0.5", "[]", None, False),
    ),
    "Parquet without rows": right(parquet({"id": []}), "text"),
    "truncated Parquet": wrong(
        parquet({"id": [1]}, cut=20), "t.parquet: not a readable Parquet file", "cut off"
    ),
    "bytes in Parquet": wrong(
        parquet({"id": [1, 2], "b": [b"x", b"\xff"]}), "t.parquet, row 2, column b: a cell cannot hold bytes"
    ),
    "infinity in Parquet": wrong(
        parquet({"id": [1], "b": [float("inf")]}), "row 1, column b: a cell cannot hold an inf"
    ),
    "SQLite": right(
        sqlite(
            "CREATE TABLE t(n, no INTEGER PRIMARY KEY, paid BOOLEAN, sum AS (no * 2))",
            "INSERT INTO t VALUES ('a', 7, 1), (0.5, 9, NULL)",
            "CREATE INDEX odd ON t(n DESC)",
            "CREATE TRIGGER log AFTER INSERT ON t BEGIN SELECT 1; END",
        ),
        "text integer boolean integer",
        ("a", 7, True, 14),
        ("0.5", 9, None, 18),
        key="no",
    ),
    "WITHOUT ROWID": right(
        sqlite(
            "CREATE TABLE t(id TEXT PRIMARY KEY, n) WITHOUT ROWID", "INSERT INTO t VALUES ('b', 1), ('a', 2)"
        ),
        "text integer",
        ("a", 2),
        ("b", 1),
    ),
    "a view alone": wrong(
        sqlite("CREATE VIEW v AS SELECT 1 AS id"), "the database has no tables", "views", "v"
    ),
    "a database without anything": wrong(sqlite("VACUUM"), "t.sqlite: the database has no tables"),
    "bytes in SQLite": wrong(
        sqlite("CREATE TABLE t(id, b)", "INSERT INTO t VALUES (1, 'x'), (2, x'ff')"),
        "t.sqlite, table t, row 2, column b: a cell cannot hold bytes",
    ),
    "no Unicode in SQLite": wrong(
        sqlite("CREATE TABLE t(id, b)", "INSERT INTO t VALUES (1, 'x'), (2, CAST(x'ff' AS TEXT))"),
        "t.sqlite, table t, row 2: cannot be read",
    ),
    "SQLite's own name": wrong(
        lambda folder: text("id\n1\n")(folder),
        "SQLite has tables called 'sqlite_x' of its own",
        keys={"": "sqlite_x"},
    ),
    "no name of a table": wrong(
        lambda folder: text("id\n1\n")(folder), "no name for a table: 'my table'", keys={"": "my table"}
    ),
    "documents": right(
        documents,
        "text text text",
        ("a-first.txt", "a first", "Hello"),
        ("c.pdf", "c", "Be kind.\nRules - page 1 of 1"),
        ("more/b.md", "How to *leave*", "intro\n\n## How to *leave* ##\ntext"),
    ),
    "link in a folder": wrong(looped_documents, "again: this is a link"),
    "no documents": wrong(nothing_to_read, "docs: no documents in this folder"),
    "damaged PDF": wrong(damaged_pdf, "docs/c.pdf: the PDF is not a readable PDF"),
    "dicts": right(
        lambda _: [{"id": 1, "x": {"a": 1}}, {"y": date(2026, 1, 5), "id": 2}],
        "integer json text",
        (1, '{"a":1}', None),
        (2, None, "2026-01-05"),
    ),
    "no dicts": wrong(lambda _: [{"id": 1}, [2]], "the list t, row 2: a dict is needed, not list"),
    "an object in a dict": wrong(
        lambda _: [{"id": 1, "x": object()}], "the list t, row 1, column x: a cell cannot hold a object"
    ),
    "half a character in a dict": wrong(
        lambda _: [{"id": "\ud800"}], "row 1, column id: the text is no valid Unicode"
    ),
    "a number as a name in a dict": wrong(lambda _: [{"id": 1, 2: 3}], "the name of column 2 is no text: 2"),
    "no rows": wrong(lambda _: [], "the list t: the table has no columns"),
    "frame": right(
        frame({"id": [1, 2], "n": [1.0, float("nan")], "x": [0.5, None], "s": ["a", None]}),
        "integer integer real text",
        (1, 1, 0.5, "a"),
        (2, None, None, None),
    ),
    "frame with dates": right(
        times, "integer text boolean", (1, "2026-01-05 09:00:00", True), (2, None, None)
    ),
    "frame with categories": right(categorical, "text text", ("a", "new"), ("b", None)),
    "frame with a named index": right(
        lambda folder: frame({"id": [7], "n": [1]})(folder).set_index("id"), "integer integer", (7, 1)
    ),
    "frame without rows": right(frame({"id": []}), "text"),
    "duplicate names of a frame": wrong(twice, "the frame t: the columns 1 and 2 are both called 'id'"),
    "numbers as names of a frame": wrong(frame({0: [1]}), "the frame t: the name of column 1 is no text: 0"),
    **{repr(given): right(text(given), types, *rows) for given, types, rows in CSV},
    **{repr(given): right(text(given, "t.jsonl"), types, *rows) for given, types, rows in JSONL},
    **{repr(given): wrong(text(given), *said) for given, said in NO_CSV},
    **{repr(given): wrong(text(given, "t.jsonl"), *said) for given, said in NO_JSONL},
}


def read(case: Case, folder: Path) -> SourceTable:
    keys = dict(case.keys)
    name = keys.pop("", "t")
    [table] = read_tables(
        {name: case.make(folder)},
        keys=keys,
        types={"t": case.chosen} if case.chosen else {},
        nulls=case.nulls,
    )
    return table


@each_row("name", CASES)
def test_a_table_is_read_or_refused(name: str, tmp_path: Path) -> None:
    case, folder = CASES[name], tmp_path / str(len([*tmp_path.iterdir()]))
    folder.mkdir()
    if case.error:
        with pytest.raises(InputError) as error:
            list(read(case, folder).rows())
        said, start = str(error.value), 0
        for part in case.error:
            assert part in said[start:], said
            start = said.index(part, start)
    else:
        table = read(case, folder)
        assert repr(list(table.rows())) == repr(case.rows)
        assert list(table.profile.types.values()) == case.types.split()
        assert table.profile.key == (case.key or "id")
        assert table.profile.rows == len(case.rows)


def test_an_sqlite_file_gives_all_its_tables_and_says_what_it_leaves_out(tmp_path: Path) -> None:
    file = sqlite(
        'CREATE TABLE "Order Details"(id, n)',
        "CREATE TABLE people(id)",
        "CREATE VIEW busy AS SELECT * FROM people",
        "CREATE VIRTUAL TABLE words USING fts5(x)",
    )(tmp_path)

    with pytest.warns(Notice, match="leaves out busy, words"):
        tables = read_tables({"shop": file}, keys={"people": "id"})

    assert [table.name for table in tables] == ["Order_Details", "people"]


def test_an_sqlite_file_is_not_changed_and_its_log_is_read(tmp_path: Path) -> None:
    file = sqlite("PRAGMA journal_mode = WAL", "CREATE TABLE t(id)")(tmp_path)
    writer = apsw.Connection(str(file))
    writer.execute("INSERT INTO t VALUES (5)")
    before = file.read_bytes()

    [table] = read_tables({"t": file})

    assert list(table.rows()) == [(5,)]
    assert file.read_bytes() == before
    writer.close()


def test_names_that_differ_in_letter_case_are_refused(tmp_path: Path) -> None:
    file = text("id\n1\n")(tmp_path)
    with pytest.raises(InputError, match="two tables are called 'a' and 'A'"):
        read_tables({"a": file, "A": file})


def test_sources_of_a_folder_that_are_no_documents_are_named(tmp_path: Path) -> None:
    (documents(tmp_path) / "x.docx").write_bytes(b"")
    with pytest.warns(Notice, match=r"leaves out x\.docx"):
        read_tables({"t": tmp_path / "docs"})


CELLS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8)


@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=5), st.sampled_from(DELIMITERS))
def test_csv_comes_back_as_it_was_written(rows: list[tuple[str, str]], delimiter: str) -> None:
    import csv
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/t.csv", "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, delimiter=delimiter, quoting=csv.QUOTE_ALL)
            writer.writerow(("id", "one", "two"))
            writer.writerows((number, *row) for number, row in enumerate(rows))
        [table] = read_tables({"t": f"{folder}/t.csv"}, types={"t": {"one": "text", "two": "text"}})

        assert list(table.rows()) == [(n, one or None, two or None) for n, (one, two) in enumerate(rows)]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | CELLS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(CELLS, inner, max_size=3),
    max_leaves=5,
)


@given(st.lists(JSON, min_size=1, max_size=5))
def test_any_json_is_a_cell(values: list[Any]) -> None:
    rows = [{"id": number, "value": value} for number, value in enumerate(values)]
    [table] = read_tables({"t": rows})
    kind = table.profile.types["value"]

    for value, (_, cell) in zip(values, table.rows(), strict=True):
        if kind == "json":
            assert shown_cell(cell, kind) == value or str(value).lstrip()[:1] in "[{"
        elif kind != "text" or isinstance(value, str) or value is None:
            assert cell == value


@given(st.binary(max_size=200))
def test_no_bytes_crash_a_reader(data: bytes) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, start in (
            ("a.csv", b"id,n\n"),
            ("a.jsonl", b'{"id": 1}\n'),
            ("a.parquet", b"PAR1"),
            ("a.db", b"SQLite format 3\0"),
        ):
            file = Path(folder) / name
            file.write_bytes(start + data)
            with suppress(InputError):
                for table in read_tables({"t": file}):
                    list(table.rows())
