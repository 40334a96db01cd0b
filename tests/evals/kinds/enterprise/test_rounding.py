"""Whole numbers in given proportions."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from worksmith.evals.kinds.enterprise.filling.quotas import balance, share_out

weights = st.dictionaries(st.text("abcdef", min_size=1, max_size=2), st.integers(1, 50), min_size=1)


@given(weights, st.integers(0, 2000))
def test_shares_add_up_and_stay_within_one_of_the_exact_value(table: dict[str, int], total: int) -> None:
    found = share_out(table, total)
    assert sum(found.values()) == total
    for key, weight in table.items():
        assert abs(found[key] - total * weight / sum(table.values())) < 1


@given(
    st.lists(st.integers(1, 30), min_size=1, max_size=8), st.lists(st.integers(1, 9), min_size=1, max_size=6)
)
def test_a_table_without_gaps_has_exactly_the_sums_asked_for(rows: list[int], shares: list[int]) -> None:
    columns = share_out(dict(enumerate(shares)), sum(rows))
    every = {row: dict.fromkeys(columns, 1) for row in range(len(rows))}
    table = balance(dict(enumerate(rows)), columns, every)
    for row, total in enumerate(rows):
        assert sum(n for (r, _), n in table.items() if r == row) == total
    for column, total in columns.items():
        assert sum(n for (_, c), n in table.items() if c == column) == total
    assert min(table.values()) >= 0


def test_a_table_moves_others_to_make_room() -> None:
    # Row a can only be in column 1, so that b has to leave it whatever the weights say.
    table = balance({"b": 2, "a": 2}, {1: 2, 2: 2}, {"b": {1: 100, 2: 1}, "a": {1: 1}})
    assert {place: n for place, n in table.items() if n} == {("b", 2): 2, ("a", 1): 2}


def test_rows_keep_their_sums_where_columns_cannot() -> None:
    table = balance({"a": 3}, {1: 1, 2: 2}, {"a": {1: 1}})
    assert {place: n for place, n in table.items() if n} == {("a", 1): 3}
