"""Lines of a task file: the values of records that a query names."""

from __future__ import annotations

import pytest

from worksmith.evals.kinds.own_data.lines import parse_line
from worksmith.tools.errors import InputError

LINE = {"query": "Close ticket T-1.", "answer": "closed"}


def test_slots_name_values_of_the_query() -> None:
    line = parse_line({**LINE, "slots": {"ticket": "t-1"}}, "tasks.jsonl:1")

    assert line.slots == {"ticket": "t-1"}


@pytest.mark.parametrize("value", ["T-2", "", 3])
def test_a_value_that_the_query_does_not_name_is_no_slot(value: object) -> None:
    with pytest.raises(InputError, match="slots"):
        parse_line({**LINE, "slots": {"ticket": value}}, "tasks.jsonl:1")
