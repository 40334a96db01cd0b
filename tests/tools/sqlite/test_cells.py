"""Typed cells: numbers and booleans keep their types from the world at rest to the record of an episode."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tables import each_row
from worksmith.evals.records.entries import ChangeEntry
from worksmith.evals.records.recording import change_entries
from worksmith.tools.access.access_policy import load_policy
from worksmith.tools.access.guard import Guard
from worksmith.tools.errors import ToolError
from worksmith.tools.persona import Persona
from worksmith.tools.sqlite.cells import CellType, CellValue, typed_cell
from worksmith.tools.sqlite.outcome import Outcome
from worksmith.tools.sqlite.sandbox import Sandbox
from worksmith.tools.sqlite.schema import Table
from worksmith.tools.tool_context import ToolContext

ORDERS = Table(
    "Orders",
    ("id", "item", "weight", "paid"),
    indexes=("id",),
    types={"id": "integer", "weight": "real", "paid": "boolean"},
)
POLICY = load_policy(
    """{"format": "worksmith-policy/1", "sources": {"Orders": {"key": "id", "rules": [
    {"id": "ALL", "operations": ["read", "create", "update", "delete"], "when": {"always": true}}]}}}""",
    [ORDERS],
)


def sandbox() -> Sandbox:
    connection = apsw.Connection(":memory:")
    for statement in ORDERS.ddl():
        connection.execute(statement)
    rows = [(7, "pen", 0.5, True), (8, "ink", 2.0, False), (9, None, None, None)]
    connection.executemany(ORDERS.insert_sql(), rows)
    return Sandbox(connection.serialize("main"), (ORDERS,))


def outcome(*writes: Callable[[Guard], object]) -> Outcome:
    def body(connection: apsw.Connection) -> None:
        guard = guard_of(connection)
        for write in writes:
            write(guard)

    return Outcome(sandbox().run(b"", body)[1], (ORDERS,))


def guard_of(connection: apsw.Connection) -> Guard:
    return Guard(
        ToolContext(connection, datetime(2026, 1, 5), Persona(id="ann", name="Ann"), POLICY), [ORDERS]
    )


def read(query: Callable[[Guard], object]) -> object:
    return sandbox().read(b"", lambda connection: query(guard_of(connection)))


def test_records_have_python_values() -> None:
    ink = {"id": 8, "item": "ink", "weight": 2.0, "paid": False}

    assert read(lambda guard: guard.get("Orders", 8)) == ink
    assert read(lambda guard: guard.get("Orders", "8")) == ink
    assert repr(read(lambda guard: guard.find("Orders", [("paid = ?", [True])])[0]["paid"])) == "True"
    assert repr(read(lambda guard: guard.find("Orders", [("weight > ?", [1])])[0]["weight"])) == "2.0"
    assert read(lambda guard: guard.keys("Orders")) == [7, 8, 9]
    assert repr(read(lambda guard: guard.select("SELECT id, paid, weight + 1 AS w FROM orders"))) == repr(
        [
            {"id": 7, "paid": True, "w": 1.5},
            {"id": 8, "paid": False, "w": 3.0},
            {"id": 9, "paid": None, "w": None},
        ]
    )


def test_a_select_counts_as_having_read_its_table_whatever_its_letter_case() -> None:
    def body(connection: apsw.Connection) -> set[str]:
        guard = guard_of(connection)
        guard.select("SELECT count(*) FROM ORDERS")
        return guard._ctx.reads

    assert sandbox().read(b"", body) == {"Orders/*"}


def test_changes_have_python_values_and_survive_a_record() -> None:
    made = outcome(
        lambda guard: guard.insert("Orders", {"id": "10", "weight": 3, "paid": True}),
        lambda guard: guard.update("Orders", 7, {"paid": False, "weight": 1}),
        lambda guard: guard.delete("Orders", 8),
    )

    assert [(repr(change.before), repr(change.after)) for change in made.changes] == [
        ("{'weight': 0.5, 'paid': True}", "{'weight': 1.0, 'paid': False}"),
        ("{'id': 8, 'item': 'ink', 'weight': 2.0, 'paid': False}", "{}"),
        ("{}", "{'id': 10, 'item': None, 'weight': 3.0, 'paid': True}"),
    ]
    entries = change_entries(made.changes)
    again = [ChangeEntry.model_validate_json(entry.model_dump_json()) for entry in entries]
    assert repr(again) == repr(list(entries))


def test_equal_cells_are_equal_however_they_were_written() -> None:
    one = outcome(lambda guard: guard.update("Orders", 9, {"weight": 4, "paid": "true"}))
    other = outcome(lambda guard: guard.update("Orders", "9", {"weight": "4.0", "paid": 1}))

    assert one.matches(other)
    assert not one.matches(outcome(lambda guard: guard.update("Orders", 9, {"weight": 4.5, "paid": True})))


def test_floats_are_equal_but_for_rounding() -> None:
    one = outcome(lambda guard: guard.update("Orders", 9, {"weight": 0.1 + 0.2}))

    assert one.matches(outcome(lambda guard: guard.update("Orders", 9, {"weight": 0.3})))
    assert not one.matches(outcome(lambda guard: guard.update("Orders", 9, {"weight": 0.3000001})))


@each_row(
    ("write", "message"),
    [
        (
            lambda guard: guard.get("Orders", "ten"),
            "there is no id ten: an integer of at most 64 bits is needed",
        ),
        (
            lambda guard: guard.insert("Orders", {"id": 1, "weight": "heavy"}),
            "weight of Orders: a finite number",
        ),
        (
            lambda guard: guard.insert("Orders", {"id": 1, "paid": "maybe"}),
            "paid of Orders: true or false is",
        ),
        (lambda guard: guard.update("Orders", 7, {"item": 5}), "item of Orders: a text is needed, not '5'"),
        (
            lambda guard: guard.update("Orders", 7, {"weight": float("nan")}),
            "a finite number is needed, not 'nan'",
        ),
        (lambda guard: guard.insert("Orders", {"id": 2**63}), "an integer of at most 64 bits is needed"),
        (lambda guard: guard.insert("Orders", {"id": 7}), "id 7 is taken"),
        (lambda guard: guard.insert("Orders", {"item": "x"}), "needs its id"),
        (lambda guard: guard.update("Orders", 7, {"weight": [1]}), r"a finite number is needed, not '\[1\]'"),
        (lambda guard: guard.update("Orders", 7, {"paid": [1]}), "true or false is needed"),
        (lambda guard: guard.insert("Orders", {"id": [1]}), "an integer of at most 64 bits is needed"),
        (
            lambda guard: guard.update("Orders", 7, {"item": datetime(2026, 1, 5)}),
            "a text is needed, not '2026-01-05",
        ),
    ],
)
def test_a_cell_of_another_type_is_refused(write: Callable[[Guard], object], message: str) -> None:
    with pytest.raises(ToolError, match=message):
        outcome(write)


VALUES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20)


@given(VALUES, st.sampled_from(["text", "integer", "real", "boolean"]))
def test_what_is_accepted_comes_back_from_sqlite_as_it_was(value: CellValue, kind: CellType) -> None:
    try:
        cell = typed_cell(value, kind)
    except ValueError:
        return
    table = Table("t", ("c",), types={"c": kind})
    connection = apsw.Connection(":memory:")
    connection.execute(table.ddl()[0])
    connection.execute(table.insert_sql(), (cell,))
    found = table.shown({"c": connection.execute("SELECT c FROM t").get})["c"]

    assert (found, type(found)) == (cell, type(cell))
    assert typed_cell(found, kind) == cell
