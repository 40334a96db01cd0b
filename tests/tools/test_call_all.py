"""Calls made in one go have the effect of the same calls one after another."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tools.notes import episode, pool

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("notes.add", {"text": "eggs"}),
    ("notes.add", {"text": "milk"}),
    ("notes.search", {}),
    ("notes.half", {}),
    ("notes.sly", {}),
    ("notes.add", {"nonsense": "1"}),
    ("notes.nonesuch", {}),
]
POOL = pool()


@given(st.lists(st.sampled_from(CALLS), max_size=6))
def test_the_same_as_one_after_another(calls: list[tuple[str, dict[str, Any]]]) -> None:
    singly, together = episode(POOL), episode(POOL)

    one_by_one = [singly.call(name, arguments) for name, arguments in calls]
    at_once = together.call_all(calls)

    assert at_once == one_by_one
    assert together.outcome().to_json() == singly.outcome().to_json()


def test_a_batch_goes_on_from_what_the_episode_has_done() -> None:
    mine = episode(POOL)
    mine.call("notes.add", {"text": "eggs"})

    (found,) = mine.call_all([("notes.search", {"text": "eggs"})])

    assert len(found.value) == 1
    assert not mine.outcome().empty


@pytest.mark.parametrize("name", ["notes.half", "notes.sly"])
def test_what_has_to_be_undone_is_undone(name: str) -> None:
    mine = episode(POOL)

    mine.call_all([("notes.add", {"text": "eggs"}), (name, {})])

    assert [change.after["text"] for change in mine.outcome().changes] == ["eggs"]
    assert episode(POOL).outcome().empty
