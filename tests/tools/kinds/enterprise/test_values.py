"""Values as people write them, and ids as worlds of any origin write them."""

from __future__ import annotations

from datetime import date
from types import SimpleNamespace
from typing import Any

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tables import each_row
from worksmith.tools.errors import ToolError
from worksmith.tools.kinds.enterprise.schema import TABLES
from worksmith.tools.kinds.enterprise.values import amount, day, past_day, whole
from worksmith.tools.kinds.enterprise.writing import next_id


@given(st.integers(0, 10**9), st.integers(0, 99), st.sampled_from(["", "₹", "$", "₹ ", "Rs. "]))
def test_an_amount_is_the_same_however_it_is_written(units: int, cents: int, sign: str) -> None:
    plain = amount("price", f"{units}.{cents:02d}")

    assert amount("price", f"{sign}{units:,}.{cents:02d}") == plain
    assert plain == (f"{units}.{cents:02d}" if cents else str(units))


@each_row("text", ["", "-1", "12 or 13", "1.2.3", "NaN", "1e5", "twelve", "٣"])
def test_what_is_no_amount(text: str) -> None:
    with pytest.raises(ToolError, match="price"):
        amount("price", text)


def test_days() -> None:
    assert day("date", "2022-06-07T08:00:00") == "2022-06-07"
    assert past_day("date", "", date(2022, 12, 31)) == "2022-12-31"
    for wrong in ("2022-02-30", "07.06.2022", "20220607", ""):
        with pytest.raises(ToolError, match="YYYY-MM-DD"):
            day("date", wrong)


def test_whole_numbers_have_bounds() -> None:
    assert whole("age", "30.0", 16, 80) == "30"
    with pytest.raises(ToolError, match="at most 80"):
        whole("age", "81", 16, 80)


@each_row(
    ("keys", "following"),
    [
        ([], "PRD-0001"),
        (["PRD-0009"], "PRD-0010"),
        (["PRD-9999"], "PRD-10000"),
        (["PRD-0007", "PRD-0003"], "PRD-0008"),
        (["P12", "X99", "P7"], "P13"),
        (["B00LP9RFSU"], "PRD-0001"),
        (["0b1378a1-f02a-4b37-9865-f96f99f8d290"], "PRD-0001"),
        (["PRD-0003", "B00LP9RFSU"], "PRD-0004"),
    ],
)
def test_the_next_id_is_free_and_looks_like_the_last(keys: list[str], following: str) -> None:
    assert next_id(_desk("products", [{"product_id": key} for key in keys]), "products") == following


def test_where_ids_differ_by_type_each_goes_on_for_itself() -> None:
    posts = [{"post_id": "Q-00001", "post_type": "question"}, {"post_id": "A-00002", "post_type": "answer"}]
    desk = _desk("overflow", posts)

    assert next_id(desk, "overflow", like="post_type = 'question'") == "Q-00002"
    assert next_id(desk, "overflow", like="post_type = 'answer'") == "A-00003"


def _desk(source: str, records: list[dict[str, str]]) -> Any:
    table = next(table for table in TABLES if table.name == source)
    """As much of a desk as ids need."""
    connection = apsw.Connection(":memory:")
    for statement in table.ddl():
        connection.execute(statement)
    for record in records:
        connection.execute(table.insert_sql(), [record.get(column) for column in table.columns])
    return SimpleNamespace(connection=connection)
