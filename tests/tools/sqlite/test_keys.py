from __future__ import annotations

import apsw

from tests.tables import each_row
from worksmith.tools.sqlite.keys import free_key
from worksmith.tools.sqlite.schema import Table

NOTES = Table("notes", ("id",), indexes=("id",))


@each_row(
    ("keys", "expected"),
    [
        ([], "1"),
        (["T-0007"], "T-0008"),
        (["T-9", "T-2"], "T-3"),
        (["T-3", "T-4", "T-2"], "T-5"),
        (["unlike"], "1"),
        ([f"T-{n}" for n in range(100, 0, -1)], "T-128"),
    ],
)
def test_a_new_key_is_counted_on_from_the_last_row(keys: list[str], expected: str) -> None:
    connection = apsw.Connection(":memory:")
    for statement in NOTES.ddl():
        connection.execute(statement)
    connection.executemany(NOTES.insert_sql(), [(key,) for key in keys])

    found = free_key(connection, "notes", "id")

    assert found == expected
    assert found not in keys
