from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.evals.episodes import make_task
from tests.tables import each_row
from worksmith.evals.records.shard import Shard
from worksmith.tools.errors import InputError

TASKS = [make_task(number) for number in range(40)]


@given(st.integers(1, 40), st.data())
def test_each_task_is_in_one_part_and_parts_are_of_one_size(count: int, data: st.DataObject) -> None:
    of = data.draw(st.integers(1, count))
    tasks = TASKS[:count]
    parts = [Shard.open(f"{part}/{of}", data.draw(st.permutations(tasks))) for part in range(1, of + 1)]

    assert sorted(task.id for _, part in parts for task in part) == [task.id for task in tasks]
    assert [len(part) for _, part in parts] == [shard.size for shard, _ in parts]
    assert max(map(len, (part for _, part in parts))) - min(map(len, (part for _, part in parts))) <= 1
    assert len({shard.tasks for shard, _ in parts}) == 1


@each_row("text", ["", "3", "0/2", "3/2", "1/0", "a/b", "1/2/3", "-1/2", "1/41"])
def test_what_is_no_part_is_said(text: str) -> None:
    with pytest.raises(InputError, match=r"no part|make no 41 parts"):
        Shard.open(text, TASKS)
