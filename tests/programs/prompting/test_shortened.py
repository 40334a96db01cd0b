"""Observations in compact prompts."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from worksmith.programs.prompting.shortened import beginning, shortened

cells = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(), st.lists(st.integers())
)
records = st.lists(st.dictionaries(st.text(min_size=1), cells, min_size=1), min_size=1, max_size=8)


def mails(count: int) -> list[dict[str, Any]]:
    return [
        {
            "id": f"{number:08}",
            "sender": "ada@example.com",
            "subject": f"Week {number}",
            "body": f"{number} " + "word " * 60,
        }
        for number in range(count)
    ]


def test_records_are_a_table_in_which_long_texts_give_way_to_ids() -> None:
    heading, *rows = shortened(json.dumps(mails(4)), 300).split("\n")

    assert heading == "id | sender=ada@example.com | subject | body"
    assert [row.split(" | ")[:2] for row in rows] == [[f"{n:08}", f"Week {n}"] for n in range(4)]
    assert all(row.endswith("…") for row in rows)


def test_a_table_fills_its_length() -> None:
    shown = shortened(json.dumps(mails(4)), 600)

    assert 550 < len(shown) <= 600


def test_rows_that_do_not_fit_are_counted() -> None:
    shown = shortened(json.dumps(mails(40)), 300)

    assert shown.split("\n")[-1] == f"... {40 - (len(shown.splitlines()) - 2)} more rows"
    assert len(shown) < 330


def test_one_record_shows_all_its_columns() -> None:
    assert shortened('[{"a": 1, "b": null, "c": "x\\ny"}]', 100) == "a | b | c\n1 |  | x y"


def test_records_without_some_columns_have_empty_cells() -> None:
    assert shortened('[{"a": 1}, {"b": 2.34567}]', 100) == "a | b\n1 | \n | 2.346"


def test_a_date_shows_what_differs_from_the_date_before() -> None:
    counts = {"2024-09-29": 4, "2024-09-30": 2.5, "2024-10-01": 3, "2025-01-01": 1, "all": 9}

    assert shortened(json.dumps(counts), 200) == "2024-09-29: 4, 30: 2.5, 10-01: 3, 2025-01-01: 1, all: 9"


def test_other_observations_are_their_beginnings() -> None:
    for text in ("Deleted.", "[1, 2]", "[]", "{}", '{"rows": [{"a": 1}]}', "[{", "12"):
        assert shortened(text, 100) == text
    assert shortened("line\n" * 30, 50) == "line\n" * 10 + "... [150 characters]"


@given(records, st.integers(50, 400))
def test_every_record_is_shown_or_counted(rows: list[dict[str, Any]], length: int) -> None:
    heading, *shown = shortened(json.dumps(rows), length).split("\n")

    more = int(shown.pop().split()[1]) if shown[-1].startswith("... ") and "more rows" in shown[-1] else 0
    assert len(shown) + more == len(rows)
    assert heading.count(" | ") >= len({name for row in rows for name in row}) - 1


@given(st.text(), st.integers(50, 200))
def test_a_beginning_says_how_long_the_text_is(text: str, length: int) -> None:
    shown = beginning(text, length)

    assert shown[:length] == text[:length]
    assert len(shown) < length + 40
    assert shown == text or f"{len(text):,} characters" in shown
